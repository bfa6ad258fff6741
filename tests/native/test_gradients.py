"""Values and gradients of the engine against torch autograd, at every level the machine can run."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from isotone import _native, engine
from isotone.activations import activation
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.losses import Loss
from isotone.weights import WEIGHT_MAPS
from tests.native import autograd
from tests.native.networks import (
    FREE,
    LOSSES,
    MONOTONE,
    architectures,
    draw_parameters,
    draw_rows,
    draw_targets,
    learners,
    network,
)

# the promise: relative to each array's largest entry, for a few dozen roundings in float64 and float32
TOLERANCE = {np.float64: 1e-12, np.float32: 1e-5}
SQUARED = Loss("squared_error")
FORMS = ("post", "pre", "constrained")


@pytest.fixture(params=_native.levels(), autouse=True)
def _every_level(request):
    before = _native.level()
    _native.use_level(request.param)
    yield
    _native.use_level(before)


def disagreement(architecture, parameters, x, y, loss, dtype=np.float64, weight=None):
    """Return the largest error of values and gradients, each relative to its array's largest entry."""
    given = parameters.astype(dtype)
    values, gradients = engine.value_and_grad(architecture, given, x, y, loss, sample_weight=weight)
    truth = by_autograd(architecture, given, x, y, loss, weight=weight)
    assert set(truth) == {"value", *gradients}
    assert all(gradients[name].dtype == dtype for name in gradients)
    errors = {name: _error(found, truth[name]) for name, found in [("value", values), *gradients.items()]}
    return max(errors.values())


def by_autograd(architecture, parameters, x, y, loss, dtype=torch.float64, weight=None):
    """Return every member's mean loss and its gradients."""
    leaves = autograd.tensors(parameters, dtype)
    rows = autograd.losses(architecture, leaves, x, y, loss)
    share = np.ones(rows.shape) if weight is None else np.broadcast_to(weight, rows.shape)
    mean = (rows * rows.new_tensor(share / share.sum(axis=1, keepdims=True))).sum(1)
    mean.sum().backward()
    found = {name: np.zeros(leaf.shape) if leaf.grad is None else leaf.grad.numpy() for name, leaf in leaves.items()}
    return {"value": mean.detach().numpy(), **found}


def _error(found, true):
    largest = np.abs(true).max(initial=0.0)
    # an array whose truth is all zero is compared with zero itself
    return np.abs(found - true).max(initial=0.0) / (largest or 1.0)


def subject(loss, seed=0, n=37, **options):
    """Return a network, parameters, rows and targets; 37 rows are one slab and a part of another."""
    rng, architecture = np.random.default_rng(seed), network(loss, **options)
    parameters = draw_parameters(rng, architecture)
    return architecture, parameters, draw_rows(rng, architecture, n), draw_targets(rng, architecture, loss, n)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_gradients_of_every_loss_are_those_of_autograd(loss, dtype):
    for form in FORMS:
        assert disagreement(*subject(loss, form=form, members=2), loss, dtype) < TOLERANCE[dtype]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", MONOTONE)
def test_gradients_of_every_activation_are_those_of_autograd(name, form):
    for chosen in (activation(name), activation(name).reflection):
        case = subject(SQUARED, form=form, activation=chosen)
        for dtype, tolerance in TOLERANCE.items():
            assert disagreement(*case, SQUARED, dtype) < tolerance, (chosen, dtype)


@pytest.mark.parametrize("name", FREE)
def test_gradients_through_the_free_branch_are_those_of_autograd(name):
    for dtype, tolerance in TOLERANCE.items():
        assert disagreement(*subject(SQUARED, free_activation=name), SQUARED, dtype) < tolerance


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("constraint", sorted(WEIGHT_MAPS))
def test_gradients_through_every_weight_map_are_those_of_autograd(constraint, sign):
    for hidden in ((4,), (4, 3)):
        # celu never dies: with relu some of these networks have gradients that are all but zero, and cancel
        case = subject(
            SQUARED, form="constrained", constraint=constraint, weight_sign=sign, hidden=hidden, activation="celu"
        )
        for dtype, tolerance in TOLERANCE.items():
            assert disagreement(*case, SQUARED, dtype) < tolerance


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("width", [1, 8, 15, 16, 17, 33, 64])
def test_gradients_do_not_depend_on_how_widths_fill_vectors(width, form):
    case = subject(SQUARED, form=form, hidden=(width, width), free_hidden=(width, 3), activation="tanh", outputs=2)
    for dtype, tolerance in TOLERANCE.items():
        assert disagreement(*case, SQUARED, dtype) < tolerance


@given(architectures(), st.integers(0, 2**31), st.sampled_from((1, 2, 7, 8, 31, 32, 33, 65)))
@settings(max_examples=25)
def test_gradients_of_random_networks_are_those_of_autograd(architecture, seed, n):
    assert excess(architecture, SQUARED, seed, n) < 1.0


@given(learners(), st.integers(0, 2**31), st.sampled_from((1, 7, 33)))
@settings(max_examples=25)
def test_gradients_of_every_loss_on_random_networks_are_those_of_autograd(learner, seed, n):
    assert excess(*learner, seed, n) < 1.0


def excess(architecture, loss, seed, n):
    """Return the largest disagreement of a random network, as a multiple of what roundings may make of it."""
    rng = np.random.default_rng(seed)
    parameters, x = draw_parameters(rng, architecture), draw_rows(rng, architecture, n)
    y = draw_targets(rng, architecture, loss, n)
    growth = cancellation(architecture, parameters, x, y, loss)
    # of exponentials of exponentials float32 has no digits left, or no range
    single = growth < 1e3 and in_range(by_autograd(architecture, parameters, x, y, loss, torch.float32))
    dtypes = (np.float64, np.float32) if single else (np.float64,)
    return max(
        disagreement(architecture, parameters, x, y, loss, dtype) / (TOLERANCE[dtype] * growth) for dtype in dtypes
    )


def in_range(found):
    """Say whether all values and gradients are finite."""
    return all(np.isfinite(array).all() for array in found.values())


def test_what_float32_cannot_reach_is_seen():
    case = subject(SQUARED)
    assert in_range(by_autograd(*case, SQUARED, torch.float32))
    huge = Parameters({name: array * 1e25 for name, array in case[1].items()})
    assert not in_range(by_autograd(case[0], huge, *case[2:], SQUARED, torch.float32))


def cancellation(architecture, parameters, x, y, loss=SQUARED):
    """Return how much larger values and gradients are when rows, weights or steps are moved by float32's precision.

    A network that multiplies an error of its inputs or weights also multiplies the engine's roundings; and where a
    saturated layer loses digits, it loses them in torch's float32, too.
    """
    given = parameters.astype(np.float32)
    truth, moved = by_autograd(architecture, given, x, y, loss), []
    for share in (1.0 + 2.0**-20, 1.0 - 2.0**-20):
        near = Parameters({name: array.astype(np.float64) * share for name, array in given.items()})
        moved += [
            by_autograd(architecture, near, x, y, loss),
            by_autograd(architecture, given, x * share, y, loss),
        ]
    moved += filter(in_range, [by_autograd(architecture, given, x, y, loss, torch.float32)])
    return max(1.0, *(_error(found[name], truth[name]) / 1e-6 for found in moved for name in truth))


def test_gradients_weigh_rows_member_by_member():
    case, weight = subject(SQUARED, members=2), np.random.default_rng(1).gamma(1.0, size=(2, 37))
    assert disagreement(*case, SQUARED, weight=weight) < TOLERANCE[np.float64]


def test_the_comparison_sees_a_slightly_wrong_network():
    architecture, parameters, x, y = subject(SQUARED)
    truth = by_autograd(architecture, parameters, x, y, SQUARED)
    nudged = Parameters({name: array * (1 + 1e-9) for name, array in parameters.items()})
    _, gradients = engine.value_and_grad(architecture, nudged, x, y, SQUARED)
    assert all(_error(gradients[name], truth[name]) > TOLERANCE[np.float64] for name in gradients)


def test_the_comparison_sees_a_switch_that_reads_the_wrong_side():
    architecture, parameters, x, y = subject(SQUARED)
    weight = parameters["trunk.1.weight"].copy()
    weight[0, 0, 0] *= -1.0
    _, gradients = engine.value_and_grad(
        architecture, Parameters(dict(parameters) | {"trunk.1.weight": weight}), x, y, SQUARED
    )
    truth = by_autograd(architecture, parameters, x, y, SQUARED)
    assert _error(gradients["trunk.1.weight"], truth["trunk.1.weight"]) > TOLERANCE[np.float32]


def test_finite_differences_agree_along_random_directions():
    architecture, parameters, x, y = subject(SQUARED, activation="tanh", free_activation="tanh")
    rng, step = np.random.default_rng(3), 1e-6
    way = {name: rng.normal(size=array.shape) for name, array in parameters.items()}

    def value(share):
        moved = Parameters({name: array + share * way[name] for name, array in parameters.items()})
        return engine.value_and_grad(architecture, moved, x, y, SQUARED)[0][0]

    _, gradients = engine.value_and_grad(architecture, parameters, x, y, SQUARED)
    slope = sum((gradients[name] * way[name]).sum() for name in way)
    # the central difference errs by step^2, the rounding of the value by eps / step: both near 1e-10
    assert abs((value(step) - value(-step)) / (2 * step) - slope) < 1e-8 * max(abs(slope), 1.0)


def test_a_row_of_weight_zero_is_absent():
    architecture, parameters, x, y = subject(SQUARED)
    kept = np.arange(37) % 3 > 0
    left_out = engine.value_and_grad(architecture, parameters, x, y, SQUARED, sample_weight=kept * 1.0)
    absent = engine.value_and_grad(architecture, parameters, x[kept], y[kept], SQUARED)
    assert left_out[0] == absent[0]
    assert all(np.array_equal(left_out[1][name], absent[1][name]) for name in absent[1])


def test_an_integer_weight_is_a_repetition():
    architecture, parameters, x, y = subject(SQUARED)
    counts = np.random.default_rng(0).integers(0, 4, 37)
    weighed = engine.value_and_grad(architecture, parameters, x, y, SQUARED, sample_weight=counts)
    repeated = engine.value_and_grad(architecture, parameters, x.repeat(counts, 0), y.repeat(counts), SQUARED)
    assert max(_error(weighed[1][name], repeated[1][name]) for name in repeated[1]) < TOLERANCE[np.float64]
    plain = engine.value_and_grad(architecture, parameters, x, y, SQUARED)
    assert max(_error(plain[1][name], repeated[1][name]) for name in repeated[1]) > TOLERANCE[np.float32]


def test_threads_change_no_bit():
    rng, architecture = np.random.default_rng(0), network(SQUARED)
    x = draw_rows(rng, architecture, 500)
    y, parameters = draw_targets(rng, architecture, SQUARED, 500), architecture.initial(0)
    one = engine.value_and_grad(architecture, parameters, x, y, SQUARED, threads=1)
    two = engine.value_and_grad(architecture, parameters, x, y, SQUARED, threads=2)
    assert one[0] == two[0]
    assert all(np.array_equal(one[1][name], two[1][name]) for name in one[1])


def test_zero_weights_and_zero_inputs_give_finite_gradients():
    for form in FORMS:
        architecture = Architecture((Numeric(direction=1),), hidden=(3, 3), form=form)
        parameters = Parameters({name: np.zeros(shape) for name, shape in architecture.shapes.items()})
        _, gradients = engine.value_and_grad(architecture, parameters, np.zeros((4, 1)), np.ones(4), SQUARED)
        assert all(np.isfinite(array).all() for array in gradients.values())


def test_rows_of_any_layout_and_type_are_read_alike():
    architecture, parameters, x, y = subject(SQUARED)
    expected = engine.value_and_grad(architecture, parameters, x, y, SQUARED)[0]
    wide = np.full((74, 14), 9.0)
    wide[::2, ::2] = x
    assert engine.value_and_grad(architecture, parameters, wide[::2, ::2], y, SQUARED)[0] == expected
    assert engine.value_and_grad(architecture, parameters, np.asfortranarray(x), y[::-1][::-1], SQUARED)[0] == expected


def test_parameters_of_mixed_precision_are_refused():
    architecture, parameters, x, y = subject(SQUARED)
    mixed = Parameters(dict(parameters) | {"trunk.0.bias": parameters["trunk.0.bias"].astype(np.float32)})
    with pytest.raises(TypeError, match="all float32 or all float64"):
        engine.value_and_grad(architecture, mixed, x, y, SQUARED)
