"""What a constructed network gives at its points, in real arithmetic and in float64 alike: an interval.

All weights are non-negative and all activations non-decreasing, so lower ends follow from lower ends. A dot product of
``k`` terms that are not zero and a bias errs, in any order of summation, by less than ``(k + 1) u / (1 - (k + 1) u)``
times the sum of the sizes, with ``u = eps / 2``. Network and enclosure both round: twice that is below ``(k + 2) eps``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isotone.activations import Activation

Array = NDArray[np.float64]
Interval = tuple[Array, Array]

EPS = float(np.finfo(np.float64).eps)
# the logistic is exp of a logarithm up to 745, whose relative error eps becomes 745 eps; the other formulas err less
FORMULA = 1024.0 * EPS


def scores_between(
    layers: Sequence[tuple[Array, Array]], activations: Sequence[Activation], inputs: Array, subtracts: bool
) -> Interval:
    """Return bounds on the network's scores. Shapes: ``(out, in)`` and ``(out,)``, ``(n, d)`` -> two ``(n, out)``.

    The weights of the first layer are one power of two per unit. ``subtracts`` says that blocks give ``s(z) - s(b)``.

    >>> layers = [(np.ones((1, 1)), np.zeros(1)), (np.ones((1, 1)), np.zeros(1))]
    >>> low, high = scores_between(layers, [Activation("relu")], np.array([[2.0]]), subtracts=False)
    >>> bool(low < 2.0 < high)
    True
    """
    low, high = _cuts(layers[0], inputs)
    for (weight, bias), s, inner in zip(layers[1:], activations, layers[:-1], strict=True):
        low, high = _activated((low, high), s)
        if subtracts:
            low, high = _subtracted((low, high), s.value(inner[1]))
        low, high = _affine((low, high), weight, bias)
    return low, high


def _cuts(layer: tuple[Array, Array], inputs: Array) -> Interval:
    """Return bounds of ``w x_c + b``: a product with a power of two is exact, the sum is rounded once."""
    weight, bias = layer
    values = inputs @ weight.T + bias
    radius = EPS * np.abs(values)
    return values - radius, values + radius


def _activated(interval: Interval, s: Activation) -> Interval:
    low, high = s.value(interval[0]), s.value(interval[1])
    return low - FORMULA * np.abs(low), high + FORMULA * np.abs(high)


def _subtracted(interval: Interval, offset: Array) -> Interval:
    """Return bounds of the difference, where the offset errs as the formula does and the difference is rounded."""
    radius = FORMULA * np.abs(offset)
    low, high = interval[0] - offset - radius, interval[1] - offset + radius
    return low - EPS * np.abs(low), high + EPS * np.abs(high)


def _affine(interval: Interval, weight: Array, bias: Array) -> Interval:
    low, high = interval
    terms = np.count_nonzero(weight, axis=1)
    sizes = np.maximum(np.abs(low), np.abs(high)) @ weight.T + np.abs(bias)
    radius = (terms + 2) * EPS * sizes
    return low @ weight.T + bias - radius, high @ weight.T + bias + radius
