"""Non-Neg-DNN: non-negative weights and sigmoids (Archer & Wang, 1993; Daniels & Velikova, 2010)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.peers.interface import Choice, LogUniform
from benchmarks.peers.training import TorchPeer, partial


class NonNegativeLinear(nn.Module):
    """An affine map with weights |W|. Shape: ``(n, inputs)`` -> ``(n, outputs)``."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        # the mean of |normal| is .8 of its deviation: sums of inputs in [0, 1] stay of order one
        self.weight = nn.Parameter(torch.randn(outputs, inputs) * (2.0 / inputs**0.5))
        self.bias = nn.Parameter(-0.5 * self.weight.detach().abs().sum(dim=1))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.weight.abs(), self.bias)


@dataclass
class NonNegative(TorchPeer):
    """Sigmoid units under |W|, with an unconstrained branch for the free columns."""

    width: int = 32
    layers: int = 2
    free_width: int = 16

    name = "non_negative"
    space: ClassVar = {
        "width": LogUniform(8, 64, whole=True),
        "layers": Choice((1, 2, 3)),
        "learning_rate": LogUniform(3e-4, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        # NOTE[PAPER]: the tables that quote this baseline do not say how free columns enter; here by a ReLU branch
        return partial(x, increasing, self.free_width, 2, self.trunk)

    def trunk(self, inputs: int) -> nn.Module:
        """Alternate non-negative maps and sigmoids; the last map has no sigmoid."""
        sizes = [inputs, *[self.width] * self.layers]
        pairs = [(NonNegativeLinear(a, b), nn.Sigmoid()) for a, b in pairwise(sizes)]
        return nn.Sequential(*[module for pair in pairs for module in pair], NonNegativeLinear(self.width, 1))
