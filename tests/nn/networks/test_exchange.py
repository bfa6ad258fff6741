"""From Parameters to a module and back: the same bits, or a clear error."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from isotone import reference
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.nn import MonotoneMLP, Network, PartialMonotoneMLP, PReLU, from_parameters, to_parameters
from tests.nn.networks.test_described import KINDS, numbers


def bits(parameters: Parameters) -> dict[str, bytes]:
    """Return names, precisions, shapes and bits, in a form that tells -0.0 from 0.0."""
    return {name: f"{a.dtype}{a.shape}".encode() + np.ascontiguousarray(a).tobytes() for name, a in parameters.items()}


@pytest.mark.parametrize("precision", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", KINDS)
def test_the_way_there_and_back_changes_no_bit(name: str, precision: str, rng: np.random.Generator) -> None:
    network = KINDS[name]
    parameters = numbers(network, rng).astype(precision)
    parameters["trunk.0.weight"][0, 0, 0] = -0.0
    architecture, returned = to_parameters(from_parameters(network, parameters))
    assert architecture == network
    assert returned.names == parameters.names
    assert bits(returned) == bits(parameters)


def test_a_changed_bit_is_noticed(rng: np.random.Generator) -> None:
    """Negative control: the smallest change there is."""
    network = KINDS["members"]
    parameters = numbers(network, rng)
    module = from_parameters(network, parameters)
    with torch.no_grad():
        last = module.branches[-1].trunk[-1].bias
        last[0] = torch.nextafter(last[0], last[0] + 1)
    assert bits(to_parameters(module)[1]) != bits(parameters)


def test_a_module_does_not_share_memory_with_its_parameters(rng: np.random.Generator) -> None:
    network = KINDS["members"]
    parameters = numbers(network, rng)
    before = bits(parameters)
    module = from_parameters(network, parameters)
    _, returned = to_parameters(module)
    with torch.no_grad():
        for tensor in module.parameters():
            tensor.zero_()
    assert bits(parameters) == before
    assert bits(returned) == before


@pytest.mark.parametrize(
    "module",
    [
        MonotoneMLP(4, hidden=(5, 4), form="pre"),
        MonotoneMLP(4, hidden=(5, 4), form="constrained", weight_sign=-1),
        PartialMonotoneMLP([1, 0, -1, 0], hidden=(5, 4), free_hidden=(3,), free_activation="silu"),
        PartialMonotoneMLP([1, 0, -1, 0], hidden=(5, 4), free_hidden=(3,), form="constrained", weight_sign=-1),
    ],
    ids=lambda module: type(module).__name__,
)
def test_a_network_built_by_hand_is_what_its_parameters_say(module: nn.Module) -> None:
    module = module.double()
    x = torch.randn(20, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    architecture, parameters = to_parameters(module)
    truth = reference.predict(architecture, parameters, x.numpy())
    # sums of at most five terms in another order, through three layers
    close = 32 * np.finfo(np.float64).eps * np.abs(truth).max()
    assert float(np.abs(module(x).detach().numpy() - truth).max()) <= close
    assert float((from_parameters(architecture, parameters)(x) - module(x)).abs().max().detach()) <= close


def test_bfloat16_is_widened() -> None:
    module = MonotoneMLP(2, hidden=(3,), dtype=torch.bfloat16)
    _, parameters = to_parameters(module)
    assert parameters["trunk.0.weight"].dtype == np.float32
    assert torch.equal(torch.tensor(parameters["trunk.0.weight"][0]), module.branches.trunk[0].weight.detach().float())


def test_a_learned_slope_has_no_place_in_an_architecture() -> None:
    with pytest.raises(ValueError, match=r"an Architecture cannot hold this network: its layers are[\s\S]*PReLU"):
        to_parameters(MonotoneMLP(2, activation="prelu"))


@pytest.mark.parametrize("change", ["activation", "layer", "form"])
def test_layers_changed_by_hand_are_noticed(change: str) -> None:
    module = Network(Architecture((Numeric(direction=1),), hidden=(4, 4)))
    trunk = module.branches[0].trunk
    if change == "activation":
        trunk[1].activation = PReLU()
    elif change == "layer":
        trunk[2] = nn.Linear(4, 1)
    else:
        trunk[1].form = "pre"
    with pytest.raises(ValueError, match="an Architecture cannot hold this network"):
        to_parameters(module)


def test_numbers_that_are_not_finite_are_refused() -> None:
    module = MonotoneMLP(2, hidden=(3,))
    nn.init.constant_(module.branches.trunk[0].bias, float("nan"))
    with pytest.raises(ValueError, match=r"parameters must be finite, but \['trunk.0.bias'\]"):
        to_parameters(module)


def test_another_kind_of_module_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a Network, PartialMonotoneMLP or MonotoneMLP; got a Linear"):
        to_parameters(nn.Linear(2, 2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: {**a, "trunk.0.bias": a["trunk.0.bias"].astype("float32")}, r"got \['float32', 'float64'\]"),
        (lambda a: {**a, "trunk.0.bias": a["trunk.0.bias"][:, :1]}, "do not fit the architecture: wrong"),
        (lambda a: {name: array for name, array in a.items() if name != "trunk.0.bias"}, r"absent \['trunk.0.bias'\]"),
    ],
    ids=["mixed", "shape", "absent"],
)
def test_parameters_that_do_not_fit_are_named(change: object, message: str) -> None:
    network = Architecture((Numeric(direction=1),), hidden=(4,))
    arrays = dict(network.initial(0, np.float64))
    with pytest.raises(ValueError, match=message):
        from_parameters(network, Parameters(change(arrays)))  # type: ignore[operator]


def test_whole_numbers_are_no_parameters() -> None:
    network = Architecture((Numeric(direction=1),), hidden=(4,))
    whole = {name: np.ones(shape, np.int64) for name, shape in network.shapes.items()}
    with pytest.raises(TypeError, match="arrays of a floating-point dtype; got"):
        from_parameters(network, Parameters(whole))
