"""How the figures of the paper's Table 1 came about: recipes per table, and the scoring of a run.

Three scores of each run stand side by side. ``paper``: the best epoch, each scored on the batches of a shuffling loader
without its incomplete last one. ``best_whole``: the best epoch on all test rows. ``last_whole``: the last
epoch on all test rows, the only one of the three that no test row has helped to choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

SEEDS = range(5)


@dataclass(frozen=True)
class Recipe:
    """What the authors' notebook of one table fixes.

    Args:
        metric: ``mse``, ``rmse`` or ``accuracy``; the loss is the squared error for all of them.
        batch: rows per step, and `test_batch` rows per scored batch.
        width: units of the monotone trunk, `free_width` of the free branch.
        depth: layers of the trunk between its first and its last, `free_depth` of the free branch.
        activation: of the trunk, and `free_activation` of the free branch; names of ``torch.nn``.
    """

    metric: str
    epochs: int
    batch: int
    test_batch: int
    width: int
    free_width: int
    depth: int
    free_depth: int
    activation: str = "ReLU"
    free_activation: str = "ReLU"
    learning_rate: float = 1e-3


AUTO = Recipe("mse", 300, batch=8, test_batch=8, width=8, free_width=8, depth=3, free_depth=3, activation="CELU")
HEART = Recipe("accuracy", 300, batch=8, test_batch=32, width=16, free_width=16, depth=3, free_depth=3)
COMPAS = replace(HEART, epochs=100, test_batch=128)
LOAN = replace(HEART, epochs=50, batch=256, test_batch=256)
# NOTE[PAPER]: the text gives a learning rate of 1e-2 for this table, the notebook 1e-3
BLOG = Recipe(
    "rmse",
    1000,
    batch=256,
    test_batch=256,
    width=3,
    free_width=2,
    depth=2,
    free_depth=2,
    activation="CELU",
    free_activation="SiLU",
)
RECIPES = {
    "auto": AUTO,
    "heart": HEART,
    "compas": COMPAS,
    "loan": LOAN,
    "loan0711": LOAN,
    "blog": BLOG,
    "blog_as_published": BLOG,
}


# what Table 1 prints: mean and deviation of five seeds; which columns of blog its figure is from is not known
PUBLISHED = {
    "auto": (7.34, 0.46),
    "heart": (0.94, 0.01),
    "compas": (0.695, 0.001),
    "loan": (0.654, 0.001),
    "blog": (0.149, 0.001),
    "blog_as_published": (0.149, 0.001),
}


def score(metric: str, truth: Vector, output: Vector) -> float:
    """Return the figure of one set of rows; a class is the rounded output, and an output far off is a mistake."""
    if metric == "accuracy":
        return float((np.round(output) == truth).mean())
    error = float(((output - truth) ** 2).mean())
    return error**0.5 if metric == "rmse" else error


@dataclass(frozen=True)
class Epoch:
    """The two scores after one epoch."""

    batches: float
    whole: float


def summarise(metric: str, epochs: Sequence[Epoch]) -> dict[str, float]:
    """Return the three scores of a run."""
    best = max if metric == "accuracy" else min
    return {
        "paper": best(epoch.batches for epoch in epochs),
        "best_whole": best(epoch.whole for epoch in epochs),
        "last_whole": epochs[-1].whole,
    }


def spread(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and population deviation, as the paper prints them."""
    # NOTE[PAPER]: ddof 0 understates the spread of five seeds by a tenth
    return float(np.mean(values)), float(np.std(values, ddof=0))
