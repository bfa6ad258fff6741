"""Gradients beside the kink of relu, where one side of a switch moves, and on it, where both do."""

from __future__ import annotations

import numpy as np
import pytest

from isotone import _native, engine
from isotone.architecture import Architecture, Numeric, Parameters
from tests.native.levels import at_level
from tests.native.test_gradients import SQUARED, TOLERANCE, disagreement, subject


@pytest.fixture(params=_native.levels(), autouse=True)
def _every_level(request):
    with at_level(request.param):
        yield


@pytest.mark.parametrize("name", ["relu", "relu6"])
@pytest.mark.parametrize("width", [1, 3, 4, 5, 8, 15, 16, 17, 33, 64])
def test_gradients_are_those_of_autograd_where_one_side_of_a_switch_moves(width, name):
    case = subject(SQUARED, hidden=(width, 5, width, 4), activation=name, n=75)
    for dtype, tolerance in TOLERANCE.items():
        assert disagreement(*case, SQUARED, dtype) < tolerance


def without_biases(hidden):
    """Return a relu network whose sums are 0 at a row of zeros, where both sides have the slope from the right."""
    architecture = Architecture((Numeric(direction=1),) * 3, hidden, activation="relu")
    given = architecture.initial(0, np.float64)
    return architecture, Parameters({name: array * ("weight" in name) for name, array in given.items()})


def test_both_sides_of_a_switch_move_at_a_row_of_zeros():
    architecture, parameters = without_biases((5, 17))
    _, gradients = engine.value_and_grad(architecture, parameters, np.zeros((1, 3)), np.ones(1), SQUARED)
    above = -2.0 * np.abs(parameters["trunk.2.weight"][0, 0])
    below = above @ np.abs(parameters["trunk.1.weight"][0])
    assert np.allclose(gradients["trunk.1.bias"][0], above, rtol=1e-12)
    assert np.allclose(gradients["trunk.0.bias"][0], below, rtol=1e-12)


@pytest.mark.parametrize("zeros", [slice(5, 6), slice(3, 40)])
def test_rows_where_one_side_moves_and_rows_where_both_do_add_up(zeros):
    architecture, parameters = without_biases((17, 5, 33))
    x, y = np.random.default_rng(0).normal(size=(75, 3)), np.ones(75)
    x[zeros] = 0.0
    here = np.arange(75) < 0
    here[zeros] = True
    parts = [engine.value_and_grad(architecture, parameters, x[part], y[part], SQUARED)[1] for part in (here, ~here)]
    _, whole = engine.value_and_grad(architecture, parameters, x, y, SQUARED)
    for name, found in whole.items():
        sum_of_parts = here.mean() * parts[0][name] + (~here).mean() * parts[1][name]
        assert np.abs(found - sum_of_parts).max() < TOLERANCE[np.float64] * np.abs(sum_of_parts).max()
