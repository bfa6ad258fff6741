"""Rows are a set with weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotone.estimators import rows as module
from isotone.estimators.rows import Rows, row_keys

FEW_VALUES = st.sampled_from([0.0, -0.0, 1.0, np.nan])


def gathered(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[tuple[float, ...]]:
    """Return the rows as tuples, NaN written as None so that tuples can be compared."""
    rows = Rows.gather(x.T, y, weight)
    table = np.column_stack([*rows.columns, rows.y, rows.weight])
    return [tuple(None if np.isnan(value) else value for value in row) for row in table.tolist()]


@given(hnp.arrays(np.float64, (12, 3), elements=FEW_VALUES), st.permutations(range(12)))
def test_the_order_of_the_rows_does_not_matter(x: np.ndarray, order: list[int]) -> None:
    y = np.arange(12) % 2.0
    assert gathered(x, y, np.ones(12)) == gathered(x[order], y[order], np.ones(12))


@given(hnp.arrays(np.float64, (8, 2), elements=FEW_VALUES), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_a_weight_is_a_repetition_and_a_zero_an_absence(x: np.ndarray, counts: list[int]) -> None:
    y, weight = np.arange(8) % 2.0, np.array(counts, dtype=float)
    repeated = np.repeat(np.arange(8), counts)
    assert gathered(x, y, weight) == gathered(x[repeated], y[repeated], np.ones(len(repeated)))


def test_rows_that_differ_in_the_target_only_stay_apart() -> None:
    assert len(Rows.gather(np.zeros((3, 2)), np.array([0.0, 1.0]), np.ones(2))) == 2


@pytest.mark.parametrize("swap", [([[1.0, 2.0]], [[2.0, 1.0]]), ([[0.0, 1.0]], [[1.0, 0.0]])])
def test_the_key_depends_on_the_column(swap: tuple[list[list[float]], list[list[float]]]) -> None:
    a, b = (row_keys(np.array(x).T, np.zeros(1)) for x in swap)
    assert a != b


def test_rows_whose_keys_collide_are_still_told_apart(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    x, y, weight = rng.integers(0, 2, (20, 2)) * 1.0, np.zeros(20), np.ones(20)
    honest = sorted(gathered(x, y, weight))
    monkeypatch.setattr(module, "row_keys", lambda table, y: np.zeros(len(y), dtype=np.uint64))
    assert sorted(gathered(x, y, weight)) == honest
    assert gathered(x, y, weight) == gathered(x[::-1], y, weight)


def test_a_wide_table_is_hashed_like_a_narrow_one(monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(50, 4)), rng.normal(size=50)
    whole = row_keys(x.T, y)
    monkeypatch.setattr(module, "BLOCK", 8)
    monkeypatch.setattr(module, "FEWEST_ROWS", 4)
    np.testing.assert_array_equal(row_keys(x.T, y), whole)
    assert len(set(whole.tolist())) == 50
