"""What a prediction is worth: every figure that a result line carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.interface import Kind

Vector = NDArray[np.float64]
Loss = Callable[[Vector, Vector], Vector]

LARGER_IS_BETTER = frozenset({"accuracy", "auc"})
# a probability closer than this to 0 or 1 counts as this close, for every peer: float32 outputs can be exactly 0 or 1
PROBABILITY_MARGIN = 1e-7
BLOCKS = 20


def squared(truth: Vector, prediction: Vector) -> Vector:
    """Return the squared error of each row."""
    return (truth - prediction) ** 2


def surprise(truth: Vector, prediction: Vector) -> Vector:
    """Return the negative log-likelihood of each row under predicted probabilities of 1."""
    sure = np.clip(prediction, PROBABILITY_MARGIN, 1 - PROBABILITY_MARGIN)
    return -np.log(np.where(truth > 0.5, sure, 1 - sure))


def mistaken(truth: Vector, prediction: Vector) -> Vector:
    """Return 1 for each row whose class is not the more probable one; a tie at one half goes to class 1."""
    return np.not_equal(truth > 0.5, prediction >= 0.5).astype(float)


def area_under_curve(truth: Vector, prediction: Vector) -> float:
    """Return the probability that a positive outranks a negative, ties counting half; NaN with one class only."""
    positive = truth > 0.5
    ranks = _average_ranks(prediction)
    wins = ranks[positive].sum() - positive.sum() * (positive.sum() + 1) / 2
    pairs = positive.sum() * (~positive).sum()
    return float(wins / pairs) if pairs else float("nan")


def rank_error(levels: Vector, truth: Vector, prediction: Vector) -> float:
    """Return the mean distance in ranks between the true level and the level nearest to the prediction."""
    middles = (levels[1:] + levels[:-1]) / 2
    return float(np.abs(np.searchsorted(levels, truth) - np.searchsorted(middles, prediction)).mean())


def scores(kind: Kind, truth: Vector, prediction: Vector, levels: Vector) -> Mapping[str, float]:
    """Return every metric of a kind; `levels` are the increasing target values of the training rows."""
    if kind is Kind.BINARY:
        return {
            "log_loss": float(surprise(truth, prediction).mean()),
            "accuracy": float(1 - mistaken(truth, prediction).mean()),
            "auc": area_under_curve(truth, prediction),
        }
    error = float(squared(truth, prediction).mean())
    figures = {"rmse": error**0.5, "mse": error, "mae": float(np.abs(truth - prediction).mean())}
    return figures | ({"rank_error": rank_error(levels, truth, prediction)} if kind is Kind.ORDINAL else {})


def blocks(metric: str, truth: Vector, prediction: Vector) -> list[float]:
    """Return the mean loss on each of `BLOCKS` interleaved parts of the rows, for tests that pair by rows."""
    losses = LOSS_OF[metric](truth, prediction)
    return [float(losses[start::BLOCKS].mean()) for start in range(min(BLOCKS, len(losses)))]


# the row-wise loss that each first metric averages; a root is taken after the mean
LOSS_OF: Mapping[str, Loss] = {"rmse": squared, "mse": squared, "log_loss": surprise, "accuracy": mistaken}


def _average_ranks(values: Vector) -> Vector:
    distinct, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place] if len(distinct) else values
