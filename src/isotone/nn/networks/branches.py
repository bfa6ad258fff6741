"""The two stacks every network is made of: a free branch, and the monotone trunk it joins."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import torch
from torch import Tensor, nn

from isotone.activations import Activation
from isotone.activations import activation as find_activation
from isotone.architecture import Architecture
from isotone.nn.layers.activation import activation_module, table_activation
from isotone.nn.layers.constrained import ConstrainedLinear
from isotone.nn.layers.switch import SwitchLinear

Device = torch.device | str | None


class Branches(nn.Module):
    """A free branch whose outputs join the monotone inputs of a trunk. Shape: ``(*, f)``, ``(*, c)`` -> ``(*, m)``.

    Args:
        architecture: Sizes, form and activations.
        activation: The trunk's activation, if it is one that learns, which an ``Architecture`` cannot hold.

    >>> from isotone.architecture import Numeric
    >>> branches = Branches(Architecture((Numeric(direction=1), Numeric()), free_hidden=(3,)))
    >>> branches(torch.zeros(5, 1), torch.zeros(5, 1)).shape
    torch.Size([5, 1])
    """

    def __init__(
        self,
        architecture: Architecture,
        activation: Activation | None = None,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.free = free_stack(architecture, device, dtype)
        self.trunk = monotone_stack(architecture, activation, device, dtype)

    def forward(self, free: Tensor, constrained: Tensor) -> Tensor:
        """Return the scores of the trunk."""
        joined = torch.cat([constrained, self.free(free)], dim=-1) if len(self.free) else constrained
        scores: Tensor = self.trunk(joined)
        return scores


def named_activation(spec: str | Activation | nn.Module) -> Activation:
    """Return the activation of the table that a name, an ``Activation`` or a module stands for.

    >>> named_activation(nn.ELU(0.5)).parameters
    (0.5,)
    """
    if isinstance(spec, nn.Module):
        return table_activation(activation_module(spec, monotone=False))
    return find_activation(spec)


def describable(activation: str | Activation | nn.Module) -> tuple[Activation, Activation]:
    """Return the activation, and what an ``Architecture`` holds in its place: for a learned slope, a fixed one.

    >>> describable("prelu")[1].name
    'leaky_relu'
    """
    chosen = named_activation(activation)
    return chosen, replace(chosen, name="leaky_relu") if chosen.row.learnable else chosen


def free_stack(architecture: Architecture, device: Device = None, dtype: torch.dtype | None = None) -> nn.Sequential:
    """Return the free branch: linear layers, each followed by the free activation; empty without free inputs.

    >>> from isotone.architecture import Numeric
    >>> len(free_stack(Architecture((Numeric(direction=1),))))
    0
    """
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise((architecture.free_components, *architecture.free_hidden)):
        layers.append(nn.Linear(inputs, outputs, device=device, dtype=dtype))
        layers.append(activation_module(architecture.free_activation, monotone=False))
    return nn.Sequential(*layers)


def monotone_stack(
    architecture: Architecture,
    activation: Activation | None = None,
    device: Device = None,
    dtype: torch.dtype | None = None,
) -> nn.Sequential:
    """Return the trunk, with the affine end layer that its form has.

    >>> from isotone.architecture import Numeric
    >>> [type(layer).__name__ for layer in monotone_stack(Architecture((Numeric(direction=1),)))]
    ['ConstrainedLinear', 'SwitchLinear', 'SwitchLinear']
    """
    chosen = activation or architecture.activation
    flags = architecture.reflect or (False,) * len(architecture.hidden)
    activations = [chosen.reflection if flag else chosen for flag in flags]
    widths = (architecture.shapes["trunk.0.weight"][2], *architecture.hidden, architecture.outputs)
    layers: list[nn.Module] = []
    for index, (inputs, outputs) in enumerate(pairwise(widths)):
        switched = _switched(architecture.form, index, activations)
        if switched is not None:
            layers.append(SwitchLinear(inputs, outputs, switched, architecture.form, device=device, dtype=dtype))
        else:
            own = activations[index] if architecture.form == "constrained" and index < len(activations) else "identity"
            kind = (own, architecture.constraint, architecture.weight_sign)
            layers.append(ConstrainedLinear(inputs, outputs, *kind, device=device, dtype=dtype))
    return nn.Sequential(*layers)


def _switched(form: str, index: int, activations: list[Activation]) -> Activation | None:
    """Return the activation of a layer if it is a switch, else None."""
    if form == "post" and index > 0:
        return activations[index - 1]
    if form == "pre" and index < len(activations):
        return activations[index]
    return None
