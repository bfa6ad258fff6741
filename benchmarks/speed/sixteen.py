"""Times a fit of each of the sixteen tables by the library and by trees: ``python -m benchmarks.speed.sixteen``.

All training rows, default settings, one thread, processor time; all peers fit once in each turn, and medians are kept.
Runs only if the tests of the engine are green. Writes ``benchmarks/results/speed/sixteen.json`` with ``--output``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks import peers, tasks
from benchmarks.peers.interface import Budget
from benchmarks.speed.green import check_green
from benchmarks.speed.turns import machine, medians, once_each, write
from benchmarks.tasks import Task

NAMES = ("isotone", "catboost", "xgboost", "lightgbm", "hist_gradient_boosting")
# the library's fits together take at most as long as this peer's
PROMISED = "catboost"


def fit_seconds(task: Task, names: Sequence[str], turns: int) -> dict[str, float]:
    """Return the processor seconds of a fit by each peer."""
    train = task.train()
    frame, target = train.drop(columns=task.target), train[task.target].to_numpy(float)
    acts: dict[str, Callable[[], object]] = {
        name: partial(
            peers.find(name)().fit, frame, target, task.signs, kind=task.kind, seed=0, budget=Budget(threads=1)
        )
        for name in names
    }
    taken = medians(once_each(acts, turns, time.process_time), digits=0)
    return {name: round(micros / 1e6, 4) for name, micros in taken.items()}


def measure(chosen: Sequence[Task], names: Sequence[str], turns: int) -> dict[str, object]:
    """Return the seconds of each table and their sums; what a package loads late is loaded before."""
    fit_seconds(chosen[0], names, 1)
    records = [{"table": task.name, "fit_s": fit_seconds(task, names, turns)} for task in chosen]
    sums = {name: round(sum(record["fit_s"][name] for record in records), 3) for name in names}
    return {"turns": turns, "records": records, "sums": sums}


def main() -> None:
    """Run the tests, measure, print a line each, and write the records."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="development")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    check_green()
    found = measure(tasks.find(options.tasks), NAMES, options.turns)
    for record in found["records"]:
        print(record)
    ratio = found["sums"]["isotone"] / found["sums"][PROMISED]
    print(f"all tables: {found['sums']}; {ratio:.2f} of {PROMISED}'s time, promised at most 1")
    write(options.output, {"machine": machine(), "note": options.note, **found})


if __name__ == "__main__":
    main()
