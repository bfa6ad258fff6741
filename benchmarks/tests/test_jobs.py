import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from benchmarks.cells import Fit
from benchmarks.jobs import run_jobs
from benchmarks.peers.interface import Budget
from benchmarks.process import run_cell
from benchmarks.tests import fake_servers

CELLS = [([Fit("honest", task, "linear", seed) for seed in range(3)], used) for task, used in (("a", 0), ("b", 20.0))]
SCRIPT = """
import signal
from benchmarks.jobs import leave_when_asked
from benchmarks.tests.test_jobs import records
if __name__ == "__main__":
    leave_when_asked(signal.SIGTERM)
    for record in records("names_its_process_and_sleeps"):
        print(record.get("process", record["status"]), flush=True)
"""


def records(serve, jobs=2):
    run = partial(run_cell, serve=getattr(fake_servers, serve))
    return (record for _, record in run_jobs(CELLS, Budget(60.0), jobs, run))


def _in_order(serve, jobs):
    return sorted((record["task"], record["seed"], record["status"]) for record in records(serve, jobs))


@pytest.mark.parametrize("serve", ["prompt", "raises_at_one"])
def test_jobs_have_the_records_of_one_after_the_other(serve):
    alone = _in_order(serve, 1)
    assert len(alone) == 6
    assert _in_order(serve, 2) == _in_order(serve, 3) == alone


def test_two_cells_run_at_a_time():
    # the first cell of each never ends: only a second job can answer for the other
    both = records("names_its_process_and_sleeps")
    assert {next(both)["task"], next(both)["task"]} == {"a", "b"}
    both.close()


def _left(cell, budget):
    yield {"seconds": budget.seconds}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cell_has_what_is_left_of_its_limit(jobs):
    got = {fit.task: record["seconds"] for fit, record in run_jobs(CELLS, Budget(60.0), jobs, _left)}
    assert got == {"a": 60.0, "b": 40.0}


def _dies(cell, budget):
    os._exit(1)


def test_a_watcher_that_dies_leaves_its_cell_without_lines():
    assert list(run_jobs(CELLS, Budget(60.0), 2, _dies)) == []


# Ctrl-C reaches every process of the terminal, a request to end the first one only
@pytest.mark.parametrize(("number", "send"), [(signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg)])
def test_a_signal_ends_every_process_and_writes_no_failure(tmp_path, number, send):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    started = [int(process.stdout.readline()) for _ in CELLS]
    send(process.pid, number)
    rest, _ = process.communicate(timeout=60)
    assert rest == ""
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
