"""Activations that saturate nowhere: bounded slopes bound what a fixed depth can reach.

With slopes in ``[a, 1]`` and ``L`` hidden layers, a partial derivative is a sum over paths of a product of sizes of
weights, which does not depend on ``x``, times a product of ``L`` slopes, which lies in ``[a^L, 1]``. So it stays
between ``a^L P`` and ``P``: along any increasing line, the steepest secant is at most ``a^-L`` times the flattest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from isotone.activations import Activation
from isotone.activations import activation as named_activation
from isotone.theory.network import Network, constrained_layers, trunk_layers

Array = NDArray[np.float64]


def slope_range(activation: str | Activation) -> tuple[float, float]:
    """Return the least and the largest slope of a piecewise-linear activation that saturates nowhere.

    >>> slope_range(Activation("leaky_relu", (0.1,)))
    (0.1, 1.0)
    """
    s = named_activation(activation)
    slopes = {"identity": (1.0,), "leaky_relu": (1.0, *s.parameters), "prelu": (1.0, *s.parameters)}
    if s.name == "srelu":
        left, low, right, high = s.parameters
        slopes["srelu"] = (low, high) if left == right else (low, 1.0, high)
    found = slopes.get(s.name, (0.0,))
    if min(found) <= 0.0:
        raise ValueError(f"only slopes above zero bound what a network reaches; those of {s} come down to zero.")
    return min(found), max(found)


def steepness_ratio(activation: str | Activation, layers: int) -> float:
    """Return how much steeper than at its flattest a network with this many hidden layers can be.

    >>> round(steepness_ratio(Activation("leaky_relu", (0.1,)), 3), 9)
    1000.0
    """
    low, high = slope_range(activation)
    return (high / low) ** layers


def derivative_bounds(network: Network) -> tuple[Array, Array]:
    """Return bounds on every partial derivative of the scores. Shapes: two ``(members, outputs, inputs)``.

    >>> from isotone.architecture import Architecture, Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4), activation=Activation("leaky_relu", (0.1,)))
    >>> low, high = derivative_bounds(Network(plan, plan.initial(0)))
    >>> bool(np.allclose(low, 0.01 * high))
    True
    """
    plan = network.architecture
    low, high = slope_range(plan.activation)
    layers = constrained_layers(network) if plan.form == "constrained" else trunk_layers(network)
    paths = np.abs(layers[0][0])
    for weight, _ in layers[1:]:
        paths = np.abs(weight) @ paths
    return low ** len(plan.hidden) * paths, high ** len(plan.hidden) * paths


def leaky_floor(positions: ArrayLike, values: ArrayLike, ratio: float) -> float:
    """Return the least largest error of any non-decreasing function whose secants differ by ``ratio`` at most.

    A linear program: errors within ``e``, each step within ``[p h, ratio p h]`` for its width ``h``, any ``p >= 0``.

    Args:
        positions: strictly increasing places along a line that increases in every column. Shape: ``(n,)``.
        values: what the function should be there. Shape: ``(n,)``.
        ratio: for a network, ``steepness_ratio``.

    >>> round(leaky_floor([0.0, 1.0, 2.0], [0.0, 0.0, 1.0], 3.0), 9)
    0.125
    """
    places, targets = np.asarray(positions, dtype=np.float64), np.asarray(values, dtype=np.float64)
    widths = np.diff(places)
    if places.ndim != 1 or len(places) < 2 or not (widths > 0).all() or not ratio >= 1.0:
        raise ValueError(f"positions increase and the ratio is at least 1; got {places} and {ratio}.")
    if targets.shape != places.shape:
        raise ValueError(f"there is one value per position; got {targets.shape} for {places.shape}.")
    n = len(places)
    # columns: the function at each place, p, e; p counts in units of the steepest slope, for the solver's sake
    values_in = np.hstack([np.eye(n), np.zeros((n, 1))])
    steps = np.diff(np.eye(n), axis=0)
    flat = np.hstack([-steps, widths[:, None] / ratio, np.zeros((n - 1, 1))])
    steep = np.hstack([steps, -widths[:, None], np.zeros((n - 1, 1))])
    near = [np.hstack([sign * values_in, -np.ones((n, 1))]) for sign in (1.0, -1.0)]
    limits = np.concatenate([targets, -targets, np.zeros(2 * (n - 1))])
    bounds = [(None, None)] * n + [(0.0, None)] * 2
    cost = np.eye(n + 2)[-1]
    return float(linprog(cost, A_ub=np.vstack([*near, flat, steep]), b_ub=limits, bounds=bounds).fun)
