import json

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
    # good wins swd and auto, bad wins heart; without parts of rows only who has not finished is worse by rows
    assert ranks == ["| good | 1.33 | 1.00 to 1.50 | 1 | 0 | 0 | 0 |", "| bad | 1.67 | 1.50 to 2.00 | 2 | 1 | 0 | 2 |"]


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
    # one seed tells no difference from luck
    assert standings.worse_tables({"swd": runs}, ["a", "b"]) == {"a": ["0", "0"], "b": ["0", str(int(worse))]}


def test_the_limit_of_a_cell_is_named():
    limited = [line | {"limit_seconds": 120.0} for line in LINES]
    assert report.method(report.board(limited)).endswith("a cell ended after 120 processor seconds.")
    assert "ended" not in report.method(report.board(LINES))


def test_ranks_are_over_tables_that_every_peer_was_run_on():
    lines = [*LINES, _line("compas", "good", 0, 0.5)]
    board = report.board(lines)
    with_gap, without = (standings.ranks(data, ["good", "bad"]) for data in (board, report.board(LINES)))
    assert with_gap == without + "\n\nNot among them, for not every peer was run there: compas."
    alone = standings.ranks(report.board([_line("compas", "good", 0, 0.5)]), ["good", "bad"])
    assert alone == "Not among them, for not every peer was run there: compas."


def test_times_of_several_machines_say_which():
    lines = [line | {"hardware": "another"} if line["peer"] == "bad" else line for line in LINES]
    several = standings.text(report.board(lines), ["good", "bad"])
    assert "a letter says which" in several
    assert "| 5 ok | 2 b | 5 |" in several
    assert "| 5 ok | 2 a | 5 |" in several
    assert report.method(report.board(lines)).endswith("on a: a machine; b: another.")
    one = standings.text(report.board(LINES), ["good", "bad"])
    assert "| 5 ok | 2 | 5 |" in one
    assert "a letter says which" not in one


def test_a_search_says_how_far_it_came(tmp_path):
    def line(peer, trial, fold, status="ok"):
        return {"task": "swd", "peer": peer, "trial": trial, "fold": fold, "status": status}

    searched = [line("good", trial, fold) for trial in range(4) for fold in range(3)]
    searched += [line("bad", 0, 0), line("bad", 0, 1), line("bad", 0, 2, "timeout")]
    for peer in ("good", "bad"):
        text = "".join(json.dumps(each) + "\n" for each in searched if each["peer"] == peer)
        (tmp_path / f"tuning-{peer}.jsonl").write_text(text)
    data = report.board(line for line in LINES if line["task"] == "swd")
    trials = standings.searches(data, tmp_path)
    assert trials == {("swd", "good"): 4, ("swd", "bad"): 0}
    first, second = standings.table("swd", data["swd"], trials).splitlines()[2:]
    assert first.endswith("| 5 ok | 2 | 5 | 4 |")
    assert second.endswith("| 5 ok | 2 | 5 | 0 |")


def test_only_the_tasks_and_peers_asked_for_are_shown(tmp_path, capsys):
    for peer in ("good", "bad"):
        text = "".join(json.dumps(line) + "\n" for line in LINES if line["peer"] == peer)
        (tmp_path / f"honest-{peer}.jsonl").write_text(text)
    standings.main(["honest", "--tasks", "heart", "--peers", "bad,absent", "--results", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "## heart" in printed
    assert "| bad |" in printed
    assert not any(word in printed for word in ("swd", "good", "absent"))
