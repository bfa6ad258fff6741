"""One fit, timed and scored: what happens inside the process of a cell."""

from __future__ import annotations

import math
import os
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import metrics, peers, tasks
from benchmarks.apart.workshop import processor_seconds
from benchmarks.cells import INSIDE_TRAINING_ROWS, Fit, split
from benchmarks.peers.interface import Budget
from benchmarks.tasks import Task

READY = "ready"


def serve(fits: Sequence[Fit], budget: Budget, connection: Connection, errors: Path) -> None:
    """Send a record per fit, all of one task, peer and protocol.

    An error of a peer ends the process and leaves its traceback in the file `errors`.
    """
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), sys.stderr.fileno())
    peers.find(fits[0].peer)
    task = tasks.TASKS[fits[0].task]
    tables = task.train(), None if fits[0].protocol in INSIDE_TRAINING_ROWS else task.test()
    connection.send(READY)
    end_after(budget)
    for fit in fits:
        connection.send(measure(fit, task, tables, budget))


def end_after(budget: Budget) -> None:
    """Have the system end this process by SIGXCPU when it has used its processor seconds from now on."""
    allowed = math.ceil(time.process_time() + budget.seconds * budget.threads)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))


def measure(
    fit: Fit, task: Task, tables: tuple[pd.DataFrame, pd.DataFrame | None], budget: Budget
) -> dict[str, object]:
    """Return the scores and times of one fit."""
    learn, held_out = _rows(fit, task, *tables)
    target, truth = learn.pop(task.target).to_numpy(float), held_out.pop(task.target).to_numpy(float)
    peer = peers.find(fit.peer)(**fit.settings)
    wall, cpu = time.perf_counter(), processor_seconds()
    peer.fit(learn, target, task.signs, kind=task.kind, seed=fit.seed, budget=budget)
    fitted, fitted_cpu = time.perf_counter(), processor_seconds()
    prediction = peer.predict(held_out)
    predicted = time.perf_counter()
    if not np.isfinite(prediction).all():
        raise ValueError(f"{fit.peer} predicts {int((~np.isfinite(prediction)).sum())} values that are not finite.")
    return asdict(fit) | {
        "scores": metrics.scores(task.kind, truth, prediction, np.unique(target)),
        # on fixed test rows seeds alone say nothing of the luck of these rows; parts of them do
        "blocks": [] if fit.protocol in INSIDE_TRAINING_ROWS else metrics.blocks(task.metric, truth, prediction),
        "fit_seconds": fitted - wall,
        "fit_cpu_seconds": fitted_cpu - cpu,
        "predict_seconds": predicted - fitted,
        "rows": len(target),
        "scored_rows": len(truth),
    }


def _rows(fit: Fit, task: Task, train: pd.DataFrame, test: pd.DataFrame | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    if test is None:
        learn, held_out = split(task.kind, train[task.target].to_numpy(float), fit.seed, fit.folds or 0, fit.fold or 0)
        return train.iloc[learn].reset_index(drop=True), train.iloc[held_out].reset_index(drop=True)
    # a method that draws nothing at random still sees another order of rows with another seed
    order = np.random.default_rng(fit.seed).permutation(len(train))
    return train.iloc[order].reset_index(drop=True), test.copy()
