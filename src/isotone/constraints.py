"""Directions and signs: reading ``monotonic_cst`` once, at the door."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from numbers import Real
from typing import Any

import numpy as np

# of very many columns an error shows the first
MOST_SHOWN = 20
WORDS = "-1, 0, 1, 'decreasing', 'free' or 'increasing'"


class Direction(IntEnum):
    """The way one column may move the output.

    >>> Direction.parse("increasing")
    <Direction.INCREASING: 1>
    """

    DECREASING = -1
    FREE = 0
    INCREASING = 1

    @classmethod
    def parse(cls, value: object) -> Direction:
        """Return the direction named by -1, 0, 1 or a word.

        >>> Direction.parse(-1).name
        'DECREASING'
        """
        if isinstance(value, str) and value.upper() in cls.__members__:
            return cls[value.upper()]
        numeric = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if numeric and value in (-1, 0, 1):
            return cls(value)
        raise ValueError(f"a direction is {WORDS}; got {value!r}.")


@dataclass(frozen=True)
class Signs:
    """The direction of every column, in the order of the columns.

    >>> signs = Signs.parse({"bmi": 1}, ["age", "bmi"])
    >>> list(signs)
    [<Direction.FREE: 0>, <Direction.INCREASING: 1>]
    """

    names: tuple[str, ...]
    directions: tuple[Direction, ...]

    def __post_init__(self) -> None:
        check_unique(self.names)
        object.__setattr__(
            self, "directions", tuple(map(_direction, self.names, _by_position(self.directions, self.names)))
        )

    @classmethod
    def parse(cls, spec: Any, names: Sequence[str]) -> Signs:
        """Read a mapping by column name, a sequence, one value for all, other signs by name, or None (all free).

        >>> Signs.parse("increasing", ["a", "b"]).directions
        (<Direction.INCREASING: 1>, <Direction.INCREASING: 1>)
        """
        if isinstance(names, str):
            raise TypeError(f"names is a sequence of column names; got the one text {names!r}.")
        columns = tuple(names)
        if spec is None:
            spec = Direction.FREE
        if isinstance(spec, Signs):
            spec = spec.by_name()
        if isinstance(spec, Mapping):
            values = _by_name(spec, columns)
        elif isinstance(spec, (str, Real)):
            values = (spec,) * len(columns)
        elif _is_listing(spec):
            values = _by_position(spec, columns)
        else:
            raise TypeError(
                "monotonic_cst is a mapping by column name, a sequence with one direction per column, "
                f"or one direction for all; got {spec!r} of type {type(spec).__name__}."
            )
        return cls(columns, values)

    @property
    def constrained(self) -> tuple[str, ...]:
        """Names of the columns that have a direction.

        >>> Signs.parse({"b": -1}, ["a", "b"]).constrained
        ('b',)
        """
        return tuple(name for name, direction in zip(self.names, self.directions, strict=True) if direction)

    def by_name(self) -> dict[str, int]:
        """Return the directions as a plain mapping.

        >>> Signs.parse({"b": -1}, ["a", "b"]).by_name()
        {'a': 0, 'b': -1}
        """
        return {name: int(direction) for name, direction in zip(self.names, self.directions, strict=True)}

    def __iter__(self) -> Iterator[Direction]:
        return iter(self.directions)

    def __len__(self) -> int:
        return len(self.directions)

    def __getitem__(self, name: str) -> Direction:
        if name not in self.names:
            raise KeyError(f"there is no column {name!r}; there are {listed(self.names)}.")
        return self.directions[self.names.index(name)]


def listed(names: Iterable[object]) -> str:
    """Return names as a list to be read: the first of them, and how many more there are.

    >>> listed(["age", "bmi"])
    "['age', 'bmi']"
    >>> listed(range(1000))[-20:]
    '18, 19 and 980 more]'
    """
    shown = list(map(repr, names))
    more = f" and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    return f"[{', '.join(shown[:MOST_SHOWN])}{more}]"


def _is_listing(spec: object) -> bool:
    """Tell whether ``spec`` can be read position by position; a pandas Series has labels, which would be ignored."""
    if hasattr(spec, "to_dict") or getattr(spec, "ndim", 1) != 1:
        return False
    return hasattr(spec, "__len__") and hasattr(spec, "__getitem__") and not isinstance(spec, bytes)


def check_unique(names: Sequence[object]) -> None:
    """Raise if a column name occurs twice.

    >>> check_unique(["age", "bmi"])
    """
    repeated = sorted(str(name) for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise ValueError(f"column names must differ, but {listed(repeated)} occur more than once in {listed(names)}.")


def _direction(name: object, value: object) -> Direction:
    """Return the direction of one column, or raise with its name."""
    try:
        return Direction.parse(value)
    except ValueError as error:
        raise ValueError(f"monotonic_cst has {value!r} for column {name!r}; a direction is {WORDS}.") from error


def _by_name(spec: Mapping[Any, Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return one value per column from a mapping; absent names are free."""
    known = set(names)
    unknown = [name for name in spec if name not in known]
    if unknown:
        raise ValueError(f"monotonic_cst names unknown columns {listed(unknown)}; the data has {listed(names)}.")
    return tuple(spec.get(name, Direction.FREE) for name in names)


def _by_position(spec: Sequence[Any], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Return one value per column from a sequence of the same length."""
    if len(spec) != len(names):
        raise ValueError(
            f"monotonic_cst has {len(spec)} directions {listed(spec)} for {len(names)} columns {listed(names)}."
        )
    return tuple(spec)
