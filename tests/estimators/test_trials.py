"""A fit tries several settings, and the rows held out choose one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import isotone
from isotone import MonotoneRegressor, engine
from isotone.estimators import defaults
from isotone.estimators.defaults import Size
from isotone.estimators.trials import best, planned
from tests.estimators.test_fit import MODELS, ONE_TRIAL, SMALL, TARGETS, bits, data

SIZE = Size(1000, 8, "regression")


@pytest.mark.parametrize("kind", MODELS)
def test_the_trial_with_the_least_loss_on_the_rows_held_out_is_kept(kind: str) -> None:
    X, y = data()
    y = TARGETS[kind](y)
    model = MODELS[kind]().fit(X, y)
    losses = [trial["validation_loss"] for trial in model.trials_]
    assert len(set(losses)) == len(losses) > 1
    assert min(losses) == min(model.validation_curve_)
    alone = MODELS[kind](**best(model.trials_)).fit(X, y)
    assert bits(alone, X) == bits(model, X)
    # the control: another trial is another model
    worst = max(model.trials_, key=lambda trial: trial["validation_loss"])
    assert bits(MODELS[kind](**worst_settings(worst)).fit(X, y), X) != bits(model, X)


def worst_settings(trial: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in trial.items() if name != "validation_loss"}


def test_what_is_given_is_not_tried_otherwise() -> None:
    for trial in planned({"weight_decay": 0.25, "n_segments": 3}, SIZE):
        assert (trial.plan.decay, trial.plan.segments) == (0.25, 3)
        assert not {"weight_decay", "n_segments"} & set(trial.settings)
    assert len(planned({**SMALL, **ONE_TRIAL}, SIZE)) == 1


def test_with_all_that_a_trial_chose_there_is_one_trial() -> None:
    every = planned({}, SIZE)
    assert len(every) == 4
    assert [planned(trial.settings, SIZE)[0].plan for trial in every] == [trial.plan for trial in every]
    assert {len(planned(trial.settings, SIZE)) for trial in every} == {1}


def test_every_recipe_names_settings_of_the_estimators() -> None:
    names = set(MonotoneRegressor().get_params())
    for size in (SIZE, Size(20, 2, "binary"), Size(400_000, 28, "regression")):
        for recipe in (*defaults.recipes(size), defaults.cautious(size)):
            assert set(recipe) < names


def test_nothing_is_compared_where_nothing_is_held_out() -> None:
    X, y = data()
    model = MODELS["regressor"](early_stopping=False).fit(X, y)
    assert [trial["validation_loss"] for trial in model.trials_] == [None]


def test_a_trial_that_diverges_is_told_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, decays = engine.train, []

    def diverges_first(*arguments: Any, **settings: Any) -> Any:
        decays.append(arguments[4].weight_decay)
        if len(decays) == 1:
            raise FloatingPointError("the loss became infinite")
        return honest(*arguments, **settings)

    monkeypatch.setattr(engine, "train", diverges_first)
    X, y = data()
    model = MODELS["regressor"]().fit(X, y)
    assert [trial["validation_loss"] is None for trial in model.trials_] == [True] + [False] * (len(decays) - 1)
    assert best(model.trials_)["weight_decay"] != decays[0]


def test_if_every_trial_diverges_the_fit_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def diverges(*arguments: Any, **settings: Any) -> Any:
        raise FloatingPointError("the loss became infinite")

    monkeypatch.setattr(engine, "train", diverges)
    model = MODELS["regressor"]()
    with pytest.raises(FloatingPointError, match="became infinite"):
        model.fit(*data())
    assert not hasattr(model, "trials_")


def interrupted(monkeypatch: pytest.MonkeyPatch, train: Callable[..., Any]) -> MonotoneRegressor:
    """Return an estimator whose fit Ctrl-C ended in this training, and check that it is the best trial's."""
    X, y = data()
    model = MODELS["regressor"]()
    monkeypatch.setattr(engine, "train", train)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    monkeypatch.undo()
    assert bits(MODELS["regressor"](**best(model.trials_)).fit(X, y), X) == bits(model, X)
    return model


def test_ctrl_c_in_a_later_trial_leaves_the_best_of_those_that_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = engine.train, []

    def stopped_at_the_third(*arguments: Any, **settings: Any) -> Any:
        result = honest(*arguments, **settings)
        calls.append(arguments[4])
        if len(calls) == 3:
            raise engine.Interrupted(*result)
        return result

    model = interrupted(monkeypatch, stopped_at_the_third)
    assert len(model.trials_) == 2


def test_ctrl_c_after_a_trial_that_diverged_leaves_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, calls = engine.train, []

    def diverges_and_stops(*arguments: Any, **settings: Any) -> Any:
        calls.append(arguments[4])
        if len(calls) == 1:
            raise FloatingPointError("the loss became infinite")
        raise engine.Interrupted(*honest(*arguments, **settings))

    model = interrupted(monkeypatch, diverges_and_stops)
    assert model.trials_[0]["validation_loss"] is None


def test_a_file_keeps_what_was_tried_and_a_run_goes_on_with_the_settings_chosen(tmp_path: Any) -> None:
    X, y = data()
    model = MODELS["regressor"](warm_start=True).fit(X, y)
    isotone.save(model, tmp_path / "model.isotone")
    back = isotone.load(tmp_path / "model.isotone").to_estimator()
    assert back.trials_ == model.trials_
    decays = []
    honest = engine.train
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "train", lambda *a, **s: decays.append(a[4].weight_decay) or honest(*a, **s))
        back.fit(X, y)
    assert decays == [best(model.trials_)["weight_decay"]]


def test_what_is_tried_does_not_depend_on_the_order_of_the_rows(rng: np.random.Generator) -> None:
    X, y = data()
    order = rng.permutation(len(X))
    one, two = (MonotoneRegressor(**SMALL).fit(X[rows], y[rows]).trials_ for rows in (slice(None), order))
    assert one == two
