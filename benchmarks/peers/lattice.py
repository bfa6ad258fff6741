"""DLN: calibrators, a linear embedding, lattices on random subsets, projection after each step (You et al., 2017)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from benchmarks.peers.interface import Choice, LogUniform
from benchmarks.peers.training import TorchPeer


def isotonic(values: Tensor) -> Tensor:
    """Project each row onto the nondecreasing ones: largest over starts of the smallest over ends of block means."""
    k = values.shape[1]
    sums = torch.cat([torch.zeros_like(values[:, :1]), values.cumsum(dim=1)], dim=1)
    start, end = torch.arange(k)[:, None], torch.arange(k)[None, :]
    means = (sums[:, None, 1:] - sums[:, :-1, None]) / (end - start + 1).clamp(min=1)
    means = means.masked_fill(end < start, torch.inf)
    smallest = means.flip(2).cummin(dim=2).values.flip(2)
    largest = smallest.masked_fill(end < start, -torch.inf).cummax(dim=1).values.diagonal(dim1=1, dim2=2)
    # rounding in the means may leave a last-place disorder
    return largest.cummax(dim=1).values


class Calibrators(nn.Module):
    """One piecewise-linear map into [0, 1] per column, between fixed knots. Shape: ``(n, d)`` -> ``(n, d)``."""

    def __init__(self, knots: Tensor, rising: Tensor) -> None:
        super().__init__()
        self.register_buffer("knots", knots)
        self.register_buffer("rising", rising)
        spread = (knots[:, -1:] - knots[:, :1]).clamp(min=1e-12)
        self.values = nn.Parameter((knots - knots[:, :1]) / spread)

    def forward(self, x: Tensor) -> Tensor:
        steps = self.knots.diff(dim=1).clamp(min=1e-12)
        # each segment adds its own share of the way: flat beyond the outer knots
        shares = ((x[:, :, None] - self.knots[:, :-1]) / steps).clamp(0.0, 1.0)
        return self.values[:, 0] + (shares * self.values.diff(dim=1)).sum(dim=2)

    @torch.no_grad()
    def project(self) -> None:
        """Make constrained columns nondecreasing and all values lie in [0, 1]."""
        self.values[self.rising] = isotonic(self.values[self.rising])
        self.values.clamp_(0.0, 1.0)


class Embedding(nn.Module):
    """Rising outputs read constrained columns with weights >= 0 and free ones freely; free outputs only the latter.

    Shape: ``(n, d)`` -> ``(n, outputs)``; inputs in [0, 1] give outputs in [-1, 1].
    """

    def __init__(self, rising_inputs: Tensor, rising_outputs: Tensor) -> None:
        super().__init__()
        self.register_buffer("positive", rising_outputs[:, None] & rising_inputs)
        self.register_buffer("absent", ~rising_outputs[:, None] & rising_inputs)
        self.weight = nn.Parameter(torch.randn(len(rising_outputs), len(rising_inputs)))
        self.project()

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.T

    @torch.no_grad()
    def project(self) -> None:
        """Restore the signs and the bound one on every row's absolute sum."""
        self.weight[self.positive] = self.weight[self.positive].clamp(min=0.0)
        self.weight[self.absent] = 0.0
        self.weight /= self.weight.abs().sum(dim=1, keepdim=True).clamp(min=1.0)


class Lattices(nn.Module):
    """Interpolated tables on the corners of unit cubes, each over its own inputs.

    Shape: ``(n, d)`` -> ``(n, lattices)``.
    """

    def __init__(self, inputs: Tensor, rising: Tensor) -> None:
        super().__init__()
        count, rank = inputs.shape
        self.register_buffer("inputs", inputs)
        self.register_buffer("rising", rising[inputs])
        corners = torch.cartesian_prod(*[torch.arange(2.0)] * rank).reshape(-1, rank)
        self.values = nn.Parameter(corners.mean(dim=1) + 0.05 * torch.randn(count, 2**rank))
        self.project()

    def forward(self, x: Tensor) -> Tensor:
        chosen = x[:, self.inputs]
        table = self.values.expand(len(x), -1, -1)
        for k in range(chosen.shape[2]):
            # fold the first remaining input: interpolate between the half tables where it is 0 and where it is 1
            below, above = table.chunk(2, dim=2)
            table = below + chosen[:, :, k, None] * (above - below)
        return table.squeeze(2)

    @torch.no_grad()
    def project(self, sweeps: int = 4) -> None:
        """Average disordered pairs of corners, then settle the rest by a running maximum; values stay in [0, 1]."""
        # NOTE[PAPER]: the paper solves the exact projection by ADMM; a few sweeps come near it, the maximum is feasible
        rank = self.inputs.shape[1]
        for sweep in range(sweeps + 1):
            for k in range(rank):
                self._order(k, settle=sweep == sweeps)
        self.values.clamp_(0.0, 1.0)

    def _order(self, k: int, *, settle: bool) -> None:
        cube = self.values.view(len(self.values), 2**k, 2, -1)
        below, above = cube[:, :, 0], cube[:, :, 1]
        wrong = (below > above) & self.rising[:, k, None, None]
        target = below if settle else (below + above) / 2
        new_below, new_above = torch.where(wrong, target, below), torch.where(wrong, target, above)
        cube[:, :, 0], cube[:, :, 1] = new_below, new_above


class PositiveSum(nn.Module):
    """The last step: a sum with weights >= 0 and a bias. Shape: ``(n, inputs)`` -> ``(n,)``."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((inputs,), 4.0 / inputs))
        self.bias = nn.Parameter(torch.tensor(-2.0))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias

    @torch.no_grad()
    def project(self) -> None:
        self.weight.clamp_(min=0.0)


def quantile_knots(x: Tensor, count: int) -> Tensor:
    """Return knots at the quantiles of each column, shape ``(d, count)``."""
    rows = x[:: max(1, len(x) // 100_000)]
    return torch.quantile(rows, torch.linspace(0, 1, count), dim=0).T.contiguous()


def even_knots(columns: int, low: float, count: int) -> Tensor:
    """Return equally spaced knots from `low` to one, shape ``(columns, count)``."""
    return torch.linspace(low, 1.0, count).repeat(columns, 1)


@dataclass
class Lattice(TorchPeer):
    """The paper's six layers: calibrators, embedding, calibrators, lattices, calibrators, weighted sum."""

    knots: int = 10
    lattices: int = 16
    rank: int = 3
    embedded: int = 16
    learning_rate: float = 1e-2

    name = "lattice"
    space: ClassVar = {
        "knots": Choice((5, 10, 20)),
        "lattices": LogUniform(4, 64, whole=True),
        "rank": Choice((2, 3, 4)),
        "embedded": LogUniform(8, 32, whole=True),
        "learning_rate": LogUniform(1e-3, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }

    def network(self, x: Tensor, increasing: int) -> nn.Module:
        features = x.shape[1]
        rising = torch.arange(features) < increasing
        # as large a share of the embedding rises as of the inputs, at least one of each kind that exists
        share = round(self.embedded * increasing / features)
        most = self.embedded if increasing == features else self.embedded - 1
        embedded = torch.arange(self.embedded) < min(max(share, min(increasing, 1)), most)
        subsets = torch.stack([torch.randperm(self.embedded)[: self.rank] for _ in range(self.lattices)])
        return nn.Sequential(
            Calibrators(quantile_knots(x, self.knots), rising),
            Embedding(rising, embedded),
            Calibrators(even_knots(self.embedded, -1.0, self.knots), embedded),
            Lattices(subsets, embedded),
            Calibrators(even_knots(self.lattices, 0.0, self.knots), torch.ones(self.lattices, dtype=torch.bool)),
            PositiveSum(self.lattices),
        )

    def projection(self, network: nn.Module) -> Callable[[], None]:
        def project() -> None:
            for layer in network.children():
                layer.project()  # type: ignore[operator]  # every layer above has it

        return project
