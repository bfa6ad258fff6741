"""From ``Parameters`` to a module and back, without loss."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isotone.architecture import Architecture, Parameters
from isotone.nn.networks.branches import Branches, Device
from isotone.nn.networks.described import Network
from isotone.nn.networks.monotone import MonotoneMLP
from isotone.nn.networks.numbers import fill_, tensors
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
    fill_(network.branches, network.cuts, parameters)
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
    arrays = {name: np.stack([_array(tensor) for tensor in held]) for name, held in tensors(*_parts(module))}
    return module.architecture, Parameters(arrays).check(module.architecture)


_PRECISIONS = {"float16": torch.float16, "float32": torch.float32, "float64": torch.float64}


def _array(tensor: Tensor) -> NDArray[np.floating]:
    held = tensor.detach().cpu()
    # NumPy has no bfloat16; every bfloat16 is a float32
    array: NDArray[np.floating] = (held.float() if held.dtype == torch.bfloat16 else held).numpy()
    return array


def _parts(module: Network | PartialMonotoneMLP | MonotoneMLP) -> tuple[list[Branches], Tensor | None]:
    """Return each member's branches, and the cuts if there are any."""
    return (module.branches, module.cuts) if isinstance(module, Network) else ([module.branches], None)


def _check_unchanged(module: Network | PartialMonotoneMLP | MonotoneMLP) -> None:
    """Raise unless the layers are those that the architecture describes: a label is not a proof."""
    with torch.device("meta"):
        expected = repr(Branches(module.architecture))
    for member in _parts(module)[0]:
        if repr(member) != expected:
            raise ValueError(
                f"an Architecture cannot hold this network: its layers are\n{member!r}\nbut the architecture describes"
                f"\n{expected}"
            )
