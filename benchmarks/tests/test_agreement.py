import numpy as np
import pytest

from benchmarks.paper.agreement import Cell, cells, central_means, compared, is_reproduced, text

RUNS = list(np.random.default_rng(0).normal(7.3, 0.5, 100))


@pytest.mark.parametrize("cell", cells(), ids=lambda cell: f"{cell.file}-{cell.table}")
def test_the_printed_figure_is_among_ours(cell):
    assert is_reproduced(cell, cell.runs())


def test_a_figure_of_another_protocol_is_not_among_ours():
    # the same runs scored on all test rows: what the printed figure is not
    auto = next(cell for cell in cells() if cell.table == "auto")
    whole = Cell(auto.table, auto.file, "best_whole", auto.printed, auto.half_digit)
    assert not is_reproduced(whole, whole.runs())


def test_the_interval_is_that_of_means_of_five():
    low, high = central_means(RUNS)
    # 1.96 standard errors of five draws on either side; 100 runs know their deviation to about 7 %
    half = 1.96 * np.std(RUNS, ddof=1) / np.sqrt(5)
    assert (high - low) / 2 == pytest.approx(half, rel=0.07)
    assert (high + low) / 2 == pytest.approx(np.mean(RUNS), abs=half / 10)


def test_few_runs_are_refused():
    with pytest.raises(ValueError, match="at least 20 runs; there are 5"):
        central_means(RUNS[:5])


def test_a_comparison_is_printed_with_its_verdict():
    near, far = Cell("auto", "some.jsonl", "paper", 7.3, 0.005), Cell("auto", "some.jsonl", "paper", 9.0, 0.005)
    inside, outside = text([compared(near, RUNS), compared(far, RUNS)]).splitlines()[2:]
    assert inside.startswith("| auto | some.jsonl | 100 | 7.3 |")
    assert inside.endswith("| yes |")
    assert outside.endswith("| no |")
