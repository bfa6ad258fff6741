"""Reading frames and arrays column by column, in the order in which they come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.constraints import check_unique

Array = NDArray[np.float64]
# what a category may be, so that it can be written to a file and read back as itself
LABEL_TYPES = (str, bool, int, float)


@dataclass(frozen=True)
class Labels:
    """A column that is not made of numbers: its values, which of them are missing, and their declared order.

    >>> Labels.of(["b", None, "a"], "grade").missing
    array([False,  True, False])
    """

    values: list[Any]
    missing: NDArray[np.bool_]
    order: tuple[Any, ...] | None = None

    @classmethod
    def of(cls, values: list[Any], name: object, order: tuple[Any, ...] | None = None) -> Labels:
        """Read a list in which ``None``, NaN and pandas' NA are missing.

        >>> Labels.of(["b", float("nan")], "grade").values
        ['b', None]
        """
        found = [_plain(value) for value in values]
        wrong = next((value for value in found if value is not None and not isinstance(value, LABEL_TYPES)), None)
        if wrong is not None:
            raise TypeError(
                f"column {name!r} holds {wrong!r} of type {type(wrong).__name__}; "
                "an argument must be a string or a number, and a column holds one of the two."
            )
        return cls(found, np.array([value is None for value in found], dtype=bool), order)

    def take(self, chosen: NDArray[np.bool_]) -> Labels:
        """Return the chosen values.

        >>> Labels.of(["b", "a"], "grade").take(np.array([False, True])).values
        ['a']
        """
        return Labels(list(compress(self.values, chosen.tolist())), self.missing[chosen], self.order)


@dataclass(frozen=True)
class Table:
    """Named columns, each an array of numbers (NaN where missing) or Labels.

    ``matrix`` is the whole table where it came as one array of numbers; ``named`` tells whether the names are the
    table's own, or stand for positions.

    >>> read_table([[1.0, 2.0]]).names
    ('x0', 'x1')
    """

    names: tuple[Any, ...]
    rows: int
    columns: tuple[Array | Labels, ...] = ()
    matrix: Array | None = None
    named: bool = False

    def take(self, chosen: NDArray[np.bool_]) -> Table:
        """Return the chosen rows.

        >>> read_table([[1.0], [2.0]]).take(np.array([False, True])).matrix
        array([[2.]])
        """
        if self.matrix is not None:
            return replace(self, rows=int(chosen.sum()), matrix=self.matrix[chosen])
        columns = tuple(one.take(chosen) if isinstance(one, Labels) else one[chosen] for one in self.columns)
        return replace(self, rows=int(chosen.sum()), columns=columns)

    def __iter__(self) -> Iterator[Array | Labels]:
        return iter(self.columns if self.matrix is None else self.matrix.T)


def read_table(data: Any) -> Table:
    """Read a frame of pandas, polars or pyarrow, or an array; columns of an array are called x0, x1, ...

    >>> import numpy as np
    >>> read_table(np.array([["low", 1.5]], dtype=object)).columns[1]
    array([1.5])
    """
    check_collected(data)
    if not isinstance(data, np.ndarray) and is_frame(data):
        return _read_frame(data)
    array = np.asarray(data)
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, one row per case and one column per quantity; got the shape {array.shape}."
        )
    names = tuple(f"x{position}" for position in range(array.shape[1]))
    if array.dtype.kind in "fiub":
        return Table(names, len(array), matrix=array.astype(np.float64, copy=False))
    if array.dtype != object:
        raise ValueError(
            f"an array holds numbers, or objects where columns differ in kind; got dtype {array.dtype} "
            "(a text array has lost which columns were numbers: pass a data frame)."
        )
    columns = zip(names, array.T, strict=True)
    return Table(names, len(array), tuple(numbers_or_labels(values.tolist(), name) for name, values in columns))


def numbers_or_labels(values: list[Any], name: object) -> Array | Labels:
    """Read a list as numbers if none of it is text, as labels if all of it is.

    >>> numbers_or_labels([1, None, 2.5], "age")
    array([1. , nan, 2.5])
    """
    labels = Labels.of(values, name)
    kinds = {isinstance(value, str) for value in labels.values if value is not None}
    if len(kinds) > 1:
        raise TypeError(f"column {name!r} mixes text and numbers; a column holds one of the two.")
    if kinds == {True}:
        return labels
    try:
        return np.array([np.nan if value is None else value for value in labels.values], dtype=np.float64)
    except OverflowError as error:
        raise ValueError(f"column {name!r} holds a number beyond the range of float64.") from error


def _plain(value: Any) -> Any:
    """Return the value, or None if it is one of the many marks of a missing one."""
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else float(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Decimal):
        return _plain(float(value))
    return None if value is None or type(value).__name__ in {"NAType", "NaTType"} else value


def check_collected(data: Any) -> None:
    """Raise if the rows of a lazy frame are not there, those of a table in pieces, or entries behind a mask.

    >>> check_collected([[1.0]])
    """
    kind = type(data).__name__
    if hasattr(data, "collect"):
        raise TypeError(f"the rows of a {kind} are not there yet; pass what its collect() returns.")
    if kind == "RecordBatch":
        raise TypeError("a RecordBatch is a piece of a table; pass pyarrow.Table.from_batches([X]).")
    # isinstance, for pandas' arrays of nullable types have a mask of their own
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
        raise TypeError("what a mask hides would be read as if it were there; pass what filled(numpy.nan) returns.")


def is_frame(data: Any) -> bool:
    """Say whether the data are a frame of pandas, polars, pyarrow or narwhals.

    >>> is_frame([[1.0]])
    False
    """
    if not hasattr(data, "columns") and not hasattr(data, "column_names"):
        return False
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data) or isinstance(data, nw.DataFrame)


def _read_frame(data: Any) -> Table:
    import narwhals as nw

    names = tuple(data.column_names if hasattr(data, "column_names") else data.columns)
    check_unique(names)
    frame = nw.from_native(data, eager_only=True)
    return Table(tuple(frame.columns), len(frame), tuple(map(_read_series, frame.iter_columns())), named=True)


def _read_series(series: Any) -> Array | Labels:
    import narwhals as nw

    kind = series.dtype
    if kind == nw.Unknown() and series.is_null().all():
        return np.full(len(series), np.nan)
    if kind.is_numeric():
        return np.asarray(series.cast(nw.Float64()).to_numpy(), dtype=np.float64)
    if kind == nw.Boolean():
        return np.array([np.nan if value is None else value for value in _listed(series)], dtype=np.float64)
    if kind == nw.Object():
        return numbers_or_labels(_listed(series), series.name)
    if kind in {nw.String(), nw.Categorical()} or isinstance(kind, nw.Enum):
        return Labels.of(_listed(series), series.name, declared_order(series))
    native = series.to_native()
    held = getattr(native, "dtype", getattr(native, "type", kind)) if kind == nw.Unknown() else kind
    raise TypeError(
        f"column {series.name!r} has the type {held}; a column holds numbers, booleans, text or categories "
        "(turn a date into a number first)."
    )


def _listed(series: Any) -> list[Any]:
    """Return the values with None where narwhals sees a null."""
    values = series.to_list()
    return [None if absent else value for value, absent in zip(values, series.is_null().to_list(), strict=True)]


def declared_order(column: Any) -> tuple[Any, ...] | None:
    """Return the categories of a column of an ordered type from lowest to highest, or None.

    >>> declared_order([1, 2]) is None
    True
    """
    import narwhals as nw

    if getattr(column, "ordered", False) and hasattr(column, "categories"):
        # a bare pandas Categorical is no series
        return tuple(column.categories)
    series = nw.from_native(column, series_only=True, pass_through=True)
    categories = getattr(series.dtype, "categories", None) if isinstance(series, nw.Series) else None
    return _arrow_order(nw.to_native(series, pass_through=True)) if categories is None else tuple(categories)


def _arrow_order(column: Any) -> tuple[Any, ...] | None:
    """Return the categories of an ordered dictionary of pyarrow, in one piece or several, or None."""
    if not getattr(getattr(column, "type", None), "ordered", False):
        return None
    pieces = column.unify_dictionaries().chunks if hasattr(column, "chunks") else [column]
    return tuple(pieces[0].dictionary.to_pylist()) if pieces else ()
