"""A direction per input: up, down and free, held against data that ask for the opposite."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from isotone.activations import Activation
from isotone.constraints import Signs
from isotone.nn import PartialMonotoneMLP
from tests.nn.networks.training import largest_fall, opposing, train_

SIGNS = (1, 0, -1)
SLACK = 8 * torch.finfo(torch.float32).eps


def trained(**kind: object) -> PartialMonotoneMLP:
    """Return a network trained on targets that fall in column 0 and rise in column 2."""
    torch.manual_seed(0)
    module = PartialMonotoneMLP(SIGNS, hidden=(8, 8), free_hidden=(6,), **kind)
    x, y = opposing(3)
    train_(module, (x * torch.tensor([1.0, 1.0, -1.0]), y))
    return module


@pytest.mark.parametrize("form", ["post", "pre", "constrained"])
@pytest.mark.parametrize("free_activation", ["relu", "gelu"])
def test_constrained_inputs_keep_their_directions(form: str, free_activation: str) -> None:
    module = trained(form=form, free_activation=free_activation)
    assert largest_fall(module, SIGNS) <= SLACK


def test_the_free_input_is_free() -> None:
    """Negative control: the free column does fall, and claiming a direction for it is refuted."""
    assert largest_fall(trained(), (0, 1, 0)) > 0.01


def test_claiming_the_opposite_directions_is_refuted() -> None:
    torch.manual_seed(0)
    fresh = PartialMonotoneMLP(SIGNS, hidden=(8, 8), free_hidden=(6,))
    assert largest_fall(fresh, (-1, 0, 1)) > 0.001


def test_words_numbers_and_the_signs_of_a_table_are_the_same() -> None:
    networks = []
    for signs in (
        ["increasing", 0, "decreasing"],
        SIGNS,
        torch.tensor(SIGNS),
        np.array(SIGNS),
        Signs.parse({"a": 1, "c": -1}, ["a", "b", "c"]),
        SIGNS[::-1],
    ):
        torch.manual_seed(0)
        networks.append(PartialMonotoneMLP(signs, free_hidden=(4,)))
    x = torch.randn(5, 3)
    # the control: other signs are another network
    assert [torch.equal(networks[0](x), other(x)) for other in networks[1:]] == [True, True, True, True, False]


@pytest.mark.parametrize(("signs", "free_hidden"), [((1, 1), (4,)), ((1, 0), ())])
def test_a_free_branch_is_given_exactly_if_an_input_is_free(
    signs: tuple[int, ...], free_hidden: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="free_hidden is given exactly if there are free columns"):
        PartialMonotoneMLP(signs, free_hidden=free_hidden)


def test_a_free_branch_that_is_not_described_is_as_wide_as_the_trunk() -> None:
    widths = {signs: PartialMonotoneMLP(signs, (8, 4)).architecture.free_hidden for signs in ((1, 0), (1, -1), (0, 0))}
    assert widths == {(1, 0): (8,), (1, -1): (), (0, 0): (8,)}
    assert PartialMonotoneMLP([1, 0], hidden=()).architecture.free_hidden == (16,)


def test_a_network_of_free_inputs_alone_runs() -> None:
    assert PartialMonotoneMLP([0, 0], free_hidden=(4,))(torch.ones(3, 2)).shape == (3, 1)


def test_what_decreases_is_refused_in_the_trunk_only() -> None:
    with pytest.raises(ValueError, match="silu cannot keep order: it decreases for x < -1"):
        PartialMonotoneMLP(SIGNS, free_hidden=(4,), activation="silu")


@pytest.mark.parametrize("signs", ["increasing", {"a": 1}, 1, None, torch.tensor(1), np.array(1)])
def test_signs_without_an_order_are_refused(signs: object) -> None:
    with pytest.raises(TypeError, match="signs is a sequence with one direction per input; got"):
        PartialMonotoneMLP(signs)  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [{"hidden": 8}, {"free_hidden": 8}])
def test_one_width_where_several_are_asked_for_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(TypeError, match="hidden is a sequence; got 8"):
        PartialMonotoneMLP([1, 0], **settings)


def test_modules_of_torch_stand_for_activations() -> None:
    network = PartialMonotoneMLP([1, 0], free_hidden=(3,), activation=nn.ELU(0.5), free_activation=nn.GELU())
    assert network.architecture.activation == Activation("elu", (0.5,))
    assert network.architecture.free_activation.name == "gelu"
    with pytest.raises(ValueError, match="gelu cannot keep order"):
        PartialMonotoneMLP([1], activation=nn.GELU())
