"""Rows as a set with weights: a fit does not depend on their order, nor on how a repetition is written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Bits = NDArray[np.uint64]
Table = tuple[Array, ...]
# entries hashed at a time, so that no second copy of the data is made
BLOCK = 2**16
FEWEST_ROWS = 2**8
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MISSING = np.uint64(0x7FF8000000000000)


@dataclass(frozen=True)
class Rows:
    """Distinct rows in an order that only their content decides, each with its weight. Shape: ``(n,)``.

    Row ``i`` stands at ``kept[i]`` in each column of ``table``, which is the caller's and is not copied.

    >>> Rows.gather([np.array([1.0, 1.0])], np.array([2.0, 2.0]), np.array([1.0, 3.0])).weight
    array([4.])
    """

    table: Table
    kept: NDArray[np.intp]
    y: Array
    weight: Array

    @classmethod
    def gather(cls, table: Sequence[Array], y: Array, weight: Array) -> Rows:
        """Merge equal rows with equal targets, adding their weights; rows of weight 0 are left out.

        >>> Rows.gather([np.array([1.0, 2.0])], np.zeros(2), np.array([0.0, 1.0])).kept
        array([1])
        """
        keys = row_keys(table, y)
        order = np.lexsort((weight, keys))
        order = order[weight[order] > 0]
        starts = _starts(table, y, order, keys[order])
        if starts is None:
            # two different rows share a key: sort by content instead
            order = np.lexsort((weight, y, *table[::-1]))
            order = order[weight[order] > 0]
            starts = ~_same_as_before(table, y, order)
        first = np.flatnonzero(starts)
        kept = order[first]
        return cls(tuple(table), kept, y[kept], np.add.reduceat(weight[order], first))

    def weighted(self, weight: Array) -> Rows:
        """Return the rows with other weights; those of weight 0 are left out.

        >>> Rows.gather([np.array([1.0, 2.0])], np.arange(2.0), np.ones(2)).weighted(np.array([0.0, 3.0])).weight
        array([3.])
        """
        there = weight > 0
        return Rows(self.table, self.kept[there], self.y[there], weight[there])

    @property
    def columns(self) -> Iterator[Array]:
        """The columns of the rows, one after the other. Shape of each: ``(n,)``.

        >>> next(Rows.gather([np.array([1.0, 1.0])], np.zeros(2), np.ones(2)).columns)
        array([1.])
        """
        return (column[self.kept] for column in self.table)

    def __len__(self) -> int:
        return len(self.y)


def row_keys(table: Sequence[Array], y: Array) -> Bits:
    """Return a number per row that depends on its content only. Shape of each column, and of the result: ``(n,)``.

    >>> keys = row_keys([np.array([0.0, -0.0, 1.0]), np.array([1.0, 1.0, 0.0])], np.zeros(3))
    >>> bool(keys[0] == keys[1]), bool(keys[0] == keys[2])
    (True, False)
    """
    salts = _mixed(np.arange(1, len(table) + 1, dtype=np.uint64) * GOLDEN)
    keys = _mixed(_bits(y))
    # few rows of many columns at a time, so that columns of one array are read from near places
    height = max(BLOCK // max(len(table), 1), FEWEST_ROWS)
    width = max(BLOCK // height, 1)
    for start, first in product(range(0, len(y), height), range(0, len(table), width)):
        rows, columns = slice(start, start + height), slice(first, first + width)
        part = np.stack([column[rows] for column in table[columns]])
        keys[rows] += _mixed(_bits(part) ^ salts[columns, None]).sum(axis=0, dtype=np.uint64)
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


def _starts(table: Sequence[Array], y: Array, order: NDArray[np.intp], keys: Bits) -> NDArray[np.bool_] | None:
    """Return where a new row begins, or None if different rows have one key."""
    repeated = np.flatnonzero(keys[1:] == keys[:-1]) + 1
    if not all(_equal(c[order[repeated - 1]], c[order[repeated]]).all() for c in (*table, y)):
        return None
    starts = np.ones(len(order), dtype=bool)
    starts[repeated] = False
    return starts


def _same_as_before(table: Sequence[Array], y: Array, order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say of each row, in this order, whether it equals the one before it."""
    same = np.zeros(len(order), dtype=bool)
    same[1:] = np.logical_and.reduce([_equal(c[order[:-1]], c[order[1:]]) for c in (*table, y)])
    return same


def _equal(a: Array, b: Array) -> NDArray[np.bool_]:
    return np.equal(a, b) | (np.isnan(a) & np.isnan(b))
