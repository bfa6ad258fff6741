"""`columns.py`: what a column is, and which rows can be read."""

from __future__ import annotations

import numpy as np
import pytest

from isotone.columns import Categorical, Numeric, check_rows, entries, is_size
from isotone.constraints import Direction

COLUMNS = (Numeric(), Numeric(missing=True), Categorical(3))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Numeric((1.0,)), "at least two"),
        (lambda: Numeric((1.0, 1.0)), "strictly increasing"),
        (lambda: Numeric((0.0, np.inf)), "finite"),
        (lambda: Numeric((0.0, 1.0), levels=(1.0, 0.0)), "levels"),
        (lambda: Numeric((0.0, 1.0), levels=(0.0, 1.0, 2.0)), "one level per knot"),
        (lambda: Numeric(direction=2), "2"),
        (lambda: Categorical(0), "size 0"),
        (lambda: Categorical(2.5), "size 2.5"),
    ],
)
def test_impossible_columns_are_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize("make", [lambda: Numeric(3.0), lambda: Numeric((0.0, 1.0), levels=2.0)])
def test_one_number_where_several_are_asked_for_is_refused(make):
    with pytest.raises(TypeError, match=r"(knots|levels) is a sequence; got"):
        make()


def test_a_column_takes_its_direction_in_words():
    assert Numeric(direction="decreasing").direction is Direction.DECREASING


def test_entries_and_sizes_are_pythons_own():
    found = entries("hidden", np.array([8, 4]))
    assert [type(entry) for entry in found] == [int, int]
    assert [type(entry) for entry in entries("reflect", np.array([True]))] == [bool]
    assert [is_size(value) for value in (1, 0, -1, True, 2.0, "2")] == [True, False, False, False, False, False]


def test_rows_become_contiguous_float64():
    rows = check_rows(COLUMNS, np.array([[1, 2, 0], [3, 4, 2]], order="F", dtype=np.int8))
    assert (rows.dtype, rows.flags.c_contiguous, rows.tolist()) == (np.float64, True, [[1, 2, 0], [3, 4, 2]])
    own = rows.copy()
    assert check_rows(COLUMNS, own) is own
    assert np.isnan(check_rows(COLUMNS, [[0.0, np.nan, 1.0]])[0, 1])


@pytest.mark.parametrize(
    ("x", "kind", "said"),
    [
        ([[0.0, 0.0]], ValueError, r"x has shape \(n, 3\) with n at least 1; got \(1, 2\)"),
        ([0.0, 0.0, 0.0], ValueError, r"got \(3,\)"),
        (np.zeros((0, 3)), ValueError, r"got \(0, 3\)"),
        (np.broadcast_to(np.zeros(3, np.float32), (2**31, 3)), ValueError, "at most 2147483647 rows; got 2147483648"),
        ([["a", "b", "c"]], TypeError, "x holds numbers; got dtype <U1"),
        ([[1j, 0, 0]], TypeError, "dtype complex128"),
        ([[None, 0, 0]], TypeError, "dtype object"),
        ([[np.nan, 0, 0]], ValueError, r"x\[:, 0\] must be finite, for the column has no missing slot; got \[nan\]"),
        ([[-np.inf, 0, 0]], ValueError, r"x\[:, 0\] must be finite.*; got \[-inf\]"),
        ([[0, np.inf, 0]], ValueError, r"x\[:, 1\] must be finite or NaN; got \[inf\]"),
        ([[0, 0, 3], [0, 0, -1]], ValueError, r"x\[:, 2\] holds codes 0 to 2; got \[3.0, -1.0\]"),
        ([[0, 0, 0.5], [0, 0, np.nan]], ValueError, r"holds codes 0 to 2; got \[0.5, nan\]"),
    ],
)
def test_rows_that_cannot_be_read_are_refused_by_column(x, kind, said):
    with pytest.raises(kind, match=said):
        check_rows(COLUMNS, x)
