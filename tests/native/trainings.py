"""Short trainings of a small network, and how two of them are compared."""

from __future__ import annotations

import numpy as np

from isotone import engine
from isotone.architecture import Parameters
from isotone.engine import Settings
from isotone.losses import Loss
from tests.native.networks import draw_rows, draw_targets, network

SQUARED = Loss("squared_error")


def subject(n=40, loss=SQUARED, **options):
    """Return a network that never dies, rows and targets."""
    rng = np.random.default_rng(0)
    architecture = network(loss, **{"activation": "celu", "free_activation": "silu", **options})
    return architecture, draw_rows(rng, architecture, n), draw_targets(rng, architecture, loss, n)


def train(case, loss=SQUARED, settings=None, **options):
    """Train a subject for a few epochs of batches of 8."""
    return engine.train(*case, loss, settings or Settings(epochs=4, batch_size=8), **{"threads": 1, **options})


def same(one: Parameters, other: Parameters) -> bool:
    return set(one) == set(other) and all(np.array_equal(one[name], other[name]) for name in one)


def largest_gap(one: Parameters, other: Parameters) -> float:
    """Return the largest difference, relative to each array's largest entry."""
    return max(np.abs(one[name] - other[name]).max() / np.abs(other[name]).max() for name in one)
