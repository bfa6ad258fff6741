"""Reading ``categorical_features``: which columns are categories, and which order they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isotone.constraints import listed

FROM_DTYPE = "from_dtype"
NOMINAL = "nominal"
Orders = dict[Any, tuple[Any, ...] | None]


def parse_categories(spec: Any, names: Sequence[Any]) -> Orders:
    """Return the columns that are categories beyond those whose type says so: their order, or None.

    ``spec`` is ``"from_dtype"`` (none beyond), names or positions or a mask of columns without an order, or a mapping
    from a column's name to its categories from lowest to highest, or to ``"nominal"``.

    >>> parse_categories({"grade": ["low", "high"], "town": "nominal"}, ["grade", "town", "age"])
    {'grade': ('low', 'high'), 'town': None}
    >>> parse_categories([1], ["grade", "town"])
    {'town': None}
    """
    if spec is None or (isinstance(spec, str) and spec == FROM_DTYPE):
        return {}
    if isinstance(spec, Mapping):
        return {name: _order(name, order) for name, order in zip(_known(spec, names), spec.values(), strict=True)}
    if isinstance(spec, str) or not hasattr(spec, "__len__"):
        raise TypeError(
            f"categorical_features is {FROM_DTYPE!r}, a sequence of columns, or a mapping from a column to its "
            f"categories in rising order; got {spec!r}."
        )
    entries = np.asarray(spec, dtype=object).tolist()
    if entries and all(isinstance(entry, bool) for entry in entries):
        return _from_mask(entries, names)
    return dict.fromkeys(_known(entries, names))


def _from_mask(mask: list[bool], names: Sequence[Any]) -> Orders:
    if len(mask) != len(names):
        raise ValueError(f"categorical_features has {len(mask)} entries for the {len(names)} columns {listed(names)}.")
    return {name: None for name, chosen in zip(names, mask, strict=True) if chosen}


def _known(entries: Iterable[Any], names: Sequence[Any]) -> list[Any]:
    """Return the names of columns given by name or position."""
    known = set(names)
    return [entry if entry in known else _at(entry, names) for entry in entries]


def _at(entry: Any, names: Sequence[Any]) -> Any:
    """Return the name of the column at a position, or raise."""
    if isinstance(entry, int | np.integer) and 0 <= entry < len(names):
        return names[int(entry)]
    raise ValueError(f"categorical_features names the unknown column {entry!r}; the data has {listed(names)}.")


def _order(name: Any, order: Any) -> tuple[Any, ...] | None:
    if order is None or (isinstance(order, str) and order == NOMINAL):
        return None
    if isinstance(order, str) or not hasattr(order, "__len__") or not len(order):
        raise ValueError(
            f"categorical_features gives column {name!r} {order!r}; right is {NOMINAL!r}, or its categories from "
            "lowest to highest."
        )
    return tuple(order)
