"""Try candidates for the defaults: ``python -m benchmarks.search plain depth-3 --seeds 1``.

Each candidate is fitted on the folds of ``development`` of every table; test files are not opened. A run resumes.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks import metrics, results, tasks
from benchmarks.cells import split
from benchmarks.peers.interface import Budget
from benchmarks.peers.isotone import Isotone
from benchmarks.progress import progress
from benchmarks.search.candidates import CANDIDATES, Candidate

FOLDS = 3
LINES = results.FOLDER / "search.jsonl"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what has no line yet."""
    options = _parser().parse_args(arguments)
    if unknown := set(options.candidates) - set(CANDIDATES):
        raise SystemExit(f"there are no candidates {sorted(unknown)}; known are {sorted(CANDIDATES)}.")
    done = {(line["candidate"], line["task"], line["seed"]) for line in results.read([options.lines])}
    names = [task.name for task in tasks.find(options.tasks)]
    planned = product(options.candidates, names, range(options.first_seed, options.first_seed + options.seeds))
    missing = [cell for cell in planned if cell not in done]
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    display = progress(len(missing))
    with ProcessPoolExecutor(options.jobs) as pool:
        for future in as_completed([pool.submit(fits, *cell) for cell in missing]):
            line = future.result()
            results.append(line | results.provenance(("isotone",), 1), options.lines)
            display.advance(1, f"{line['candidate']} {line['task']}")


def fits(name: str, task_name: str, seed: int) -> dict[str, object]:
    """Return the scores of a candidate on all folds of one table, and the processor seconds of each fit."""
    task, candidate = tasks.TASKS[task_name], CANDIDATES[name]
    train = task.train()
    with ruled(candidate.rules):
        folds = [_fit(candidate, task, train, seed, fold) for fold in range(FOLDS)]
    scores, seconds, trials = zip(*folds, strict=True)
    return {
        "candidate": name, "task": task_name, "seed": seed, "folds": FOLDS,
        "scores": list(scores), "fit_cpu_seconds": list(seconds), "trials": list(trials),
    }  # fmt: skip


def _fit(
    candidate: Candidate, task: tasks.Task, train: Any, seed: int, fold: int
) -> tuple[Mapping[str, float], float, list[dict[str, Any]]]:
    target = train[task.target].to_numpy(float)
    learn, held_out = split(task.kind, target, seed, FOLDS, fold)
    frame = train.drop(columns=task.target)
    shown, signs = frame.iloc[learn].reset_index(drop=True), task.signs if candidate.signed else {}
    before = time.process_time()
    peer = Isotone(**candidate.settings).fit(shown, target[learn], signs, kind=task.kind, seed=seed, budget=Budget())
    seconds = time.process_time() - before
    prediction = peer.predict(frame.iloc[held_out].reset_index(drop=True))
    levels = sorted(set(target[learn].tolist())) if task.kind == "ordinal" else []
    return metrics.scores(task.kind, target[held_out], prediction, np.array(levels)), seconds, peer.trials


@contextmanager
def ruled(rules: Mapping[str, Any]) -> Iterator[None]:
    """Replace rules of the library's defaults while a candidate is fitted."""
    with ExitStack() as stack:
        for name, value in rules.items():
            rule = value if callable(value) else lambda *_, value=value: value
            stack.enter_context(mock.patch(f"isotone.estimators.defaults.{name}", rule))
        yield


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidates", nargs="*", default=list(CANDIDATES), metavar="candidate", help="all unless given")
    parser.add_argument("--tasks", default="development")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--lines", type=Path, default=LINES)
    return parser


if __name__ == "__main__":
    main()
