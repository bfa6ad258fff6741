"""The function of the paper's comparison, cos(x) + x, and how a network is trained on it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from benchmarks.figures.networks import NETWORKS

EDGE = 10.0
POINTS = 128


def data() -> tuple[Tensor, Tensor]:
    """Return 128 places on [-10, 10] and the function there. Shapes: ``(128, 1)`` twice."""
    x = torch.linspace(-EDGE, EDGE, POINTS)[:, None]
    return x, torch.cos(x) + x


@dataclass(frozen=True)
class Trained:
    """A trained network and its mean squared error before every step."""

    network: nn.Sequential
    losses: list[float]

    def curve(self) -> list[float]:
        """Return what it says on the data, in evaluation mode."""
        self.network.eval()
        with torch.no_grad():
            said: list[float] = self.network(data()[0])[:, 0].tolist()
        return said


def train(name: str, hidden: tuple[int, ...], seed: int, steps: int, rate: float = 1e-3) -> Trained:
    """Train with Adam on all points at once, on the mean squared error."""
    torch.manual_seed(seed)
    network, (x, y) = NETWORKS[name](hidden), data()
    optimiser = torch.optim.Adam(network.parameters(), lr=rate)
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        loss = (network(x) - y).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    return Trained(network, losses)


def error(curve: list[float]) -> float:
    """Return the mean squared error of a curve on the data."""
    return float((torch.tensor(curve) - data()[1][:, 0]).square().mean())
