"""Bad input has a clear error or a right answer."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError

from isotone import MonotoneClassifier, MonotoneOrdinalClassifier, MonotoneQuantileRegressor, MonotoneRegressor

SMALL: dict[str, Any] = {"n_estimators": 2, "hidden_layer_sizes": (4,), "max_iter": 3, "random_state": 0}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = X[:, 0] + RNG.normal(size=40)
FRAME = pd.DataFrame(X, columns=["debt", "age"])
REGRESSOR = MonotoneRegressor


def with_gap(where: str) -> pd.DataFrame:
    return FRAME.assign(**{where: np.where(np.arange(40) == 3, np.nan, FRAME[where])})


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "a sign for an unknown column": (
        lambda: REGRESSOR(monotonic_cst={"dept": 1}).fit(FRAME, Y),
        ValueError,
        r"monotonic_cst names unknown columns \['dept'\]; the data has \['debt', 'age'\]",
    ),
    "too few signs": (
        lambda: REGRESSOR(monotonic_cst=[1]).fit(X, Y),
        ValueError,
        r"monotonic_cst has 1 directions \[1\] for 2 columns",
    ),
    "a sign that is none": (lambda: REGRESSOR(monotonic_cst={"debt": 2}).fit(FRAME, Y), ValueError, "has 2"),
    "a sign on a nominal column": (
        lambda: REGRESSOR(monotonic_cst={"town": 1}).fit(FRAME.assign(town="a"), Y),
        ValueError,
        "column 'town' holds categories without an order",
    ),
    "a gap in a column with a sign": (
        lambda: REGRESSOR(monotonic_cst={"debt": 1}).fit(with_gap("debt"), Y),
        ValueError,
        "column 'debt' contains NaN and has a sign.*missing='learn'",
    ),
    "infinity": (lambda: REGRESSOR().fit(FRAME * [1, np.inf], Y), ValueError, "column 'debt'|column 'age'.*infinity"),
    "an infinite target": (lambda: REGRESSOR().fit(X, np.where(Y > 0, np.inf, 0.0)), ValueError, "y contains infinity"),
    "a missing target": (lambda: REGRESSOR().fit(X, Y * np.nan), ValueError, "y contains NaN"),
    "a missing class": (
        lambda: MonotoneClassifier().fit(X, np.array(["a", None] * 20, dtype=object)),
        ValueError,
        "y contains missing values: None at row 1",
    ),
    "classes of two kinds": (
        lambda: MonotoneClassifier().fit(X, np.array(["a", 1] * 20, dtype=object)),
        TypeError,
        "y mixes text and numbers",
    ),
    "a target of text": (lambda: REGRESSOR().fit(X, np.array(["a"] * 40)), ValueError, "y holds numbers; got"),
    "no target": (lambda: REGRESSOR().fit(X, None), ValueError, "requires y to be passed, but the target y is None"),
    "two targets": (lambda: REGRESSOR().fit(X, np.column_stack([Y, Y])), ValueError, "y should be a 1d array"),
    "a target of another length": (
        lambda: REGRESSOR().fit(X, Y[:-1]),
        ValueError,
        r"inconsistent numbers of samples: \[40, 39\]",
    ),
    "a negative count": (
        lambda: REGRESSOR(loss="poisson").fit(X, Y),
        ValueError,
        "poisson needs targets that are not negative; got",
    ),
    "a zero under gamma": (
        lambda: REGRESSOR(loss="gamma").fit(X, np.arange(40.0)),
        ValueError,
        r"gamma needs targets that are positive; got \[0.0\]",
    ),
    "nothing but zeros": (
        lambda: REGRESSOR(loss="tweedie").fit(X, np.zeros(40)),
        ValueError,
        "tweedie needs a positive target somewhere",
    ),
    "an unknown loss": (lambda: REGRESSOR(loss="mse").fit(X, Y), ValueError, r"loss is one of .*; got 'mse'"),
    "a level outside": (
        lambda: REGRESSOR(loss="quantile", quantile=1.5).fit(X, Y),
        ValueError,
        r"quantile is a number above 0 and below 1; got 1.5",
    ),
    "a level that is text": (
        lambda: REGRESSOR(loss="quantile", quantile="half").fit(X, Y),
        ValueError,
        r"quantile is a number above 0 and below 1; got 'half'",
    ),
    "levels that do not rise": (
        lambda: MonotoneQuantileRegressor(quantiles=[0.5, 0.1]).fit(X, Y),
        ValueError,
        r"quantiles are rising levels between 0 and 1; got \[0.5, 0.1\]",
    ),
    "no levels": (lambda: MonotoneQuantileRegressor(quantiles=[]).fit(X, Y), ValueError, r"got \[\]"),
    "levels that are text": (
        lambda: MonotoneQuantileRegressor(quantiles="half").fit(X, Y),
        ValueError,
        "rising levels between 0 and 1; got 'half'",
    ),
    "levels of levels": (
        lambda: MonotoneQuantileRegressor(quantiles=[[0.1, 0.9]]).fit(X, Y),
        ValueError,
        r"rising levels between 0 and 1; got \[\[0.1, 0.9\]\]",
    ),
    "a delta that is none": (
        lambda: REGRESSOR(loss="huber", delta=0.0).fit(X, Y),
        ValueError,
        "delta is a number above 0 and below inf; got 0.0",
    ),
    "a delta without end": (lambda: REGRESSOR(loss="huber", delta=np.inf).fit(X, Y), ValueError, "got inf"),
    "a power that is none": (
        lambda: REGRESSOR(loss="tweedie", power=3.0).fit(X, abs(Y)),
        ValueError,
        "power is a number above 1 and below 2; got 3.0",
    ),
    "one class": (
        lambda: MonotoneClassifier().fit(X, np.ones(40)),
        ValueError,
        r"at least 2 classes; the data has one class, \[1.0\]",
    ),
    "one class with weight": (
        lambda: MonotoneClassifier().fit(X, np.arange(40) > 0, sample_weight=np.arange(40) < 1),
        ValueError,
        "one class",
    ),
    "text classes without an order": (
        lambda: MonotoneOrdinalClassifier(monotonic_cst=[1, 0]).fit(X, np.array(["low", "high"] * 20)),
        ValueError,
        r"classes \['high', 'low'\] have an order; pass class_order, from lowest to highest",
    ),
    "an order that lacks a class": (
        lambda: MonotoneOrdinalClassifier(class_order=["low"]).fit(X, np.array(["low", "high"] * 20)),
        ValueError,
        "class_order lists every class once",
    ),
    "an order that is no sequence": (
        lambda: MonotoneOrdinalClassifier(class_order="ab").fit(X, np.array(["a", "b"] * 20)),
        TypeError,
        "class_order is a sequence of classes, from lowest to highest; got 'ab'",
    ),
    "classes without weight": (
        lambda: MonotoneClassifier(class_weight={0: 0, 1: 0}).fit(X, np.arange(40) % 2),
        ValueError,
        r"none negative and some positive; got \{0: 0, 1: 0\}",
    ),
    "signs in a series": (
        lambda: REGRESSOR(monotonic_cst=pd.Series({"age": 1, "debt": 0})).fit(FRAME, Y),
        TypeError,
        "(?s)monotonic_cst is a mapping by column name.*of type Series",
    ),
    "a lazy frame": (
        lambda: REGRESSOR().fit(pl.LazyFrame({"a": [1.0]}), [1.0]),
        TypeError,
        r"the rows of a LazyFrame are not there yet; pass what its collect\(\) returns",
    ),
    "a piece of a table": (
        lambda: REGRESSOR().fit(pa.table({"a": [1.0]}).to_batches()[0], [1.0]),
        TypeError,
        r"a RecordBatch is a piece of a table; pass pyarrow.Table.from_batches\(\[X\]\)",
    ),
    "numbers behind a mask": (
        lambda: REGRESSOR().fit(np.ma.masked_greater(X, 1.0), Y),
        TypeError,
        r"what a mask hides would be read as if it were there; pass what filled\(numpy.nan\) returns",
    ),
    "targets behind a mask": (lambda: REGRESSOR().fit(X, np.ma.masked_greater(Y, 1.0)), TypeError, "a mask hides"),
    "a whole number that is missing": (
        lambda: REGRESSOR().fit(X, pd.array([1, None] * 20, dtype="Int64")),
        ValueError,
        "y contains NaN",
    ),
    "a number beyond float64": (
        lambda: REGRESSOR().fit(FRAME.assign(id=[10**400] * 40), Y),
        ValueError,
        "column 'id' holds a number beyond the range of float64",
    ),
    "sparse columns": (
        lambda: REGRESSOR().fit(pd.DataFrame({"a": pd.arrays.SparseArray(Y)}), Y),
        TypeError,
        r"column 'a' has the type Sparse\[float64, nan\]",
    ),
    "codes that float64 cannot hold": (
        lambda: REGRESSOR(categorical_features=["id"]).fit(FRAME.assign(id=2**60 + np.arange(40)), Y),
        ValueError,
        r"column 'id' holds categories beyond 2\^53, as 1152921504606846976, .*turn them into text",
    ),
    "an order of text for numbers": (
        lambda: REGRESSOR(categorical_features={"debt": ["low", "high"]}).fit(FRAME, Y),
        TypeError,
        "the categories of column 'debt' are text, as 'low'; it holds numbers",
    ),
    "negative weights": (lambda: REGRESSOR().fit(X, Y, sample_weight=-np.ones(40)), ValueError, "[Nn]egative"),
    "weights of zero": (lambda: REGRESSOR().fit(X, Y, sample_weight=np.zeros(40)), ValueError, "non-zero"),
    "weights without a mean": (
        lambda: REGRESSOR().fit(X, Y, sample_weight=np.full(40, 1e308)),
        ValueError,
        r"rows weigh up to 1e\+308, and together more than float64 holds",
    ),
    "a rate that leads nowhere": (
        lambda: REGRESSOR(**SMALL, learning_rate_init=1e30).fit(X, Y),
        FloatingPointError,
        r"training diverged: .*; a learning_rate_init below 1e\+30 would help",
    ),
    "weights that are missing": (lambda: REGRESSOR().fit(X, Y, sample_weight=Y * np.nan), ValueError, "NaN"),
    "no rows": (lambda: REGRESSOR().fit(X[:0], Y[:0]), ValueError, "0 sample"),
    "a frame without rows": (lambda: REGRESSOR().fit(FRAME[:0], Y[:0]), ValueError, "0 sample"),
    "a frame without columns": (lambda: REGRESSOR().fit(FRAME[[]], Y), ValueError, r"0 feature\(s\)"),
    "one dimension": (lambda: REGRESSOR().fit(X[:, 0], Y), ValueError, "Expected 2D array"),
    "three dimensions": (lambda: REGRESSOR().fit(X[None], Y), ValueError, "dim 3"),
    "a sparse matrix": (lambda: REGRESSOR().fit(sparse.csr_matrix(X), Y), TypeError, "[Ss]parse"),
    "complex numbers": (lambda: REGRESSOR().fit(X * 1j, Y), ValueError, "Complex data not supported"),
    "a column of two kinds": (
        lambda: REGRESSOR().fit(FRAME.assign(mixed=[1, "a"] * 20), Y),
        TypeError,
        "column 'mixed' mixes text and numbers",
    ),
    "an array of text": (lambda: REGRESSOR().fit(X.astype(str), Y), ValueError, "text array"),
    "dates": (
        lambda: REGRESSOR().fit(FRAME.assign(day=pd.Timestamp(0)), Y),
        TypeError,
        "column 'day' has the type Dat",
    ),
    "columns of one name": (
        lambda: REGRESSOR().fit(pd.DataFrame(X, columns=["a", "a"]), Y),
        ValueError,
        r"\['a'\] occur more than once|unique",
    ),
    "an activation that decreases": (lambda: REGRESSOR(activation="gelu").fit(X, Y), ValueError, "gelu cannot keep"),
    "an unknown form": (lambda: REGRESSOR(form="skip").fit(X, Y), ValueError, "form is one of"),
    "an unknown encoding": (lambda: REGRESSOR(encoding="bins").fit(X, Y), ValueError, "encoding is one of"),
    "a policy that is none": (lambda: REGRESSOR(missing="drop").fit(X, Y), ValueError, "missing is one of"),
    "no threads": (lambda: REGRESSOR(n_jobs=0).fit(X, Y), ValueError, "n_jobs is a whole number other than 0"),
    "a category that is none": (
        lambda: REGRESSOR(categorical_features=["town"]).fit(FRAME, Y),
        ValueError,
        "unknown column 'town'",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_fit_that_cannot_be_right_is_refused(case: str) -> None:
    act, error, words = BAD[case]
    with pytest.raises(error) as caught:
        act()
    assert re.search(words, str(caught.value)), str(caught.value)


def fitted(**settings: Any) -> MonotoneRegressor:
    return MonotoneRegressor(**SMALL, **settings).fit(FRAME, Y)


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (FRAME[["age", "debt"]], r"same order as they were in fit"),
        (FRAME[["debt"]], r"(?s)seen at fit time, yet now missing.*age"),
        (FRAME.assign(town=1.0), r"(?s)unseen at fit time.*town"),
        (FRAME.rename(columns={"age": "Age"}), r"(?s)unseen at fit time.*Age.*missing.*age"),
        (FRAME * np.inf, "column 'debt' contains infinity"),
    ],
    ids=["reordered", "missing", "extra", "renamed", "infinite"],
)
def test_other_columns_than_those_of_the_fit_are_refused_by_estimator_and_predictor(
    new: pd.DataFrame, words: str
) -> None:
    model = fitted()
    for speaker in (model, model.to_predictor()):
        with pytest.raises(ValueError, match=words):
            speaker.predict(new)


def test_text_where_categories_were_numbers_is_refused_and_the_other_way_round() -> None:
    numbers = FRAME.assign(code=np.arange(40) % 3)
    text = numbers.assign(code=numbers["code"].astype(str))
    of_numbers = MonotoneRegressor(**SMALL, categorical_features=["code"]).fit(numbers, Y)
    of_text = MonotoneRegressor(**SMALL).fit(text, Y)
    for model, other, words in [
        (of_numbers, text, "the categories of column 'code' are numbers, as 0.0; it holds text, as '0'"),
        (of_text, numbers, "the categories of column 'code' are text, as '0'; it holds numbers, as 0"),
    ]:
        for speaker in (model, model.to_predictor()):
            with pytest.raises(TypeError, match=words):
                speaker.predict(other)
    # the control: another category of the right kind is an unseen one, and so is a missing one
    assert np.isfinite(of_numbers.predict(numbers.assign(code=7))).all()
    assert np.isfinite(of_text.predict(text.assign(code="7"))).all()
    assert np.isfinite(of_text.predict(text.assign(code=np.nan))).all()


def test_an_array_with_other_columns_is_refused() -> None:
    model = MonotoneRegressor(**SMALL).fit(X, Y)
    for speaker in (model, model.to_predictor()):
        with pytest.raises(ValueError, match="X has 1 features, but MonotoneRegressor is expecting 2 features"):
            speaker.predict(X[:, :1])


def test_a_gap_where_none_was_at_fit_is_refused_with_a_sign_and_filled_without() -> None:
    model = fitted(monotonic_cst={"debt": 1})
    with pytest.raises(ValueError, match="column 'debt' contains NaN, has a sign, and had no missing value"):
        model.predict(with_gap("debt"))
    filled = FRAME.assign(age=np.sort(FRAME["age"])[19])
    assert model.predict(FRAME.assign(age=np.nan)).tolist() == model.predict(filled).tolist()


@pytest.mark.parametrize("make", [MonotoneRegressor, MonotoneClassifier, MonotoneOrdinalClassifier])
def test_an_unfitted_estimator_says_so(make: Any) -> None:
    for act in (make().predict, make().input_gradient, lambda _: make().to_predictor()):
        with pytest.raises(NotFittedError, match=make.__name__):
            act(X)


def test_a_target_column_is_read_with_scikit_learns_warning() -> None:
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        model = MonotoneRegressor(**SMALL).fit(X, Y[:, None])
    assert model.predict(X).shape == (40,)


def test_a_single_row_is_fitted() -> None:
    model = MonotoneRegressor(**SMALL, monotonic_cst=1).fit([[1.0, 2.0]], [3.0])
    assert np.isfinite(model.predict([[1.0, 2.0], [5.0, 5.0]])).all()
    # nothing was learned of any column, so none has influence
    assert np.ptp(model.predict([[1.0, 2.0], [5.0, 5.0], [-9.0, 0.0]])) == 0.0


@pytest.mark.parametrize("direction", [0, 1, -1])
def test_a_constant_column_has_no_influence(direction: int) -> None:
    constant = np.column_stack([np.full(40, 7.0), X[:, 1]])
    model = MonotoneRegressor(**SMALL, monotonic_cst=[direction, 1]).fit(constant, X[:, 1])
    moved = constant + np.array([100.0, 0.0])
    assert model.predict(constant).tolist() == model.predict(moved).tolist()


def test_a_constant_target_is_predicted() -> None:
    model = MonotoneRegressor(**(SMALL | {"max_iter": 300})).fit(X, np.full(40, 1e6))
    # the target has no scale of its own, so the error is that of a network with targets of size 1
    np.testing.assert_allclose(model.predict(X), 1e6, atol=0.2)


@pytest.mark.parametrize("size", [1e-305, 1e-200, 1e200, 1e300])
def test_a_target_of_any_size_is_predicted(size: float) -> None:
    small, usual = (MonotoneRegressor(**SMALL).fit(X, Y * factor).predict(X) / factor for factor in (size, 1.0))
    # the size of a target carries no meaning, but other numbers are other rows, held out by other members
    assert np.corrcoef(small, usual)[0, 1] > 0.9
    assert 0.5 < np.ptp(small) / np.ptp(usual) < 2.0


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.int64, np.uint8, bool, object])
def test_numbers_of_any_kind_are_numbers(dtype: Any) -> None:
    whole = np.round(np.abs(X) * 2).clip(0, 1 if dtype is bool else 100)
    model = MonotoneRegressor(**SMALL).fit(whole, Y)
    assert model.predict(whole.astype(dtype)).tolist() == model.predict(whole).tolist()


@pytest.mark.parametrize("size", [1e-300, 1e-20, 1e20, 1e300])
def test_columns_of_any_size_are_read(size: float) -> None:
    model = MonotoneRegressor(**SMALL, monotonic_cst=1).fit(X * size, Y)
    np.testing.assert_array_equal(np.isfinite(model.predict(X * size)), True)
    # the size of a column carries no meaning, but other numbers are other rows, held out by other members
    assert (
        np.corrcoef(model.predict(X * size), MonotoneRegressor(**SMALL, monotonic_cst=1).fit(X, Y).predict(X))[0, 1]
        > 0.95
    )


def test_a_hundred_thousand_columns_are_fitted() -> None:
    wide = np.zeros((6, 100_000), dtype=np.float32)
    wide[:, ::1000] = RNG.normal(size=(6, 100))
    model = MonotoneRegressor(random_state=0, max_iter=1, monotonic_cst=1).fit(wide, np.arange(6.0))
    assert np.isfinite(model.predict(wide)).all()


def test_rare_classes_are_fitted() -> None:
    y = np.array([0] * 38 + [1, 2])
    assert MonotoneOrdinalClassifier(**SMALL, early_stopping=True).fit(X, y).predict_proba(X).shape == (40, 3)
    assert MonotoneClassifier(**SMALL, early_stopping=True).fit(X, y).predict_proba(X).shape == (40, 3)


def test_nothing_warns_in_an_ordinary_life() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = fitted(monotonic_cst={"debt": 1})
        model.predict(FRAME)
        model.score(FRAME, Y)
        model.input_gradient(FRAME)
