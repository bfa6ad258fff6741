"""Activations as modules: what is taken, what is refused and why."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from isotone.activations import TABLE, Activation
from isotone.nn import ConstrainedLinear, Pointwise, PReLU, Reflect, SReLU, SwitchLinear
from isotone.nn.layers import activation_module, table_activation

TORCH_MODULES = [
    nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.2), nn.ELU(0.5), nn.CELU(2.0), nn.SELU(), nn.Sigmoid(), nn.Tanh(),
    nn.Softsign(), nn.Softplus(), nn.LogSigmoid(), nn.Identity(), nn.GELU(), nn.SiLU(),
]  # fmt: skip


@pytest.mark.parametrize("module", TORCH_MODULES, ids=str)
def test_a_module_of_torch_becomes_that_of_the_table(module: nn.Module) -> None:
    x = torch.linspace(-5.0, 5.0, 101)
    taken = activation_module(module, monotone=False)
    assert isinstance(taken, Pointwise)
    # torch rounds its own formulas once or twice differently
    assert float((taken(x) - module(x)).abs().max()) <= 16 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize(
    "spec", ["gelu", nn.SiLU(), Activation("gelu"), Pointwise("silu"), Reflect(nn.GELU())], ids=str
)
@pytest.mark.parametrize("layer", [SwitchLinear, ConstrainedLinear])
def test_a_monotone_layer_refuses_what_decreases(layer: type[nn.Module], spec: str | Activation | nn.Module) -> None:
    with pytest.raises(ValueError, match=r"cannot keep order: it decreases for x < -"):
        layer(2, 3, spec)


@pytest.mark.parametrize("spec", [nn.Hardswish(), nn.Mish(), nn.PReLU(), nn.Linear(2, 2), torch.relu, None], ids=str)
def test_a_monotone_layer_refuses_what_nothing_is_known_of(spec: object) -> None:
    with pytest.raises(TypeError, match="of whose order nothing is known"):
        SwitchLinear(2, 3, spec)


def test_a_softplus_of_another_sharpness_is_refused() -> None:
    with pytest.raises(ValueError, match="beta = 1"):
        SwitchLinear(2, 3, nn.Softplus(beta=2.0))


def test_a_learned_slope_stays_positive_however_hard_the_data_pull() -> None:
    layer = PReLU(2)
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.05)
    raw, slope = [], []
    for _ in range(40):
        optimiser.zero_grad()
        # only a negative slope could fit |x|
        ((layer(torch.tensor([[-1.0, -2.0]])) - torch.tensor([[1.0, 2.0]])) ** 2).sum().backward()
        optimiser.step()
        raw.append(float(layer.weight.detach().min()))
        slope.append(float(layer.slope.detach().min()))
    assert min(raw) < 0, "the number behind the slope was pulled below zero"
    assert min(slope) >= 0


def test_slopes_are_per_feature() -> None:
    layer = PReLU(2)
    nn.init.constant_(layer.weight[:1], -0.5)
    assert layer(torch.tensor([-2.0, -2.0])).tolist() == [-1.0, -0.5]


@pytest.mark.parametrize(
    "make", [lambda: PReLU(initial=-0.1), lambda: SReLU(slope_left=-1.0), lambda: SReLU(2.0, 0.0, 1.0)]
)
def test_slopes_and_thresholds_that_break_order_are_refused(make: object) -> None:
    with pytest.raises(ValueError, match=r"needs left <= right|parameters >= 0"):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("name", [name for name, row in TABLE.items() if not row.decreases])
def test_reflecting_twice_is_the_activation(name: str) -> None:
    x = torch.linspace(-3.0, 3.0, 31, dtype=torch.float64)
    inner = activation_module(name)
    assert torch.equal(Reflect(Reflect(inner))(x), inner(x))
    assert table_activation(Reflect(Reflect(inner))).reflected is False


def test_reflecting_once_is_another_activation() -> None:
    """Negative control of the test above."""
    x = torch.linspace(-3.0, 3.0, 31)
    assert not torch.equal(Reflect("relu")(x), Pointwise("relu")(x))


def test_the_reflection_of_a_module_and_of_the_table_agree() -> None:
    x = torch.linspace(-3.0, 3.0, 31)
    assert torch.equal(Reflect("celu")(x), Pointwise(Activation("celu", (1.0,), reflected=True))(x))


def test_a_module_without_a_row_has_no_table_activation() -> None:
    with pytest.raises(TypeError, match="the table has no activation for"):
        table_activation(nn.Linear(1, 1))


def test_repr_tells_all_that_is_fixed() -> None:
    assert repr(SReLU()) == "SReLU(srelu, left=-1.0, slope_left=0.0, right=1.0, slope_right=0.25)"
    assert repr(Pointwise(Activation("relu", reflected=True))) == "Pointwise(relu, reflected)"
