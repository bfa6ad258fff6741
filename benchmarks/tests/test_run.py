import shutil
from dataclasses import asdict
from functools import partial

import numpy as np
import pytest

from benchmarks import cells, measure, results, run, tasks
from benchmarks.jobs import run_jobs
from benchmarks.peers.interface import Budget
from benchmarks.selection import winner
from benchmarks.tasks import storage


def _lines(folder):
    return list(results.read(sorted(folder.glob("*.jsonl"))))


def _run(folder, *arguments):
    run.main([*arguments, "--peers", "linear", "--results", str(folder)])


@pytest.fixture
def only_training_rows(tables, monkeypatch, tmp_path):
    """A folder of data where no test file is to be read."""
    shutil.copy(storage.find("train_swd"), tmp_path)
    monkeypatch.setenv("ISOTONE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.data
def test_development_runs_where_no_test_file_exists(only_training_rows, tmp_path):
    _run(tmp_path, "development", "--tasks", "swd", "--seeds", "2")
    lines = _lines(tmp_path)
    assert [(line["seed"], line["fold"], line["status"]) for line in lines] == [
        (seed, fold, "ok") for seed in range(2) for fold in range(3)
    ]
    assert {line["rows"] + line["scored_rows"] for line in lines} == {800}


@pytest.mark.data
def test_honest_fails_where_no_test_file_exists(only_training_rows, tmp_path):
    _run(tmp_path, "honest", "--tasks", "swd", "--seeds", "1")
    (line,) = _lines(tmp_path)
    assert line["status"] == "failed"
    assert "test_swd.csv" in line["error"]


@pytest.mark.data
def test_a_line_says_where_it_is_from_and_a_second_run_adds_none(tables, tmp_path):
    _run(tmp_path, "honest", "--tasks", "heart", "--seeds", "2")
    first = _lines(tmp_path)
    _run(tmp_path, "honest", "--tasks", "heart", "--seeds", "3")
    assert _lines(tmp_path)[:2] == first
    assert [line["seed"] for line in _lines(tmp_path)] == [0, 1, 2]
    for field in ("commit", "versions", "hardware", "threads", "time", "fit_seconds", "predict_seconds", "scores"):
        assert first[0][field]
    assert first[0]["versions"]["scikit-learn"]


@pytest.mark.data
def test_two_jobs_write_the_lines_of_one(tables, tmp_path):
    for jobs in ("1", "2"):
        _run(tmp_path / jobs, "honest", "--tasks", "heart,auto", "--seeds", "2", "--jobs", jobs)
    one, two = ({results.key_of(line): line["scores"] for line in _lines(tmp_path / jobs)} for jobs in ("1", "2"))
    assert one == two
    assert len(one) == 4


@pytest.mark.data
def test_tuned_searches_inside_the_training_rows_and_refits_the_winner(tables, tmp_path):
    _run(tmp_path, "tuned", "--tasks", "cpu_performance", "--seeds", "2")
    searched = _lines(tmp_path)[-2 - cells.TRIALS * cells.TUNING_FOLDS :]
    tuning = [line for line in searched if line["protocol"] == "tuning"]
    refits = [line for line in searched if line["protocol"] == "tuned"]
    assert {line["rows"] + line["scored_rows"] for line in tuning} == {167}
    assert {line["scored_rows"] for line in refits} == {42}
    assert [line["settings"] for line in refits] == [winner(tuning, "cpu_performance")] * 2


@pytest.mark.data
def test_a_run_that_goes_on_has_what_is_left_of_the_limit(tables, tmp_path, monkeypatch):
    _run(tmp_path, "honest", "--tasks", "heart", "--seeds", "2")
    used = sum(line["fit_cpu_seconds"] for line in _lines(tmp_path))
    given = []
    monkeypatch.setattr(
        run, "run_jobs", partial(run_jobs, run=lambda cell, budget: given.append((len(cell), budget.seconds)) or [])
    )
    _run(tmp_path, "honest", "--tasks", "heart,auto", "--seeds", "3", "--seconds", "50")
    assert used > 0
    assert given == [(1, pytest.approx(50 - used)), (3, 50)]


@pytest.mark.data
def test_a_search_without_a_finished_trial_is_a_failure_of_every_seed(tables, tmp_path, monkeypatch):
    late = [{"status": "timeout"}] * cells.TRIALS * cells.TUNING_FOLDS
    too_late = lambda cell, budget: [asdict(fit) | line for fit, line in zip(cell, late, strict=True)]  # noqa: E731
    monkeypatch.setattr(run, "run_jobs", partial(run_jobs, run=too_late))
    for _ in range(2):  # a second run adds no lines
        _run(tmp_path, "tuned", "--tasks", "heart", "--seeds", "2", "--seconds", "5")
    refits = list(results.read([tmp_path / "tuned-linear.jsonl"]))
    assert [(line["seed"], line["status"], line["limit_seconds"]) for line in refits] == [
        (0, "failed", 5.0),
        (1, "failed", 5.0),
    ]
    assert {line["error"] for line in refits} == {"no trial of the search finished"}


def test_a_search_chooses_by_the_mean_and_only_complete_trials():
    def line(trial, fold, rmse, status="ok"):
        scores = {"scores": {"rmse": rmse}} if status == "ok" else {}
        return {"task": "swd", "trial": trial, "fold": fold, "status": status, "settings": {"penalty": trial}} | scores

    lines = [line(0, fold, 2.0) for fold in range(3)] + [line(1, fold, 1.0 + fold / 10) for fold in range(3)]
    lines += [line(2, 0, 0.1), line(2, 1, 0.1), line(2, 2, 0.0, "timeout")]
    assert winner(lines, "swd") == {"penalty": 1}
    assert winner(lines[6:], "swd") is None


def test_accuracy_is_chosen_upwards():
    lines = [
        {"task": "heart", "trial": t, "fold": f, "status": "ok", "settings": {"t": t}, "scores": {"accuracy": a}}
        for t, a in enumerate([0.8, 0.9, 0.7])
        for f in range(3)
    ]
    assert winner(lines, "heart") == {"t": 1}


def test_a_line_cut_short_is_left_out(tmp_path):
    path = tmp_path / "honest-linear.jsonl"
    path.write_text('{"a": 1}\n{"a": ')
    assert list(results.read([path])) == [{"a": 1}]
    results.append({"b": 2}, path)
    assert list(results.read([path])) == [{"a": 1}, {"b": 2}]


def test_a_file_of_one_line_cut_short_begins_anew(tmp_path):
    path = tmp_path / "honest-linear.jsonl"
    path.write_text('{"a": ')
    results.append({"b": 2}, path)
    results.append({"c": 3}, path)
    assert path.read_text() == '{"b": 2}\n{"c": 3}\n'


@pytest.mark.data
def test_a_seed_changes_the_order_of_training_rows_only(tables):
    task = tasks.TASKS["heart"]
    train, test = task.load()
    learn, scored = measure._rows(cells.Fit("honest", "heart", "linear", 1), task, train, test)
    other, _ = measure._rows(cells.Fit("honest", "heart", "linear", 2), task, train, test)
    assert scored.equals(test)
    assert not learn.equals(other)
    assert learn.sort_values(list(learn)).to_numpy().tolist() == other.sort_values(list(other)).to_numpy().tolist()


@pytest.mark.data
def test_a_prediction_that_is_not_finite_is_an_error(tables, monkeypatch):
    task = tasks.TASKS["heart"]
    monkeypatch.setattr("benchmarks.peers.linear.Linear.predict", lambda self, frame: np.full(len(frame), np.nan))
    with pytest.raises(ValueError, match="linear predicts 61 values that are not finite"):
        measure.measure(cells.Fit("honest", "heart", "linear", 0), task, task.load(), Budget())
