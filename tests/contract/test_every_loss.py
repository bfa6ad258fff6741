"""Every loss keeps every sign under every encoding, bit for bit, on data that pull the other way."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isotone import MonotoneClassifier
from tests.estimators.subjects import KINDS, LEVELS, Outputs, draw, fitted

ENCODINGS = ("piecewise", "quantile", "standard")
FORMS = ("post", "pre", "constrained")
# so many rows are scored together, in turn: neighbours meet in one batch and in two
BATCHES = (1, 2, 7, 8, 64, 257)


def sizes(rng: np.random.Generator) -> np.ndarray:
    """Return rising numbers: far beyond the data, near each other, and the very next floats."""
    wide = np.concatenate([rng.normal(size=60), np.linspace(-4, 4, 41), [-1e30, -50, 50, 1e30], rng.normal(size=20)])
    near = np.concatenate([np.nextafter(wide, np.inf), np.float32(wide), np.nextafter(np.float32(wide), np.float32(9))])
    return np.unique(np.concatenate([wide, near]))


def ladder(row: pd.DataFrame, column: str, rng: np.random.Generator) -> pd.DataFrame:
    """Return one row again and again, with rising values in one column."""
    values = sizes(rng) if column == "size" else pd.Categorical(LEVELS, LEVELS, ordered=True)
    rungs = pd.concat([row] * len(values), ignore_index=True)
    return rungs.assign(**{column: values})


def in_batches(outputs: Outputs, model: object, rows: pd.DataFrame) -> np.ndarray:
    """Return the outputs of the rows, scored in batches of many sizes."""
    parts, start, turn = [], 0, 0
    while start < len(rows):
        stop = start + BATCHES[turn % len(BATCHES)]
        parts.append(outputs(model, rows.iloc[start:stop]))
        start, turn = stop, turn + 1
    return np.concatenate(parts).astype(np.float64)


def falls(kind: str, model: object, direction: int, rng: np.random.Generator) -> int:
    """Return how many steps of all outputs go against the direction, along both constrained columns."""
    count = 0
    for column in ("size", "grade"):
        rungs = ladder(draw(rng, 1), column, rng)
        for outputs in KINDS[kind].outputs:
            # what is no number is no order either
            count += int((~(np.diff(in_batches(outputs, model, rungs), axis=0) * direction >= 0)).sum())
    return count


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sign_overrules_the_data(kind: str, direction: int, encoding: str, rng: np.random.Generator) -> None:
    model = fitted(kind, direction, -2.0 * direction, encoding=encoding)
    assert falls(kind, model, direction, rng) == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["squared_error", "poisson", "binary", "ordinal", "quantiles"])
def test_the_sign_overrules_the_data_in_every_form(kind: str, form: str, rng: np.random.Generator) -> None:
    for activation in ("elu", "sigmoid"):
        assert falls(kind, fitted(kind, 1, -2.0, form=form, activation=activation), 1, rng) == 0


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("kind", KINDS)
def test_where_the_data_agree_the_model_moves(kind: str, direction: int, rng: np.random.Generator) -> None:
    model = fitted(kind, direction, 2.0 * direction)
    assert falls(kind, model, direction, rng) == 0
    assert falls(kind, model, -direction, rng) > 10


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_without_the_sign_the_data_win(kind: str, encoding: str, rng: np.random.Generator) -> None:
    """Negative control: only the sign keeps the order above."""
    assert falls(kind, fitted(kind, 0, -2.0, encoding=encoding), 1, rng) > 10


def test_a_softmax_with_a_sign_is_refused_with_the_reason() -> None:
    X, y = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    with pytest.raises(ValueError, match=r"\['x0'\] a sign, but there are 3 classes.*use MonotoneOrdinalClassifier"):
        MonotoneClassifier(monotonic_cst=[1, 0]).fit(X, y)


def test_missing_values_that_are_learned_leave_the_order_of_the_rows_that_share_them(rng: np.random.Generator) -> None:
    X = draw(rng)
    X.loc[::7, "size"] = np.nan
    y = -2.0 * X["size"].fillna(3.0) + X["grade"].cat.codes
    model = (
        KINDS["squared_error"]
        .make(monotonic_cst={"size": 1, "grade": -1}, missing="learn", max_iter=30, n_estimators=2, random_state=0)
        .fit(X, y)
    )
    rungs = ladder(X.iloc[[1]], "size", rng)
    assert (np.diff(model.predict(rungs)) >= 0).all()
    gaps = ladder(X.iloc[[0]], "grade", rng)
    assert gaps["size"].isna().all()
    assert (np.diff(model.predict(gaps)) <= 0).all()
