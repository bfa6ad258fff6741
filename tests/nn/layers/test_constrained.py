"""The constrained layer: the sign of its effective weights."""

from __future__ import annotations

import pytest
import torch

from isotone.nn import ConstrainedLinear
from isotone.weights import WEIGHT_MAPS


@pytest.mark.parametrize("constraint", WEIGHT_MAPS)
@pytest.mark.parametrize("sign", [1, -1])
def test_every_derivative_has_the_sign(constraint: str, sign: int) -> None:
    layer = ConstrainedLinear(5, 4, "celu", constraint, sign, dtype=torch.float64)
    torch.nn.init.normal_(layer.weight, std=3.0)
    jacobian = torch.func.vmap(torch.func.jacrev(layer))(torch.randn(50, 5, dtype=torch.float64)).detach()
    assert float((sign * jacobian).min()) >= 0
    assert float((sign * jacobian).max()) > 0.1


def test_training_against_the_constraint_ends_at_it() -> None:
    """The data fall; the best increasing line is flat, and no step of the optimiser goes below."""
    layer = ConstrainedLinear(1, 1)
    x = torch.linspace(-1.0, 1.0, 32)[:, None]
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    slopes = []
    for _ in range(150):
        optimiser.zero_grad()
        ((layer(x) + x) ** 2).mean().backward()
        optimiser.step()
        slopes.append(float((layer(x[-1:]) - layer(x[:1])).detach()))
    assert min(slopes) >= 0
    assert slopes[-1] <= 0.2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"constraint": "cube"}, "constraint is one of .*; got 'cube'"),
        ({"weight_sign": 2}, "weight_sign is 1 or -1; got 2"),
        ({"weight_sign": True}, "weight_sign is 1 or -1; got True"),
        ({"initialisation": "zeros"}, r"initialisation is one of \['uniform', 'balanced'\]; got 'zeros'"),
        ({"initialisation": "balanced", "constraint": "exp"}, "'balanced' is for switches and their affine layer"),
        ({"initialisation": "balanced", "activation": "relu"}, r"got \('relu', 'abs', 1\)"),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConstrainedLinear(1, 1, **settings)
