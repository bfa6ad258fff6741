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
    _check_kind(what, given)
    _check_shape(what, columns, given.shape)
    rows = np.require(given, np.float64, ["C", "A"])
    _check_each(what, columns, rows.T)
    return rows


@dataclass(frozen=True)
class Columns:
    """A table whose columns stand apart, as in a frame, so that nobody has to copy them. Shape of each: ``(n,)``.

    >>> Columns((np.zeros(3), np.ones(3))).shape
    (3, 2)
    """

    arrays: tuple[NDArray[Any], ...]

    def __post_init__(self) -> None:
        shapes = {array.shape for array in self.arrays}
        if len(shapes) != 1 or len(*shapes) != 1:
            raise ValueError(f"columns are arrays of one shape (n,), at least one; got the shapes {sorted(shapes)}.")

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are.

        >>> Columns((np.zeros(3),)).shape
        (3, 1)
        """
        return len(self.arrays[0]), len(self.arrays)


def check_columns(
    columns: Sequence[Column], x: ArrayLike | Columns, what: str = "x"
) -> tuple[NDArray[np.float64], ...]:
    """Return the columns of a table in float64, copied only where they are not, or raise if they cannot be read.

    >>> check_columns([Numeric()], Columns((np.array([1, 2]),)))
    (array([1., 2.]),)
    """
    if not isinstance(x, Columns):
        return tuple(check_rows(columns, x, what).T)
    for array in x.arrays:
        _check_kind(what, array)
    _check_shape(what, columns, x.shape)
    arrays = tuple(np.require(array, np.float64, ["A"]) for array in x.arrays)
    _check_each(what, columns, arrays)
    return arrays


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


def _check_kind(what: str, array: NDArray[Any]) -> None:
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} holds numbers; got dtype {array.dtype}.")


def _check_shape(what: str, columns: Sequence[Column], shape: tuple[int, ...]) -> None:
    if len(shape) != 2 or shape[1] != len(columns) or not shape[0]:
        raise ValueError(f"{what} has shape (n, {len(columns)}) with n at least 1; got {shape}.")
    if shape[0] >= 2**31:
        raise ValueError(f"{what} has at most 2147483647 rows; got {shape[0]}.")


def _check_each(what: str, columns: Sequence[Column], arrays: Iterable[NDArray[np.float64]]) -> None:
    for index, (column, values) in enumerate(zip(columns, arrays, strict=True)):
        _check_column(f"{what}[:, {index}]", column, values)


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
