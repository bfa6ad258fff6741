"""The derivative by the columns is that of the definition; on a constrained column it never has the other sign."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from isotone import _native, engine, reference
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from tests.native import autograd
from tests.native.ladders import hostile, subject
from tests.native.levels import at_level
from tests.native.networks import MIXED, MONOTONE, architectures, draw_parameters, draw_rows

# a difference quotient of a line: a rounding of its values over this width
STEP = 1e-5
TOLERANCE = 64 * np.finfo(np.float64).eps / STEP


def component_slopes(architecture: Architecture, x: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for each column the derivative by it of all free and of all constrained components."""
    slopes = []
    for index, column in enumerate(architecture.columns):
        moved = x.copy()
        if not isinstance(column, Categorical):
            moved[:, index] += STEP
        pairs = zip(reference.encode(architecture, moved), reference.encode(architecture, x), strict=True)
        slopes.append(tuple((after - before) / STEP for after, before in pairs))
    return slopes


def latent_gradient(architecture: Architecture, parameters: Parameters, x: np.ndarray) -> np.ndarray:
    """Return the derivative of center + scale * mean by autograd. Shape: ``(n, m, d)``."""
    leaves = autograd.tensors(parameters)
    parts = [torch.tensor(part, requires_grad=True) for part in reference.encode(architecture, x)]
    latent = architecture.scale * autograd.scores_of_components(architecture, leaves, *parts).mean(0)
    result = np.zeros((len(x), latent.shape[1], x.shape[1]))
    slopes = component_slopes(architecture, x)
    for output in range(latent.shape[1]):
        grads = torch.autograd.grad(latent[:, output].sum(), parts, retain_graph=True, allow_unused=True)
        for index, by_column in enumerate(slopes):
            terms = [(g.numpy() * s).sum(1) for g, s in zip(grads, by_column, strict=True) if g is not None]
            result[:, output, index] = np.sum(terms, axis=0)
    return result


def off_knots(architecture: Architecture, x: np.ndarray) -> np.ndarray:
    """Return the rows moved so far from every knot that a step does not cross it."""
    moved = x.copy()
    for index, column in enumerate(architecture.columns):
        if isinstance(column, Numeric):
            gaps = np.abs(moved[:, index, None] - np.array(column.knots)).min(axis=1)
            moved[gaps < 4 * STEP, index] += 8 * STEP
    return moved


def with_outputs(gradient: np.ndarray) -> np.ndarray:
    """Return the gradient with the axis of predictions that one prediction has not."""
    return gradient if gradient.ndim == 3 else gradient[:, None]


def error(found: np.ndarray, true: np.ndarray) -> float:
    """Return the largest difference relative to the largest entry."""
    assert found.shape == true.shape
    return float(np.abs(found - true).max() / max(np.abs(true).max(), 1e-30))


@given(architectures(), st.integers(0, 2**32 - 1), st.sampled_from((1, 17, 70)))
def test_it_is_the_derivative_of_the_definition(architecture, seed, n):
    rng = np.random.default_rng(seed)
    parameters = draw_parameters(rng, architecture)
    x = off_knots(architecture, draw_rows(rng, architecture, n))
    true = latent_gradient(architecture, parameters, x)
    for level in _native.levels():
        with at_level(level):
            found = with_outputs(engine.input_gradient(architecture, parameters, x))
        # float64 has no smaller derivative than this of values near one
        assert error(found, true) <= TOLERANCE or np.abs(found - true).max() < 1e-12


@pytest.mark.parametrize("link", ["exp", "sigmoid", "cumulative", "sorted", "softmax"])
def test_it_goes_through_the_link(link, rng):
    columns = tuple(c for c in MIXED if not c.direction) if link == "softmax" else MIXED
    options = {"cuts": 3} if link == "cumulative" else {"outputs": 3}
    architecture = Architecture(
        columns, hidden=(5, 4), free_hidden=(4,), members=2, activation="softplus", free_activation="tanh",
        link=link, **options
    )  # fmt: skip
    parameters = draw_parameters(rng, architecture)
    x = off_knots(architecture, draw_rows(rng, architecture, 40))
    found = engine.input_gradient(architecture, parameters, x)
    assert found.shape == (40, 3, len(columns))
    for index, column in enumerate(columns):
        if isinstance(column, Numeric):
            up, down = x.copy(), x.copy()
            up[:, index] += STEP
            down[:, index] -= STEP
            truth = (
                reference.predict(architecture, parameters, up) - reference.predict(architecture, parameters, down)
            ) / (2 * STEP)
            # the quotient of a curve errs by the square of its width too
            assert np.abs(found[:, :, index] - truth).max() <= TOLERANCE + 10 * STEP**2 * np.abs(truth).max()


@pytest.mark.parametrize("form", ["post", "pre", "constrained"])
@pytest.mark.parametrize("name", MONOTONE)
def test_it_never_has_the_other_sign(form, name):
    for seed in range(15):
        architecture, rng = subject(form, name, seed)
        if architecture.link == "exp":
            # of scores in the hundreds the exponential has no derivative in float64
            architecture = replace(architecture, link="sorted")
        parameters, x = hostile(architecture, seed, rng), draw_rows(rng, architecture, 130)
        gradient = with_outputs(engine.input_gradient(architecture, parameters, x))
        signs = np.array([int(column.direction) for column in architecture.columns])
        assert np.isfinite(gradient).all()
        assert (gradient * signs >= 0.0).all()


def test_a_column_of_the_other_direction_has_the_other_sign(rng):
    for direction in (1, -1):
        architecture = Architecture((Numeric(direction=direction),), hidden=(4,), activation="softplus")
        gradient = engine.input_gradient(architecture, architecture.initial(seed=0), rng.normal(size=(50, 1)))
        assert (gradient * direction > 0.0).all()


def test_it_is_zero_where_nothing_moves():
    columns = (Numeric(direction=1, missing=True), Categorical(2), Numeric(direction=1))
    architecture = Architecture(columns, hidden=(), free_hidden=(3,))
    parameters = architecture.initial(seed=0)
    inside, missing, beyond = engine.input_gradient(
        architecture, parameters, [[0.5, 1, 0.5], [np.nan, 1, 0.5], [0.5, 1, 2.0**21]]
    )
    assert inside[0] > 0.0
    assert inside[2] > 0.0
    assert missing[0] == inside[1] == beyond[2] == 0.0


def test_one_prediction_per_row_needs_no_axis(rng):
    architecture = Architecture(MIXED, hidden=(5,), free_hidden=(4,))
    x = draw_rows(rng, architecture, 3)
    assert engine.input_gradient(architecture, architecture.initial(seed=0), x).shape == x.shape


def test_a_derivative_beyond_float64_is_refused():
    architecture = Architecture((Numeric((0.0, 1e-12), direction=1),), hidden=(1,), activation="identity")
    weights = {name: np.full(shape, 2.0**495 * name.endswith("weight")) for name, shape in architecture.shapes.items()}
    with pytest.raises(FloatingPointError, match="beyond the range of float64"):
        engine.input_gradient(architecture, Parameters(weights), [[0.0]])


def test_beyond_the_ceiling_of_the_link_exp_nothing_moves():
    architecture = Architecture((Numeric(direction=1),), hidden=(), link="exp")
    parameters = Parameters({"trunk.0.weight": np.ones((1, 1, 1)), "trunk.0.bias": np.zeros((1, 1))})
    assert engine.predict(architecture, parameters, [[707.0], [900.0]])[:, 0].std() == 0.0
    assert (engine.input_gradient(architecture, parameters, [[706.0], [900.0]])[:, 0] > 0.0).tolist() == [True, False]
