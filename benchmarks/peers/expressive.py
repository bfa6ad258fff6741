"""Expressive MNN (Kitouni, Nolte & Williams, 2023) by its authors' package `monotonicnetworks`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import monotonicnetworks
from torch import Tensor, nn

from benchmarks.peers.interface import Choice, LogUniform
from benchmarks.peers.training import EPS, TorchPeer


@dataclass
class Expressive(TorchPeer):
    """A network of slopes at most `lipschitz`, plus `lipschitz` times the sum of the constrained inputs."""

    lipschitz: float = 2.0
    width: int = 32
    layers: int = 2

    name = "expressive"
    # where the network's slope just cancels the added one, two large terms leave the rounding error of both
    slack = 1024 * EPS
    space: ClassVar = {
        "lipschitz": LogUniform(0.5, 16.0),
        "width": Choice((8, 16, 32, 64, 128)),  # even: units are sorted in pairs
        "layers": Choice((1, 2, 3)),
        "learning_rate": LogUniform(3e-4, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }
    packages = ("monotonicnetworks", "torch")

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        features = x.shape[1]
        directions = [1.0] * increasing + [0.0] * (features - increasing)
        # MonotonicWrapper, not SigmaNet: the package calls the latter deprecated, and they are one class
        monotone = monotonicnetworks.MonotonicWrapper(self.bounded(features), self.lipschitz, directions)
        return nn.Sequential(monotone, nn.Flatten(0))

    def bounded(self, features: int) -> nn.Module:
        """Return a network whose slopes are bounded by the product of its layers' constants, which is `lipschitz`."""
        # every layer takes an equal share of the constant; GroupSort has slope one
        share = self.lipschitz ** (1 / (self.layers + 1))
        first = monotonicnetworks.LipschitzLinear(features, self.width, lipschitz_const=share, kind="one-inf")
        hidden = [self.layer(self.width, share) for _ in range(self.layers - 1)]
        modules = [module for layer in [first, *hidden] for module in (layer, self.sort())]
        return nn.Sequential(*modules, self.layer(1, share))

    def layer(self, outputs: int, share: float) -> nn.Module:
        """Return a layer after the first: it bounds slopes in the maximum norm."""
        return monotonicnetworks.LipschitzLinear(self.width, outputs, lipschitz_const=share, kind="inf")

    def sort(self) -> nn.Module:
        """Sort units in pairs; the package's argument counts the groups."""
        return monotonicnetworks.GroupSort(self.width // 2)
