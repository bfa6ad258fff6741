"""What cannot be predicted is refused in one sentence; what can be read is read right, whatever its memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isotone import _native, engine
from isotone.activations import Activation
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.losses import Loss
from tests.native.networks import MIXED, architectures, draw_rows

PAIR = Architecture((Numeric(direction=1), Numeric(direction=-1, missing=True)), hidden=(4,), free_hidden=(2,))
CODES = Architecture((Categorical(3),), hidden=(), free_hidden=(2,))
NAN, INF = float("nan"), float("inf")


def predict(x, architecture=PAIR, **options):
    return engine.predict(architecture, architecture.initial(seed=0), x, **options)


@pytest.mark.parametrize("x", [[0.0, 1.0], [[0.0]], [[0.0, 1.0, 2.0]], np.zeros((0, 2)), np.zeros((1, 2, 1)), 3.0, []])
def test_a_wrong_shape_is_refused(x):
    with pytest.raises(ValueError, match=r"x has shape \(n, 2\) with n at least 1; got \("):
        predict(x)


@pytest.mark.parametrize("x", [[["a", "b"]], [[1j, 0.0]], np.zeros((1, 2), dtype=object)])
def test_what_is_no_number_is_refused(x):
    with pytest.raises(TypeError, match="x holds numbers; got dtype"):
        predict(x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([NAN, 0.0], r"x\[:, 0\] must be finite, for the column has no missing slot; got nan in row 70"),
        ([-INF, 0.0], r"x\[:, 0\] must be finite, for the column has no missing slot; got -inf in row 70"),
        ([0.0, INF], r"x\[:, 1\] must be finite or NaN; got inf in row 70"),
    ],
)
@pytest.mark.parametrize("run", [engine.predict, engine.member_scores, engine.input_gradient])
def test_infinite_and_missing_values_are_refused(run, row, message, dtype):
    x = np.zeros((200, 2), dtype)
    x[70], x[150] = row, row
    with pytest.raises(ValueError, match=message):
        run(PAIR, PAIR.initial(seed=0), x)


@pytest.mark.parametrize("code", [-1.0, 3.0, 0.5, NAN, INF, -INF, 1e300])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(ValueError, match=r"x\[:, 0\] must be codes 0 to 2; got .* in row 1"):
        predict([[0.0], [code]], CODES)


def test_a_value_is_named_for_many_threads_too():
    x = np.zeros((100_000, 2))
    x[[60_000, 90_000]] = NAN
    with pytest.raises(ValueError, match="got nan in row 60000"):
        predict(x, threads=4)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_a_wrong_number_of_threads_is_refused(threads):
    with pytest.raises(ValueError, match="threads is an integer of at least 1 or None; got"):
        predict([[0.0, 0.0]], threads=threads)


MANY_THREADS = """
import numpy as np
from isotone import engine
from isotone.architecture import Architecture, Numeric
network = Architecture((Numeric(direction=1),), hidden=(64, 64))
engine.predict(network, network.initial(0), np.zeros((100_000, 1)), threads=50)
"""


def asked_for_fifty_threads(stack: int) -> str:
    """Return what a process prints as its error that gives each thread so large a stack."""
    numpy_alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", MANY_THREADS], env=os.environ | numpy_alone, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, resource.RLIM_INFINITY)),
    )  # fmt: skip
    assert process.returncode in (0, 1), process.stderr
    return process.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limit")
def test_more_threads_than_the_system_gives_are_refused():
    assert asked_for_fifty_threads(2**23) == ""
    # half of all addresses
    assert "this process can run no more than 1 threads now; got threads=50" in asked_for_fifty_threads(2**46)


def test_a_missing_value_is_read_where_it_may_be():
    assert np.isfinite(predict([[0.0, NAN]])).all()


# Parameters.


def changed(name, array):
    return Parameters(dict(PAIR.initial(seed=0)) | {name: array})


def test_a_dictionary_is_no_parameters():
    with pytest.raises(TypeError, match=r"parameters is of the class Parameters; got \{"):
        engine.predict(PAIR, dict(PAIR.initial(seed=0)), [[0.0, 0.0]])
    with pytest.raises(TypeError, match="architecture is of the class Architecture; got None"):
        engine.predict(None, PAIR.initial(seed=0), [[0.0, 0.0]])


def test_parameters_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="parameters do not fit the architecture"):
        engine.predict(PAIR, changed("trunk.1.bias", np.zeros((1, 2), np.float32)), [[0.0, 0.0]])


def test_parameters_of_two_precisions_are_refused():
    with pytest.raises(TypeError, match="parameters are all float32 or all float64; got"):
        engine.predict(PAIR, changed("trunk.1.bias", np.zeros((1, 1))), [[0.0, 0.0]])


def test_parameters_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match="parameters must be finite"):
        engine.predict(PAIR, changed("trunk.1.bias", np.full((1, 1), NAN, np.float32)), [[0.0, 0.0]])


@pytest.mark.parametrize("form", ["post", "pre", "constrained"])
def test_weights_whose_sums_could_overflow_are_refused(form):
    architecture = Architecture((Numeric(direction=1),), hidden=(2, 2), form=form)
    small, large = architecture.initial(seed=0), architecture.initial(seed=0)
    large["trunk.1.weight"][:] = 3e38
    assert np.isfinite(engine.predict(architecture, small, [[1e300]])).all()
    with pytest.raises(ValueError, match="too large for exact arithmetic: in layer 1 of the trunk a sum may reach"):
        engine.predict(architecture, large, [[0.0]])


def test_the_largest_weights_that_are_accepted_do_not_overflow():
    architecture = Architecture((Numeric(direction=1),), hidden=(1, 1), activation="identity")
    for exponent in range(20, 80):
        weights = {
            name: np.full(shape, 2.0**exponent * name.endswith("weight"), np.float32)
            for name, shape in architecture.shapes.items()
        }
        try:
            ready = engine.Compiled(architecture, Parameters(weights))
        except ValueError:
            break
        assert np.isfinite(ready.predict([[1e300], [-1e300]])).all()
    assert 20 < exponent < 40


# the last would overflow in the difference of a sum and a parameter, though the value at both is small
@pytest.mark.parametrize(
    "chosen",
    [Activation("celu", (1e300,)), Activation("celu", (1e39,)), Activation("srelu", (3.3e38, 1.0, 3.35e38, 1.0))],
    ids=str,
)
def test_an_activation_beyond_float32_is_refused(chosen):
    architecture = Architecture((Numeric(direction=1),), hidden=(2,), activation=chosen)
    with pytest.raises(ValueError, match="outside the range of exact float32 arithmetic"):
        predict([[0.0]], architecture)


@pytest.mark.parametrize("knots", [(0.0, 5e-324), (-1e308, 1e308)])
def test_knots_that_cannot_be_told_apart_are_refused(knots):
    with pytest.raises(ValueError, match="knots are too near or too far apart"):
        predict([[0.0]], Architecture((Numeric(knots, direction=1),), hidden=(2,)))


# Memory. The extension itself is asked too: the bindings refuse what Python would not have passed on.


def test_the_extension_refuses_arrays_of_other_sizes():
    arrays = [np.ascontiguousarray(array) for array in PAIR.initial(seed=0).arrays.values()]
    with pytest.raises(ValueError, match="do not have the sizes"):
        _native.Compiled32(PAIR, arrays[:-1])
    with pytest.raises(ValueError, match="do not have the sizes"):
        _native.Compiled32(PAIR, [*arrays[:-1], np.zeros((1, 2), np.float32)])
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _native.Compiled32(PAIR, [array.astype(np.float64) for array in arrays])


@pytest.mark.parametrize("x", [np.zeros((4, 4))[:, ::2], np.zeros((2, 4)).T, np.zeros((4, 2), np.int64), np.zeros(2)])
def test_the_extension_refuses_rows_that_it_would_misread(x):
    native = engine.Compiled(PAIR, PAIR.initial(seed=0))._native
    with pytest.raises(TypeError, match="incompatible function arguments"):
        native.predict(x, 1)
    with pytest.raises(ValueError, match="x has 3 columns; the architecture has 2"):
        native.predict(np.zeros((4, 3)), 1)


def views(x: np.ndarray) -> list[np.ndarray]:
    """Return arrays of equal numbers in other memory: turned, strided, reversed, misaligned, read-only, foreign."""
    wide = np.zeros((2 * len(x), 3 * x.shape[1]), x.dtype)
    wide[::2, ::3] = x
    shifted = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)
    locked = x.copy()
    locked.flags.writeable = False
    foreign = x.astype(x.dtype.newbyteorder())
    return [np.asfortranarray(x), wide[::2, ::3], x[::-1, ::-1].copy()[::-1, ::-1], shifted, locked, foreign]


@given(architectures(), st.integers(0, 2**32 - 1), st.integers(1, 130), st.booleans())
def test_rows_in_any_memory_are_read_alike(architecture, seed, n, narrow):
    rng = np.random.default_rng(seed)
    ready = engine.Compiled(architecture, architecture.initial(seed))
    x = draw_rows(rng, architecture, n).astype(np.float32 if narrow else np.float64)
    for run in (ready.predict, ready.member_scores, ready.input_gradient):
        assert {run(view).tobytes() for view in views(x)} == {run(x).tobytes()}


def test_parameters_in_any_memory_are_read_alike(rng):
    parameters, x = PAIR.initial(seed=0), rng.normal(size=(9, 2))
    shifted = {
        name: np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape)
        for name, array in parameters.items()
    }
    assert not any(array.flags.aligned for array in shifted.values())
    expected = engine.predict(PAIR, parameters, x).tobytes()
    assert engine.predict(PAIR, Parameters(shifted), x).tobytes() == expected
    y, settings = x[:, 0], engine.Settings(epochs=1, batch_size=4)
    trained = [
        engine.train(PAIR, x, y, Loss("squared_error"), settings, start=start)[0]
        for start in (parameters, Parameters(shifted))
    ]
    assert all(np.array_equal(trained[0][name], trained[1][name]) for name in parameters)


def answer(ready: engine.Compiled, x: np.ndarray) -> str:
    """Return what became of the rows."""
    try:
        found = ready.predict(x)
    except ValueError as refusal:
        return "refused" if str(refusal).startswith("x[:, ") else str(refusal)
    return "finite" if np.isfinite(found).all() else "not finite"


@given(architectures(), st.integers(0, 2**32 - 1), st.integers(1, 70))
def test_any_numbers_at_all_are_read_or_refused(architecture, seed, n):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2**64, (n, len(architecture.columns)), dtype=np.uint64).view(np.float64)
    x[rng.random(x.shape) < 0.9] = rng.integers(-1, 6)
    assert answer(engine.Compiled(architecture, architecture.initial(seed)), x) in ("finite", "refused")


def test_integers_and_booleans_are_numbers():
    for dtype in (np.int8, np.uint64, np.bool_, np.float16):
        x = np.array([[0, 1], [1, 0]], dtype)
        assert predict(x).tobytes() == predict(x.astype(np.float64)).tobytes()


def test_the_rows_are_not_written_to(rng):
    architecture = Architecture(MIXED, hidden=(5,), free_hidden=(4,))
    x = draw_rows(rng, architecture, 100)
    before = x.tobytes()
    engine.predict(architecture, architecture.initial(seed=0), x)
    assert x.tobytes() == before
