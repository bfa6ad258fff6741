"""What scikit-learn does with estimators works with ours."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, StackingRegressor, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from isotone import MonotoneClassifier, MonotoneOrdinalClassifier, MonotoneRegressor
from isotone.encoding import read_table
from isotone.estimators.cores import threads_for
from tests.estimators.subjects import KINDS, draw, fitted, score

SMALL: dict[str, Any] = {"n_estimators": 2, "hidden_layer_sizes": (6,), "max_iter": 5, "random_state": 0}


def table(rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    return X, (X["a"] - X["b"]).to_numpy()


def run(*arguments: str, env: dict[str, str] | None = None) -> str:
    """Run Python in a process of its own and return what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=env, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# a search in workers: each worker may use its share of the cores, and finds what one process finds
SEARCH = """
import sys, numpy as np
from joblib import parallel_config
from sklearn.model_selection import GridSearchCV
from isotone import MonotoneRegressor
from isotone.estimators.cores import threads_for
rng = np.random.default_rng(0)
X = rng.normal(size=(80, 2)); y = X[:, 0]
model = MonotoneRegressor(n_estimators=2, hidden_layer_sizes=(4,), max_iter=3, random_state=0).fit(X, y)
def search(jobs):
    grid = {"weight_decay": [0.0, 1.0], "hidden_layer_sizes": [(4,), (6,)]}
    found = GridSearchCV(model, grid, cv=2, n_jobs=jobs).fit(X, y)
    return found.cv_results_["mean_test_score"].tolist(), found.predict(X).tolist()
def scorer(estimator, X, y):
    return threads_for(None)
if __name__ == "__main__":
    alone = search(1)
    with parallel_config(backend=sys.argv[1]):
        assert search(2) == alone
        threads = GridSearchCV(model, {"weight_decay": [0.0, 0.1]}, cv=2, n_jobs=2, scoring=scorer).fit(X, y)
    print(*threads.cv_results_["mean_test_score"])
"""


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_a_search_in_workers_finds_the_same_and_takes_no_more_than_its_share(backend: str, tmp_path: Any) -> None:
    script = tmp_path / "search.py"
    script.write_text(SEARCH)
    limits = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    told = run("-W", "ignore", str(script), backend, env=limits)
    share = max(len(os.sched_getaffinity(0)) // 2, 1) if backend == "loky" else 1
    assert {float(threads) for threads in told.split()} == {float(share)}


FORKED = """
import os, numpy as np
from isotone import MonotoneRegressor
X = np.random.default_rng(0).normal(size=(3000, 3)); y = X[:, 0]
model = MonotoneRegressor(n_estimators=4, hidden_layer_sizes=(8,), max_iter=3, random_state=0, n_jobs=2).fit(X, y)
before = model.predict(X).tobytes()
child = os.fork()
if child == 0:
    model.fit(X, y)
    os._exit(0 if model.predict(X).tobytes() == before else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert model.fit(X, y).predict(X).tobytes() == before
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
def test_a_forked_process_fits_and_predicts() -> None:
    assert run("-W", "ignore", "-c", FORKED + "print('done')") == "done\n"


def test_threads_are_those_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert (threads_for(3), threads_for(None), threads_for(-1)) == (3, cores, cores)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert (threads_for(None), threads_for(3)) == (1, 3)


def test_a_pipeline_and_a_column_transformer(rng: np.random.Generator) -> None:
    X, y = table(rng)
    scaled = ColumnTransformer([("scaled", StandardScaler(), ["a", "b"])], remainder="passthrough")
    scaled.set_output(transform="pandas")
    pipe = make_pipeline(scaled, MonotoneRegressor(**SMALL, monotonic_cst={"scaled__a": 1})).fit(X, y)
    ladder = pd.concat([X.iloc[[0]]] * 50, ignore_index=True).assign(a=np.linspace(-3, 3, 50))
    assert (np.diff(pipe.predict(ladder)) >= 0).all()
    assert pipe[-1].signs_.constrained == ("scaled__a",)


SIGNS = {"monotonic_cst": {"a": 1}}
REGRESSORS: dict[str, Any] = {
    "stacked": StackingRegressor([("one", MonotoneRegressor(**SMALL, **SIGNS))], MonotoneRegressor(**SMALL), cv=2),
    "bagged": BaggingRegressor(MonotoneRegressor(**SMALL), n_estimators=2),
    "of two targets": MultiOutputRegressor(MonotoneRegressor(**SMALL, **SIGNS)),
    "of a transformed target": TransformedTargetRegressor(
        MonotoneRegressor(**SMALL), func=np.arcsinh, inverse_func=np.sinh
    ),
}
CLASSIFIERS: dict[str, Any] = {
    "calibrated": CalibratedClassifierCV(MonotoneClassifier(**SMALL, **SIGNS), cv=2),
    "frozen and calibrated": CalibratedClassifierCV(FrozenEstimator(MonotoneClassifier(**SMALL))),
    "of a vote": VotingClassifier(
        [("one", MonotoneClassifier(**SMALL)), ("two", MonotoneOrdinalClassifier(**SMALL))], voting="soft"
    ),
    "one against the rest": OneVsRestClassifier(MonotoneClassifier(**SMALL, monotonic_cst=1)),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_what_scikit_learn_wraps_around_a_regressor(name: str, rng: np.random.Generator) -> None:
    X, y = table(rng)
    target = np.column_stack([y, -y]) if "two" in name else y
    found = clone(REGRESSORS[name]).fit(X, target).predict(X)
    assert found.shape == target.shape
    assert np.isfinite(found).all()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_scikit_learn_wraps_around_a_classifier(name: str, rng: np.random.Generator) -> None:
    X, y = table(rng)
    model = CLASSIFIERS[name]
    if name.startswith("frozen"):
        model.estimator.estimator.fit(X, np.where(y > 0, "good", "bad"))
    found = clone(model).fit(X, np.where(y > 0, "good", "bad")).predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert cross_val_predict(MonotoneClassifier(**SMALL), X, y > 0, cv=2, method="predict_proba").shape == found.shape


def test_a_model_that_joblib_kept_says_the_same_with_any_threads(tmp_path: Any, rng: np.random.Generator) -> None:
    X, y = table(rng)
    X = pd.concat([X] * 20, ignore_index=True)
    model = MonotoneRegressor(**SMALL, **SIGNS, n_jobs=1).fit(X, np.tile(y, 20))
    joblib.dump(model, tmp_path / "model.joblib")
    again = joblib.load(tmp_path / "model.joblib").set_params(n_jobs=3)
    assert again.predict(X).tobytes() == model.predict(X).tobytes()


def test_cross_validation_and_scorers(rng: np.random.Generator) -> None:
    X, y = table(rng)
    patient = SMALL | {"max_iter": 60}
    for model, target, scoring in [
        (MonotoneRegressor(**patient), y, "r2"),
        (MonotoneClassifier(**patient), y > 0, "roc_auc"),
        (MonotoneOrdinalClassifier(**patient), np.digitize(y, [-1, 1]), "roc_auc_ovr"),
    ]:
        assert cross_val_score(model, X, target, scoring=scoring, cv=3).mean() > 0.7


def test_a_search_over_settings(rng: np.random.Generator) -> None:
    X, y = table(rng)
    found = GridSearchCV(MonotoneRegressor(**SMALL), {"monotonic_cst": [None, {"a": 1}], "form": ["post", "pre"]}, cv=2)
    assert found.fit(X, y).best_params_["form"] in {"post", "pre"}


def test_weights_are_routed(rng: np.random.Generator) -> None:
    X, y = table(rng)
    weight = rng.uniform(0.1, 3.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = MonotoneRegressor(**SMALL).set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False).set_output(transform="pandas")
        routed = make_pipeline(scaler, model).fit(X, y, sample_weight=weight)
    scaled = StandardScaler().set_output(transform="pandas").fit_transform(X)
    straight = MonotoneRegressor(**SMALL).fit(scaled, y, sample_weight=weight)
    assert routed.predict(X).tobytes() == straight.predict(scaled).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_clone_has_the_same_settings_and_no_memory(kind: str) -> None:
    model = fitted(kind, 1, 2.0)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not [name for name in vars(copy) if name.endswith("_") or name.startswith("_")]


def test_a_notebook_shows_it() -> None:
    page = MonotoneRegressor(monotonic_cst={"a": 1})._repr_html_()
    assert "MonotoneRegressor" in page
    assert "monotonic_cst" in page


def test_partial_dependence_is_drawn_and_keeps_order(rng: np.random.Generator) -> None:
    X, y = table(rng)
    model = MonotoneRegressor(**SMALL, monotonic_cst={"a": 1}).fit(X, y)
    drawn = PartialDependenceDisplay.from_estimator(model, X, ["a"], kind="both", grid_resolution=20)
    curves = drawn.pd_results[0]["individual"][0]
    assert (np.diff(curves, axis=1) >= 0).all()
    importance = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert importance.importances_mean.shape == (3,)


@pytest.mark.parametrize("kind", ["squared_error", "poisson", "binary", "ordinal"])
def test_gradients_have_the_signs_exactly(kind: str, rng: np.random.Generator) -> None:
    model, X = fitted(kind, -1, 2.0), draw(rng, 50)
    gradient = model.input_gradient(X).reshape(50, -1, 4)
    assert (gradient[:, :, :2] <= 0).all()
    agreeing = fitted(kind, -1, -2.0).input_gradient(X).reshape(50, -1, 4)
    assert (agreeing[:, :, 0] < 0).any()
    assert (fitted(kind, 0, 2.0).input_gradient(X).reshape(50, -1, 4)[:, :, 0] > 0).any(), "the control"


def test_a_gradient_is_the_slope_between_knots(rng: np.random.Generator) -> None:
    X, y = table(rng)
    model = MonotoneRegressor(**SMALL, monotonic_cst={"a": 1}, activation="softplus", encoding="standard")
    model.fit(X, y)
    step = 2.0**-6
    rows = X.iloc[:20]
    ahead, behind = model.predict(rows.assign(a=rows["a"] + step)), model.predict(rows.assign(a=rows["a"] - step))
    # float32 predictions of size 1 over a step of 1/64: 2^-23 * 64, and the curvature over the step
    np.testing.assert_allclose(model.input_gradient(rows)[:, 0], (ahead - behind) / (2 * step), atol=2e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_the_network_goes_to_torch(kind: str, rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    model, X = fitted(kind, 1, 2.0), draw(rng, 20)
    with torch.no_grad():
        rows = torch.tensor(model.encoder_.encode(read_table(X)), dtype=torch.float32)
        outputs = model.to_torch()(rows).numpy()
    # the same weights in another order of summation: a few hundred roundings of float32
    np.testing.assert_allclose(outputs, model._predictor.outputs(X), rtol=0, atol=1e-4 * np.abs(outputs).max() + 1e-5)


def test_scores_are_those_of_scikit_learn(rng: np.random.Generator) -> None:
    X = draw(rng)
    y = np.asarray(score(X, 2.0, rng))
    model = fitted("squared_error", 1, 2.0)
    assert 0.5 < model.score(X, y) <= 1.0
    assert fitted("binary", 1, 2.0).score(X, y > 0) > 0.7
