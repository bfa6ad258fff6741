"""Several cells at a time: each in a process that watches over that of its cell and sends the records here."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType

from benchmarks.cells import Cell, Fit
from benchmarks.peers.interface import Budget
from benchmarks.process import run_cell

Records = Iterator[dict[str, object]]
Run = Callable[[Cell, Budget], Records]
Watched = dict[Connection, tuple[BaseProcess, Fit]]


def leave_when_asked(*signals: int) -> None:
    """Leave on these signals as by an error: through the `finally` that ends the process of a cell."""
    for number in signals:
        signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def run_jobs(
    cells: Iterable[tuple[Cell, float]], budget: Budget, jobs: int, run: Run = run_cell
) -> Iterator[tuple[Fit, Mapping[str, object]]]:
    """Yield the records of `jobs` cells at a time as they come, each with the first fit of its cell.

    A cell comes with the seconds of its limit that an earlier run has used.
    """
    waiting = ((cell, replace(budget, seconds=max(budget.seconds - used, 0.0))) for cell, used in cells)
    if jobs < 2:
        yield from ((cell[0], record) for cell, left in waiting for record in run(cell, left))
        return
    watched: Watched = {}
    try:
        while True:
            for cell, left in islice(waiting, jobs - len(watched)):
                _start(cell, left, run, watched)
            if not watched:
                return
            for connection in wait(list(watched)):
                yield from _received(connection, watched)
    finally:
        _end(watched)


def _start(cell: Cell, budget: Budget, run: Run, watched: Watched) -> None:
    # a process per cell, for the system counts the processor seconds of all ended children of a process as one
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_watch, args=(cell, budget, theirs, run))
    process.start()
    watched[ours] = process, cell[0]
    theirs.close()


def _watch(cell: Cell, budget: Budget, connection: Connection, run: Run) -> None:
    leave_when_asked(signal.SIGTERM, signal.SIGINT)
    for record in run(cell, budget):
        connection.send(record)


def _received(connection: Connection, watched: Watched) -> Iterator[tuple[Fit, Mapping[str, object]]]:
    try:
        yield watched[connection][1], connection.recv()
    except EOFError:
        # without a line, what is left of the cell is run again by the next run
        watched.pop(connection)[0].join()


def _end(watched: Watched) -> None:
    for process, _ in watched.values():
        process.terminate()
    for process, _ in watched.values():
        process.join()
