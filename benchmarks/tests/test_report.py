import pytest

from benchmarks import report
from benchmarks.progress import Lines


def _line(task, peer, seed, score, status="ok"):
    figures = {"scores": {report.first_metric(task): score}, "predict_seconds": 0.5, "fit_cpu_seconds": seed}
    sizes = {"rows": 200, "scored_rows": 100, "blocks": []}
    place = {"task": task, "peer": peer, "seed": seed, "fold": None, "folds": None}
    machine = {"threads": 1, "hardware": "a machine", "status": status}
    return place | machine | (figures | sizes if status == "ok" else {})


LINES = [
    *(_line("swd", "good", seed, 1.0 + seed / 100) for seed in range(5)),
    *(_line("swd", "bad", seed, 2.0 + seed / 90) for seed in range(5)),
    *(_line("heart", "good", seed, 0.8 + seed / 1000) for seed in range(5)),
    *(_line("heart", "bad", seed, 0.9 + seed / 1100) for seed in range(5)),
    *(_line("auto", "good", seed, 3.0) for seed in range(5)),
    *(_line("auto", "bad", seed, 3.0, "timeout" if seed > 2 else "ok") for seed in range(5)),
]


@pytest.fixture
def board():
    return report.board(LINES)


def test_the_best_is_bold_and_the_worse_marked(board):
    table = report.score_table(board, ["good", "bad"])
    assert "| swd | rmse | **1.02** | 2.022† |" in table


def test_a_larger_accuracy_is_better(board):
    assert "| heart | accuracy | 0.802† | **0.9018** |" in report.score_table(board, ["good", "bad"])


def test_an_unfinished_peer_ranks_last_and_is_counted(board):
    table = report.score_table(board, ["good", "bad"])
    assert "| auto | mse | **3** | timeout (2 of 5) |" in table
    # good wins swd and auto, bad wins heart
    assert "| **mean rank** |  | 1.33 | 1.67 |" in table
    assert "| with any one table left out |  | 1.00 to 1.50 | 1.50 to 2.00 |" in table
    assert "unfinished |  | 1 | 2 |" in table


def test_times_are_medians_of_what_finished(board):
    assert "| swd | 2 / 5 | 2 / 5 |" in report.time_table(board, ["good", "bad"])
    assert "| **sum of fit times** | 6.0 | 5.0 |" in report.time_table(board, ["good", "bad"])


def test_the_method_is_told_from_the_lines(board):
    text = report.method(board)
    assert text.startswith("30 fits: 5 seeds, scored on the test rows, 1 thread(s) per fit, on a machine.")


def test_a_second_line_of_a_fit_replaces_the_first():
    board = report.board([_line("swd", "good", 0, 5.0), _line("swd", "good", 0, 1.0)])
    assert report.losses(board["swd"]["good"], "rmse").tolist() == [1.0]


def test_the_time_left_follows_the_pace():
    lines = Lines(total=10)
    lines.advance(4, "some fits")
    assert lines.line("some fits", seconds=120.0) == "4/10  some fits  3.0 minutes left"


def test_progress_is_not_among_what_a_command_prints(capsys):
    Lines(total=1).advance(1, "the only fit")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "1/1  the only fit  0.0 minutes left\n")


def test_peers_are_compared_on_the_fits_they_share():
    lines = [_line("swd", "long", seed, 1.0) for seed in range(3)] + [_line("swd", "short", 1, 2.0)]
    lines += [_line("auto", "long", 0, 1.0), _line("auto", "other", 7, 1.0)]
    data = report.shared(report.board(lines), ["long", "short"])
    assert {name: list(runs) for name, runs in data["swd"].items()} == {"long": [(1, None)], "short": [(1, None)]}
    assert "| swd | rmse | **1** | 2 |" in report.score_table(data, ["long", "short"])
    assert list(data["auto"]) == ["long"]
    assert "auto" not in report.shared(report.board(lines), ["long", "other"])
