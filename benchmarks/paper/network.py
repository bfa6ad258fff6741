"""The network of the paper's notebooks, in PyTorch as its authors wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.paper.protocol import Recipe


class SwitchLinear(nn.Linear):
    """The post-activation switch; shape ``(n, in_features)`` -> ``(n, out_features)``; PyTorch's own initialisation."""

    def __init__(self, in_features: int, out_features: int, activation: nn.Module) -> None:
        super().__init__(in_features, out_features)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        # NOTE[PAPER]: the formula has the bias once; here each of the two terms adds it
        rising = functional.linear(self.activation(x), self.weight.clamp(min=0), self.bias)
        falling = functional.linear(self.activation(-x), self.weight.clamp(max=0), self.bias)
        return rising + falling


class PaperNetwork(nn.Module):
    """A free branch that joins the signed columns, and a monotone trunk over both; shape ``(n, d)`` -> ``(n,)``."""

    def __init__(self, signs: Sequence[int], recipe: Recipe) -> None:
        super().__init__()
        self.register_buffer("signs", torch.tensor(signs, dtype=torch.float32))
        constrained = sum(sign != 0 for sign in signs)
        self.free = nn.Sequential(*_free_layers(len(signs) - constrained, recipe))
        self.trunk = nn.Sequential(*_trunk_layers(constrained, recipe))

    def forward(self, x: Tensor) -> Tensor:
        constrained = self.signs != 0
        rising = (x * self.signs)[:, constrained]
        return self.trunk(torch.cat([rising, self.free(x[:, ~constrained])], dim=1)).squeeze(1)


def _free_layers(columns: int, recipe: Recipe) -> Sequence[nn.Module]:
    widths = [columns] + [recipe.free_width] * recipe.free_depth
    activation = getattr(nn, recipe.free_activation)
    return [module for a, b in pairwise(widths) for module in (nn.Linear(a, b), activation())]


def _trunk_layers(constrained: int, recipe: Recipe) -> Sequence[nn.Module]:
    width, activation = recipe.width, getattr(nn, recipe.activation)
    first = SwitchLinear(constrained + recipe.free_width, width, nn.Identity())
    middle = [SwitchLinear(width, width, activation()) for _ in range(recipe.depth)]
    return [first, *middle, SwitchLinear(width, 1, activation())]
