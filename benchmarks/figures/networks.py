"""The networks that the paper compares, all of the same widths and with PyTorch's default initialisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from torch import nn

from isotone.nn import ConstrainedLinear, MonotoneBatchNorm1d, Pointwise, SwitchLinear


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


NETWORKS: dict[str, Callable[[Sequence[int]], nn.Sequential]] = {
    "unconstrained": unconstrained,
    "relu": lambda hidden: non_negative(hidden, "relu"),
    "sigmoid": lambda hidden: non_negative(hidden, "sigmoid"),
    "relu6": lambda hidden: non_negative(hidden, "relu6"),
    "switch": post_switch,
    "relu normalised": lambda hidden: non_negative(hidden, "relu", normalised=True),
    "sigmoid normalised": lambda hidden: non_negative(hidden, "sigmoid", normalised=True),
    "relu6 normalised": lambda hidden: non_negative(hidden, "relu6", normalised=True),
    "switch normalised": lambda hidden: post_switch(hidden, normalised=True),
}
