from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone.theory.data_sets import Cuts, MonotoneData, boxes, offending_pair, widest_cuts
from tests.theory.data import monotone_values

CHOICES = [boxes, widest_cuts]


@st.composite
def data_sets(draw: st.DrawFn) -> MonotoneData:
    rows, columns = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    small = st.integers(0, 4)
    points = np.array(draw(st.lists(small, min_size=rows * columns, max_size=rows * columns)), dtype=np.float64)
    points = points.reshape(rows, columns)
    wishes = np.array(draw(st.lists(small, min_size=rows, max_size=rows)), dtype=np.float64)
    return MonotoneData(points, monotone_values(points, wishes))


def misplaced(data: MonotoneData, chosen: np.ndarray, cuts: Cuts) -> int:
    """Return how many rows stand on the wrong side: a unit's own point outside its set, a higher one inside."""
    points, values = data.lower
    over = data.points[:, cuts.column] >= cuts.above
    inside = ~(over[None] & chosen[:, None]).any(axis=2)
    own = np.array(
        [inside[unit, (data.points == point).all(axis=1)].all() for unit, point in enumerate(points)], dtype=bool
    )
    higher = inside & (data.values > values[:, None])
    return int((~own).sum() + higher.sum())


@pytest.mark.parametrize("choose", CHOICES)
@given(data=data_sets())
def test_a_set_holds_its_point_and_no_higher_one(choose, data: MonotoneData) -> None:
    cuts = Cuts.between(data.points)
    chosen = choose(data, cuts)
    assert misplaced(data, chosen, cuts) == 0
    if len(chosen):
        # the control: without its cuts, a set holds every row
        assert misplaced(data, np.zeros_like(chosen), cuts) > 0


def test_a_box_needs_one_cut_per_column_at_most() -> None:
    points = np.random.default_rng(0).normal(size=(40, 5))
    data = MonotoneData(points, monotone_values(points, np.arange(40.0)))
    cuts = Cuts.between(points)
    assert boxes(data, cuts).sum(axis=1).max() <= 5
    assert len(cuts.column) <= 40 * 5


def widest_by_search(data: MonotoneData, cuts: Cuts) -> np.ndarray:
    """Return the widest of all cuts that have one row below and the other above, for each unit and higher row."""
    points, values = data.lower
    chosen = np.zeros((len(points), len(cuts.column)), dtype=bool)
    for unit, (point, value) in enumerate(zip(points, values, strict=True)):
        for higher in data.points[data.values > value]:
            parts = (point[cuts.column] <= cuts.below) & (higher[cuts.column] >= cuts.above)
            chosen[unit, np.argmax(np.where(parts, cuts.above - cuts.below, -np.inf))] = True
    return chosen


@pytest.mark.parametrize("seed", range(5))
def test_two_rows_are_parted_by_the_widest_cut_between_them(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(25, 3))
    data = MonotoneData(points, monotone_values(points, np.random.default_rng(seed).normal(size=25)))
    cuts = Cuts.between(points)
    assert np.array_equal(widest_cuts(data, cuts), widest_by_search(data, cuts))
    # the control: boxes choose others
    assert not np.array_equal(boxes(data, cuts), widest_by_search(data, cuts))


def test_the_widest_cut_is_chosen_among_those_that_part_two_points() -> None:
    points = np.array([[0.0, 0.0], [1.0, 4.0], [9.0, 5.0]])
    data = MonotoneData(points, np.array([0.0, 1.0, 2.0]))
    cuts = Cuts.between(points)
    # from (0, 0): to (1, 4) the gap 0..4 of column 1 is widest, to (9, 5) the gap 1..9 of column 0
    assert (cuts.column[widest_cuts(data, cuts)[0]], cuts.above[widest_cuts(data, cuts)[0]]) == (
        pytest.approx([0, 1]),
        pytest.approx([9.0, 4.0]),
    )


@given(data=data_sets(), row=st.integers(0, 8))
def test_exactly_the_data_that_are_not_monotone_have_an_offending_pair(data: MonotoneData, row: int) -> None:
    assert offending_pair(data.points, data.values) is None
    spoilt = data.values.copy()
    # one above everything: wrong exactly if another row is at or above this one
    spoilt[row % len(spoilt)] = data.values.max() + 1.0
    others = np.delete(data.points, row % len(spoilt), axis=0)
    is_wrong = (others >= data.points[row % len(spoilt)]).all(axis=1).any()
    assert (offending_pair(data.points, spoilt) is not None) == is_wrong
