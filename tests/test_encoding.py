"""A table becomes numbers and codes, in its own order; what cannot be read is refused with the column's name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from isotone import Categorical, Numeric, Signs
from isotone.encoding import Encoder, Field, Labels, distinct_values, place_knots, read_table

GRADES = ["low", "mid", "high"]


def pandas_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "size": [1.5, np.nan, 3.0],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "flag": [True, False, True],
            "grade": pd.Categorical(["high", None, "low"], categories=GRADES, ordered=True),
            "town": pd.Categorical(["b", "a", None]),
            "name": ["x", None, "y"],
        }
    )


def polars_frame() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "size": [1.5, None, 3.0],
            "count": [1, None, 3],
            "flag": [True, False, True],
            "grade": pl.Series(["high", None, "low"], dtype=pl.Enum(GRADES)),
            "town": pl.Series(["b", "a", None], dtype=pl.Categorical),
            "name": ["x", None, "y"],
        }
    )


def arrow_table() -> pa.Table:
    grade = pa.DictionaryArray.from_arrays(pa.array([2, None, 0]), pa.array(GRADES), ordered=True)
    town = pa.array(["b", "a", None]).dictionary_encode()
    columns = {"size": [1.5, None, 3.0], "count": [1, None, 3], "flag": [True, False, True]}
    return pa.table({**columns, "grade": grade, "town": town, "name": ["x", None, "y"]})


FRAMES = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}


def learn(data: Any, signs: Any = None, **settings: Any) -> Encoder:
    table = read_table(data)
    return Encoder.learn(table, Signs.parse(signs, table.names), **settings)


def knots_of(values: Any, segments: int = 8, **settings: Any) -> np.ndarray:
    """Return the knots that a free column of these values gets."""
    (column,) = learn(np.asarray(values, dtype=float)[:, None], segments=segments, **settings).columns
    assert isinstance(column, Numeric)
    return np.array(column.knots)


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_all_kinds_are_read_alike(kind: str) -> None:
    frame = FRAMES[kind]()
    encoder = learn(frame)
    nan = np.nan
    expected = [[1.5, 1, 1, 2, 1, 0], [nan, nan, 0, nan, 0, 3], [3, 3, 1, 0, 3, 1]]
    np.testing.assert_array_equal(encoder.encode(read_table(frame)), expected)
    assert encoder.names == ("size", "count", "flag", "grade", "town", "name")
    assert [type(column) for column in encoder.columns] == [Numeric] * 4 + [Categorical] * 2


@pytest.mark.parametrize("kind", FRAMES)
def test_an_ordered_type_can_be_constrained_and_its_rank_is_its_number(kind: str) -> None:
    encoder = learn(FRAMES[kind](), {"grade": "increasing"}, missing="learn")
    column = encoder.columns[3]
    assert isinstance(column, Numeric)
    assert (column.direction, column.knots, column.missing) == (1, (0.0, 2.0), True)
    assert encoder.fields[3].categories == tuple(GRADES)


@pytest.mark.parametrize("column", ["town", "name"])
def test_a_sign_on_a_nominal_column_is_refused(column: str) -> None:
    with pytest.raises(ValueError, match=f"column '{column}' holds categories without an order"):
        learn(pandas_frame(), {column: 1}, missing="learn")


def test_a_caller_can_give_the_order_of_a_text_column() -> None:
    frame = pd.DataFrame({"grade": ["mid", "low", "high"]})
    encoder = learn(frame, {"grade": -1}, orders={"grade": tuple(GRADES)})
    assert encoder.columns[0].direction == -1
    np.testing.assert_array_equal(encoder.encode(read_table(frame))[:, 0], [1.0, 0.0, 2.0])


@pytest.mark.parametrize("sign", [0, 1])
def test_a_category_without_a_rank_is_refused_at_fit(sign: int) -> None:
    with pytest.raises(ValueError, match="column 'grade' is ordered and holds 'odd'"):
        learn(pd.DataFrame({"grade": ["low", "odd"]}), {"grade": sign}, orders={"grade": tuple(GRADES)})


def test_an_unseen_category_is_an_error_with_a_sign_and_the_median_without() -> None:
    frame, new = pd.DataFrame({"grade": ["low", "low", "high"]}), read_table(pd.DataFrame({"grade": ["odd"]}))
    orders = {"grade": tuple(GRADES)}
    with pytest.raises(ValueError, match="'odd', which has no rank"):
        learn(frame, {"grade": 1}, orders=orders).encode(new)
    assert learn(frame, {"grade": 0}, orders=orders).encode(new)[0, 0] == 0.0


def test_unseen_and_missing_categories_have_slots_of_their_own() -> None:
    encoder = learn(pd.DataFrame({"town": ["b", "a"]}))
    codes = encoder.encode(read_table(pd.DataFrame({"town": ["a", "b", "new", None]})))
    np.testing.assert_array_equal(codes[:, 0], [0.0, 1.0, 2.0, 3.0])
    assert encoder.columns == (Categorical(4),)


def test_numbers_can_be_categories() -> None:
    encoder = learn(np.array([[7.0], [3.0], [np.nan]]), orders={"x0": None})
    np.testing.assert_array_equal(encoder.encode(read_table([[3.0], [7.0], [5.0], [np.nan]]))[:, 0], [0, 1, 2, 3])


def test_a_missing_number_has_a_slot_if_fit_saw_one_and_is_the_median_if_not() -> None:
    gap = read_table(np.array([[np.nan]]))
    seen, unseen = learn(np.array([[1.0], [2.0], [np.nan]])), learn(np.array([[1.0], [2.0], [9.0]]))
    assert np.isnan(seen.encode(gap)[0, 0])
    assert unseen.encode(gap)[0, 0] == 2.0


def test_a_missing_number_with_a_sign_is_refused_unless_learned() -> None:
    data = np.array([[1.0], [np.nan]])
    with pytest.raises(ValueError, match="column 'x0' contains NaN and has a sign"):
        learn(data, 1)
    assert learn(data, 1, missing="learn").columns[0] == Numeric((1.0, 2.0), 1, missing=True)
    with pytest.raises(ValueError, match="column 'x0' contains NaN, has a sign, and had no missing value"):
        learn(np.array([[1.0], [2.0]]), 1, missing="learn").encode(read_table(data))


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinity_is_refused(sign: int, infinity: float) -> None:
    with pytest.raises(ValueError, match="column 'x0' contains infinity"):
        learn([[1.0], [infinity]], sign)
    with pytest.raises(ValueError, match="column 'x0' contains infinity"):
        learn([[1.0], [2.0]], sign).encode(read_table([[infinity]]))


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (pd.DataFrame({"a": [1, "x"]}), TypeError, "column 'a' mixes text and numbers"),
        (pd.DataFrame({"a": [1, {"b": 2}]}), TypeError, "column 'a' holds {'b': 2} of type dict"),
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}), TypeError, "column 'a' has the type Datetime"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, r"\['a'\] occur more than once"),
        (np.array([["1.5", "low"]]), ValueError, "text array"),
        ([1.0, 2.0], ValueError, "Expected 2D array"),
    ],
)
def test_what_cannot_be_read_is_named(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read_table(data)


def test_text_where_numbers_were_is_refused_and_numbers_where_text_was() -> None:
    numbers, text = pd.DataFrame({"a": [1.0, 2.0]}), pd.DataFrame({"a": ["x", "y"]})
    with pytest.raises(TypeError, match="column 'a' was numbers at fit"):
        learn(numbers).encode(read_table(text))
    with pytest.raises(TypeError, match=r"categories of column 'a' are text, as 'x'; it holds numbers, as 1.0"):
        learn(text).encode(read_table(numbers))


def test_an_array_of_numbers_is_its_own_encoding() -> None:
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    assert learn(x).encode(read_table(x)) is x


def test_few_distinct_values_are_the_knots() -> None:
    np.testing.assert_array_equal(knots_of([0, 3, 1, 3, 0, 7]), [0, 1, 3, 7])


def test_many_values_get_quantiles(rng: np.random.Generator) -> None:
    values = rng.normal(size=2000)
    knots = knots_of(values, segments=16)
    shares = np.histogram(values, knots)[0] / len(values)
    assert len(knots) == 17
    assert shares.max() < 1.5 / 16
    assert (knots[0], knots[-1]) == (values.min(), values.max())


def test_a_jump_beside_a_heavy_value_is_not_blurred(rng: np.random.Generator) -> None:
    values = np.where(rng.random(2000) < 0.8, 0.0, rng.uniform(5.0, 9.0, 2000))
    knots = knots_of(values)
    positive = values[values > 0]
    # nothing lies between zero and the next knot, so the first segment is the jump
    assert knots[0] == 0.0
    assert knots[1] <= positive.min()
    assert len(knots) >= 6
    blurred = np.quantile(values, np.linspace(0, 1, 9))
    assert len(np.unique(blurred)) < len(knots), "quantiles alone are the control: most of them are zero"


def test_no_end_segment_is_a_cliff(rng: np.random.Generator) -> None:
    values = np.concatenate([rng.uniform(0.0, 1.0, 500), [1.0 + 1e-9, -1e-12]])
    steps = np.diff(knots_of(values, segments=16))
    assert min(steps[0], steps[-1]) > 0.01


@given(
    hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(allow_nan=False, allow_infinity=False)),
    st.integers(1, 9),
)
def test_knots_are_finite_and_rise_strictly_for_any_numbers(values: np.ndarray, segments: int) -> None:
    knots = place_knots(*distinct_values(values, np.ones(len(values))), segments)
    assert np.isfinite(knots).all()
    assert (np.diff(knots) > 0).all()
    assert np.isfinite(np.diff(knots)).all()


@pytest.mark.parametrize("encoding", ["piecewise", "quantile", "standard"])
@given(values=hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(-1e300, 1e300)))
def test_every_encoding_makes_a_valid_column_of_any_numbers(encoding: str, values: np.ndarray) -> None:
    (column,) = learn(values[:, None], encoding=encoding, segments=5).columns
    assert column.components >= 1
    assert encoding == "piecewise" or column.components == 1


def test_weights_count_as_repetitions(rng: np.random.Generator) -> None:
    x, weight = rng.normal(size=(50, 1)), rng.integers(1, 4, 50)
    weighted = learn(x, weight=weight * 1.0, segments=6)
    assert weighted == learn(np.repeat(x, weight, axis=0), segments=6)
    assert weighted != learn(x, segments=6), "the weights are the control: without them the knots differ"


def test_the_standard_encoding_has_mean_and_deviation() -> None:
    np.testing.assert_allclose(knots_of([1.0, 3.0, 5.0], encoding="standard"), [3.0, 3.0 + np.sqrt(8 / 3)], rtol=1e-15)


@pytest.mark.parametrize(("setting", "value"), [("encoding", "pieces"), ("missing", "drop")])
def test_an_unknown_choice_is_named(setting: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{setting} is one of .*; got '{value}'"):
        learn([[1.0], [2.0]], **{setting: value})


def test_categories_must_differ() -> None:
    with pytest.raises(ValueError, match="categories of column 'a' must differ"):
        Field("a", Numeric(), ("x", "x"))


def test_all_marks_of_a_missing_value_are_one() -> None:
    labels = Labels.of(["a", None, np.nan, pd.NA, pd.NaT, np.float64("nan")], "name")
    np.testing.assert_array_equal(labels.missing, [False, True, True, True, True, True])
