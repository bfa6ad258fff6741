"""Scalable MNN (Kim & Lee, 2024): exponentiated, ReLU and confluence units in every hidden layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.peers.interface import Choice, LogUniform
from benchmarks.peers.training import TorchPeer


class ExponentiatedLinear(nn.Module):
    """An affine map with weights exp(W). Shape: ``(n, inputs)`` -> ``(n, outputs)``."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        # NOTE[PAPER]: the authors draw W widely, most weights near zero and a few large; ours average to 1 / inputs,
        # so that the sum keeps its size at any width
        self.log_weight = nn.Parameter(torch.randn(outputs, inputs) - torch.tensor(float(inputs)).log() - 0.5)
        self.bias = nn.Parameter(0.5 * torch.randn(outputs))

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.log_weight.exp(), self.bias)


def clipped(x: Tensor, leak: float = 0.01) -> Tensor:
    """Apply ReLU-n with n = 1 and a small slope outside, which the authors' code has and their formula has not."""
    # NOTE[PAPER]: the leak; without it units that start outside [0, 1] never learn
    return (1 - leak) * x.clamp(0.0, 1.0) + leak * x


class ScalableLayer(nn.Module):
    """One hidden layer. Constrained signals meet the free ones only through the confluence units."""

    def __init__(self, constrained: int, free: int, width: int) -> None:
        super().__init__()
        self.exponentiated = ExponentiatedLinear(constrained, width)
        self.confluence = nn.Linear(free, width) if free else None
        self.relu = nn.Linear(free, width) if free else None

    def forward(self, constrained: Tensor, free: Tensor) -> tuple[Tensor, Tensor]:
        rising = clipped(self.exponentiated(constrained))
        if self.confluence is None or self.relu is None:
            return rising, free
        return torch.cat([rising, clipped(self.confluence(free))], dim=1), self.relu(free).relu()


class ScalableNetwork(nn.Module):
    """Scalable layers and an output with weights exp(W) on all but the ReLU units. Shape: ``(n, d)`` -> ``(n,)``."""

    def __init__(self, increasing: int, free: int, width: int, layers: int) -> None:
        super().__init__()
        self.increasing = increasing
        joined = width * (2 if free else 1)
        rising_sizes = [increasing, *[joined] * layers]
        free_sizes = [free, *[width if free else 0] * layers]
        self.layers = nn.ModuleList(ScalableLayer(rising_sizes[k], free_sizes[k], width) for k in range(layers))
        self.rising = ExponentiatedLinear(joined, 1)
        # NOTE[PAPER]: free weights on the ReLU units, which see no constrained input
        self.free = nn.Linear(width, 1, bias=False) if free else None

    def forward(self, x: Tensor) -> Tensor:
        rising, free = x[:, : self.increasing], x[:, self.increasing :]
        for layer in self.layers:
            rising, free = layer(rising, free)
        output = self.rising(rising) if self.free is None else self.rising(rising) + self.free(free)
        return output.squeeze(1)


@dataclass
class Scalable(TorchPeer):
    """Scalable monotone network; all three kinds of units are equally many."""

    width: int = 32
    layers: int = 2

    name = "scalable"
    space: ClassVar = {
        "width": LogUniform(8, 64, whole=True),
        "layers": Choice((1, 2, 3)),
        "learning_rate": LogUniform(3e-4, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        return ScalableNetwork(increasing, x.shape[1] - increasing, self.width, self.layers)
