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

# a kink at zero and a line on either side
TWO_SLOPES = ("relu", "leaky_relu", "prelu", "identity")


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
    if layers != int(layers) or layers < 0:
        raise ValueError(f"layers are a whole number, none or more; got {layers}.")
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
    places, targets = _check_line(positions, values)
    if not ratio >= 1.0:
        raise ValueError(f"the ratio is at least 1; got {ratio}.")
    widths, n = np.diff(places), len(places)
    # columns: the first value, the rise over each gap, p, which counts in units of the steepest slope, for the solver
    functions = np.hstack([np.tri(n), np.zeros((n, 1))])
    rises = np.eye(n - 1, n + 1, 1)
    per_gap = widths[:, None] * np.eye(n + 1)[-1]
    return _least_error(functions, targets, np.vstack([per_gap / ratio - rises, rises - per_gap]))


def one_layer_floor(positions: ArrayLike, values: ArrayLike, activation: str | Activation) -> float:
    """Return the least largest error of any monotone network with one hidden layer, for an activation of two slopes.

    Along a line each unit bends once and is steep behind its bend or before it. A bend between two places gives there
    what a mixture of bends at both does, so bends at the places reach all. ReLU has a floor, too: one layer adds a
    convex function to a concave one, both non-decreasing.

    >>> round(one_layer_floor([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0], "relu"), 6)
    0.166667
    """
    places, targets = _check_line(positions, values)
    s = named_activation(activation)
    if s.name not in TWO_SLOPES:
        raise ValueError(f"a floor of one layer is known for two slopes, {list(TWO_SLOPES)}; got {s}.")
    slopes = s.derivative([-1.0, 1.0])
    n = len(places)
    is_behind = np.arange(n - 1) >= np.arange(n)[:, None]
    units = np.vstack([np.where(is_behind, *slopes[::-1]), np.where(is_behind, *slopes)]) * np.diff(places)
    rises = np.hstack([np.zeros((2 * n, 1)), np.cumsum(units, axis=1)])
    return _least_error(np.vstack([np.ones(n), rises]).T, targets, np.zeros((0, 2 * n + 1)))


def _check_line(positions: ArrayLike, values: ArrayLike) -> tuple[Array, Array]:
    places, targets = np.asarray(positions, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if places.ndim != 1 or len(places) < 2 or not (np.diff(places) > 0).all():
        raise ValueError(f"positions increase, two of them at least; got {places}.")
    if targets.shape != places.shape:
        raise ValueError(f"there is one value per position; got {targets.shape} for {places.shape}.")
    if not (np.isfinite(places).all() and np.isfinite(targets).all()):
        raise ValueError(f"positions and values are finite; got {places} and {targets}.")
    return places, targets


def _least_error(functions: Array, targets: Array, inequalities: Array) -> float:
    """Return the least ``e`` with ``|F c - targets| <= e``, ``A c <= 0`` and ``c >= 0`` but for its first entry."""
    rows, columns = functions.shape
    near = [np.hstack([sign * functions, -np.ones((rows, 1))]) for sign in (1.0, -1.0)]
    kept = np.hstack([inequalities, np.zeros((len(inequalities), 1))])
    limits = np.concatenate([targets, -targets, np.zeros(len(kept))])
    bounds = [(None, None)] + [(0.0, None)] * columns
    return float(linprog(np.eye(columns + 1)[-1], A_ub=np.vstack([*near, kept]), b_ub=limits, bounds=bounds).fun)
