"""Constrained MNN (Runje & Shankaranarayana, 2023) by its author's package `mononet`, in its absolute mode."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from mononet.torch import MonoLinear
from torch import Tensor, nn

from benchmarks.peers.interface import Choice, LogUniform, Uniform
from benchmarks.peers.training import TorchPeer, partial

SPACE = {
    "width": LogUniform(8, 64, whole=True),
    "layers": Choice((1, 2, 3)),
    "activation": Choice(("elu", "relu", "softplus")),
    "free_width": LogUniform(4, 32, whole=True),
    "learning_rate": LogUniform(3e-4, 3e-2),
    "batch_size": Choice((8, 32, 128)),
}


@dataclass
class ConstrainedMNN(TorchPeer):
    """Weights |W|; a fraction of the units has the convex activation, the rest its point reflection.

    NOTE[PAPER]: the paper splits the units into convex, concave and saturated ones; the package has no saturated ones.
    NOTE[PAPER]: the paper gives free columns weights of either sign in the first layer (its types 1 and 2); the
    package's guide sends them through a small network of their own, and so do we.
    """

    width: int = 32
    layers: int = 2
    activation: str = "elu"
    convex_fraction: float = 0.5
    free_width: int = 16

    name = "constrained_mnn"
    mode: ClassVar[Literal["absolute", "switch"]] = "absolute"
    space: ClassVar = {**SPACE, "convex_fraction": Uniform(0.25, 0.75)}
    packages = ("mononet", "torch")

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        return partial(x, increasing, self.free_width, 2, self.trunk)

    def trunk(self, inputs: int) -> nn.Module:
        """Stack the package's layers; the last one is affine with its bias."""
        sizes = [inputs, *[self.width] * self.layers]
        hidden = [self.layer(before, after) for before, after in pairwise(sizes)]
        # absolute in both modes: without an activation the two terms of the switch cancel the bias
        return nn.Sequential(*hidden, MonoLinear(self.width, 1, mode="absolute"))

    def layer(self, before: int, after: int) -> nn.Module:
        """Return one hidden layer."""
        return MonoLinear(
            before, after, mode=self.mode, activation=self.activation, convex_fraction=self.convex_fraction
        )
