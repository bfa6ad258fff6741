import json

import numpy as np
import pytest

from benchmarks import results
from benchmarks.paper import agreement
from benchmarks.paper.agreement import Cell, cells, central_means, compared, comparisons, is_reproduced, text
from benchmarks.paper.protocol import PUBLISHED

RUNS = list(np.random.default_rng(0).normal(7.3, 0.5, 100))


RUN = [cell for cell in cells() if cell.runs()]


@pytest.mark.parametrize("cell", RUN, ids=lambda cell: f"{cell.file}-{cell.table}")
def test_what_is_printed_is_reproduced_where_it_is_said_to_be(cell):
    assert is_reproduced(cell, cell.runs()) == cell.reproduced


def test_every_printed_cell_is_compared_but_those_whose_table_nobody_has_had():
    assert {cell.table for cell in cells()} == set(PUBLISHED)
    assert [cell.table for cell in cells() if cell not in RUN] == comparisons()[1] == ["loan"]
    assert {cell.table for cell in cells() if not cell.reproduced} == {"blog_as_published"}


def test_what_is_committed_is_the_comparison_of_the_committed_lines():
    stored = json.loads((results.FOLDER / "paper-agreement.json").read_text())
    assert stored == json.loads(json.dumps(comparisons()[0]))


def test_a_table_is_compared_as_soon_as_it_has_runs(tmp_path, monkeypatch):
    loan = next(cell for cell in cells() if cell.table == "loan")
    monkeypatch.setattr(agreement, "cells", lambda: [loan])
    assert comparisons(tmp_path) == ([], ["loan"])
    assert text([], ["loan"]).endswith("\n\nNot run, for the file is not at hand: loan.")
    lines = [{"task": "loan", "seed": seed, "scores": {"paper": 0.654 + seed / 1e5}} for seed in range(20)]
    (tmp_path / loan.file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    (entry,), absent = comparisons(tmp_path)
    assert (entry["table"], entry["reproduced"], absent) == ("loan", True, [])


def test_a_tolerance_is_about_the_mean():
    def cell(printed):
        return Cell("blog", "some.jsonl", "paper", printed, half_digit=0.0, tolerance=0.002)

    runs = [0.150, 0.152]
    assert is_reproduced(cell(0.1491), runs)
    assert not is_reproduced(cell(0.1489), runs)
    assert not is_reproduced(cell(0.1531), runs)


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
