"""From ``Parameters`` to a module and back, without loss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isotone.architecture import Architecture, Parameters
from isotone.nn.layers.constrained import ConstrainedLinear
from isotone.nn.layers.switch import SwitchLinear
from isotone.nn.networks.branches import Branches, Device
from isotone.nn.networks.described import Network
from isotone.nn.networks.monotone import MonotoneMLP
from isotone.nn.networks.partial import PartialMonotoneMLP


def from_parameters(architecture: Architecture, parameters: Parameters, device: Device = None) -> Network:
    """Return the module of an architecture with these numbers, in their precision.

    >>> from isotone.architecture import Numeric
    >>> architecture = Architecture((Numeric(direction=1),), hidden=(4,))
    >>> from_parameters(architecture, architecture.initial(seed=0))(torch.zeros(2, 1)).shape
    torch.Size([2, 1])
    """
    parameters.check(architecture)
    precisions = sorted({str(array.dtype) for array in parameters.values()})
    if len(precisions) != 1 or precisions[0] not in _PRECISIONS:
        raise ValueError(f"parameters share one precision of {sorted(_PRECISIONS)}; got {precisions}.")
    network = Network(architecture, "uniform", device, _PRECISIONS[precisions[0]])
    with torch.no_grad():
        for name, tensors in _tensors(network):
            for tensor, array in zip(tensors, parameters[name], strict=True):
                tensor.copy_(torch.tensor(array))
    return network


def to_parameters(module: Network | PartialMonotoneMLP | MonotoneMLP) -> tuple[Architecture, Parameters]:
    """Return the architecture and the numbers of a network of this package; bfloat16 is widened to float32.

    >>> architecture, parameters = to_parameters(MonotoneMLP(2, hidden=(4,)))
    >>> parameters["trunk.0.weight"].shape
    (1, 4, 2)
    """
    if not isinstance(module, (Network, PartialMonotoneMLP, MonotoneMLP)):
        raise TypeError(
            f"to_parameters takes a Network, PartialMonotoneMLP or MonotoneMLP; got a {type(module).__name__}."
        )
    _check_unchanged(module)
    arrays = {name: np.stack([_array(tensor) for tensor in tensors]) for name, tensors in _tensors(module)}
    return module.architecture, Parameters(arrays).check(module.architecture)


_PRECISIONS = {"float16": torch.float16, "float32": torch.float32, "float64": torch.float64}


def _array(tensor: Tensor) -> NDArray[np.floating]:
    held = tensor.detach().cpu()
    # NumPy has no bfloat16; every bfloat16 is a float32
    array: NDArray[np.floating] = (held.float() if held.dtype == torch.bfloat16 else held).numpy()
    return array


def _members(module: nn.Module) -> list[Branches]:
    """Return the branches of each member."""
    inside = module.members if isinstance(module, Network) else [module.branches]
    return [member for member in inside if isinstance(member, Branches)]


def _tensors(module: Network | PartialMonotoneMLP | MonotoneMLP) -> Iterator[tuple[str, list[Tensor]]]:
    """Yield the names of ``Parameters``, each with one tensor per member."""
    members = [_named(member) for member in _members(module)]
    for name in module.architecture.shapes:
        if name != "cuts":
            yield name, [member[name] for member in members]
    if isinstance(module, Network) and module.cuts is not None:
        yield "cuts", list(module.cuts)


def _named(member: Branches) -> dict[str, Tensor]:
    """Return one member's tensors under the names of ``Parameters``."""
    found: dict[str, Tensor] = {}
    for branch, stack in (("free", member.free), ("trunk", member.trunk)):
        affine = [layer for layer in stack if isinstance(layer, (nn.Linear, ConstrainedLinear, SwitchLinear))]
        for index, layer in enumerate(affine):
            found[f"{branch}.{index}.weight"] = layer.weight
            found |= {} if layer.bias is None else {f"{branch}.{index}.bias": layer.bias}
    return found


def _check_unchanged(module: Network | PartialMonotoneMLP | MonotoneMLP) -> None:
    """Raise unless the layers are those that the architecture describes: a label is not a proof."""
    with torch.device("meta"):
        expected = repr(Branches(module.architecture))
    for member in _members(module):
        if repr(member) != expected:
            raise ValueError(
                f"an Architecture cannot hold this network: its layers are\n{member!r}\nbut the architecture describes"
                f"\n{expected}"
            )
