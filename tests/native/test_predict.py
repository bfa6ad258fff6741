"""Prediction equals the definition, for every link, and does not depend on how it is called."""

from __future__ import annotations

import gc
import multiprocessing
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone import _native, engine, reference
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.engine import prediction
from tests.native.levels import at_level
from tests.native.networks import MIXED, architectures, draw_parameters, draw_rows

# the promise: relative to the largest entry, for a few dozen roundings in float64 and float32
TOLERANCE = {np.float64: 1e-12, np.float32: 1e-5}
# probabilities are multiples of 2^-50, so half of that may be lost
PROBABILITY_STEP = 2.0**-50
LINKS = {
    "identity": {"outputs": 2, "center": -3.0, "scale": 2.5},
    "exp": {"outputs": 2},
    "sigmoid": {"outputs": 2},
    "cumulative": {"cuts": 3},
    "sorted": {"outputs": 4, "center": 1.0, "scale": 0.5},
}
FREE_COLUMNS = tuple(column for column in MIXED if not column.direction)


def error(found: np.ndarray, true: np.ndarray) -> float:
    """Return the largest difference relative to the largest entry."""
    assert found.shape == true.shape
    return float(np.abs(found - true).max(initial=0.0) / (np.abs(true).max(initial=0.0) or 1.0))


def cancellation(architecture: Architecture, parameters: Parameters, x: np.ndarray) -> float:
    """Return how much larger the scores of the network are when the inputs are moved by float32's precision.

    A network that multiplies an error of its inputs also multiplies the engine's roundings.
    """
    scores = reference.member_scores(architecture, parameters, x)
    moved = reference.member_scores(architecture, parameters, x * (1.0 + 2.0**-20))
    return max(1.0, error(moved, scores) / 1e-6)


@given(architectures(), st.integers(0, 2**32 - 1), st.sampled_from((1, 5, 16, 17, 70)))
def test_scores_are_those_of_the_definition(architecture, seed, n):
    rng = np.random.default_rng(seed)
    parameters, x = draw_parameters(rng, architecture), draw_rows(rng, architecture, n)
    for dtype, tolerance in TOLERANCE.items():
        given_parameters = parameters.astype(dtype)
        true = reference.member_scores(architecture, given_parameters, x)
        allowed = tolerance * (cancellation(architecture, given_parameters, x) if dtype == np.float32 else 1.0)
        for level in _native.levels():
            with at_level(level):
                found = engine.member_scores(architecture, given_parameters, x)
            assert found.dtype == dtype
            assert error(found, true) <= allowed


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("link", LINKS)
def test_predictions_are_those_of_the_definition(link, dtype, rng):
    architecture = Architecture(MIXED, hidden=(5, 4), free_hidden=(4,), members=3, link=link, **LINKS[link])
    parameters, x = draw_parameters(rng, architecture).astype(dtype), draw_rows(rng, architecture, 150)
    found, true = engine.predict(architecture, parameters, x), reference.predict(architecture, parameters, x)
    assert found.dtype == np.float64
    assert np.abs(found - true).max() <= TOLERANCE[dtype] * np.abs(true).max() + PROBABILITY_STEP


def test_softmax_is_that_of_the_definition(rng):
    architecture = Architecture(FREE_COLUMNS, hidden=(5,), free_hidden=(4,), outputs=3, link="softmax")
    parameters, x = draw_parameters(rng, architecture), draw_rows(rng, architecture, 50)
    found, true = engine.predict(architecture, parameters, x), reference.predict(architecture, parameters, x)
    assert error(found, true) <= TOLERANCE[np.float64]


def test_a_wrong_weight_is_seen_by_the_comparison(rng):
    architecture = Architecture(MIXED, hidden=(5, 4), free_hidden=(4,))
    parameters, x = draw_parameters(rng, architecture), draw_rows(rng, architecture, 50)
    true = reference.predict(architecture, parameters, x)
    parameters["trunk.1.bias"][0, 0] += 1e-4
    assert error(engine.predict(architecture, parameters, x), true) > TOLERANCE[np.float32]


@pytest.mark.parametrize("link", ["sigmoid", "cumulative"])
def test_probabilities_are_multiples_whose_differences_are_exact(link, rng):
    architecture = Architecture(MIXED, hidden=(5, 4), free_hidden=(4,), link=link, **LINKS[link])
    found = engine.predict(architecture, architecture.initial(seed=0), draw_rows(rng, architecture, 500))
    assert (found >= 0.0).all()
    assert (found <= 1.0).all()
    assert (found / PROBABILITY_STEP == np.round(found / PROBABILITY_STEP)).all()
    # the definition's own probabilities are no such multiples
    true = reference.predict(architecture, architecture.initial(seed=0), draw_rows(rng, architecture, 500))
    assert (true / PROBABILITY_STEP != np.round(true / PROBABILITY_STEP)).any()


def test_exceedances_fall_from_cut_to_cut_and_quantiles_rise(rng):
    for link, direction in (("cumulative", -1), ("sorted", 1)):
        architecture = Architecture(MIXED, hidden=(5,), free_hidden=(4,), members=2, link=link, **LINKS[link])
        parameters = draw_parameters(rng, architecture).astype(np.float32)
        found = engine.predict(architecture, parameters, draw_rows(rng, architecture, 500))
        assert (direction * np.diff(found, axis=1) >= 0.0).all()


def test_float32_rows_are_read_as_the_float64_rows_they_are(rng):
    architecture = Architecture(MIXED, hidden=(5, 4), free_hidden=(4,))
    parameters, x = architecture.initial(seed=0), draw_rows(rng, architecture, 100).astype(np.float32)
    assert (
        engine.predict(architecture, parameters, x).tobytes()
        == engine.predict(architecture, parameters, x.astype(np.float64)).tobytes()
    )


def test_many_knots_are_found_by_halving_as_by_scanning(rng):
    knots = tuple(np.cumsum(rng.uniform(0.01, 1.0, 300)))
    for levels in (None, tuple(np.arange(300.0))):
        architecture = Architecture((Numeric(knots, direction=1, levels=levels),), hidden=(3,))
        parameters = architecture.initial(seed=0, dtype=np.float64)
        x = np.concatenate([rng.choice(knots, 200), rng.uniform(-5.0, knots[-1] + 5.0, 300)])[:, None]
        true = reference.predict(architecture, parameters, x)
        assert error(engine.predict(architecture, parameters, x), true) <= TOLERANCE[np.float64]


def test_values_far_outside_are_clamped():
    architecture = Architecture((Numeric((0.0, 1.0, 3.0), direction=1), Numeric(direction=1)), hidden=(4,))
    parameters = architecture.initial(seed=0)
    largest = np.finfo(np.float64).max
    edge = engine.predict(architecture, parameters, [[3.0 + 2.0**21, 2.0**20], [-(2.0**20), -(2.0**20)]])
    far = engine.predict(architecture, parameters, [[largest, largest], [-largest, -largest]])
    assert far.tobytes() == edge.tobytes()


# What is held for parameters.


def test_a_change_of_the_parameters_is_noticed(rng):
    architecture = Architecture(MIXED, hidden=(5, 4), free_hidden=(4,))
    parameters, x = architecture.initial(seed=0), draw_rows(rng, architecture, 5)
    before = engine.predict(architecture, parameters, x)
    parameters["trunk.1.weight"][0, 0, 0] += 1.0
    after = engine.predict(architecture, parameters, x)
    assert (before != after).any()
    assert after.tobytes() == engine.Compiled(architecture, parameters).predict(x).tobytes()


def test_another_architecture_is_noticed(rng):
    architecture = Architecture(MIXED, hidden=(5, 4), free_hidden=(4,))
    parameters, x = architecture.initial(seed=0), draw_rows(rng, architecture, 5)
    held = engine.compiled(architecture, parameters)
    assert engine.compiled(replace(architecture), parameters) is held
    other = engine.compiled(replace(architecture, center=1.0), parameters)
    assert (other.predict(x) != held.predict(x)).all()


def test_a_strided_view_is_read_right_and_followed(rng):
    architecture = Architecture((Numeric(direction=1), Numeric(direction=-1)), hidden=(4,))
    parameters, x = architecture.initial(seed=0), rng.normal(size=(5, 2))
    wide = {name: np.repeat(array, 2, axis=-1) for name, array in parameters.items()}
    views = Parameters({name: array[..., ::2] for name, array in wide.items()})
    assert engine.predict(architecture, views, x).tobytes() == engine.predict(architecture, parameters, x).tobytes()
    wide["trunk.1.bias"] += 1.0
    assert (engine.predict(architecture, views, x) > engine.predict(architecture, parameters, x)).all()


def test_nothing_is_held_for_parameters_that_are_gone():
    architecture = Architecture((Numeric(direction=1),), hidden=(4,))
    parameters = architecture.initial(seed=0)
    engine.predict(architecture, parameters, [[0.0]])
    key = id(parameters)
    assert key in prediction._HELD
    del parameters
    gc.collect()
    assert key not in prediction._HELD


# Threads and processes.


def test_the_result_does_not_depend_on_the_threads(rng):
    architecture = Architecture(MIXED, hidden=(33, 17), free_hidden=(18, 9))
    parameters, x = architecture.initial(seed=0), draw_rows(rng, architecture, 20_000)
    for run in (engine.predict, engine.member_scores, engine.input_gradient):
        assert len({run(architecture, parameters, x, threads).tobytes() for threads in (1, 2, 3, 8)}) == 1


def test_threads_of_python_predict_at_once(rng):
    architecture = Architecture(MIXED, hidden=(33, 17), free_hidden=(18, 9))
    parameters, x = architecture.initial(seed=0), draw_rows(rng, architecture, 5_000)
    alone, seen = engine.predict(architecture, parameters, x).tobytes(), set()
    workers = [
        threading.Thread(target=lambda: seen.add(engine.predict(architecture, parameters, x, 2).tobytes()))
        for _ in range(6)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == {alone}


def _predicted_bytes(architecture, parameters, x, queue):
    queue.put(engine.predict(architecture, parameters, x, threads=2).tobytes())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this platform cannot fork")
# the suite's other tests may have left threads of torch; the engine has none between calls
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_predicts(rng):
    architecture = Architecture(MIXED, hidden=(33, 17), free_hidden=(18, 9))
    parameters, x = architecture.initial(seed=0), draw_rows(rng, architecture, 20_000)
    here = engine.predict(architecture, parameters, x, threads=2).tobytes()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_predicted_bytes, args=(architecture, parameters, x, queue))
    child.start()
    there = queue.get(timeout=60)
    child.join()
    assert there == here


def test_subnormal_numbers_are_kept():
    tiny = np.float32(1e-42)
    architecture = Architecture((Numeric(direction=1),), hidden=())
    parameters = Parameters({"trunk.0.weight": np.array([[[tiny]]]), "trunk.0.bias": np.zeros((1, 1), np.float32)})
    assert engine.predict(architecture, parameters, [[1.0], [2.0]])[:, 0].tolist() == [float(tiny), 2 * float(tiny)]


def test_a_caller_that_flushes_subnormal_numbers_changes_no_bit_and_goes_on_flushing():
    torch = pytest.importorskip("torch")
    tiny = np.full(1, 1e-42, np.float32)
    architecture = Architecture((Numeric(direction=1),), hidden=())
    parameters = Parameters({"trunk.0.weight": tiny[None, None], "trunk.0.bias": np.zeros((1, 1), np.float32)})
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush subnormal numbers, so no caller can")
    try:
        # made ready, and asked, by a thread that flushes
        found = engine.Compiled(architecture, parameters).predict([[1.0]])[0, 0]
        flushed = (tiny * np.float32(1.0))[0]
    finally:
        torch.set_flush_denormal(False)
    assert flushed == 0.0
    assert found == float(tiny[0])


def test_a_categorical_column_is_a_lookup(rng):
    architecture = Architecture((Categorical(3),), hidden=(), free_hidden=(2,), free_activation="identity")
    parameters = architecture.initial(seed=0, dtype=np.float64)
    found = engine.predict(architecture, parameters, [[0], [1], [2]])[:, 0]
    free = parameters["free.0.weight"][0].T + parameters["free.0.bias"][0]
    true = np.abs(parameters["trunk.0.weight"][0, 0]) @ free.T + parameters["trunk.0.bias"][0, 0]
    assert np.allclose(found, true, rtol=1e-14)
