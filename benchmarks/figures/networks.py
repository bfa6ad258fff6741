"""The networks that the paper compares, all of the same widths, and with PyTorch's default initialisation but one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from torch import Tensor, nn

from isotone.nn import ConstrainedLinear, MonotoneBatchNorm1d, MonotoneMLP, Pointwise, SwitchLinear

# the deviation of places spread evenly over [-10, 10], and nearly that of cos(x) + x there
DEVIATION = 5.8


def unconstrained(hidden: Sequence[int]) -> nn.Sequential:
    """Return an ordinary network with ReLU."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise((1, *hidden)):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(hidden[-1], 1))


def non_negative(hidden: Sequence[int], activation: str, normalised: bool = False) -> nn.Sequential:
    """Return a network with weights ``|W|``; `normalised` standardises the sums before each activation."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise((1, *hidden)):
        norm = [MonotoneBatchNorm1d(outputs)] if normalised else []
        layers += [ConstrainedLinear(inputs, outputs), *norm, Pointwise(activation)]
    return nn.Sequential(*layers, ConstrainedLinear(hidden[-1], 1))


def post_switch(hidden: Sequence[int], activation: str = "relu", normalised: bool = False) -> nn.Sequential:
    """Return the paper's network: an affine layer, then switches that apply the activation to their inputs."""
    layers: list[nn.Module] = [ConstrainedLinear(1, hidden[0])]
    for inputs, outputs in pairwise((*hidden, 1)):
        norm = [MonotoneBatchNorm1d(inputs)] if normalised else []
        layers += [*norm, SwitchLinear(inputs, outputs, activation)]
    return nn.Sequential(*layers)


class Standardised(nn.Module):
    """A network between a division by the data's deviation and a multiplication by it."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, x: Tensor) -> Tensor:
        return self.network(x / DEVIATION) * DEVIATION


def balanced(hidden: Sequence[int]) -> nn.Sequential:
    """Return the post-switch network as the library starts it: standardised data, balanced initialisation."""
    return nn.Sequential(Standardised(MonotoneMLP(1, hidden, initialisation="balanced")))


NETWORKS: dict[str, Callable[[Sequence[int]], nn.Sequential]] = {
    "unconstrained": unconstrained,
    "relu": lambda hidden: non_negative(hidden, "relu"),
    "sigmoid": lambda hidden: non_negative(hidden, "sigmoid"),
    "relu6": lambda hidden: non_negative(hidden, "relu6"),
    "switch": post_switch,
    "balanced": balanced,
    "relu normalised": lambda hidden: non_negative(hidden, "relu", normalised=True),
    "sigmoid normalised": lambda hidden: non_negative(hidden, "sigmoid", normalised=True),
    "relu6 normalised": lambda hidden: non_negative(hidden, "relu6", normalised=True),
    "switch normalised": lambda hidden: post_switch(hidden, normalised=True),
}
