"""What is learned from the columns before training, and the map from a table to numbers and codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.architecture import Categorical, Column, Numeric
from isotone.constraints import Direction, Signs
from isotone.encoding.knots import distinct_values, median, normal_levels, place_knots, standard_knots
from isotone.encoding.tables import Labels, Table

Array = NDArray[np.float64]
ENCODINGS = ("piecewise", "quantile", "standard")
MISSING_POLICIES = ("refuse", "learn")
# from here on float64 holds not every whole number
LARGEST_CODE = 2**53
# an ordered column has a knot at each of its ranks up to here
MANY_RANKS = 64


@dataclass(frozen=True)
class Field:
    """How one column is read: as a number, as the rank of an ordered category, or as the code of a nominal one.

    A nominal column of ``k`` categories has the codes ``0 .. k - 1``, ``k`` for an unseen category and ``k + 1`` for
    a missing one. ``fill`` is what a missing number of a free column reads as if none was missing at fit.

    >>> Field("grade", Numeric((0.0, 1.0)), ("low", "high")).codes(Labels.of(["high", "low"], "grade"))
    array([1., 0.])
    """

    name: Any
    column: Column
    categories: tuple[Any, ...] | None = None
    fill: float | None = None

    def __post_init__(self) -> None:
        if self.categories is not None and len(set(self.categories)) < len(self.categories):
            raise ValueError(f"the categories of column {self.name!r} must differ; got {list(self.categories)}.")

    @cached_property
    def ranks(self) -> dict[Any, float]:
        """The code of each category.

        >>> Field("grade", Categorical(4), ("low", "high")).ranks
        {'low': 0.0, 'high': 1.0}
        """
        return {category: float(code) for code, category in enumerate(self.categories or ())}

    def codes(self, values: Array | Labels) -> Array:
        """Return the column as numbers that the network's input stage reads; NaN is a missing number.

        >>> Field("age", Numeric(), fill=0.5).codes(np.array([np.nan, 2.0]))
        array([0.5, 2. ])
        """
        if self.categories is not None:
            return self._without_gaps(self._ranked(values))
        if isinstance(values, Labels):
            if not values.missing.all():
                raise TypeError(f"column {self.name!r} was numbers at fit; it holds text or categories now.")
            values = np.full(len(values.values), np.nan)
        return self._without_gaps(values)

    def _ranked(self, values: Array | Labels) -> Array:
        """Return each category's code; where there is no slot, NaN for a missing one."""
        nominal = isinstance(self.column, Categorical)
        listed = values.values if isinstance(values, Labels) else values.tolist()
        missing = values.missing if isinstance(values, Labels) else np.isnan(values)
        unseen = float(len(self.ranks)) if nominal else np.nan
        codes = np.array([self.ranks.get(value, unseen) for value in listed], dtype=np.float64)
        self._check_kind(values, missing)
        if not nominal and self.column.direction:
            self._check_known(listed, np.isnan(codes) & ~missing)
        codes[missing] = len(self.ranks) + 1 if nominal else np.nan
        return codes

    def _check_kind(self, values: Array | Labels, missing: NDArray[np.bool_]) -> None:
        """Raise if numbers come where all categories are text, or text where none is: no value could be known."""
        listed = values.values if isinstance(values, Labels) else values[~missing][:1].tolist()
        given = next((value for value in listed if value is not None), None)
        known = {isinstance(category, str) for category in self.ranks}
        if given is not None and known == {not isinstance(given, str)}:
            kinds = ("text", "numbers") if True in known else ("numbers", "text")
            raise TypeError(
                f"the categories of column {self.name!r} are {kinds[0]}, as {next(iter(self.ranks))!r}; "
                f"it holds {kinds[1]}, as {given!r}."
            )

    def _check_known(self, listed: list[Any], unknown: NDArray[np.bool_]) -> None:
        """Raise if a category has no rank, for a sign can say nothing about it."""
        if unknown.any():
            first = listed[int(np.argmax(unknown))]
            raise ValueError(
                f"column {self.name!r} is ordered and holds {first!r}, which has no rank; "
                f"its categories are {list(self.ranks)}."
            )

    def _without_gaps(self, codes: Array) -> Array:
        """Return finite codes, NaN only where the column has a missing slot."""
        finite = np.isfinite(codes)
        if finite.all() or isinstance(self.column, Categorical):
            return codes
        missing = np.isnan(codes)
        if (~finite & ~missing).any():
            raise ValueError(f"column {self.name!r} contains infinity; a column holds finite numbers.")
        if self.column.missing:
            return codes
        if self.fill is None:
            raise ValueError(f"column {self.name!r} {self._no_slot}.")
        return np.where(missing, self.fill, codes)

    @property
    def _no_slot(self) -> str:
        return (
            "contains NaN, has a sign, and had no missing value to learn from at fit; fill it in, or fit with "
            "missing='learn' on rows where it is missing"
        )


@dataclass(frozen=True)
class Encoder:
    """The frozen reading of a table: one field per column, in the order of the columns.

    >>> from isotone.encoding import read_table
    >>> encoder = Encoder.learn(read_table([[1.0], [2.0], [4.0]]), Signs.parse(1, ["x0"]))
    >>> encoder.columns[0].knots
    (1.0, 2.0, 4.0)
    """

    fields: tuple[Field, ...]

    @classmethod
    def learn(
        cls,
        table: Table,
        signs: Signs,
        *,
        orders: Mapping[Any, tuple[Any, ...] | None] | None = None,
        missing: str = "refuse",
        encoding: str = "piecewise",
        segments: int = 16,
        weight: Array | None = None,
    ) -> Encoder:
        """Learn categories, then knots: ``categorise`` and ``placed`` in one call.

        >>> from isotone.encoding import read_table
        >>> Encoder.learn(read_table([[1.0], [3.0]]), Signs.parse(0, ["x0"]), encoding="standard").columns[0].knots
        (2.0, 3.0)
        """
        encoder = cls.categorise(table, signs, orders or {}, missing)
        return encoder.placed(
            encoder.codes(table), np.ones(table.rows) if weight is None else weight, encoding, segments
        )

    @classmethod
    def categorise(
        cls, table: Table, signs: Signs, orders: Mapping[Any, tuple[Any, ...] | None], missing: str = "refuse"
    ) -> Encoder:
        """Learn which columns are categories and which values are missing; knots come later.

        Args:
            table: the columns.
            signs: the direction of each.
            orders: the categories of a column from lowest to highest, or None if they have no order.
            missing: what to do with missing values in columns that have a sign, ``"refuse"`` or ``"learn"``.

        >>> from isotone.encoding import read_table
        >>> Encoder.categorise(read_table([[1.0], [2.0]]), Signs.parse(0, ["x0"]), {"x0": None}).columns
        (Categorical(size=4),)
        """
        _check_choice("missing", missing, MISSING_POLICIES)
        lesson = _Lesson(orders, missing)
        columns = zip(table.names, signs, table, strict=True)
        return cls(tuple(lesson.field(name, direction, values) for name, direction, values in columns))

    def placed(
        self, columns: Iterable[Array], weight: Array, encoding: str = "piecewise", segments: int = 16
    ) -> Encoder:
        """Return this encoder with knots where the encoded rows ask for them.

        Args:
            columns: of rows that this encoder encoded, one after the other. Shape of each: ``(n,)``.
            weight: of each row. Shape ``(n,)``.
            encoding: ``"piecewise"`` gives a number one component per segment, ``"quantile"`` its normal score,
                ``"standard"`` its distance from the mean in standard deviations.
            segments: how many pieces a numeric column's map has.

        >>> Encoder((Field("age", Numeric()),)).placed([np.array([1.0, 2.0, 4.0])], np.ones(3)).columns[0].knots
        (1.0, 2.0, 4.0)
        """
        _check_choice("encoding", encoding, ENCODINGS)
        pairs = zip(self.fields, columns, strict=True)
        return Encoder(tuple(_placed(field, values, weight, encoding, segments) for field, values in pairs))

    @property
    def names(self) -> tuple[Any, ...]:
        """The names of the columns.

        >>> Encoder((Field("age", Numeric()),)).names
        ('age',)
        """
        return tuple(field.name for field in self.fields)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the network's architecture.

        >>> Encoder((Field("age", Numeric()),)).columns[0].direction.name
        'FREE'
        """
        return tuple(field.column for field in self.fields)

    @cached_property
    def plain(self) -> bool:
        """Whether all columns are numbers, so that an array of finite numbers is its own encoding.

        >>> Encoder((Field("age", Numeric()),)).plain
        True
        """
        return all(field.categories is None for field in self.fields)

    def encode(self, table: Table) -> Array:
        """Return numbers and codes, never expanded. Shape: ``(n, d)`` -> ``(n, d)``.

        >>> from isotone.encoding import read_table
        >>> Encoder((Field("age", Numeric()),)).encode(read_table([[3.0]]))
        array([[3.]])
        """
        if table.matrix is not None and self.plain and np.isfinite(table.matrix).all():
            return table.matrix
        encoded = np.empty((table.rows, len(self.fields)))
        for position, codes in enumerate(self._codes(table)):
            encoded[:, position] = codes
        return encoded

    def codes(self, table: Table) -> tuple[Array, ...]:
        """Return what ``encode`` does, column by column; numbers without gaps are those of the table, not copied.

        >>> from isotone.encoding import read_table
        >>> Encoder((Field("age", Numeric()),)).codes(read_table([[3.0]]))
        (array([3.]),)
        """
        return tuple(self._codes(table))

    def _codes(self, table: Table) -> Iterator[Array]:
        return (field.codes(values) for field, values in zip(self.fields, table, strict=True))


@dataclass(frozen=True)
class _Lesson:
    """What holds for all columns while their categories are learned."""

    orders: Mapping[Any, tuple[Any, ...] | None]
    missing: str

    def field(self, name: Any, direction: Direction, values: Array | Labels) -> Field:
        """Return the reading of one column."""
        declared = values.order if isinstance(values, Labels) else None
        order = self.orders.get(name, declared)
        if order is not None:
            # read as if it had a sign: a category without a rank is refused at fit
            strict = Field(name, Numeric(direction=Direction.INCREASING, missing=True), order)
            missing = np.isnan(strict.codes(values))
        elif isinstance(values, Labels) or name in self.orders:
            return _nominal(name, direction, values)
        else:
            missing = np.isnan(values)
        return Field(name, Numeric(direction=direction, missing=self._has_slot(name, direction, missing)), order)

    def _has_slot(self, name: Any, direction: Direction, missing: NDArray[np.bool_]) -> bool:
        """Say whether the column needs a missing slot, or raise if its sign forbids one."""
        gaps = bool(missing.any())
        if gaps and direction and self.missing == "refuse":
            raise ValueError(
                f"column {name!r} contains NaN and has a sign: order says nothing about a missing value; fill it in, "
                "or pass missing='learn' (order then holds between rows with the same columns missing)."
            )
        return gaps


def _nominal(name: Any, direction: Direction, values: Array | Labels) -> Field:
    if direction:
        raise ValueError(
            f"column {name!r} holds categories without an order, so monotonic_cst cannot make it "
            f"{direction.name.lower()}; use an ordered type, or list its categories from lowest to highest "
            "in categorical_features."
        )
    listed = values.values if isinstance(values, Labels) else values[~np.isnan(values)].tolist()
    if not isinstance(values, Labels) and (np.abs(values) >= LARGEST_CODE).any():
        raise ValueError(
            f"column {name!r} holds categories beyond 2^53, as {np.nanmax(np.abs(values)):.0f}, which float64 cannot "
            "tell apart; turn them into text."
        )
    categories = tuple(sorted(set(listed) - {None}, key=lambda value: (isinstance(value, str), value)))
    return Field(name, Categorical(len(categories) + 2), categories)


def _placed(field: Field, values: Array, weight: Array, encoding: str, segments: int) -> Field:
    if isinstance(field.column, Categorical):
        return field
    distinct, mass = distinct_values(values, weight)
    fill = None if field.column.missing or field.column.direction else median(distinct, mass)
    levels = None
    if field.categories is not None:
        # a rank that never occurred lies on the line through its neighbours
        knots = place_knots(distinct, mass, max(segments, MANY_RANKS))
    elif encoding == "standard":
        knots = standard_knots(distinct, mass)
    else:
        knots = place_knots(distinct, mass, segments)
        levels = normal_levels(distinct, mass, knots) if encoding == "quantile" else None
    return replace(field, column=replace(field.column, knots=knots, levels=levels), fill=fill)


def _check_choice(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{what} is one of {list(choices)}; got {value!r}.")
