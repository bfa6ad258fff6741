"""A multilayer perceptron that ignores the signs: what the constraint costs, and the tests' negative control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from benchmarks.peers.interface import Choice, LogUniform
from benchmarks.peers.training import TorchPeer, free_branch


@dataclass
class Unconstrained(TorchPeer):
    """ReLU network."""

    width: int = 32
    layers: int = 2

    name = "unconstrained"
    monotone = False
    slack = 0.0
    space: ClassVar = {
        "width": LogUniform(8, 128, whole=True),
        "layers": Choice((1, 2, 3)),
        "learning_rate": LogUniform(3e-4, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        hidden = free_branch(x.shape[1], self.width, self.layers)
        return nn.Sequential(*hidden, nn.Linear(self.width, 1), nn.Flatten(0))
