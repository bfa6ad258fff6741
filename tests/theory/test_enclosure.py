from __future__ import annotations

import mpmath
import numpy as np
import pytest

from isotone.reference import encode
from isotone.theory import enclosure
from isotone.theory.enclosure import scores_between
from isotone.theory.equivalences import absorb_offsets
from isotone.theory.interpolation import interpolate
from isotone.theory.network import Network, constrained_layers
from tests.theory.data import Array, monotone_values, scores_to_fifty_digits

NAMES = ["relu", "relu6", "elu", "selu", "celu", "sigmoid", "tanh", "exp", "softsign", "softplus", "logsigmoid",
         "threshold"]  # fmt: skip


def data() -> tuple[Array, Array]:
    points = np.random.default_rng(5).integers(0, 6, (9, 2)) / 3.0
    return points, monotone_values(points, np.random.default_rng(6).normal(size=9))


def plain_layers(network: Network) -> list[tuple[Array, Array]]:
    return [(weight[0], bias[0]) for weight, bias in constrained_layers(network)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("subtracts", [False, True])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_interval_holds_what_real_arithmetic_gives(name: str, subtracts: bool, side: str) -> None:
    points, values = data()
    network = interpolate(points, values, name, side)
    plan = network.architecture
    layers = plain_layers(network)
    own = absorb_offsets(layers, plan.layer_activations) if subtracts else layers
    rows = encode(plan, points)[1]
    low, high = scores_between(own, plan.layer_activations, rows, subtracts)
    exact = [scores_to_fifty_digits(own, plan.layer_activations, row, subtracts)[0] for row in rows]
    assert all(bottom <= value <= top for bottom, value, top in zip(low[:, 0], exact, high[:, 0], strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_the_bound_holds_in_real_arithmetic(name: str) -> None:
    points, values = data()
    network = interpolate(points, values, name)
    plan = network.architecture
    for row, value in zip(encode(plan, points)[1], values, strict=True):
        score = scores_to_fifty_digits(plain_layers(network), plan.layer_activations, row, False)[0]
        with mpmath.workdps(50):
            assert abs(mpmath.mpf(plan.center) + plan.scale * score - mpmath.mpf(value)) <= network.bound


def test_an_interval_that_forgets_rounding_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    points, values = data()
    network = interpolate(points, values, "softsign")
    plan, layers = network.architecture, plain_layers(network)
    monkeypatch.setattr(enclosure, "EPS", 0.0)
    monkeypatch.setattr(enclosure, "FORMULA", 0.0)
    rows = encode(plan, points)[1]
    low, high = scores_between(layers, plan.layer_activations, rows, False)
    exact = [scores_to_fifty_digits(layers, plan.layer_activations, row, False)[0] for row in rows]
    assert not all(bottom <= value <= top for bottom, value, top in zip(low[:, 0], exact, high[:, 0], strict=True))
