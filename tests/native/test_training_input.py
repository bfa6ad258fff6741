"""Every bad input is one clear error before any training."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as sampled
from hypothesis import strategies as st

from isotone import engine
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.columns import Columns
from isotone.engine import Settings, State
from isotone.losses import Loss
from tests.native.networks import architectures, draw_rows, draw_targets, network

SQUARED = Loss("squared_error")
NETWORK = Architecture((Numeric(direction=1), Numeric(direction=-1, missing=True), Categorical(3)), free_hidden=(2,))
X = np.column_stack([np.linspace(0, 1, 12), np.linspace(1, 0, 12), np.arange(12) % 3])
Y = np.linspace(0, 1, 12)


def train(x=X, y=Y, architecture=NETWORK, loss=SQUARED, settings=None, **options):
    return engine.train(architecture, x, y, loss, settings or Settings(epochs=1, batch_size=4), **options)


def changed(row, column, value):
    x = X.copy()
    x[row, column] = value
    return x


def test_the_unbroken_input_trains():
    assert train()[2].epochs == 1


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (X[:, :2], ValueError, r"x has shape \(n, 3\)"),
        (X[:, 0], ValueError, r"x has shape \(n, 3\)"),
        (X[:0], ValueError, "n at least 1"),
        (X.astype(str), TypeError, "x holds numbers; got dtype <U"),
        (X.astype(complex), TypeError, "x holds numbers; got dtype complex128"),
        (changed(0, 0, np.nan), ValueError, r"x\[:, 0\] must be finite, for the column has no missing slot"),
        (changed(0, 0, np.inf), ValueError, r"x\[:, 0\] must be finite"),
        (changed(0, 1, -np.inf), ValueError, r"x\[:, 1\] must be finite or NaN"),
        (changed(0, 2, 3.0), ValueError, r"x\[:, 2\] holds codes 0 to 2; got \[3.0\]"),
        (changed(0, 2, 0.5), ValueError, r"codes 0 to 2; got \[0.5\]"),
        (changed(0, 2, -1.0), ValueError, r"codes 0 to 2; got \[-1.0\]"),
        (changed(0, 2, np.nan), ValueError, r"codes 0 to 2; got \[nan\]"),
    ],
)
def test_rows_that_the_network_cannot_read(x, error, message):
    with pytest.raises(error, match=message):
        train(x=x)
    if x.ndim == 2:
        with pytest.raises(error, match=message):
            train(x=Columns(tuple(x.T)))


def test_columns_of_other_lengths_or_shapes_are_no_table():
    for arrays in ((X[:, 0], X[1:, 1]), (X, X), ()):
        with pytest.raises(ValueError, match=r"columns are arrays of one shape \(n,\), at least one; got the shapes"):
            Columns(arrays)


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (Y[:5], ValueError, r"y has one target per row, shape \(12,\); got \(5,\)"),
        (Y[:, None], ValueError, "one target per row"),
        (Y.astype(str), TypeError, "y holds numbers"),
        (np.where(Y > 0.5, np.nan, Y), ValueError, "squared_error needs targets that are finite"),
        (np.where(Y > 0.5, np.inf, Y), ValueError, "squared_error needs targets that are finite"),
    ],
)
def test_targets_that_are_no_targets(y, error, message):
    with pytest.raises(error, match=message):
        train(y=y)


@pytest.mark.parametrize(
    ("loss", "bad", "message"),
    [
        (Loss("poisson"), -1.0, "poisson needs targets that are not negative"),
        (Loss("gamma"), 0.0, "gamma needs targets that are positive"),
        (Loss("tweedie", (1.5,)), -0.5, "tweedie needs targets that are not negative"),
        (Loss("log_loss"), 0.5, "log_loss needs targets that are 0 or 1"),
        (Loss("softmax"), 0.5, "softmax needs targets that are ranks"),
        (Loss("softmax"), 3.0, "softmax here has ranks 0 to 2; got 3.0"),
        (Loss("ordinal"), -1.0, "ordinal needs targets that are ranks"),
        (Loss("ordinal"), 4.0, "ordinal here has ranks 0 to 3; got 4.0"),
    ],
)
def test_targets_outside_the_domain(loss, bad, message):
    architecture = network(loss)
    x, y = np.zeros((4, len(architecture.columns))), np.ones(4)
    assert train(x, y, architecture, loss)[2].epochs == 1
    y[2] = bad
    with pytest.raises(ValueError, match=message):
        train(x, y, architecture, loss)


def test_losses_that_do_not_fit_the_network():
    with pytest.raises(ValueError, match="log_loss belongs to the link 'sigmoid'; the architecture has 'identity'"):
        train(loss=Loss("log_loss"))
    with pytest.raises(ValueError, match="quantile here needs 2 outputs; the architecture has 1"):
        train(loss=Loss("quantile", (0.1, 0.9)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sample_weight": np.ones(5)}, ValueError, r"sample_weight has shape \(12,\) or \(1, 12\)"),
        ({"sample_weight": -np.ones(12)}, ValueError, "sample_weight must be finite and not negative"),
        ({"sample_weight": np.full(12, np.nan)}, ValueError, r"sample_weight must be finite .*; got \[nan, nan"),
        ({"sample_weight": np.where(Y > 0.95, np.inf, 1.0)}, ValueError, r"sample_weight must be .*; got \[inf\]"),
        ({"sample_weight": Y.astype(str)}, TypeError, "sample_weight holds numbers; got dtype <U"),
        ({"sample_weight": Y + 1j}, TypeError, "sample_weight holds numbers; got dtype complex128"),
        ({"sample_weight": np.zeros(12)}, ValueError, "every member needs rows to train on"),
        ({"validation": np.ones(12, bool)}, ValueError, "every member needs rows to train on"),
        ({"validation": np.zeros(12, bool)}, ValueError, "every member needs rows to validate on"),
        ({"validation": np.zeros(12)}, TypeError, "a validation mask is boolean"),
        ({"validation": np.zeros(5, bool)}, ValueError, r"validation has shape \(12,\)"),
        ({"validation": (X,)}, ValueError, "got a tuple of 1"),
        ({"validation": (X[:, :2], Y)}, ValueError, "validation x has shape"),
        ({"rows": np.arange(5)}, ValueError, r"y has one target per row, shape \(5,\); got \(12,\)"),
        ({"rows": np.arange(12) + 1}, ValueError, "rows are positions 0 to 11 in x; got 1 to 12"),
        ({"rows": np.arange(12) - 1}, ValueError, "rows are positions 0 to 11 in x; got -1 to 10"),
        ({"rows": np.arange(12.0)}, TypeError, r"rows are positions, shape \(n,\).*; got float64 of shape \(12,\)"),
        ({"rows": []}, TypeError, "rows are positions"),
        ({"seed": -1}, ValueError, "seed is an integer of at least 0"),
        ({"seed": 0.5}, ValueError, "seed is an integer"),
        ({"seed": True}, ValueError, "seed is an integer"),
        ({"threads": True}, ValueError, "threads is an integer of at least 1 or None; got True"),
        ({"threads": 0}, ValueError, "threads is an integer of at least 1 or None"),
        ({"start": Parameters({})}, ValueError, "parameters do not fit the architecture"),
        ({"start": {}}, TypeError, "start is of the class Parameters; got {}"),
        ({"loss": "squared_error"}, TypeError, "loss is of the class Loss; got 'squared_error'"),
        ({"settings": {"epochs": 3}}, TypeError, "settings is of the class Settings; got {'epochs': 3}"),
        ({"architecture": None}, TypeError, "architecture is of the class Architecture; got None"),
        ({"settings": Settings(batch_size=13)}, ValueError, "at most the number of rows, which is 12; got 13"),
        (
            {"settings": Settings(batch_size=12, drop_last=True), "sample_weight": Y},
            ValueError,
            "a batch of 12 needs as many rows; a member has only 11",
        ),
        ({"settings": Settings(patience=3)}, ValueError, "patience=3 needs validation rows"),
    ],
)
def test_options_that_do_not_fit(options, error, message):
    with pytest.raises(error, match=message):
        train(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "integers of at least 1; got {'epochs': 0}"),
        ({"epochs": 2.5}, "integers of at least 1"),
        ({"batch_size": True}, "integers of at least 1"),
        ({"patience": 0}, "integers of at least 1"),
        ({"learning_rate": 0.0}, "learning_rate is positive; got 0.0"),
        ({"learning_rate": np.nan}, "learning_rate is positive; got nan"),
        ({"weight_decay": -1.0}, "weight_decay is not negative"),
        ({"betas": (0.9, 1.0)}, r"betas\[1\] is within \[0, 1\); got 1.0"),
        ({"betas": (0.9,)}, "betas are two numbers"),
        ({"betas": 0.9}, "betas are two numbers"),
        ({"epsilon": 0.0}, "epsilon is at least 1e-30; got 0.0"),
        ({"epsilon": 1e-40}, "epsilon is at least 1e-30; got 1e-40"),
        ({"warm_up": 1.0}, r"warm_up is within \[0, 1\)"),
        ({"clip_norm": 0.0}, "clip_norm is positive or None"),
        ({"tolerance": -1e-3}, "tolerance is not negative"),
        ({"optimizer": "sgd"}, "optimizer is one of"),
        ({"schedule": "linear"}, "schedule is one of"),
        ({"dtype": "float16"}, "dtype is one of"),
        ({"drop_last": "yes"}, "drop_last is one of"),
    ],
)
def test_settings_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        Settings(**options)


def test_a_setting_that_is_no_number_is_named():
    with pytest.raises(TypeError, match=r"learning_rate is a number; got '0\.1'"):
        Settings(learning_rate="0.1")


def test_a_training_that_diverges_says_so():
    with pytest.raises(FloatingPointError, match=r"the loss of member 0 is .* in epoch \d+; a smaller"):
        train(y=1e18 * Y, settings=Settings(epochs=50, batch_size=4, learning_rate=1e30))


def test_a_training_whose_only_step_diverges_says_so():
    # the loss before the step is a finite float64, its gradient no finite float32
    with pytest.raises(FloatingPointError, match="are not finite after the last step"):
        train(y=1e78 * Y, settings=Settings(epochs=1))


def test_a_state_of_another_network_is_refused():
    _, state, _ = train()
    other = Architecture(NETWORK.columns, hidden=(3,), free_hidden=(2,))
    with pytest.raises(ValueError, match="parameters do not fit the architecture"):
        train(architecture=other, start=state)
    torn = State({**state.arrays, "progress": np.zeros((2, 9))})
    with pytest.raises(ValueError, match=r"progress has shape \(1, 9\) here; got \(2, 9\)"):
        train(start=torn)
    lost = State({**state.arrays, "progress": np.full((1, 9), np.nan)})
    with pytest.raises(ValueError, match="progress holds counts"):
        train(start=lost)
    beyond = State({**state.arrays, "progress": np.array([[0, 0, 7.0, 0, -1, 0, 0, 0, np.inf]])})
    with pytest.raises(ValueError, match="stands at batch 7 of an epoch that has 3 batches here"):
        train(start=beyond)


def test_without_a_batch_size_few_rows_are_one_batch_and_many_come_in_batches_of_64():
    def equal(one, other):
        return all(np.array_equal(one[name], other[name]) for name in one)

    assert equal(train(settings=Settings(epochs=3))[0], train(settings=Settings(epochs=3, batch_size=12))[0])
    x, y = np.tile(X, (10, 1)), np.tile(Y, 10)
    taken = train(x, y, settings=Settings(epochs=3))[0]
    assert equal(taken, train(x, y, settings=Settings(epochs=3, batch_size=64))[0])
    assert not equal(taken, train(x, y, settings=Settings(epochs=3, batch_size=120))[0])


def test_a_member_with_fewer_rows_than_a_batch_takes_all_of_them():
    weight = Y * (Y < 0.5)
    whole = train(settings=Settings(epochs=3, batch_size=5), sample_weight=weight)[0]
    more = train(settings=Settings(epochs=3, batch_size=12), sample_weight=weight)[0]
    assert all(np.array_equal(whole[name], more[name]) for name in whole)


def test_rows_in_any_layout_train_alike():
    wide = np.full((24, 6), 9.0)
    wide[::2, ::2] = X
    expected = train()[0]
    for x, y in ((wide[::2, ::2], Y), (np.asfortranarray(X), np.repeat(Y, 2)[::2]), (X.tolist(), Y.tolist())):
        assert all(np.array_equal(train(x=x, y=y)[0][name], expected[name]) for name in expected)


def scattered(array):
    """Return equal numbers in other memory: turned, strided, reversed, misaligned, read-only, in foreign bytes."""
    wide = np.full((2 * len(array), *array.shape[1:]), 9.0)
    wide[::2] = array
    shifted = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape)
    locked = array.copy()
    locked.flags.writeable = False
    return [np.asfortranarray(array), wide[::2], array[::-1].copy()[::-1], shifted, locked, array.astype(">f8")]


def reached(x, y, weight, architecture, batch, threads):
    """Return the bits of what a short training reaches; deep exponentials may diverge, which is the same everywhere."""
    settings = Settings(epochs=2, batch_size=min(batch, len(y)))
    options = {"sample_weight": weight, "validation": (x, y, weight), "threads": threads}
    try:
        parameters, _, _ = train(x, y, architecture, SQUARED, settings, **options)
    except FloatingPointError as divergence:
        return str(divergence)
    return b"".join(array.tobytes() for array in parameters.values())


@given(architectures(), st.integers(0, 2**31), st.integers(1, 130), st.sampled_from((1, 8, 33, 200)), st.integers(1, 2))
@sampled(max_examples=25)
def test_random_networks_train_alike_from_any_memory(architecture, seed, n, batch, threads):
    rng = np.random.default_rng(seed)
    x, y = draw_rows(rng, architecture, n), draw_targets(rng, architecture, SQUARED, n)
    weight = rng.gamma(1.0, size=n)
    expected = reached(x, y, weight, architecture, batch, 1)
    for buffers in zip(scattered(x), scattered(y), scattered(weight), strict=True):
        assert reached(*buffers, architecture, batch, threads) == expected
    apart = Columns(tuple(scattered(column)[i % 6] for i, column in enumerate(x.T)))
    assert reached(apart, y, weight, architecture, batch, threads) == expected


def outcome(x, y, architecture):
    """Return what became of a training."""
    try:
        parameters, _, _ = train(x, y, architecture, settings=Settings(epochs=1))
    except (ValueError, FloatingPointError) as refusal:
        expected = ("x[:, ", "training diverged", "squared_error needs targets")
        return "refused" if str(refusal).startswith(expected) else str(refusal)
    return "finite" if all(np.isfinite(array).all() for array in parameters.values()) else "not finite"


@given(architectures(), st.integers(0, 2**31), st.integers(1, 70))
@sampled(max_examples=50)
def test_any_numbers_at_all_train_or_are_refused(architecture, seed, n):
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, (n, len(architecture.columns) + 1), dtype=np.uint64).view(np.float64)
    bits[rng.random(bits.shape) < 0.95] = rng.integers(-1, 4)
    assert outcome(bits[:, 1:], bits[:, 0], architecture) in ("finite", "refused")
