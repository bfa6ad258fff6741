"""Ordinal classes: exact probabilities, thresholds on one latent score, and an order of their own."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import accuracy_score

from isotone import MonotoneOrdinalClassifier
from isotone.files.modes import mode_thresholds, most_probable
from tests.estimators.subjects import fitted

SMALL: dict[str, Any] = {"n_estimators": 3, "hidden_layer_sizes": (8,), "max_iter": 40, "random_state": 0}
NAMES = np.array(["low", "mid", "high"])


def graded(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(200, 2))
    return X, np.digitize(X[:, 0] + 0.3 * rng.normal(size=200), [-0.5, 0.5])


def wide(rng: np.random.Generator) -> np.ndarray:
    """Return rows from the middle of the data to far beyond it."""
    return rng.normal(size=(400, 2)) * np.exp(rng.normal(size=(400, 1)) * 3.0)


def test_probabilities_are_multiples_of_a_power_of_two_and_their_sums_are_exact(rng: np.random.Generator) -> None:
    X, y = graded(rng)
    probability = MonotoneOrdinalClassifier(**SMALL, monotonic_cst=[1, 0]).fit(X, y).predict_proba(wide(rng))
    scaled = probability * 2.0**50
    assert (scaled == np.round(scaled)).all()
    assert (probability >= 0).all()
    assert (probability.sum(axis=1) == 1.0).all()
    assert all(sum(map(Fraction, row)) == 1 for row in probability.tolist())
    assert ((probability > 0) & (probability < 1)).any(axis=1).sum() > 100, "the control: they are not all 0 and 1"


def test_the_class_is_the_most_probable_and_the_median_the_middle_one(rng: np.random.Generator) -> None:
    X, y = graded(rng)
    model, rows = MonotoneOrdinalClassifier(**SMALL).fit(X, y), wide(rng)
    probability = model.predict_proba(rows)
    assert (model.predict(rows) == probability.argmax(axis=1)).all()
    assert (model.predict_median(rows) == (np.cumsum(probability, axis=1) < 0.5).sum(axis=1)).all()
    assert accuracy_score(y, model.predict(X)) > 0.75


def test_classes_stay_sorted_while_the_order_gives_the_rank(rng: np.random.Generator) -> None:
    X, y = graded(rng)
    model = MonotoneOrdinalClassifier(**SMALL, monotonic_cst=[1, 0], class_order=list(NAMES)).fit(X, NAMES[y])
    numbers = MonotoneOrdinalClassifier(**SMALL, monotonic_cst=[1, 0]).fit(X, y)
    assert model.classes_.tolist() == ["high", "low", "mid"]
    assert (model.predict(X) == NAMES[numbers.predict(X)]).all()
    np.testing.assert_array_equal(model.predict_proba(X)[:, [1, 2, 0]], numbers.predict_proba(X))
    np.testing.assert_array_equal(model.latent(X), numbers.latent(X))


ORDERED: dict[str, Callable[[pd.Categorical], Any]] = {
    "pandas": pd.Series,
    "a bare Categorical": lambda grades: grades,
    "polars": lambda grades: pl.Series(list(grades), dtype=pl.Enum(NAMES.tolist())),
    "pyarrow": pa.array,
    "pyarrow in pieces": lambda grades: pa.chunked_array([pa.array(grades[:9]), pa.array(grades[9:])]),
}


@pytest.mark.parametrize("holder", ORDERED)
def test_an_ordered_type_gives_the_rank(holder: str, rng: np.random.Generator) -> None:
    X, y = graded(rng)
    ordered = ORDERED[holder](pd.Categorical.from_codes(y, NAMES, ordered=True))
    model = MonotoneOrdinalClassifier(**SMALL, monotonic_cst=[1, 0]).fit(X, ordered)
    told = MonotoneOrdinalClassifier(**SMALL, monotonic_cst=[1, 0], class_order=list(NAMES)).fit(X, NAMES[y])
    np.testing.assert_array_equal(model.predict_proba(X), told.predict_proba(X))


def test_class_weights_belong_to_classes_and_not_to_ranks(rng: np.random.Generator) -> None:
    X, y = graded(rng)
    heavy = {"class_weight": {"high": 50.0}, "class_order": list(NAMES)}
    model, plain = (MonotoneOrdinalClassifier(**SMALL, **s).fit(X, NAMES[y]) for s in (heavy, {"class_order": NAMES}))
    more = (model.predict(X) == "high").sum() - (plain.predict(X) == "high").sum()
    assert more > 20


def test_members_share_their_cut_points_so_the_class_rises_with_the_latent_score() -> None:
    model = fitted("ordinal", 0, 2.0)
    rng = np.random.default_rng(1)
    from tests.estimators.subjects import draw

    X = draw(rng, 400)
    order = np.argsort(model.latent(X), kind="stable")
    for answers in (model.predict(X), model.predict_median(X)):
        assert (np.diff(answers[order]) >= 0).all()


@pytest.mark.parametrize("cuts", [[0.0], [-1.0, 1.0], [-0.1, 0.0, 0.1], [-3.0, -3.0, 2.0], [0.0, 0.0, 0.0], [-40, 90]])
def test_thresholds_are_where_the_most_probable_class_changes(cuts: list[float]) -> None:
    points = np.array(cuts, dtype=float)
    thresholds = mode_thresholds(points)
    latent = np.linspace(points[0] - 20, points[-1] + 20, 4001)
    near = np.abs(latent[:, None] - thresholds).min(axis=1) < 1e-9
    by_threshold = np.searchsorted(thresholds, latent, side="right")
    assert (by_threshold == most_probable(latent, points))[~near].all()
    assert (np.diff(thresholds) >= 0).all()


def test_a_class_between_equal_cuts_is_never_predicted() -> None:
    ranks = np.searchsorted(mode_thresholds(np.array([-1.0, -1.0, 1.0])), np.linspace(-30, 30, 999), side="right")
    assert set(ranks.tolist()) == {0, 2, 3}


def test_two_classes_are_ordinal_too(rng: np.random.Generator) -> None:
    X, y = graded(rng)
    model = MonotoneOrdinalClassifier(**SMALL, monotonic_cst=[1, 0]).fit(X, y > 0)
    assert model.classes_.tolist() == [False, True]
    assert accuracy_score(y > 0, model.predict(X)) > 0.8
