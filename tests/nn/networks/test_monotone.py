"""The monotone network keeps order when it is trained on data that ask for the opposite."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from isotone.nn import MonotoneMLP
from tests.nn.networks.training import largest_fall, opposing, train_

KINDS = {
    "post": {},
    "pre": {"form": "pre"},
    "prelu": {"activation": "prelu"},
    "balanced": {"initialisation": "balanced", "activation": "celu"},
    "constrained": {"form": "constrained"},
    "odd-non-positive": {"form": "constrained", "weight_sign": -1, "constraint": "softplus"},
}
# rows of one call are summed alike; eight roundings of the largest output are what another order may cost
SLACK = 8 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_data_that_fall_do_not_make_it_fall(kind: dict[str, object]) -> None:
    torch.manual_seed(0)
    module = MonotoneMLP(2, hidden=(8, 8), **kind)
    before = [one.detach().clone() for one in module.parameters()]
    train_(module, opposing(2))
    assert any(not torch.equal(one, other) for one, other in zip(before, module.parameters(), strict=True))
    assert largest_fall(module, (1, 1)) <= SLACK


def test_a_plain_network_falls() -> None:
    """Negative control: without the constraint the same data make a network that falls."""
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    train_(plain, opposing(2))
    assert largest_fall(plain, (1, 1)) > 0.01


def test_it_fits_a_step_that_no_convex_network_can() -> None:
    """The point of the switch: non-negative ReLU weights alone cannot bend both ways."""
    x = torch.linspace(-2.0, 2.0, 128)[:, None]
    data = (x, torch.tanh(4.0 * x))
    torch.manual_seed(0)
    switch = train_(MonotoneMLP(1, hidden=(8, 8), activation="relu", initialisation="balanced"), data, 300)
    torch.manual_seed(0)
    convex = train_(MonotoneMLP(1, hidden=(8, 8), form="constrained", reflect=(False, False)), data, 300)
    assert switch < 0.01
    assert convex > 0.05


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hidden": (0,)}, r"sizes are integers of at least 1; got {'hidden\[0\]': 0}"),
        ({"hidden": (2.0,)}, r"got {'hidden\[0\]': 2.0}"),
        ({"out_features": 0}, "got {'outputs': 0}"),
        ({"in_features": 2.5}, r"sizes of a layer are whole numbers.*; got {'in_features': 2.5}"),
        ({"in_features": -1}, "got {'in_features': -1}"),
        ({"in_features": True}, "got {'in_features': True}"),
    ],
)
def test_sizes_are_checked(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MonotoneMLP(**({"in_features": 2} | settings))


@pytest.mark.parametrize("settings", [{"hidden": 8}, {"form": "constrained", "reflect": True}])
def test_one_thing_where_several_are_asked_for_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="is a sequence; got"):
        MonotoneMLP(2, **settings)


@pytest.mark.parametrize("name", ["gelu", "silu"])
def test_an_activation_that_decreases_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} cannot keep order"):
        MonotoneMLP(2, activation=name)
