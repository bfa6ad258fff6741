"""What non-negative networks with convex activations cannot do, in numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from isotone.theory.data_sets import finite_rows
from isotone.theory.network import Network

Array = NDArray[np.float64]


def network_shape(network: Network) -> str:
    """Return convex, concave or affine if composition proves the network's score so, else neither.

    Non-decreasing convex functions of convex functions are convex; non-negative sums and affine inner maps keep that.

    >>> from isotone.architecture import Architecture, Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4), form="constrained", reflect=(False, False))
    >>> network_shape(Network(plan, plan.initial(0)))
    'convex'
    """
    plan = network.architecture
    if plan.form != "constrained" or plan.weight_sign != 1 or plan.free_components:
        return "neither"
    shapes = {s.shape for s in plan.layer_activations} - {"affine"}
    return "affine" if not shapes else shapes.pop() if len(shapes) == 1 else "neither"


def convex_envelope(points: ArrayLike, values: ArrayLike) -> Array:
    """Return the largest convex function below the values, at the points. Shapes: ``(n, d)``, ``(n,)`` -> ``(n,)``.

    >>> convex_envelope([[0.0], [1.0], [2.0]], [0.0, 5.0, 2.0]).round(9)
    array([0., 1., 2.])
    """
    rows, targets = finite_rows(points, values)
    sides = np.vstack([rows.T, np.ones(len(rows))])
    solved = [linprog(targets, A_eq=sides, b_eq=[*row, 1.0], bounds=(0.0, None)).fun for row in rows]
    return np.minimum(np.array(solved, dtype=np.float64), targets)


def convex_floor(points: ArrayLike, values: ArrayLike) -> float:
    """Return the least largest error that any convex function has on these data, whatever network gives it.

    Half of the largest gap ``G`` between values and envelope. A convex ``f`` with error ``e`` has ``f - e`` below the
    values, hence below the envelope; at the gap, ``f >= value - e`` and ``f <= envelope + e`` give ``2 e >= G``. The
    envelope raised by ``G / 2`` attains it.

    >>> round(convex_floor([[0.0], [1.0], [2.0]], [0.0, 1.0, 1.0]), 9)
    0.25
    """
    return 0.5 * float((np.asarray(values, dtype=np.float64) - convex_envelope(points, values)).max())
