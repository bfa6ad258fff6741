"""Settings are checked, and what was not given is chosen from the size of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from isotone.estimators import defaults
from isotone.estimators.defaults import Size
from isotone.estimators.plan import Plan

SIZES = [Size(n, d, "regression") for n in (1, 2, 39, 167, 1000, 24_000, 400_000) for d in (1, 28, 100_000)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_estimators", 0),
        ("n_estimators", 2.0),
        ("n_estimators", True),
        ("hidden_layer_sizes", (4, 0)),
        ("hidden_layer_sizes", "32"),
        ("hidden_layer_sizes", True),
        ("hidden_layer_sizes", (4, True)),
        ("free_hidden_layer_sizes", ()),
        ("n_segments", -1),
        ("batch_size", "auto"),
        ("max_iter", 0),
        ("learning_rate", "adaptive"),
        ("learning_rate_init", 0.0),
        ("learning_rate_init", float("nan")),
        ("weight_decay", -1.0),
        ("early_stopping", "yes"),
        ("validation_fraction", 0.0),
        ("validation_fraction", 1.0),
        ("n_iter_no_change", 0),
    ],
)
def test_a_wrong_setting_is_named_and_repeated(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name) as caught:
        Plan.of({name: value}, Size(100, 3, "regression"))
    assert repr(value) in str(caught.value)


def test_a_given_setting_is_kept() -> None:
    given = {"n_estimators": np.int64(3), "hidden_layer_sizes": [4, 5], "batch_size": 7, "max_iter": 2}
    plan = Plan.of(given | {"validation_fraction": 0.5, "weight_decay": 0}, Size(100, 3, "regression"))
    assert (plan.members, plan.hidden, plan.batch, plan.passes) == (3, (4, 5), 7, 2)
    assert (plan.fraction, plan.decay) == (0.5, 0.0)


def test_no_hidden_layer_is_a_trunk_too() -> None:
    assert Plan.of({"hidden_layer_sizes": ()}, Size(100, 3, "regression")).hidden == ()


def test_a_batch_is_never_larger_than_the_data() -> None:
    assert Plan.of({"batch_size": 1000}, Size(10, 3, "regression")).batch == 10


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_size_has_a_valid_plan(size: Size) -> None:
    plan = Plan.of({}, size)
    assert 1 <= plan.batch <= size.n
    assert min(plan.members, plan.segments, plan.passes, plan.patience) >= 1
    assert 0 < plan.fraction <= 0.5
    assert plan.segments * size.d <= max(defaults.MOST_COMPONENTS, size.d)


def test_small_data_are_passed_more_often() -> None:
    passes = [Plan.of({}, Size(n, 8, "regression")).passes for n in (50, 500, 5000, 50_000)]
    assert passes == sorted(passes, reverse=True)
    assert passes[0] > 2 * passes[-1]


def test_holding_out_one_of_one_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="early_stopping=True needs rows to hold out; got n_samples = 1"):
        Plan.of({"early_stopping": True}, Size(1, 1, "regression"))
