"""Classes, their weights and their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.class_weight import compute_class_weight

from isotone import MonotoneClassifier
from isotone.encoding import declared_order
from isotone.estimators.labels import class_weights, known_classes, positions, ranked


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match=r"at least 2 classes; the data has one class, \['a'\]"):
        known_classes(np.array(["a", "a"]), None)


def test_a_continuous_target_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        known_classes(np.array([0.5, 1.5, 2.5]), None)


def test_an_unknown_class_is_named() -> None:
    with pytest.raises(ValueError, match=r"unknown classes \['c'\]; known are \['a', 'b'\]"):
        positions(np.array(["a", "c"]), np.array(["a", "b"]))


def test_balanced_weights_are_those_of_scikit_learn() -> None:
    y = np.array([0, 0, 0, 1, 2, 2])
    expected = compute_class_weight("balanced", classes=np.unique(y), y=y)
    np.testing.assert_allclose(class_weights("balanced", np.unique(y), np.bincount(y) * 1.0), expected, rtol=1e-15)


@pytest.mark.parametrize("spec", [{"c": 1.0}, {"a": -1.0}, {"a": np.inf}, {"a": np.nan}])
def test_a_class_weight_that_means_nothing_is_refused(spec: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"class_weight gives classes among \['a', 'b'\]"):
        class_weights(spec, np.array(["a", "b"]), np.ones(2))


@pytest.mark.parametrize(
    ("spec", "said"),
    [({0: 0.0}, "class_weight leaves every row without weight"), ({0: 1e308}, "class_weight lets rows weigh up to")],
)
def test_class_weights_that_leave_no_mean_are_refused(spec: dict[int, float], said: str) -> None:
    model = MonotoneClassifier(class_weight=spec, n_estimators=2, hidden_layer_sizes=(4,))
    with pytest.raises(ValueError, match=said):
        model.partial_fit(np.eye(9), np.zeros(9), classes=[0, 1])


def test_a_class_without_weight_is_absent() -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.arange(60) % 20 == 0
    small = {"n_estimators": 8, "hidden_layer_sizes": (4,), "max_iter": 3, "random_state": 0}
    # only three rows count, fewer than there are members to hold some out
    model = MonotoneClassifier(**small, class_weight={False: 0.0}).fit(X, y)
    bare = MonotoneClassifier(**small).partial_fit(X[y], y[y], classes=[False, True])
    assert model.classes_.tolist() == [False, True]
    assert (model.predict_proba(X)[:, 1] > 0.9).all()
    assert (bare.predict_proba(X)[:, 1] > 0.9).all()


def test_a_class_weight_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="class_weight is None, 'balanced' or a mapping"):
        class_weights("even", np.array(["a", "b"]), np.ones(2))


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["hi", "lo"], dtype=pd.CategoricalDtype(["lo", "hi"], ordered=True)),
        pd.Categorical(["hi", "lo"], categories=["lo", "hi"], ordered=True),
        pl.Series(["hi", "lo"], dtype=pl.Enum(["lo", "hi"])),
    ],
    ids=["series", "categorical", "polars"],
)
def test_an_ordered_type_declares_its_order(y: Any) -> None:
    assert declared_order(y) == ("lo", "hi")


@pytest.mark.parametrize("y", [["a"], np.array(["a"]), pd.Series(["a"]), pd.Series(["a"], dtype="category")])
def test_other_types_declare_none(y: Any) -> None:
    assert declared_order(y) is None


def test_an_order_may_name_classes_that_did_not_come() -> None:
    assert ranked(np.array(["a", "b"]), ["z", "b", "a"]) == (1, 0)


@pytest.mark.parametrize("order", [["a"], ["a", "b", "b"]])
def test_an_order_that_is_none_is_refused(order: list[str]) -> None:
    with pytest.raises(ValueError, match="class_order lists every class once"):
        ranked(np.array(["a", "b"]), order)
