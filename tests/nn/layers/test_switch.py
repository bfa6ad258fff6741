"""The switch layer: its sides, its gradients, and the weights it may have."""

from __future__ import annotations

import pytest
import torch

from isotone.nn import SwitchLinear


@pytest.mark.parametrize("form", ["post", "pre"])
def test_a_positive_weight_and_a_negative_one_bend_to_opposite_sides(form: str) -> None:
    layer = SwitchLinear(1, 2, "relu", form, bias=False)
    layer.load_state_dict({"weight": torch.tensor([[1.0], [-1.0]])})
    outputs = layer(torch.tensor([[-2.0], [0.0], [3.0]]))
    # the convex side keeps what is above zero, the concave side what is below
    assert outputs[:, 0].tolist() == [0.0, 0.0, 3.0]
    assert outputs[:, 1].tolist() == [-2.0, 0.0, 0.0]


@pytest.mark.parametrize("form", ["post", "pre"])
def test_no_weight_gives_a_negative_derivative(form: str) -> None:
    layer = SwitchLinear(5, 4, "tanh", form, dtype=torch.float64)
    for scale in (1e-6, 1.0, 1e3):
        with torch.no_grad():
            layer.weight.normal_(std=scale)
        jacobian = torch.func.vmap(torch.func.jacrev(layer))(torch.randn(50, 5, dtype=torch.float64))
        assert float(jacobian.detach().min()) >= 0


def test_a_plain_layer_has_negative_derivatives() -> None:
    """Negative control: the same measurement on a linear layer."""
    layer = torch.nn.Linear(5, 4)
    jacobian = torch.func.vmap(torch.func.jacrev(layer))(torch.randn(50, 5))
    assert float(jacobian.detach().min()) < 0


def test_device_and_precision_are_those_of_the_caller() -> None:
    layer = SwitchLinear(2, 3, "prelu", device="meta", dtype=torch.float16)
    assert {(str(one.device), one.dtype) for one in layer.parameters()} == {("meta", torch.float16)}


def test_repr_names_what_was_chosen() -> None:
    shown = repr(SwitchLinear(2, 3, "elu", "pre", bias=False))
    assert shown.startswith("SwitchLinear(\n  2, 3, form='pre', bias=False\n")
    assert "Pointwise(elu, alpha=1.0)" in shown


@pytest.mark.parametrize("form", ["middle", "constrained", ""])
def test_an_unknown_form_is_named(form: str) -> None:
    with pytest.raises(ValueError, match=rf"form of a switch is one of \['post', 'pre'\]; got '{form}'"):
        SwitchLinear(1, 1, form=form)
