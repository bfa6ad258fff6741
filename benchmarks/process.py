"""A cell in a process of its own: ended at its time limit, started again after an error.

The limit counts processor seconds, so that what finishes does not depend on what else a machine does; a process that
waits without working ends after `PATIENCE` times as long by the clock on the wall.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from benchmarks.cells import Cell, Fit
from benchmarks.measure import READY, serve
from benchmarks.peers.interface import Budget

Serve = Callable[[Sequence[Fit], Budget, Connection, Path], None]

# imports and reading a table come before the clock of a cell, within this
START_SECONDS = 300.0
PATIENCE = 10.0
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_cell(cell: Cell, budget: Budget, serve: Serve = serve) -> Iterator[dict[str, object]]:
    """Yield one record per fit, in order; `status` is ok, failed or timeout, and a timeout ends the cell."""
    done, before = 0, _processor_seconds()
    while done < len(cell):
        spent = (_processor_seconds() - before) / budget.threads
        for record in _attempt(cell[done:], replace(budget, seconds=max(budget.seconds - spent, 0.0)), serve):
            done += 1
            yield record


def _processor_seconds() -> float:
    """Return what the processes that have ended used, their start included."""
    used = os.times()
    return used.children_user + used.children_system


def _attempt(fits: Cell, budget: Budget, serve: Serve) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "errors.txt"
        process, connection = _start(fits, budget, errors, serve)
        try:
            yield from _listen(fits, process, connection, PATIENCE * budget.seconds, errors)
        finally:
            process.kill()
            process.join()


def _start(fits: Cell, budget: Budget, errors: Path, serve: Serve) -> tuple[SpawnProcess, Connection]:
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(budget.threads)))
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    process = spawn.Process(target=serve, args=(fits, budget, theirs, errors), daemon=True)
    process.start()
    theirs.close()
    return process, ours


def _listen(
    fits: Cell, process: SpawnProcess, connection: Connection, seconds: float, errors: Path
) -> Iterator[dict[str, object]]:
    answer = _receive(connection, START_SECONDS)
    deadline = time.monotonic() + seconds
    for position, fit in enumerate(fits):
        if answer == READY or position:
            answer = _receive(connection, deadline - time.monotonic())
        if isinstance(answer, dict):
            yield answer | {"status": "ok"}
        elif answer is TimeoutError or _ran_out(process):
            yield from (asdict(late) | {"status": "timeout"} for late in fits[position:])
            return
        else:
            yield asdict(fit) | {"status": "failed", "error": _last_line(errors, process.exitcode)}
            return


def _ran_out(process: SpawnProcess) -> bool:
    process.join()
    return process.exitcode == -signal.SIGXCPU


def _receive(connection: Connection, seconds: float) -> object:
    try:
        return connection.recv() if connection.poll(max(seconds, 0)) else TimeoutError
    except EOFError:
        return EOFError


def _last_line(errors: Path, exit_code: int | None) -> str:
    lines = errors.read_text().strip().splitlines() if errors.exists() else []
    return lines[-1][:400] if lines else f"the process ended with code {exit_code}"
