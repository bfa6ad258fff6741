"""How far a module falls although its constrained inputs rise, for random inputs and random weights."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


@torch.no_grad()
def shaken(module: nn.Module, scale: float = 1.0) -> nn.Module:
    """Add noise to every weight: a constraint that only initialisation keeps does not survive."""
    for parameter in module.parameters():
        parameter.add_(scale * torch.randn_like(parameter))
    return module


@torch.no_grad()
def relative_fall(module: nn.Module, features: int, raised: Sequence[int]) -> float:
    """Return the largest fall over pairs of rows that rise in some inputs only, divided by the range of the outputs."""
    x = 6 * torch.rand(512, features) - 3
    higher = x.clone()
    higher[:, raised] += torch.rand(512, len(raised))
    below, above = _one_column(module(x)), _one_column(module(higher))
    everything = torch.cat([below, above])
    return float((below - above).max() / (everything.max() - everything.min()))


def _one_column(output: Tensor) -> Tensor:
    return output.reshape(len(output), -1)
