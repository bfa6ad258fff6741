"""A short training run against the constraint, and how far a trained module falls."""

from __future__ import annotations

import torch
from torch import nn

Pair = tuple[torch.Tensor, torch.Tensor]


def opposing(columns: int, rows: int = 64) -> Pair:
    """Return rows, and targets that fall steeply in every column."""
    x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(7))
    return x, -2.0 * x.sum(dim=1, keepdim=True) + torch.sin(3.0 * x).sum(dim=1, keepdim=True)


def train_(module: nn.Module, data: Pair, steps: int = 60) -> float:
    """Fit a module to data and return its last loss."""
    optimiser = torch.optim.Adam(module.parameters(), lr=0.02)
    for _ in range(steps):
        optimiser.zero_grad()
        loss = nn.functional.mse_loss(module(data[0]), data[1])
        loss.backward()
        optimiser.step()
    return float(loss.detach())


def largest_fall(module: nn.Module, signs: tuple[int, ...], dtype: torch.dtype = torch.float32) -> float:
    """Return the largest step against a direction along 30 ladders of one call, relative to the largest output."""
    stream = torch.Generator().manual_seed(11)
    falls = []
    for column, sign in enumerate(signs):
        rows = torch.randn(30, 1, len(signs), generator=stream).repeat(1, 50, 1)
        rows[..., column] = torch.sort(3.0 * torch.randn(30, 50, generator=stream), dim=1).values
        with torch.no_grad():
            outputs = module(rows.to(dtype)).double()
        falls.append(float((-sign * torch.diff(outputs, dim=1)).max() / outputs.abs().max()) if sign else 0.0)
    return max(falls)
