"""Weights that no row reached do not speak."""

from __future__ import annotations

import numpy as np
import pytest

from isotone import Architecture, Categorical, Numeric, Parameters, reference
from isotone.estimators.untrained import settle


def settled(network: Architecture, x: np.ndarray, weight: np.ndarray) -> Parameters:
    return settle(network, network.initial(0, np.float64), x.T, weight)


def test_an_unseen_category_reads_as_the_weighted_average_of_the_seen() -> None:
    network = Architecture((Numeric((0.0, 1.0, 2.0)), Categorical(4)), hidden=(), free_hidden=(5,))
    x = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    before, after = network.initial(0, np.float64), settled(network, x, np.array([1.0, 1.0, 2.0]))
    codes, old = after["free.0.weight"][0, :, 2:], before["free.0.weight"][0, :, 2:]
    # one rounding per product and sum
    np.testing.assert_allclose(codes[:, 2], 0.25 * old[:, 0] + 0.75 * old[:, 1], rtol=0, atol=4 * np.finfo(float).eps)
    np.testing.assert_array_equal(codes[:, 3], codes[:, 2])
    np.testing.assert_array_equal(codes[:, :2], old[:, :2])
    assert (old[:, 2] != codes[:, 2]).all(), "the control: before, an unseen category reads as noise"


@pytest.mark.parametrize("direction", [0, 1, -1])
@pytest.mark.parametrize("constraint", ["abs", "square", "clamp", "softplus", "exp"])
def test_a_constant_column_has_no_influence(direction: int, constraint: str) -> None:
    columns = (Numeric((5.0, 6.0), direction), Numeric((0.0, 1.0, 2.0), 1))
    form = {} if constraint == "abs" else {"form": "constrained", "constraint": constraint}
    network = Architecture(columns, hidden=(4,), free_hidden=() if direction else (3,), **form)
    x = np.column_stack([np.full(4, 5.0), np.arange(4.0)])
    parameters = settled(network, x, np.ones(4))
    moved = x + np.array([3.0, 0.0])
    before = reference.predict(network, network.initial(0, np.float64), moved)
    now, then = reference.predict(network, parameters, moved), reference.predict(network, parameters, x)
    # softplus(-40) and exp(-40) are not quite nothing: 4e-18 times the distance, of a number near 1
    np.testing.assert_allclose(now, then, rtol=0, atol=8 * np.finfo(float).eps)
    assert np.abs(before - then).max() > 1e-3, "the control: before, it had some"


def test_what_the_rows_reached_is_left_alone() -> None:
    network = Architecture((Numeric((0.0, 1.0), 1), Numeric((0.0, 1.0)), Categorical(2)), hidden=(3,), free_hidden=(2,))
    x = np.array([[0.0, 0.5, 0.0], [1.0, 0.0, 1.0]])
    before, after = network.initial(0, np.float64), settled(network, x, np.ones(2))
    assert all((before[name] == after[name]).all() for name in before)
