"""Where the pieces of a column's piecewise-linear map meet."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Knots = tuple[float, ...]

# a difference of two knots must not overflow
LARGEST_KNOT = 8e307
# an end segment continues beyond the data, so it may not be steeper than the inner ones by much more than this
END_STEEPNESS = 4


def distinct_values(values: Array, weight: Array) -> tuple[Array, Array]:
    """Return the distinct numbers of a column in rising order and the weight of each; NaN is left out.

    >>> distinct_values(np.array([2.0, 1.0, 2.0]), np.ones(3))
    (array([1., 2.]), array([1., 2.]))
    """
    present = ~np.isnan(values)
    numbers, mass = np.clip(values[present], -LARGEST_KNOT, LARGEST_KNOT), weight[present]
    if len(mass) and mass.min() == mass.max():
        rising = np.sort(numbers)
    else:
        order = np.argsort(numbers, kind="stable")
        rising, mass = numbers[order], mass[order]
    starts = np.flatnonzero(np.diff(rising, prepend=-np.inf) > 0)
    return rising[starts], np.add.reduceat(mass, starts) if len(starts) else mass


def place_knots(distinct: Array, mass: Array, segments: int) -> Knots:
    """Return the knots of about ``segments`` pieces: at every value if they are few, else at quantiles.

    A value that many rows share is a knot, and so are its neighbours: a jump beside it is not blurred.

    >>> place_knots(np.array([0.0, 1.0, 5.0]), np.ones(3), segments=8)
    (0.0, 1.0, 5.0)
    """
    if len(distinct) < 2:
        return two_knots(float(distinct[0]) if len(distinct) else 0.0)
    few = len(distinct) <= segments + 1
    chosen = distinct if few else distinct[_spread(mass / mass.sum(), segments)]
    return _with_wide_ends(chosen, _bulk(distinct, mass, segments) / (END_STEEPNESS * segments))


def two_knots(value: float) -> Knots:
    """Return two knots for a column that holds one value.

    >>> two_knots(3.0)
    (3.0, 4.0)
    """
    return (value, value + max(1.0, abs(value) * 2.0**-20))


def normal_levels(distinct: Array, mass: Array, knots: Knots) -> Knots:
    """Return the normal score of each knot: where it stands among the rows, in standard deviations.

    >>> normal_levels(np.array([1.0, 2.0, 3.0]), np.ones(3), (1.0, 2.0, 3.0))[1]
    0.0
    """
    if len(distinct) < 2:
        return (0.0, 1.0)
    share = mass / mass.sum()
    middle = np.interp(knots, distinct, np.cumsum(share) - 0.5 * share)
    return tuple(map(NormalDist().inv_cdf, middle.tolist()))


def standard_knots(distinct: Array, mass: Array) -> Knots:
    """Return mean and mean plus standard deviation, so that a column of one component is standardised.

    >>> standard_knots(np.array([1.0, 3.0]), np.ones(2))
    (2.0, 3.0)
    """
    if len(distinct) < 2:
        return two_knots(float(distinct[0]) if len(distinct) else 0.0)
    share = mass / mass.sum()
    size = float(np.abs(distinct).max())
    mean = float(share @ (distinct / size))
    deviation = float(np.sqrt(share @ np.square(distinct / size - mean)))
    first, second = mean * size, (mean + deviation) * size
    return (first, second) if first < second else two_knots(first)


def median(distinct: Array, mass: Array) -> float:
    """Return the lower weighted median of a column; 0 for one without numbers.

    >>> median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 3.0]))
    9.0
    """
    if not len(distinct):
        return 0.0
    return float(distinct[np.searchsorted(np.cumsum(mass), 0.5 * mass.sum())])


def _spread(share: Array, segments: int) -> NDArray[np.intp]:
    """Return the positions of the chosen values: ends, heavy values and their neighbours, quantiles of the rest."""
    heavy = np.flatnonzero(share >= 1.0 / segments)
    last = len(share) - 1
    fixed = np.unique(np.clip(np.concatenate([[0, last], heavy - 1, heavy, heavy + 1]), 0, last))
    rest = share.copy()
    rest[heavy] = 0.0
    inner = max(segments - len(fixed) + 1, 0)
    levels = np.arange(1, inner + 1) / (inner + 1) * rest.sum()
    quantiles = np.searchsorted(np.cumsum(rest), levels)
    return np.unique(np.concatenate([fixed, np.minimum(quantiles, last)]))


def _bulk(distinct: Array, mass: Array, segments: int) -> float:
    """Return how wide the middle 80 % of a column is, values that many rows share counted once."""
    capped = np.minimum(mass, mass.sum() / segments)
    ends = np.searchsorted(np.cumsum(capped), np.array([0.1, 0.9]) * capped.sum())
    low, high = distinct[np.minimum(ends, len(distinct) - 1)]
    return float(high - low) or float(distinct[-1] - distinct[0])


def _with_wide_ends(chosen: Array, least: float) -> Knots:
    """Leave out inner knots so near to an end that the segment there would be a cliff."""
    first, last = chosen[0], chosen[-1]
    inner = chosen[(chosen >= first + least) & (chosen <= last - least) & (chosen > first) & (chosen < last)]
    return tuple(float(value) for value in (first, *inner, last))
