"""The network that never decreases in any of its inputs."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from isotone.activations import Activation
from isotone.architecture import Architecture, Numeric
from isotone.columns import entries
from isotone.constraints import Direction
from isotone.nn import functional as F
from isotone.nn.networks.branches import Branches, Device, describable
from isotone.nn.networks.numbers import draw_


class MonotoneMLP(nn.Module):
    """A network that never decreases in any input. Shape: ``(*, d)`` -> ``(*, m)``.

    Args:
        in_features: ``d``.
        hidden: The width of each hidden layer.
        out_features: ``m``.
        form: ``"post"`` or ``"pre"`` for switches, ``"constrained"`` for weights of one sign.
        activation: A name of the table, an ``Activation`` or a module of one; it may not decrease. ``"prelu"`` learns
            its slopes.
        constraint: For the form constrained: the map ``g`` of the weights.
        weight_sign: For the form constrained: the sign of the weights.
        reflect: For the form constrained: which hidden layers reflect their activation; by default every other one,
            or none where the weights are not positive.
        initialisation: ``"uniform"`` as ``nn.Linear``; ``"balanced"`` keeps the variance.

    >>> MonotoneMLP(3, hidden=(8, 8))(torch.zeros(5, 3)).shape
    torch.Size([5, 1])
    """

    def __init__(
        self,
        in_features: int,
        hidden: Sequence[int] = (16, 16),
        out_features: int = 1,
        form: str = "post",
        activation: str | Activation | nn.Module = "relu",
        constraint: str = "abs",
        weight_sign: int = 1,
        reflect: Sequence[bool] | None = None,
        initialisation: str = "uniform",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        F.check_sizes(in_features=in_features)
        chosen, held = describable(activation)
        self.architecture = Architecture(
            (Numeric(direction=Direction.INCREASING),) * in_features,
            entries("hidden", hidden),
            outputs=out_features,
            form=form,
            activation=held,
            constraint=constraint,
            weight_sign=weight_sign,
            reflect=None if reflect is None else entries("reflect", reflect),
        )
        self.decreasing_trunk = self.architecture.trunk_direction == -1
        self.branches = Branches(self.architecture, chosen, device, dtype)
        draw_(self.architecture, [self.branches], initialisation)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs."""
        scores: Tensor = self.branches.trunk(-x if self.decreasing_trunk else x)
        return scores
