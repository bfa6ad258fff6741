"""What is predicted: the loss with its link, the target's transform, and where training starts."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp

import numpy as np
from numpy.typing import NDArray

from isotone.architecture import Architecture, Parameters
from isotone.encoding import distinct_values
from isotone.losses import Loss

Array = NDArray[np.float64]
# a start at a rate of 0 or 1 would be infinitely far away
LEAST_RATE = 1e-6
# a target that varies less, compared with its size, is constant but for rounding
LEAST_DEVIATION = 2.0**-40
SMALLEST_SCALE = 2.0**-1022


@dataclass(frozen=True)
class Task:
    """The head of a network and the point its training starts from.

    ``start`` is the bias of each output, ``cuts`` the first cut point and the steps between them, both before any
    training.

    >>> regression(Loss("squared_error"), np.array([1.0, 3.0]), np.ones(2)).center
    2.0
    """

    name: str
    loss: Loss
    start: tuple[float, ...] = (0.0,)
    cuts: tuple[float, ...] = ()
    center: float = 0.0
    scale: float = 1.0

    @classmethod
    def of(cls, name: str, loss: Loss, architecture: Architecture) -> Task:
        """Return the task of a network that has been trained.

        >>> from isotone.architecture import Numeric
        >>> Task.of("regression", Loss("huber", (1.0,)), Architecture((Numeric(direction=1),), scale=2.0)).scale
        2.0
        """
        start, cuts = (0.0,) * architecture.outputs, (0.0,) * architecture.cuts
        return cls(name, loss, start, cuts, architecture.center, architecture.scale)

    def initial(self, architecture: Architecture, seed: int, scheme: str = "uniform") -> Parameters:
        """Return random parameters, moved so that they start about the best constant.

        >>> from isotone.architecture import Numeric
        >>> network = Architecture((Numeric(direction=1),), hidden=(2,), link="sigmoid")
        >>> start = binary(np.array([0.0, 1.0, 1.0]), np.ones(3)).initial(network, 0)
        >>> bool(start["trunk.1.bias"] > network.initial(0)["trunk.1.bias"])
        True
        """
        arrays = dict(architecture.initial(seed, scheme=scheme))
        arrays[f"trunk.{len(architecture.hidden)}.bias"] += np.asarray(self.start, dtype=np.float32)
        if self.cuts:
            arrays["cuts"][...] = self.cuts
        return Parameters(arrays)


def regression(loss: Loss, y: Array, weight: Array) -> Task:
    """Return the task of one mean, median or quantile.

    >>> regression(Loss("poisson"), np.array([0.0, 2.0]), np.ones(2)).start
    (0.0,)
    """
    loss.check_targets(y)
    if loss.link == "exp":
        mean = float(np.average(y, weights=weight))
        if mean <= 0.0:
            raise ValueError(f"{loss.name} needs a positive target somewhere; all {len(y)} are 0.")
        return Task("regression", loss, (float(np.log(mean)),))
    return _scaled("regression", loss, (0.5,) if loss.name == "absolute_error" else loss.parameters, y, weight)


def quantiles(levels: tuple[float, ...], y: Array, weight: Array) -> Task:
    """Return the task of several quantiles at once.

    >>> quantiles((0.25, 0.75), np.array([1.0, 2.0, 3.0]), np.ones(3)).start[0] < 0
    True
    """
    return _scaled("quantiles", Loss("quantile", levels), levels, y, weight)


def binary(y: Array, weight: Array) -> Task:
    """Return the task of the probability of class 1.

    >>> binary(np.array([0.0, 1.0, 1.0]), np.ones(3)).start[0] > 0
    True
    """
    return Task("binary", Loss("log_loss"), (_logit(float(np.average(y, weights=weight))),))


def multiclass(y: Array, weight: Array, count: int) -> Task:
    """Return the task of ``count`` probabilities.

    >>> multiclass(np.array([0.0, 1.0, 2.0]), np.ones(3), 3).loss.link
    'softmax'
    """
    rates = np.bincount(y.astype(int), weight, count) / weight.sum()
    return Task("multiclass", Loss("softmax"), tuple(np.log(np.maximum(rates, LEAST_RATE)).tolist()))


def ordinal(y: Array, weight: Array, count: int) -> Task:
    """Return the task of exceeding each of ``count - 1`` cut points.

    >>> ordinal(np.array([0.0, 1.0, 2.0]), np.ones(3), 3).cuts[0] < 0
    True
    """
    # half a row more in each class, so that a class without rows has its place too
    counts = np.bincount(y.astype(int), weight, count) + 0.5 * weight.mean()
    below = np.cumsum(counts)[:-1] / counts.sum()
    points = np.log(below) - np.log1p(-below)
    steps = np.log(np.expm1(np.diff(points)))
    return Task("ordinal", Loss("ordinal"), cuts=(float(points[0]), *steps.tolist()))


def _scaled(name: str, loss: Loss, levels: tuple[float, ...], y: Array, weight: Array) -> Task:
    """Return a task whose target has mean 0 and deviation 1, and starts at its mean or its quantiles."""
    largest = float(np.abs(y).max()) or 1.0
    # in a power of two near the largest, so that nothing is rounded and no square leaves the range of float64
    unit = 2.0 ** (frexp(largest)[1] - 1)
    mean = float(np.average(y / unit, weights=weight))
    deviation = float(np.sqrt(np.average(np.square(y / unit - mean), weights=weight))) * unit
    center = mean * unit
    scale = max(deviation if deviation > largest * LEAST_DEVIATION else min(largest, 1.0), SMALLEST_SCALE)
    start: tuple[float, ...] = (0.0,)
    if loss.name in {"quantile", "absolute_error"}:
        distinct, mass = distinct_values(y, weight)
        places = np.searchsorted(np.cumsum(mass), np.array(levels) * mass.sum())
        start = tuple(((distinct[np.minimum(places, len(distinct) - 1)] - center) / scale).tolist())
    return Task(name, loss, start, center=center, scale=scale)


def _logit(rate: float) -> float:
    bounded = min(max(rate, LEAST_RATE), 1.0 - LEAST_RATE)
    return float(np.log(bounded) - np.log1p(-bounded))
