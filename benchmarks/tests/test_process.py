import multiprocessing
import os

import pytest

from benchmarks import process
from benchmarks.cells import Fit
from benchmarks.peers.interface import Budget
from benchmarks.process import THREAD_VARIABLES, run_cell
from benchmarks.tests import fake_servers

CELL = [Fit("honest", "heart", "linear", seed) for seed in range(3)]


def _statuses(serve, seconds=60.0):
    return [(record["seed"], record["status"]) for record in run_cell(CELL, Budget(seconds), serve)]


def test_every_fit_has_a_record_in_order():
    assert _statuses(fake_servers.prompt) == [(0, "ok"), (1, "ok"), (2, "ok")]


@pytest.mark.parametrize("serve", [fake_servers.works_on_at_one, fake_servers.slow_at_one])
def test_a_cell_ends_at_its_limit_and_keeps_what_was_done(serve, monkeypatch):
    # the slow fit takes ten minutes, the other one never ends: that this returns at all is the test
    monkeypatch.setattr(process, "PATIENCE", 20.0 if serve is fake_servers.works_on_at_one else 1.0)
    assert _statuses(serve, seconds=2.0) == [(0, "ok"), (1, "timeout"), (2, "timeout")]


def test_a_process_that_works_ends_by_its_processor_seconds(monkeypatch):
    # nothing but the processor's count can end it: the wall's patience is longer than any test's
    monkeypatch.setattr(process, "PATIENCE", 1e5)
    assert _statuses(fake_servers.works_on_at_one, seconds=1.0)[1:] == [(1, "timeout"), (2, "timeout")]


def test_processor_seconds_before_an_error_count(monkeypatch):
    left = []
    real = process._start
    monkeypatch.setattr(process, "_start", lambda fits, budget, *rest: left.append(budget) or real(fits, budget, *rest))
    list(run_cell(CELL, Budget(60.0), fake_servers.raises_at_one))
    assert left[0].seconds == 60.0
    assert 40.0 < left[1].seconds < 60.0


def test_an_error_is_a_result_and_the_rest_goes_on():
    records = list(run_cell(CELL, Budget(60.0), fake_servers.raises_at_one))
    assert [record["status"] for record in records] == ["ok", "failed", "ok"]
    assert records[1]["error"] == "ValueError: the first seed is unlucky"


@pytest.mark.parametrize(("serve", "code"), [(fake_servers.dies_at_one, 9), (fake_servers.never_starts, 3)])
def test_a_process_that_dies_is_a_result(serve, code):
    records = list(run_cell(CELL, Budget(60.0), serve))
    assert records[1]["status"] == "failed"
    assert records[1]["error"] == f"the process ended with code {code}"


def test_an_untroubled_cell_starts_one_process(monkeypatch):
    starts = []
    real = process._start
    monkeypatch.setattr(process, "_start", lambda *arguments: starts.append(1) or real(*arguments))
    assert len(_statuses(fake_servers.prompt)) == 3
    assert len(starts) == 1


def test_leaving_a_cell_ends_its_process():
    records = run_cell(CELL, Budget(60.0), fake_servers.slow_at_one)
    assert next(records)["seed"] == 0
    assert len(multiprocessing.active_children()) == 1
    records.close()
    assert multiprocessing.active_children() == []


def test_the_process_is_told_its_threads():
    list(run_cell(CELL[:1], Budget(60.0, threads=2), fake_servers.prompt))
    assert {os.environ[name] for name in THREAD_VARIABLES} == {"2"}
