"""How a fit goes: what it depends on, what it does not, and how it goes on."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from isotone import MonotoneClassifier, MonotoneOrdinalClassifier, MonotoneQuantileRegressor, MonotoneRegressor, engine

SMALL: dict[str, Any] = {"n_estimators": 2, "hidden_layer_sizes": (6,), "max_iter": 8, "random_state": 0}


def data(rows: int = 90) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 3))
    return X, X[:, 0] - X[:, 1] + 0.2 * rng.normal(size=rows)


def bits(model: Any, X: Any) -> bytes:
    """Return the exact bits of a model's predictions."""
    method = getattr(model, "predict_proba", None) or getattr(model, "predict_quantiles", None) or model.predict
    return np.ascontiguousarray(method(X)).tobytes()


def ranks(y: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.digitize(y, [-1.0, 1.0])


MODELS = {
    "regressor": lambda **s: MonotoneRegressor(**(SMALL | s)),
    "classifier": lambda **s: MonotoneClassifier(**(SMALL | s)),
    "ordinal": lambda **s: MonotoneOrdinalClassifier(**(SMALL | s)),
    "quantiles": lambda **s: MonotoneQuantileRegressor(**(SMALL | s)),
}
TARGETS = {"regressor": lambda y: y, "classifier": lambda y: y > 0, "ordinal": ranks, "quantiles": lambda y: y}
KINDS = list(MODELS)
# nothing is left to choose, so nothing is tried twice
ONE_TRIAL = {"weight_decay": 0.1, "learning_rate_init": 0.01, "n_segments": 4, "free_hidden_layer_sizes": (6,)}


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_the_rows_does_not_matter(kind: str, rng: np.random.Generator) -> None:
    X, y = data()
    y, order = TARGETS[kind](y), rng.permutation(len(X))
    assert bits(MODELS[kind]().fit(X, y), X) == bits(MODELS[kind]().fit(X[order], y[order]), X)


@pytest.mark.parametrize("weighting", [{}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("kind", KINDS)
def test_a_weight_is_a_repetition(kind: str, weighting: dict[str, str], rng: np.random.Generator) -> None:
    if weighting and kind not in {"classifier", "ordinal"}:
        weighting = {}
    X, y = data()
    y, counts = TARGETS[kind](y), rng.integers(0, 4, len(X))
    weighted = MODELS[kind](**weighting).fit(X, y, sample_weight=counts)
    repeated = MODELS[kind](**weighting).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert bits(weighted, X) == bits(repeated, X)
    assert bits(weighted, X) != bits(MODELS[kind](**weighting).fit(X, y), X), "the control: weights matter"


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_is_the_only_chance(kind: str) -> None:
    X, y = data()
    y = TARGETS[kind](y)
    first, again, other = (bits(MODELS[kind](random_state=seed).fit(X, y), X) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_stream_of_chance_moves_on() -> None:
    X, y = data()
    stream = np.random.RandomState(0)
    first, second = (bits(MODELS["regressor"](random_state=stream).fit(X, y), X) for _ in range(2))
    assert first != second


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_threads_does_not_matter(kind: str) -> None:
    X, y = data()
    y = TARGETS[kind](y)
    assert bits(MODELS[kind](n_jobs=1).fit(X, y), X) == bits(MODELS[kind](n_jobs=2).fit(X, y), X)


@pytest.mark.parametrize("kind", KINDS)
def test_passes_one_by_one_are_passes_at_once(kind: str) -> None:
    X, y = data()
    y = TARGETS[kind](y)
    steps = MODELS[kind]()
    for _ in range(3):
        steps.partial_fit(X, y)
    whole = MODELS[kind](max_iter=3, learning_rate="constant", early_stopping=False).fit(X, y)
    assert bits(steps, X) == bits(whole, X)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickled_model_goes_on_bit_for_bit(kind: str) -> None:
    X, y = data()
    y = TARGETS[kind](y)
    model = MODELS[kind]().partial_fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert bits(copy, X) == bits(model, X)
    assert bits(copy.partial_fit(X, y), X) == bits(model.partial_fit(X, y), X)


def test_without_its_moments_a_model_goes_on_differently() -> None:
    """Negative control: the resume above needs the whole state."""
    X, y = data()
    model, bare = (MODELS["regressor"]().partial_fit(X, y) for _ in range(2))
    object.__setattr__(bare._training, "state", None)
    assert bits(bare.partial_fit(X, y), X) != bits(model.partial_fit(X, y), X)


def test_a_constant_schedule_resumes_a_warm_start_bit_for_bit() -> None:
    X, y = data()
    settings = {"learning_rate": "constant", "early_stopping": False}
    warm = MonotoneRegressor(**(SMALL | settings), warm_start=True)
    warm.fit(X, y).fit(X, y)
    assert bits(warm, X) == bits(MonotoneRegressor(**(SMALL | settings | {"max_iter": 16})).fit(X, y), X)


def test_a_warm_start_begins_where_the_last_fit_ended() -> None:
    X, y = data()
    warm = MODELS["regressor"](warm_start=True).fit(X, y)
    cold = MODELS["regressor"]().fit(X, y)
    first = warm.loss_curve_[0]
    assert warm.fit(X, y).loss_curve_[0] < first
    assert cold.fit(X, y).loss_curve_[0] == first, "the control: without warm_start a fit begins anew"


def test_a_warm_start_refuses_other_classes() -> None:
    X, y = data()
    model = MODELS["classifier"](warm_start=True).fit(X, ranks(y) > 0)
    with pytest.raises(ValueError, match=r"unknown classes \[2\]; known are \[False, True\]"):
        model.fit(X, ranks(y))


@pytest.mark.parametrize("change", [{"monotonic_cst": 1}, {"loss": "huber"}, {"hidden_layer_sizes": (7,)}])
def test_a_fit_goes_on_with_the_network_it_began_with(change: dict[str, Any]) -> None:
    X, y = data()
    model = MODELS["regressor"](warm_start=True).fit(X, y).set_params(**change)
    for act in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=f"began with: {next(iter(change))} was"):
            act(X, y)
    assert model.set_params(warm_start=False).fit(X, y) is model
    assert model.set_params(warm_start=True).fit(X, y) is model
    assert model.set_params(warm_start=True, max_iter=2, learning_rate_init=1e-3).fit(X, y).n_iter_ == 2


def test_a_sign_in_the_middle_of_many_is_a_change() -> None:
    wide, y = np.random.default_rng(0).normal(size=(9, 1200)), np.arange(9.0)
    signs = np.zeros(1200, dtype=int)
    model = MODELS["regressor"](monotonic_cst=signs, warm_start=True, max_iter=1).fit(wide, y)
    other = signs.copy()
    other[600] = 1
    assert model.set_params(monotonic_cst=signs.copy()).fit(wide, y) is model
    with pytest.raises(ValueError, match="began with: monotonic_cst was"):
        model.set_params(monotonic_cst=other).fit(wide, y)


def test_a_failed_fit_leaves_no_model() -> None:
    X, y = data()
    model = MODELS["regressor"](loss="poisson")
    with pytest.raises(ValueError, match="poisson needs targets"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_failed_fit_leaves_the_model_of_the_last_one() -> None:
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = MODELS["classifier"]().fit(frame, y > 0)
    before = {name: repr(value) for name, value in vars(model).items()}
    said = bits(model, frame)
    for broken, target in [
        (frame[["a"]], ranks(y)[:3]),
        (frame.rename(columns={"a": "d"}), np.where(y > 0, np.inf, 0.0)),
    ]:
        with pytest.raises(ValueError, match=r"inconsistent|infinity"):
            model.fit(broken, target)
    with pytest.raises(ValueError, match="a softmax cannot keep order"):
        model.set_params(monotonic_cst={"a": 1}).fit(frame, ranks(y))
    model.set_params(monotonic_cst=None)
    assert {name: repr(value) for name, value in vars(model).items()} == before
    assert bits(model, frame) == said
    assert model.fit(frame, ranks(y)).classes_.tolist() == [0, 1, 2], "the control: a fit that succeeds replaces it"


def test_classes_stay_those_of_the_first_call() -> None:
    X, y = data()
    model = MODELS["classifier"]().partial_fit(X, y > 0, classes=[False, True])
    model.partial_fit(X, y > 0, classes=[True, False])
    with pytest.raises(ValueError, match=r"classes are those of the first call, \[False, True\]; got \[0, 1, 2\]"):
        model.partial_fit(X, y > 0, classes=[0, 1, 2])


def test_classes_may_be_announced() -> None:
    X, y = data()
    model = MODELS["ordinal"]().partial_fit(X[:3], [0, 0, 2], classes=[0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.partial_fit(X, ranks(y)).predict_proba(X).shape == (len(X), 3)


def test_early_stopping_keeps_the_best_weights() -> None:
    X, y = data(200)
    settings = SMALL | {"max_iter": 60, "learning_rate_init": 0.3, "learning_rate": "constant"}
    model = MonotoneRegressor(**settings, early_stopping=True, n_iter_no_change=3).fit(X, y)
    assert 1 <= model.n_iter_ < 60
    assert len(model.loss_curve_) == len(model.validation_curve_) == model.n_iter_
    whole = MonotoneRegressor(**settings, early_stopping=False).fit(X, y)
    assert (whole.n_iter_, whole.validation_curve_) == (60, [])


def test_verbose_tells_of_the_passes(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = data()
    quiet, loud = MODELS["regressor"]().fit(X, y), MODELS["regressor"](verbose=1).fit(X, y)
    told = "".join(capfd.readouterr())
    assert "8" in told
    assert "pass" in told
    assert bits(quiet, X) == bits(loud, X)


@pytest.mark.parametrize("bar", [True, False])
def test_progress_is_a_bar_or_plain_lines(
    bar: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from isotone.estimators import progress

    monkeypatch.setattr(progress, "find_spec", lambda name: bar)
    monkeypatch.setattr(progress, "_bar", lambda total: Bar())
    X, y = data()
    MODELS["regressor"](verbose=1, **ONE_TRIAL).fit(X, y)
    assert ("pass 8 of 8\n" in capfd.readouterr().out) is not bar
    assert Bar.count == (8 if bar else 0)
    Bar.count = 0


class Bar:
    """What Progress needs of tqdm."""

    count = 0

    def update(self, step: int) -> None:
        Bar.count += step

    def close(self) -> None:
        assert Bar.count > 0


def test_an_interrupted_fit_leaves_a_model_that_predicts(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    honest = engine.train

    def interrupted(*arguments: Any, **settings: Any) -> None:
        raise engine.Interrupted(*honest(*arguments, **settings))

    monkeypatch.setattr(engine, "train", interrupted)
    model = MODELS["regressor"](**ONE_TRIAL)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    monkeypatch.undo()
    assert bits(model, X) == bits(MODELS["regressor"](**ONE_TRIAL).fit(X, y), X)


def test_each_member_holds_out_rows_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    honest = engine.train

    def watched(*arguments: Any, **settings: Any) -> Any:
        seen.update(settings)
        return honest(*arguments, **settings)

    monkeypatch.setattr(engine, "train", watched)
    X, y = data()
    MonotoneRegressor(**(SMALL | {"n_estimators": 4}), validation_fraction=0.25).fit(X, y)
    assert (seen["validation"].sum(axis=0) == 1).all()


def test_many_rows_are_held_out_by_all_members_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    from isotone.estimators import defaults

    monkeypatch.setattr(defaults, "shares_fold", lambda size: True)
    X, y = data(200)
    model = MonotoneRegressor(**SMALL, validation_fraction=0.25).fit(X, y)
    assert len(model.validation_curve_) == model.n_iter_
    seen: dict[str, Any] = {}
    monkeypatch.setattr(engine, "train", lambda *a, **s: seen.update(s) or (_ for _ in ()).throw(KeyError))
    with pytest.raises(KeyError):
        model.fit(X, y)
    held = seen["validation"]
    assert (held.shape, held.sum()) == ((200,), 50)
    # the rows come in an order that their content decides, so the last ones are not those of the caller
    assert sorted(seen["rows"].tolist()) == list(range(200))
    assert set(seen["rows"][held].tolist()) != set(range(150, 200))


def test_an_untrained_category_reads_as_the_average_of_the_others() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 90), rng.normal(size=90)]).astype(float)
    model = MonotoneRegressor(**(SMALL | {"max_iter": 200}), categorical_features=[0]).fit(X, 5.0 * X[:, 0])
    low, high, unseen = model.predict([[0.0, 0.0], [2.0, 0.0], [9.0, 0.0]])
    assert low < unseen < high


def test_what_a_fit_leaves_behind() -> None:
    X, y = data()
    model = MODELS["regressor"](monotonic_cst=[1, -1, 0]).fit(X, y)
    assert list(model.signs_) == [1, -1, 0]
    assert model.signs_.constrained == ("x0", "x1")
    assert (model.n_features_in_, model.n_iter_) == (3, 8)
    assert model.architecture_.members == 2
    assert model.parameters_.check(model.architecture_) is model.parameters_
    assert model.encoder_.names == ("x0", "x1", "x2")
