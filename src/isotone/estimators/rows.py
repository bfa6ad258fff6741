"""Rows as a set with weights: a fit does not depend on their order, nor on how a repetition is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bits = NDArray[np.uint64]
# entries hashed at a time, so that no second copy of the data is made
BLOCK = 2**16
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MISSING = np.uint64(0x7FF8000000000000)


@dataclass(frozen=True)
class Rows:
    """Distinct rows in an order that only their content decides, each with its weight. Shape: ``(n,)``.

    Row ``i`` stands at ``kept[i]`` in ``x``, which is the caller's table and is not copied.

    >>> Rows.gather(np.array([[1.0], [1.0]]), np.array([2.0, 2.0]), np.array([1.0, 3.0])).weight
    array([4.])
    """

    x: Array
    kept: NDArray[np.intp]
    y: Array
    weight: Array

    @classmethod
    def gather(cls, x: Array, y: Array, weight: Array) -> Rows:
        """Merge equal rows with equal targets, adding their weights; rows of weight 0 are left out.

        >>> Rows.gather(np.array([[1.0], [2.0]]), np.zeros(2), np.array([0.0, 1.0])).kept
        array([1])
        """
        keys = row_keys(x, y)
        order = np.lexsort((weight, keys))
        order = order[weight[order] > 0]
        starts = _starts(x, y, order, keys[order])
        if starts is None:
            # two different rows share a key: sort by content instead
            order = np.lexsort((weight, y, *x.T[::-1]))
            order = order[weight[order] > 0]
            starts = ~_same_as_before(x, y, order)
        first = np.flatnonzero(starts)
        kept = order[first]
        return cls(x, kept, y[kept], np.add.reduceat(weight[order], first))

    def weighted(self, weight: Array) -> Rows:
        """Return the rows with other weights; those of weight 0 are left out.

        >>> Rows.gather(np.array([[1.0], [2.0]]), np.arange(2.0), np.ones(2)).weighted(np.array([0.0, 3.0])).weight
        array([3.])
        """
        there = weight > 0
        return Rows(self.x, self.kept[there], self.y[there], weight[there])

    @property
    def columns(self) -> Iterator[Array]:
        """The columns of the rows, one after the other. Shape of each: ``(n,)``.

        >>> next(Rows.gather(np.array([[1.0], [1.0]]), np.zeros(2), np.ones(2)).columns)
        array([1.])
        """
        return (column[self.kept] for column in self.x.T)

    def __len__(self) -> int:
        return len(self.y)


def row_keys(x: Array, y: Array) -> Bits:
    """Return a number per row that depends on its content only. Shape: ``(n, d)``, ``(n,)`` -> ``(n,)``.

    >>> keys = row_keys(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]), np.zeros(3))
    >>> bool(keys[0] == keys[1]), bool(keys[0] == keys[2])
    (True, False)
    """
    salts = _mixed(np.arange(1, x.shape[1] + 1, dtype=np.uint64) * GOLDEN)
    keys = _mixed(_bits(y))
    height = max(BLOCK // max(x.shape[1], 1), 1)
    for start in range(0, len(x), height):
        block = slice(start, start + height)
        keys[block] += _mixed(_bits(x[block]) ^ salts).sum(axis=1, dtype=np.uint64)
    return _mixed(keys)


def _bits(values: Array) -> Bits:
    """Return the bits of each number; both zeros have the same, and all NaN."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    bits[np.isnan(values)] = MISSING
    return bits


def _mixed(bits: Bits) -> Bits:
    """Scramble 64 bits so that each bit of the result depends on all of them."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def _starts(x: Array, y: Array, order: NDArray[np.intp], keys: Bits) -> NDArray[np.bool_] | None:
    """Return where a new row begins, or None if different rows have one key."""
    repeated = np.flatnonzero(keys[1:] == keys[:-1]) + 1
    pairs = np.stack([order[repeated - 1], order[repeated]])
    if not (_equal(x[pairs[0]], x[pairs[1]]).all() and _equal(y[pairs[0]], y[pairs[1]]).all()):
        return None
    starts = np.ones(len(order), dtype=bool)
    starts[repeated] = False
    return starts


def _same_as_before(x: Array, y: Array, order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say of each row, in this order, whether it equals the one before it."""
    same = np.zeros(len(order), dtype=bool)
    for place in range(1, len(order)):
        before, here = order[place - 1], order[place]
        same[place] = bool(_equal(x[before], x[here]).all() and _equal(y[before], y[here]))
    return same


def _equal(a: Array, b: Array) -> NDArray[np.bool_]:
    return np.equal(a, b) | (np.isnan(a) & np.isnan(b))
