"""The network that has a direction per input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isotone.activations import Activation
from isotone.architecture import Architecture, Numeric
from isotone.columns import entries
from isotone.constraints import Direction, Signs
from isotone.nn.layers.orient import Orient
from isotone.nn.networks.branches import Branches, Device, describable, named_activation
from isotone.nn.networks.numbers import draw_


class PartialMonotoneMLP(nn.Module):
    """A network that increases in some inputs and decreases in others. Shape: ``(*, d)`` -> ``(*, m)``.

    The remaining, free inputs go through a free branch, whose outputs join the others as inputs of the monotone trunk.

    Args:
        signs: The direction of each input: -1, 0, 1 or a word, or the ``Signs`` of a table.
        hidden: The width of each hidden layer of the trunk.
        free_hidden: The width of each layer of the free branch; None takes one layer as wide as the trunk's first,
            or none if no input is free.
        out_features: ``m``.
        form: ``"post"`` or ``"pre"`` for switches, ``"constrained"`` for weights of one sign.
        activation: The trunk's, which may not decrease. ``"prelu"`` learns its slopes.
        free_activation: The free branch's; here ``"gelu"`` and ``"silu"`` are welcome.
        constraint: For the form constrained: the map ``g`` of the weights.
        weight_sign: For the form constrained: the sign of the weights.
        reflect: For the form constrained: which hidden layers reflect their activation.
        initialisation: ``"uniform"`` as ``nn.Linear``; ``"balanced"`` keeps the variance.

    >>> PartialMonotoneMLP([1, 0, -1], free_activation="silu")(torch.zeros(5, 3)).shape
    torch.Size([5, 1])
    """

    def __init__(
        self,
        signs: Sequence[int | str | Direction] | Signs | Tensor | NDArray[np.integer],
        hidden: Sequence[int] = (16, 16),
        free_hidden: Sequence[int] | None = None,
        out_features: int = 1,
        form: str = "post",
        activation: str | Activation | nn.Module = "relu",
        free_activation: str | Activation | nn.Module = "relu",
        constraint: str = "abs",
        weight_sign: int = 1,
        reflect: Sequence[bool] | None = None,
        initialisation: str = "uniform",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        chosen, held = describable(activation)
        listed = signs.tolist() if isinstance(signs, (Tensor, np.ndarray)) else signs
        if isinstance(listed, (str, Mapping)) or not isinstance(listed, Iterable):
            raise TypeError(f"signs is a sequence with one direction per input; got {signs!r}.")
        widths = entries("hidden", hidden)
        directions = [Direction.parse(sign) for sign in listed]
        self.architecture = Architecture(
            tuple(Numeric(direction=direction) for direction in directions),
            widths,
            _free_widths(directions, widths) if free_hidden is None else entries("free_hidden", free_hidden),
            outputs=out_features,
            form=form,
            activation=held,
            free_activation=named_activation(free_activation),
            constraint=constraint,
            weight_sign=weight_sign,
            reflect=None if reflect is None else entries("reflect", reflect),
        )
        self.orient = Orient(directions, self.architecture.trunk_direction, device)
        self.branches = Branches(self.architecture, chosen, device, dtype)
        draw_(self.architecture, [self.branches], initialisation)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs."""
        scores: Tensor = self.branches(*self.orient(x))
        return scores


def _free_widths(directions: Sequence[Direction], hidden: Sequence[int]) -> tuple[int, ...]:
    """Return the widths of the free branch beside such a trunk, which stands exactly if an input is free."""
    return (tuple(hidden[:1]) or (16,)) if Direction.FREE in directions else ()
