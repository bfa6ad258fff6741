from __future__ import annotations

import numpy as np
import pytest

from isotone.activations import activation
from isotone.theory.saturation import dead_layers, hidden_slopes, input_gradients, without_biases
from tests.theory.data import EPS, drawn

ROWS = np.random.default_rng(2).normal(size=(60, 3))
SIDES = {"positive": np.abs(ROWS) + 1.0, "negative": -np.abs(ROWS) - 1.0, "mixed": ROWS}


def standing(rows: np.ndarray) -> np.ndarray:
    """Return rows as the trunk's inputs: the columns of ``drawn`` shift, scale and turn."""
    return rows * np.array([1.5, -1.5, 1.5]) - np.array([0.5, 0.5, 0.5])


@pytest.mark.parametrize("name", ["relu", "relu6"])
@pytest.mark.parametrize("side", SIDES)
def test_the_non_positive_network_without_biases_is_dead(name: str, side: str) -> None:
    network = drawn(hidden=(8, 8, 8), activation=activation(name), weight_sign=-1, members=20)
    dead, rows = without_biases(network), standing(SIDES[side])
    # NOTE[PAPER]: the text treats x >= 0 and x <= 0; a ReLU's output is never negative, so no x gets past layer 2
    assert (dead(rows) == 0.0).all()
    assert (input_gradients(dead, rows) == 0.0).all()
    # the control: with PyTorch's biases, some of these networks live, at least near zero
    assert (input_gradients(network, standing(0.1 * ROWS)) != 0.0).any()
    assert (input_gradients(dead, standing(0.1 * ROWS)) == 0.0).all()


def test_the_first_or_the_second_layer_is_the_dead_one() -> None:
    dead = without_biases(drawn(hidden=(8, 8, 8), weight_sign=-1))
    assert dead_layers(dead, standing(SIDES["positive"])) == [1]
    assert dead_layers(dead, standing(SIDES["negative"])) == [2]


def test_the_wide_relu6_network_is_dead_and_the_relu_one_is_not() -> None:
    wide = {"hidden": (128,) * 5, "reflect": (False,) * 5, "members": 5, "columns": 1}
    line = np.linspace(-1.0, 1.0, 21)[:, None]
    relu6 = drawn(activation=activation("relu6"), **wide)
    assert dead_layers(relu6, line) == [4, 5]
    assert (input_gradients(relu6, line) == 0.0).all()
    assert dead_layers(drawn(**wide), line) == []
    # the control: narrow, the sums stay below 6
    assert dead_layers(drawn(activation=activation("relu6"), **(wide | {"hidden": (4,) * 5})), line) == []


def test_on_a_kink_the_chain_rule_gives_a_convention_and_not_the_derivative() -> None:
    dead = without_biases(drawn(hidden=(8, 8, 8), weight_sign=-1, columns=1))
    # the column of ``drawn`` begins at -1/2: there all sums are zero
    kink, near = np.array([[-0.5]]), np.array([[-0.5 - 1e-9], [-0.5], [-0.5 + 1e-9]])
    assert (dead(near) == 0.0).all()
    assert (input_gradients(dead, kink) != 0.0).all()
    assert (input_gradients(dead, near[::2]) == 0.0).all()


@pytest.mark.parametrize("name", ["tanh", "softplus"])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_gradient_is_the_derivative(name: str, sign: int) -> None:
    network = drawn(activation=activation(name), weight_sign=sign, members=1)
    gradient = input_gradients(network, ROWS)[0, :, 0, 0]
    step = 2.0**-17
    shifted = ROWS + np.array([step, 0.0, 0.0])
    # the first column has the unit 1.5; a difference quotient errs by the square of the step and by eps over the step
    quotient = 1.5 * (network(shifted) - network(2 * ROWS - shifted))[:, 0] / (2 * step)
    oriented = gradient * network.architecture.trunk_direction
    assert np.abs(quotient - oriented).max() <= 4 * (step**2 + EPS / step)
    assert len(hidden_slopes(network, ROWS)) == 3
