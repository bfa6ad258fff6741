"""A monotone data set: its check, its level sets, and the half-spaces between its points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class MonotoneData:
    """Points and values with ``points[i] <= points[j]`` in every column only if ``values[i] <= values[j]``.

    >>> MonotoneData(np.array([[0.0], [1.0], [1.0]]), np.array([2.0, 5.0, 5.0])).levels
    array([2., 5.])
    """

    points: Array
    values: Array

    def __post_init__(self) -> None:
        offence = offending_pair(self.points, self.values)
        if offence is not None:
            below, above = offence
            raise ValueError(
                f"the data are not monotone: row {below} at {self.points[below].tolist()} is nowhere above row {above} "
                f"at {self.points[above].tolist()}, but its value {self.values[below]} exceeds {self.values[above]}."
            )

    @cached_property
    def levels(self) -> Array:
        """The distinct values, ascending.

        >>> MonotoneData(np.zeros((2, 1)), np.ones(2)).levels
        array([1.])
        """
        # NOTE[PAPER]: ties "resolved arbitrarily" fail for x_j < x_i of equal value, and for duplicates; a level set
        # needs no order
        return np.unique(self.values)

    @cached_property
    def lower(self) -> tuple[Array, Array]:
        """The distinct points below the highest level, and their values.

        >>> MonotoneData(np.array([[0.0], [0.0], [1.0]]), np.array([0.0, 0.0, 1.0])).lower
        (array([[0.]]), array([0.]))
        """
        points, first = np.unique(self.points, axis=0, return_index=True)
        values = self.values[first]
        kept = values < self.levels[-1]
        return points[kept], values[kept]


def monotone_data(points: ArrayLike, values: ArrayLike) -> MonotoneData:
    """Return the data set, or raise if it is not finite, not of one length, or not monotone.

    >>> monotone_data([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0]).points.shape
    (2, 2)
    """
    return MonotoneData(*finite_rows(points, values))


def finite_rows(points: ArrayLike, values: ArrayLike) -> tuple[Array, Array]:
    """Return points and values as arrays, or raise if they are not finite or not of one length.

    >>> finite_rows([[0, 1], [1, 0]], [1, 0])[1]
    array([1., 0.])
    """
    rows, targets = np.asarray(points, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or rows.size == 0 or targets.shape != rows.shape[:1]:
        raise ValueError(
            f"points are (n, d) and values (n,), none of them empty; got {rows.shape} and {targets.shape}."
        )
    infinite = np.flatnonzero(~(np.isfinite(rows).all(axis=1) & np.isfinite(targets)))
    if infinite.size:
        raise ValueError(f"points and values are finite; got NaN or infinity in the rows {infinite.tolist()}.")
    return rows, targets


def offending_pair(points: Array, values: Array) -> tuple[int, int] | None:
    """Return two rows of which the first is nowhere above the second but has the larger value, or None.

    >>> offending_pair(np.array([[0.0], [1.0]]), np.array([1.0, 0.0]))
    (0, 1)
    """
    for row, (point, value) in enumerate(zip(points, values, strict=True)):
        wrong = np.flatnonzero((point <= points).all(axis=1) & (value > values))
        if wrong.size:
            return row, int(wrong[0])
    return None


@dataclass(frozen=True)
class Cuts:
    """Every axis-aligned way to part the points: one cut between neighbouring coordinates of a column.

    At most ``n - 1`` cuts per column. ``below`` and ``above`` are the two coordinates that a cut parts.

    >>> Cuts.between(np.array([[0.0, 5.0], [2.0, 5.0], [6.0, 5.0]])).above
    array([2., 6.])
    """

    column: Indices
    below: Array
    above: Array
    first: Indices
    coordinates: tuple[Array, ...]

    # NOTE[PAPER]: a half-space for every pair of points takes n (n - 1) / 2 units; axis-aligned ones n d at most
    @classmethod
    def between(cls, points: Array) -> Cuts:
        """Return all cuts of a set of points. Shape: ``(n, d)``.

        >>> len(Cuts.between(np.array([[0.0, 1.0], [1.0, 0.0]])).column)
        2
        """
        coordinates = tuple(np.unique(column) for column in points.T)
        counts = np.array([len(distinct) - 1 for distinct in coordinates])
        return cls(
            np.repeat(np.arange(len(coordinates)), counts),
            np.concatenate([distinct[:-1] for distinct in coordinates]),
            np.concatenate([distinct[1:] for distinct in coordinates]),
            np.cumsum(counts) - counts,
            coordinates,
        )

    def ranks(self, points: Array) -> Indices:
        """Return how many distinct coordinates lie below each coordinate. Shape: ``(n, d)`` -> ``(n, d)``.

        >>> Cuts.between(np.array([[0.0], [5.0]])).ranks(np.array([[5.0]]))
        array([[1]])
        """
        found = [np.searchsorted(distinct, column) for distinct, column in zip(self.coordinates, points.T, strict=True)]
        return np.stack(found, axis=1)


def boxes(data: MonotoneData, cuts: Cuts) -> NDArray[np.bool_]:
    """Return which cuts bound ``{x <= p}`` for each lower point ``p``. Shape: ``(lower points, cuts)``.

    ``{x <= p}`` holds no point of a higher value, so the box serves for every pair that the theorem's proof parts,
    with one half-space per column instead of one per pair.

    >>> data = monotone_data([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> boxes(data, Cuts.between(data.points)) * 1
    array([[1, 0],
           [0, 1]])
    """
    points, _ = data.lower
    ranks = cuts.ranks(points)
    chosen = np.zeros((len(points), len(cuts.column)), dtype=bool)
    sizes = np.array([len(distinct) - 1 for distinct in cuts.coordinates])
    unit, column = np.nonzero(ranks < sizes)
    chosen[unit, cuts.first[column] + ranks[unit, column]] = True
    return chosen


def widest_cuts(data: MonotoneData, cuts: Cuts) -> NDArray[np.bool_]:
    """Return, for each lower point, cuts that part it from every point of higher value, the widest gap for each.

    >>> data = monotone_data([[0.0, 0.0], [1.0, 9.0]], [0.0, 1.0])
    >>> widest_cuts(data, Cuts.between(data.points)) * 1
    array([[0, 1]])
    """
    points, values = data.lower
    everyone = cuts.ranks(data.points)
    chosen = np.zeros((len(points), len(cuts.column)), dtype=bool)
    for unit, (ranks, value) in enumerate(zip(cuts.ranks(points), values, strict=True)):
        chosen[unit, _widest_from(ranks, everyone[data.values > value], cuts)] = True
    return chosen


def _widest_from(ranks: Indices, higher: Indices, cuts: Cuts) -> Indices:
    """Return the widest cut between ``ranks`` and each row that is somewhere above. Shape: ``(n, d)`` -> ``(n,)``."""
    best = np.full(len(higher), -np.inf)
    chosen = np.zeros(len(higher), dtype=np.intp)
    for column, (start, rank) in enumerate(zip(cuts.first, ranks, strict=True)):
        reached = higher[:, column] > rank
        ids = start + np.arange(rank, max(int(higher[:, column].max()), rank))
        running = _running_argmax(cuts.above[ids] - cuts.below[ids])
        found = ids[running[higher[reached, column] - rank - 1]]
        wider = cuts.above[found] - cuts.below[found] > best[reached]
        rows = np.flatnonzero(reached)[wider]
        chosen[rows], best[rows] = found[wider], (cuts.above - cuts.below)[found[wider]]
    return chosen


def _running_argmax(widths: Array) -> Indices:
    """Return, for each place, where the largest width up to it stands first."""
    places = np.arange(len(widths))
    leads: Any = widths > np.concatenate([[-np.inf], np.maximum.accumulate(widths)])[:-1]
    return np.maximum.accumulate(np.where(leads, places, 0))
