import pytest

from benchmarks import report, standings
from benchmarks.tests.test_report import LINES, _line


@pytest.fixture
def board():
    return report.board(LINES)


def test_a_row_has_score_tests_failures_and_times(board):
    first, second = standings.table("swd", board["swd"]).splitlines()[2:]
    assert first == "| good | 1.02 ± 0.016 |  |  | 5 ok | 2 | 5 |"
    assert second == "| bad | 2.022 ± 0.018 | < 0.001 |  | 5 ok | 2 | 5 |"


def test_a_larger_accuracy_stands_first(board):
    rows = standings.table("heart", board["heart"]).splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| bad", "| good"]
    assert "0.9018 ± 0.0014" in rows[0]


def test_what_did_not_finish_is_bracketed_counted_and_last(board):
    good, bad = standings.table("auto", board["auto"]).splitlines()[2:]
    assert good.startswith("| good | 3 ± 0 |")
    assert bad.startswith("| bad | (3 ± 0) |  |  | 3 ok, 2 timeout |")
    ranks = standings.ranks(board, ["good", "bad"]).splitlines()[2:]
    # good wins swd and auto, bad wins heart
    assert ranks == ["| good | 1.33 | 1.00 to 1.50 | 1 | 0 | 0 |", "| bad | 1.67 | 1.50 to 2.00 | 2 | 0 | 2 |"]


def test_a_peer_that_finished_nothing_has_a_row(board):
    lines = [_line("swd", "good", seed, 1.0) for seed in range(2)]
    lines += [_line("swd", "late", seed, 0.0, "failed") for seed in range(2)]
    late = standings.table("swd", report.board(lines)["swd"]).splitlines()[-1]
    assert late == "| late |  |  |  | 2 failed |  |  |"


@pytest.mark.parametrize(("gaps", "worse"), [([0.1, 0.2, 0.1, 0.2], True), ([0.1, -0.1, 0.1, -0.1], False)])
def test_a_method_without_spread_is_tested_by_rows(gaps, worse):
    def line(peer, score, blocks):
        return _line("swd", peer, 0, score) | {"blocks": blocks}

    runs = report.board([line("a", 1.0, [1.0] * 4), line("b", 1.1, [1 + gap for gap in gaps])])["swd"]
    assert (standings.row_test(runs, "a", "b") < 0.05) == worse


def test_the_limit_of_a_cell_is_named():
    limited = [line | {"limit_seconds": 120.0} for line in LINES]
    assert report.method(report.board(limited)).endswith("a cell ended after 120 processor seconds.")
    assert "ended" not in report.method(report.board(LINES))
