"""A predictor says what the estimator says, to the bit, and golden files say what they always said."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isotone
from isotone import _native, engine
from isotone.architecture import Parameters
from isotone.estimators import __all__ as estimators
from isotone.files.predictor import _difference
from tests.estimators.subjects import KINDS, draw, fitted
from tests.golden.write import asked, spoken

GOLDEN = sorted((Path(__file__).parent / "golden").glob("v*/*.isotone"))


def saved(model: Any, folder: Path) -> isotone.files.Predictor:
    isotone.save(model, folder / "model.isotone")
    return isotone.load(folder / "model.isotone")


def answers(model: Any, X: Any) -> dict[str, bytes]:
    """Return the bits of everything that a model says of rows."""
    names = ("predict", "predict_proba", "predict_quantiles", "input_gradient")
    kind = getattr(getattr(model, "origin", None), "kind", type(model).__name__)
    skipped = set() if "Quantile" in kind else {"predict_quantiles"}
    skipped |= set() if "Classifier" in kind else {"predict_proba"}
    return {name: np.ascontiguousarray(getattr(model, name)(X)).tobytes() for name in names if name not in skipped}


@pytest.mark.parametrize("kind", KINDS)
def test_the_saved_model_gives_the_bits_of_the_fitted_one(kind: str, tmp_path: Path, rng: np.random.Generator) -> None:
    model, X = fitted(kind, 1, 2.0), draw(rng, 100)
    predictor = saved(model, tmp_path)
    assert answers(predictor, X) == answers(model, X)
    assert answers(predictor.to_estimator(), X) == answers(model, X)


@pytest.mark.parametrize("kind", KINDS)
def test_the_estimator_that_comes_back_is_the_one_that_was_saved(kind: str, tmp_path: Path) -> None:
    model = fitted(kind, 1, 2.0)
    back = saved(model, tmp_path).to_estimator()
    assert type(back) is type(model)
    assert back.get_params() == model.get_params()
    assert (back.n_iter_, back.loss_curve_, back.signs_) == (model.n_iter_, model.loss_curve_, model.signs_)
    assert back.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert np.array_equal(getattr(back, "classes_", 0), getattr(model, "classes_", 0))


@pytest.mark.parametrize("kind", ["squared_error", "binary", "ordinal", "quantiles"])
def test_the_estimator_that_comes_back_can_be_fitted_again(kind: str, tmp_path: Path) -> None:
    from tests.estimators.subjects import score

    rng = np.random.default_rng(7)
    X = draw(rng)
    y = KINDS[kind].target(np.asarray(score(X, 2.0, rng)))
    model = fitted(kind, 1, 2.0)
    back = saved(model, tmp_path).to_estimator()
    assert answers(back.partial_fit(X, y), X) != answers(model, X)
    assert answers(back.fit(X, y), X) == answers(model, X)


def test_a_stream_of_chance_is_saved_as_the_seed_it_gave(tmp_path: Path, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    model = isotone.MonotoneRegressor(max_iter=3, n_estimators=2, random_state=np.random.RandomState(3)).fit(X, X[:, 0])
    back = saved(model, tmp_path).to_estimator()
    assert answers(back, X) == answers(model, X)
    assert isinstance(back.random_state, int)


def test_an_array_goes_through_as_a_frame_does(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    predictor = isotone.MonotoneRegressor(max_iter=3, n_estimators=2, random_state=0).fit(X, X[:, 0]).to_predictor()
    assert predictor.predict(X).tobytes() == predictor.predict(X.tolist()).tobytes()
    assert predictor.predict(np.float32(X)).tobytes() == predictor.predict(np.float64(np.float32(X))).tobytes()
    assert predictor.predict(X[:1]).tobytes() == predictor.predict(X)[:1].tobytes()


@pytest.mark.parametrize(
    ("kind", "method"),
    [("squared_error", "predict_proba"), ("squared_error", "median_rank"), ("binary", "predict_quantiles")],
)
def test_a_question_that_has_no_answer_is_refused(kind: str, method: str, rng: np.random.Generator) -> None:
    predictor = fitted(kind, 1, 2.0).to_predictor()
    with pytest.raises(TypeError, match=r"a Monotone\w+ has no .*; use predict"):
        getattr(predictor, method)(draw(rng, 2))


def test_what_was_set_after_the_fit_is_not_saved_as_if_it_had_been_fitted(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    X, signs = rng.normal(size=(50, 2)), {"x0": 1}
    model = isotone.MonotoneRegressor(monotonic_cst=signs, loss="huber", max_iter=3, n_estimators=2, random_state=0)
    model.fit(X, X[:, 0])
    signs["x0"] = -1
    back = saved(model.set_params(loss="nonsense", max_iter=7), tmp_path).to_estimator()
    assert (back.monotonic_cst, back.loss, back.max_iter) == ({"x0": 1}, "huber", 7)
    with pytest.raises(ValueError, match=r"began with: monotonic_cst was \{'x0': 1\}, is \{'x0': -1\}"):
        back.set_params(monotonic_cst={"x0": -1}, warm_start=True).fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"evil": 1}, "unexpected keyword argument 'evil'"),
        ({"random_state": "x"}, "'x'"),
        ({"loss": "none"}, "loss is one of"),
        ({"monotonic_cst": None}, r"its settings have the signs \{.*'size': 0.*\}, its network \{.*'size': 1"),
    ],
)
def test_settings_that_are_not_those_of_the_fit_make_no_estimator(settings: dict[str, Any], words: str) -> None:
    predictor = fitted("squared_error", 1, 2.0).to_predictor()
    forged = replace(predictor.origin, settings={**predictor.origin.settings, **settings})
    with pytest.raises(ValueError, match=f"what this model tells of its fit makes no MonotoneRegressor: .*{words}"):
        replace(predictor, origin=forged).to_estimator()
    assert replace(predictor, origin=replace(forged, settings=predictor.origin.settings)).to_estimator().loss_curve_


class Counted(str):
    """A name that counts how often it is looked up."""

    looked_up = 0

    def __hash__(self) -> int:
        Counted.looked_up += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)


def test_a_column_that_is_missing_among_many_is_named_without_comparing_all_with_all() -> None:
    names = tuple(Counted(f"c{position}") for position in range(1000))
    said = _difference(names[:-1], names)
    assert said.endswith("seen at fit time, yet now missing: ['c999'].")
    assert 0 < Counted.looked_up < 10 * len(names)


def test_the_signs_are_told() -> None:
    assert fitted("squared_error", -1, 2.0).to_predictor().signs == {"size": -1, "grade": -1}


ALONE = """
import sys, numpy as np, isotone
model = isotone.load(sys.argv[1])
print(model.predict(np.array([[0.5, 0.25]])).tobytes().hex())
print(*{name.split(".")[0] for name in sys.modules})
"""


def test_prediction_from_a_file_needs_numpy_only(tmp_path: Path, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    model = isotone.MonotoneRegressor(max_iter=3, n_estimators=2, random_state=0).fit(X, X[:, 0])
    isotone.save(model, tmp_path / "model.isotone")
    done = subprocess.run(
        [sys.executable, "-c", ALONE, tmp_path / "model.isotone"], capture_output=True, text=True, check=True
    )
    bits, loaded = done.stdout.splitlines()
    assert bits == model.predict([[0.5, 0.25]]).tobytes().hex()
    heavy = {"sklearn", "scipy", "pandas", "polars", "pyarrow", "narwhals", "torch", "joblib", "safetensors"}
    assert heavy & set(loaded.split()) == set()


def test_the_numbers_of_a_model_cannot_be_changed_in_place(tmp_path: Path) -> None:
    model = fitted("squared_error", 1, 2.0)
    for held in (model.parameters_, model.to_predictor().parameters, saved(model, tmp_path).parameters):
        for array in held.values():
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0.0
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
                array.flags.writeable = True


def test_numbers_that_can_be_changed_are_looked_at_each_time() -> None:
    """Negative control: only what is fixed is trusted."""
    network = isotone.Architecture((isotone.Numeric(direction=1),), hidden=(4,))
    parameters = network.initial(0)
    for held in (parameters, Parameters({name: array[:] for name, array in parameters.items()})):
        # a flag is no lock: it can be taken off again
        for array in held.values():
            array.flags.writeable = False
        before = engine.predict(network, held, [[0.5]])
        for array in parameters.values():
            array.flags.writeable = True
            np.add(array, 1.0, out=array)
        assert engine.predict(network, held, [[0.5]]) != before


COLD = """
import time
begin = time.process_time()
import sys, numpy as np
if sys.argv[2:]:
    __import__(sys.argv[2])
import isotone
isotone.load(sys.argv[1]).predict(np.array([[0.5, 0.25]]))
print(time.process_time() - begin)
"""


def cold_seconds(*arguments: str | Path) -> float:
    """Return what a fresh process computes from its imports to its first prediction: the least of three."""
    runs = [subprocess.run([sys.executable, "-c", COLD, *arguments], capture_output=True, check=True) for _ in range(3)]
    return min(float(done.stdout) for done in runs)


def test_a_cold_process_predicts_in_less_than_four_tenths_of_a_second(tmp_path: Path, rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 2))
    isotone.save(isotone.MonotoneRegressor(max_iter=3, random_state=0).fit(X, X[:, 0]), tmp_path / "model.isotone")
    assert cold_seconds(tmp_path / "model.isotone") < 0.4
    assert cold_seconds(tmp_path / "model.isotone", "torch") > 0.4, "the control: a heavy import shows"


@pytest.fixture(params=_native.levels())
def level(request: pytest.FixtureRequest) -> Any:
    """Run under each instruction level that this CPU has."""
    before = _native.level()
    _native.use_level(request.param)
    yield request.param
    _native.use_level(before)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_file_says_what_it_always_said(path: Path, level: str) -> None:
    said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert spoken(isotone.load(path), asked()) == said
    model = isotone.load(path)
    bias = np.nextafter(model.parameters["trunk.2.bias"], np.float32(9), dtype=np.float32)
    changed = replace(model, parameters=Parameters(dict(model.parameters) | {"trunk.2.bias": bias}))
    assert spoken(changed, asked()) != said, "the control: a single step of one bias shows"


def test_there_is_a_golden_file_of_every_estimator() -> None:
    assert {isotone.load(path).origin.kind for path in GOLDEN if path.parent.name == "v1"} == set(estimators)
