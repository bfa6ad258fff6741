"""A weight map gives no negative weight, and its derivative is its derivative."""

import numpy as np
import pytest

from isotone.weights import WEIGHT_MAPS, weight_map

# kinks of abs and clamp lie at 0, exp's ceiling at 10; the grid avoids them by its odd step
GRID = np.linspace(-12.0, 12.0, 4001) + 1e-3
STEP = 1e-5


def slope(function):
    return (function(GRID + STEP) - function(GRID - STEP)) / (2 * STEP)


@pytest.mark.parametrize("name", sorted(WEIGHT_MAPS))
def test_no_effective_weight_is_negative(name):
    extremes = np.array([-1e30, -1.0, -0.0, 0.0, 1.0, 1e30])
    assert (weight_map(name).value(extremes) >= 0).all()


def test_the_largest_weight_of_the_exponential_is_e_to_the_ten():
    row = weight_map("exp")
    assert row.value(np.array([10.0, 11.0, 1e30])).tolist() == [np.exp(10.0)] * 3
    assert row.derivative(np.array([10.0 - 1e-9, 10.0, 11.0])).tolist() == [np.exp(10.0 - 1e-9), 0.0, 0.0]


def test_a_weight_at_a_kink_has_one_derivative():
    zeros = np.array([0.0, -0.0])
    assert {name: weight_map(name).derivative(zeros).tolist() for name in ("abs", "clamp", "square")} == {
        "abs": [0.0, 0.0], "clamp": [0.0, 0.0], "square": [0.0, 0.0],
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(WEIGHT_MAPS))
def test_the_derivative_is_the_slope(name):
    row = weight_map(name)
    # central differences: error h^2 f''' / 6 relative to the largest slope, plus rounding eps / h; 1e-6 covers both
    error = np.abs(slope(row.value) - row.derivative(GRID)).max() / np.abs(row.derivative(GRID)).max()
    assert error < 1e-6


def test_a_wrong_derivative_is_caught():
    assert np.abs(slope(weight_map("square").value) - GRID).max() > 1.0


def test_an_unknown_map_is_refused_by_name():
    with pytest.raises(ValueError, match="'cube'"):
        weight_map("cube")
