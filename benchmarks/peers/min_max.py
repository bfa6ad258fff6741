"""Min-Max Net (Sill, 1997; Daniels & Velikova, 2010): a minimum over groups of a maximum over planes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from benchmarks.peers.interface import Choice, LogUniform
from benchmarks.peers.training import TorchPeer


class MinMaxNetwork(nn.Module):
    """Planes whose slopes are positive in the constrained inputs and free in the others (the partial extension).

    Shape: ``(n, features)`` -> ``(n,)``.
    """

    def __init__(self, features: int, increasing: int, groups: int, planes: int) -> None:
        super().__init__()
        self.shape = (groups, planes)
        count = groups * planes
        self.increasing = increasing
        self.log_slopes = nn.Parameter(torch.randn(increasing, count) - 2.0)
        self.slopes = nn.Parameter(torch.randn(features - increasing, count) / features**0.5)
        self.heights = nn.Parameter(torch.randn(count) * 0.5)

    def forward(self, x: Tensor) -> Tensor:
        constrained, free = x[:, : self.increasing], x[:, self.increasing :]
        planes = constrained @ self.log_slopes.exp() + free @ self.slopes + self.heights
        return planes.unflatten(1, self.shape).amax(dim=2).amin(dim=1)


@dataclass
class MinMax(TorchPeer):
    """Positive slopes by the exponential, as Sill has them.

    NOTE[PAPER]: trained by Adam with early stopping; the papers use plain gradient descent and Levenberg-Marquardt.
    """

    groups: int = 8
    planes: int = 8

    name = "min_max"
    space: ClassVar = {
        "groups": Choice((4, 8, 16)),
        "planes": Choice((4, 8, 16)),
        "learning_rate": LogUniform(3e-4, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        return MinMaxNetwork(x.shape[1], increasing, self.groups, self.planes)
