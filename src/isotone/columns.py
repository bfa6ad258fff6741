"""The columns of a network: how each is read, and which rows they can be read from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.constraints import Direction


@dataclass(frozen=True)
class Numeric:
    """A numeric column and the increasing piecewise-linear map that reads it.

    With ``levels``, the column is one component: the line through ``(knots, levels)``, continued linearly at both ends.
    Without, it is one component per segment between knots: how far ``x`` has come through the segment, 0 before it
    and 1 beyond it; the first and the last segment continue linearly. Two knots are a plain shift and scale.

    >>> Numeric(knots=(0.0, 1.0, 4.0)).components
    2
    """

    knots: tuple[float, ...] = (0.0, 1.0)
    direction: Direction = Direction.FREE
    levels: tuple[float, ...] | None = None
    missing: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "direction", Direction.parse(self.direction))
        object.__setattr__(self, "knots", increasing("knots", self.knots))
        if self.levels is not None:
            object.__setattr__(self, "levels", increasing("levels", self.levels))
            if len(self.levels) != len(self.knots):
                raise ValueError(
                    f"a column has one level per knot; got {len(self.levels)} for {len(self.knots)} knots."
                )

    @property
    def components(self) -> int:
        """How many numbers the column becomes, its missing slot not counted.

        >>> Numeric((0.0, 1.0, 4.0), levels=(0.0, 0.5, 1.0)).components
        1
        """
        return 1 if self.levels is not None else len(self.knots) - 1


@dataclass(frozen=True)
class Categorical:
    """A free column of codes ``0 .. size - 1``; each code has its own learned vector in the free branch.

    >>> Categorical(size=3).direction
    <Direction.FREE: 0>
    """

    size: int

    def __post_init__(self) -> None:
        if not is_size(self.size):
            raise ValueError(f"a categorical column has a whole number of codes, at least one; got size {self.size!r}.")

    @property
    def direction(self) -> Direction:
        """Always free: codes have no order.

        >>> Categorical(2).direction.name
        'FREE'
        """
        return Direction.FREE

    @property
    def components(self) -> int:
        """One component per code.

        >>> Categorical(3).components
        3
        """
        return self.size


Column = Numeric | Categorical


def check_rows(columns: Sequence[Column], x: ArrayLike, what: str = "x") -> NDArray[np.float64]:
    """Return the rows as a contiguous float64 array, or raise if the columns cannot be read from them.

    >>> check_rows([Numeric()], [[1], [2]]).dtype
    dtype('float64')
    """
    given = np.asarray(x)
    if given.dtype.kind not in "fiub":
        raise TypeError(f"{what} holds numbers; got dtype {given.dtype}.")
    if given.ndim != 2 or given.shape[1] != len(columns) or not len(given):
        raise ValueError(f"{what} has shape (n, {len(columns)}) with n at least 1; got {given.shape}.")
    if len(given) >= 2**31:
        raise ValueError(f"{what} has at most 2147483647 rows; got {len(given)}.")
    rows = np.require(given, np.float64, ["C", "A"])
    for index, (column, values) in enumerate(zip(columns, rows.T, strict=True)):
        _check_column(f"{what}[:, {index}]", column, values)
    return rows


def entries(what: str, values: Any) -> tuple[Any, ...]:
    """Return the entries of a sequence, NumPy's whole and truth values as Python's, or raise if it is none.

    >>> entries("hidden", np.array([8, 4]))
    (8, 4)
    """
    if not isinstance(values, Iterable):
        raise TypeError(f"{what} is a sequence; got {values!r}.")
    return tuple(map(plain, values))


def plain(value: Any) -> Any:
    """Return a whole or truth value of NumPy as Python's, and anything else as it is.

    >>> plain(np.int64(3)), plain(np.True_)
    (3, True)
    """
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def increasing(what: str, values: Any) -> tuple[float, ...]:
    """Return the values, or raise unless they are finite, strictly increasing and at least two.

    >>> increasing("knots", [0, 1])
    (0.0, 1.0)
    """
    numbers = tuple(float(value) for value in entries(what, values))
    if len(numbers) < 2 or not all(map(isfinite, numbers)) or any(a >= b for a, b in pairwise(numbers)):
        raise ValueError(f"{what} are at least two finite, strictly increasing numbers; got {values}.")
    return numbers


def is_size(value: object) -> bool:
    """Say whether a value counts something: a whole number of at least one.

    >>> is_size(3), is_size(True)
    (True, False)
    """
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _check_column(what: str, column: Column, values: NDArray[np.float64]) -> None:
    """Raise unless the values are finite, missing where they may be, and codes where they must be."""
    if isinstance(column, Categorical):
        wrong = values[~((values >= 0) & (values < column.size) & (values == np.floor(values)))]
        if wrong.size:
            raise ValueError(f"{what} holds codes 0 to {column.size - 1}; got {wrong[:5].tolist()}.")
        return
    wrong = values[~(np.isfinite(values) | (np.isnan(values) & column.missing))]
    if wrong.size:
        may = "finite or NaN" if column.missing else "finite, for the column has no missing slot"
        raise ValueError(f"{what} must be {may}; got {wrong[:5].tolist()}.")
