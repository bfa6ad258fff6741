"""The same table gives the same model and the same bits, whoever holds it and in whatever company a row comes."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from isotone import MonotoneRegressor
from tests.estimators.subjects import KINDS, LEVELS, draw, fitted, score

SMALL: dict[str, Any] = {"n_estimators": 2, "hidden_layer_sizes": (6,), "max_iter": 8, "random_state": 0}


def as_polars(frame: pd.DataFrame) -> pl.DataFrame:
    grades = pl.Series(frame["grade"].tolist(), dtype=pl.Enum(LEVELS))
    ages = pl.Series(frame["age"].tolist()).fill_nan(None)
    return pl.DataFrame({"size": frame["size"].tolist(), "grade": grades, "age": ages, "town": frame["town"].tolist()})


def as_arrow(frame: pd.DataFrame) -> pa.Table:
    return pa.Table.from_pandas(frame, preserve_index=False)


HOLDERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda f: f,
    "polars": as_polars,
    "pyarrow": as_arrow,
    "narwhals": nw.from_native,
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_every_kind_of_frame_gives_the_same_model(holder: str, rng: np.random.Generator) -> None:
    X = draw(rng)
    y = np.asarray(score(X, 2.0, rng))
    settings = SMALL | {"monotonic_cst": {"size": 1, "grade": 1}}
    model, plain = MonotoneRegressor(**settings).fit(HOLDERS[holder](X), y), MonotoneRegressor(**settings).fit(X, y)
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.predict(HOLDERS[holder](X)).tobytes() == plain.predict(X).tobytes()
    assert model.predict(X).tobytes() == plain.predict(HOLDERS[holder](X)).tobytes()


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame])
def test_a_column_of_nothing_but_gaps_is_read(make: Any, rng: np.random.Generator) -> None:
    size = rng.normal(size=60)
    gaps = make({"size": size, "gap": [None] * 60})
    model = MonotoneRegressor(**SMALL, monotonic_cst={"size": 1}).fit(gaps, size)
    assert model.predict(make({"size": [0.5], "gap": [3.0]})) == model.predict(make({"size": [0.5], "gap": [-9.0]}))
    text = MonotoneRegressor(**SMALL).fit(make({"size": size, "gap": ["a", "b"] * 30}), size)
    assert np.isfinite(text.predict(gaps)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_has_the_same_bits_in_any_company(kind: str, rng: np.random.Generator) -> None:
    model, X = fitted(kind, 1, 2.0), draw(rng, 300)
    for outputs in KINDS[kind].outputs:
        whole = outputs(model, X)
        alone = np.concatenate([outputs(model, X.iloc[[row]]) for row in (0, 1, 150, 299)])
        assert alone.tobytes() == whole[[0, 1, 150, 299]].tobytes()
        order = rng.permutation(300)
        assert outputs(model, X.iloc[order]).tobytes() == whole[order].tobytes()


@pytest.mark.parametrize("layout", ["C", "F", "sliced", "float32", "readonly", "list"])
def test_the_layout_of_an_array_does_not_matter(layout: str, rng: np.random.Generator) -> None:
    X = np.float32(rng.normal(size=(60, 3))).astype(np.float64)
    y = X[:, 0]
    held: Any = {
        "C": X,
        "F": np.asfortranarray(X),
        "sliced": np.repeat(X, 2, axis=1)[:, ::2],
        "float32": np.float32(X),
        "readonly": X.copy(),
        "list": X.tolist(),
    }[layout]
    if layout == "readonly":
        held.flags.writeable = False
    plain = MonotoneRegressor(**SMALL, monotonic_cst=1).fit(X, y)
    assert MonotoneRegressor(**SMALL, monotonic_cst=1).fit(held, y).predict(X).tobytes() == plain.predict(X).tobytes()
    assert plain.predict(held).tobytes() == plain.predict(X).tobytes()


def test_integer_column_names_are_names_of_positions(rng: np.random.Generator) -> None:
    X = pd.DataFrame(rng.normal(size=(60, 2)))
    model = MonotoneRegressor(**SMALL, monotonic_cst={1: -1}).fit(X, X[1])
    assert list(model.signs_) == [0, -1]
    assert model.predict(X).tobytes() == model.predict(X.to_numpy()).tobytes()


def test_columns_of_an_array_are_called_x0_x1(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    model = MonotoneRegressor(**SMALL, monotonic_cst={"x1": "decreasing"}).fit(X, X[:, 0])
    assert model.signs_.constrained == ("x1",)
    assert not hasattr(model, "feature_names_in_")


def test_names_and_positions_are_told_apart_with_scikit_learns_warning(rng: np.random.Generator) -> None:
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    named = MonotoneRegressor(**SMALL).fit(X, X["a"])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert named.predict(X.to_numpy()).tobytes() == named.predict(X).tobytes()
    bare = MonotoneRegressor(**SMALL).fit(X.to_numpy(), X["a"])
    with pytest.warns(UserWarning, match="X has feature names, but MonotoneRegressor was fitted without"):
        assert bare.predict(X).tobytes() == bare.predict(X.to_numpy()).tobytes()


def test_an_array_of_objects_is_read_by_position(rng: np.random.Generator) -> None:
    X = draw(rng)
    model = MonotoneRegressor(**SMALL).fit(X, X["size"])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert model.predict(X.to_numpy(dtype=object)).tobytes() == model.predict(X).tobytes()
    assert model.to_predictor().predict(X.to_numpy(dtype=object)).tobytes() == model.predict(X).tobytes()


def test_signs_of_another_model_go_by_name(rng: np.random.Generator) -> None:
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    first = MonotoneRegressor(**SMALL, monotonic_cst={"a": 1, "b": -1}).fit(X, X["a"])
    turned = MonotoneRegressor(**SMALL, monotonic_cst=first.signs_).fit(X[["b", "a"]], X["a"])
    assert list(turned.signs_) == [-1, 1]


# the same numbers in other types: what comes from a data base, from a spreadsheet, from a sensor
NUMBERS: dict[str, Callable[[list[int | None]], Any]] = {
    "Int64": lambda v: pd.array(v, dtype="Int64"),
    "Float64": lambda v: pd.array(v, dtype="Float64"),
    "object": lambda v: pd.Series(v, dtype=object),
    "Decimal": lambda v: [one if one is None else Decimal(one) for one in v],
    "int64 of pyarrow": lambda v: pd.array(v, dtype="int64[pyarrow]"),
    "decimal of pyarrow": lambda v: pd.array(v, dtype=pd.ArrowDtype(pa.decimal128(9, 2))),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_a_number_is_the_same_in_every_type(kind: str, rng: np.random.Generator) -> None:
    values = [*rng.integers(0, 9, 57).tolist(), None, None, None]
    size = rng.normal(size=60)
    settings = SMALL | {"monotonic_cst": {"count": 1}, "missing": "learn"}
    plain, other = (pd.DataFrame({"size": size, "count": held}) for held in (np.float64(values), NUMBERS[kind](values)))
    model = MonotoneRegressor(**settings).fit(other, size)
    assert model.predict(other).tobytes() == model.predict(plain).tobytes()
    assert model.predict(plain).tobytes() == MonotoneRegressor(**settings).fit(plain, size).predict(plain).tobytes()


TRUTHS: dict[str, Callable[[list[bool | None]], Any]] = {
    "boolean": lambda v: pd.array(v, dtype="boolean"),
    "object": lambda v: pd.Series(v, dtype=object),
    "bool of pyarrow": lambda v: pd.array(v, dtype="bool[pyarrow]"),
}


@pytest.mark.parametrize("kind", TRUTHS)
def test_truths_are_noughts_and_ones(kind: str, rng: np.random.Generator) -> None:
    values = [True, False, None] * 20
    size = rng.normal(size=60)
    plain, other = (pd.DataFrame({"size": size, "paid": held}) for held in (np.float64(values), TRUTHS[kind](values)))
    model = MonotoneRegressor(**SMALL).fit(other, size)
    assert model.predict(other).tobytes() == model.predict(plain).tobytes()


TARGETS: dict[str, Callable[[np.ndarray], Any]] = {
    "Float64": lambda y: pd.Series(y, dtype="Float64"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "pyarrow in pieces": lambda y: pa.chunked_array([y[:9], y[9:]]),
    "list": list,
    "Decimal": lambda y: [Decimal(one) for one in y.tolist()],
}


@pytest.mark.parametrize("kind", TARGETS)
def test_a_target_is_the_same_in_every_type(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    plain = MonotoneRegressor(**SMALL).fit(X, X[:, 0])
    assert MonotoneRegressor(**SMALL).fit(X, TARGETS[kind](X[:, 0])).predict(X).tobytes() == plain.predict(X).tobytes()


@pytest.mark.parametrize("spec", [{"grade": LEVELS, "town": "nominal"}, ["town"], [False, True, False, True]])
def test_categories_can_be_told(spec: Any, rng: np.random.Generator) -> None:
    X = draw(rng)
    model = MonotoneRegressor(**SMALL, categorical_features=spec).fit(X, score(X, 1.0, rng))
    assert np.isfinite(model.predict(X.assign(town="elsewhere"))).all()
    assert np.isfinite(model.predict(X.assign(town=None))).all()


def test_numbers_can_be_ordered_categories_with_a_sign(rng: np.random.Generator) -> None:
    """An order of the caller's own, 3 < 1 < 2, holds where the numbers would say otherwise."""
    X = pd.DataFrame({"code": rng.integers(1, 4, 90), "age": rng.normal(size=90)})
    settings = SMALL | {"monotonic_cst": {"code": 1}, "categorical_features": {"code": [3, 1, 2]}}
    model = MonotoneRegressor(**settings).fit(X, X["code"].map({3: 0.0, 1: 1.0, 2: 2.0}))
    three, one, two = model.predict(pd.DataFrame({"code": [3, 1, 2], "age": 0.0}))
    assert three < one < two


def test_the_answer_goes_on_beyond_the_data(rng: np.random.Generator) -> None:
    X = rng.uniform(-1, 1, (300, 1))
    model = MonotoneRegressor(monotonic_cst=1, random_state=0, max_iter=100).fit(X, 3.0 * X[:, 0])
    far = model.predict(np.array([[1.0], [2.0], [3.0]]))
    # a tree would be flat; a slope within a third of the true one is what linear continuation gives here
    assert (np.diff(far) > 2.0).all()
    assert (np.diff(far) < 4.0).all()
