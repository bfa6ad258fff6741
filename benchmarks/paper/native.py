"""The paper's evaluation by the engine of the library: all seeds of a table train together, as members of one network.

The result of a member depends on its own index only, so the first five of a hundred seeds are the five seeds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.paper.protocol import RECIPES, Epoch, Recipe, score, summarise
from benchmarks.tasks import TASKS, Task
from isotone import engine
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.losses import Loss

# rows and targets
Rows = tuple[NDArray[np.float32], NDArray[np.float32]]
Tell = Callable[[str], None]


def run(
    task_name: str, seeds: int, epochs: int | None = None, threads: int | None = None, tell: Tell = lambda task: None
) -> list[dict[str, object]]:
    """Train the seeds 0, 1, ... and return a line for each: three scores, and its share of the seconds of all.

    `tell` is called with the name of the table after each epoch.
    """
    task, recipe = TASKS[task_name], RECIPES[task_name]
    recipe = replace(recipe, epochs=epochs or recipe.epochs)
    frames = task.load()
    network = described([task.signs.get(name, 0) for name in frames[0] if name != task.target], recipe, seeds)
    started = time.perf_counter()
    rows = (_rows(task, frame) for frame in frames)
    scores = train_members(network, recipe, *rows, threads, partial(tell, task_name))
    share = (time.perf_counter() - started) / seeds
    about = {"task": task_name, "epochs": recipe.epochs, "seconds": share}
    return [about | {"seed": seed, "scores": summarise(recipe.metric, own)} for seed, own in enumerate(scores)]


def described(signs: Sequence[int], recipe: Recipe, members: int) -> Architecture:
    """Return the paper's network in the words of the library."""
    # NOTE[PAPER]: the bias counts once, as in the paper's formula; in its code, and so in `network.py`, twice. The
    # printed figures lie among those of either (`agreement.py`), so ours has no second bias
    return Architecture(
        columns=tuple(Numeric(direction=sign) for sign in signs),
        hidden=(recipe.width,) * (recipe.depth + 1),
        free_hidden=(recipe.free_width,) * recipe.free_depth,
        members=members,
        form="post",
        activation=recipe.activation.lower(),
        free_activation=recipe.free_activation.lower(),
    )


def train_members(
    network: Architecture,
    recipe: Recipe,
    train: Rows,
    test: Rows,
    threads: int | None = None,
    tell: Callable[[], None] = lambda: None,
) -> list[list[Epoch]]:
    """Train every member and return its scores after each epoch."""
    scores: list[list[Epoch]] = [[] for _ in range(network.members)]

    def watch(epoch: int, parameters: Parameters) -> None:
        outputs = engine.Compiled(network, parameters).member_scores(test[0], threads)[:, :, 0]
        for member, output in enumerate(outputs):
            drawn = drawn_rows(member, epoch, len(output), recipe.test_batch)
            scores[member].append(_scored(recipe.metric, test[1], output, drawn))
        tell()

    # NOTE[PAPER]: squared error for classes too, and the incomplete last batch is dropped
    settings = engine.Settings(
        epochs=recipe.epochs, batch_size=recipe.batch, drop_last=True, learning_rate=recipe.learning_rate
    )
    engine.train(network, *train, Loss("squared_error"), settings, threads=threads, watch=watch)
    return scores


def drawn_rows(member: int, epoch: int, rows: int, batch: int) -> NDArray[np.int64]:
    """Return the test rows that an epoch scores: a shuffling loader's, without its incomplete last batch."""
    return np.random.default_rng((member, epoch)).permutation(rows)[: rows // batch * batch]


def _scored(metric: str, truth: NDArray[np.float32], output: NDArray[np.floating], drawn: NDArray[np.int64]) -> Epoch:
    exact, said = truth.astype(np.float64), output.astype(np.float64)
    return Epoch(score(metric, exact[drawn], said[drawn]), score(metric, exact, said))


def _rows(task: Task, frame: pd.DataFrame) -> Rows:
    x = frame.drop(columns=task.target).to_numpy(np.float32)
    return x, frame[task.target].to_numpy(np.float32)
