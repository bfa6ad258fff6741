"""PyTorch's draw, and the balanced one that keeps the variance of a stack of switches."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from isotone.initialisation import Moments
from isotone.nn import ConstrainedLinear, MonotoneMLP, PartialMonotoneMLP, SwitchLinear

DEPTH = 6


def test_the_default_draw_is_that_of_linear() -> None:
    layer = SwitchLinear(100, 300)
    plain = nn.Linear(100, 300)
    for ours, theirs in ((layer.weight, plain.weight), (layer.bias, plain.bias)):
        assert float(ours.detach().abs().max()) <= 0.1
        # two samples of 300 uniform numbers differ in their deviation by a few parts in a hundred
        assert float(ours.detach().std()) == pytest.approx(float(theirs.detach().std()), rel=0.2)


def squares(form: str, activation: str, width: int, initialisation: str) -> np.ndarray:
    """Return the mean square of what enters each layer's activation, over rows, units and five seeds."""
    torch.manual_seed(0)
    found = []
    for _ in range(5):
        network = MonotoneMLP(5, [width] * DEPTH, width, form, activation, initialisation=initialisation)
        h, sums = torch.randn(256, 5), []
        for layer in network.branches.trunk:
            inner = nn.functional.linear(h, layer.weight.clamp(min=0), layer.bias) if form == "pre" else None
            h = layer(h)
            sums.append(float((h if inner is None else inner).square().mean().detach()))
        found.append(sums)
    return np.mean(found, axis=0)[:DEPTH]


@pytest.mark.parametrize(
    ("form", "activation", "width"),
    [
        ("post", "relu", 16), ("post", "celu", 128), ("post", "softplus", 128), ("post", "tanh", 16),
        ("pre", "relu", 128), ("pre", "celu", 16), ("pre", "tanh", 128), ("pre", "sigmoid", 16),
    ],
)  # fmt: skip
def test_the_balanced_draw_keeps_the_variance_layer_by_layer(form: str, activation: str, width: int) -> None:
    sums = squares(form, activation, width, "balanced")
    # the common mode of each layer is one sample per seed; the theory is of wide layers and normal sums
    assert sums.min() >= 0.4
    assert sums.max() <= 2.5


@pytest.mark.parametrize("form", ["post", "pre"])
def test_the_default_draw_lets_it_grow_in_wide_stacks(form: str) -> None:
    """Negative control: the same measurement without the balance."""
    assert squares(form, "relu", 128, "uniform").max() > 20


@pytest.mark.parametrize("form", ["post", "pre"])
@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_alone_keeps_the_variance_of_inputs_with_given_moments(form: str, bias: bool) -> None:
    torch.manual_seed(1)
    layer = SwitchLinear(64, 400, "celu", form, bias)
    common, own = torch.randn(500, 1), torch.randn(500, 64)
    moments = layer.balance_(Moments(square=1.0, product=0.3))
    outputs = layer(0.3**0.5 * common + 0.7**0.5 * own)
    # the common mode of one drawn layer is its own sample
    assert float(outputs.square().mean().detach()) == pytest.approx(moments.square, rel=0.3)


def test_the_affine_layer_keeps_the_variance_of_independent_columns() -> None:
    torch.manual_seed(2)
    layer = ConstrainedLinear(64, 400)
    assert layer.balance_(Moments(1.0, 0.0)).square == pytest.approx(1.0)
    assert float(layer(torch.randn(500, 64)).square().mean().detach()) == pytest.approx(1.0, rel=0.2)


def test_a_seed_of_torch_fixes_the_draw() -> None:
    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return PartialMonotoneMLP([1, 0], free_hidden=(3,), initialisation="balanced")(torch.ones(2))

    assert torch.equal(drawn(3), drawn(3))
    assert not torch.equal(drawn(3), drawn(4))


def test_drawing_anew_keeps_the_scheme() -> None:
    torch.manual_seed(0)
    wide = SwitchLinear(1000, 50, initialisation="balanced")
    wide.reset_parameters()
    # balanced weights of a thousand inputs are within 6 / 1000, default ones within 1 / sqrt(1000)
    assert float(wide.weight.detach().abs().max()) < 0.01
