"""The maps ``g`` that turn a free weight into a non-negative one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WeightMap:
    """A map onto the non-negative numbers, with its derivative.

    >>> WEIGHT_MAPS["square"].value(np.array([-3.0]))
    array([9.])
    """

    name: str
    formula: str
    value: Callable[[Array], Array]
    derivative: Callable[[Array], Array]


def _softplus(weight: Array) -> Array:
    value: Array = np.logaddexp(0.0, weight)
    return value


def _logistic(weight: Array) -> Array:
    return np.exp(-np.logaddexp(0.0, -weight))


def _bounded_exp(weight: Array) -> Array:
    return np.exp(np.minimum(weight, EXP_WEIGHT_CEILING))


def _step(weight: Array) -> Array:
    return (weight > 0).astype(np.float64)


# exp may not overflow: a weight beyond this is read as this
EXP_WEIGHT_CEILING = 10.0

WEIGHT_MAPS: dict[str, WeightMap] = {
    row.name: row
    for row in (
        WeightMap("abs", r"|w|", np.abs, np.sign),
        WeightMap("square", r"w^2", np.square, lambda w: 2.0 * w),
        WeightMap("softplus", r"\log(1+e^{w})", _softplus, _logistic),
        WeightMap(
            "exp",
            r"e^{\min(w, 10)}",
            _bounded_exp,
            lambda w: _bounded_exp(w) * (w < EXP_WEIGHT_CEILING),
        ),
        WeightMap("clamp", r"\max(w, 0)", lambda w: np.maximum(w, 0.0), _step),
    )
}


def weight_map(name: str) -> WeightMap:
    r"""Return the map called ``name``.

    >>> weight_map("clamp").formula
    '\\max(w, 0)'
    """
    if not isinstance(name, str) or name not in WEIGHT_MAPS:
        raise ValueError(f"constraint is one of {sorted(WEIGHT_MAPS)}; got {name!r}.")
    return WEIGHT_MAPS[name]
