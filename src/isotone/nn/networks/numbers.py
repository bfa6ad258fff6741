"""Which tensor of a network stands under which name of ``Parameters``, and filling them from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from isotone.architecture import Architecture, Parameters
from isotone.nn.layers.constrained import ConstrainedLinear
from isotone.nn.layers.initialisation import check_initialisation
from isotone.nn.layers.switch import SwitchLinear
from isotone.nn.networks.branches import Branches


def tensors(members: Sequence[Branches], cuts: Tensor | None = None) -> Iterator[tuple[str, list[Tensor]]]:
    """Yield each name of ``Parameters`` with one tensor per member.

    >>> from isotone.architecture import Numeric
    >>> branches = Branches(Architecture((Numeric(direction=1),), hidden=(4,)))
    >>> [name for name, _ in tensors([branches])]
    ['trunk.0.weight', 'trunk.0.bias', 'trunk.1.weight', 'trunk.1.bias']
    """
    named = [_named(member) for member in members]
    for name in named[0]:
        yield name, [member[name] for member in named]
    if cuts is not None:
        yield "cuts", list(cuts)


def fill_(members: Sequence[Branches], cuts: Tensor | None, parameters: Parameters) -> None:
    """Write parameters into the tensors of a network.

    >>> from isotone.architecture import Numeric
    >>> architecture = Architecture((Numeric(direction=1),), hidden=(4,))
    >>> branches, parameters = Branches(architecture), architecture.initial(seed=0)
    >>> fill_([branches], None, parameters)
    >>> bool((branches.trunk[0].weight.detach().numpy() == parameters["trunk.0.weight"][0]).all())
    True
    """
    with torch.no_grad():
        for name, held in tensors(members, cuts):
            for tensor, array in zip(held, parameters[name], strict=True):
                tensor.copy_(torch.tensor(array, device=tensor.device))


def draw_(architecture: Architecture, members: Sequence[Branches], initialisation: str) -> None:
    """Draw the numbers of a fresh network in a scheme other than that of its layers.

    >>> from isotone.architecture import Numeric
    >>> architecture = Architecture((Numeric(direction=1),), hidden=(4,))
    >>> draw_(architecture, [Branches(architecture)], "balanced")
    """
    if check_initialisation(initialisation) != "uniform":
        # from PyTorch's stream, so that torch.manual_seed fixes it
        seed = int(torch.randint(2**62, (), device="cpu"))
        fill_(members, None, architecture.initial(seed, "float64", initialisation))


def _named(member: Branches) -> dict[str, Tensor]:
    """Return one member's tensors under the names of ``Parameters``."""
    found: dict[str, Tensor] = {}
    for branch, stack in (("free", member.free), ("trunk", member.trunk)):
        affine = [layer for layer in stack if isinstance(layer, (nn.Linear, ConstrainedLinear, SwitchLinear))]
        for index, layer in enumerate(affine):
            found[f"{branch}.{index}.weight"] = layer.weight
            found |= {} if layer.bias is None else {f"{branch}.{index}.bias": layer.bias}
    return found
