"""How the numbers of a fresh layer are drawn."""

from __future__ import annotations

from math import sqrt

from torch import Tensor, nn


def uniform_(weight: Tensor, bias: Tensor | None) -> None:
    """Fill weight and bias uniformly within ``1 / sqrt(inputs)``, as ``nn.Linear`` does. Shape: ``(m, d)``, ``(m,)``.

    >>> import torch
    >>> weight = torch.empty(5, 4)
    >>> uniform_(weight, None)
    >>> bool(weight.abs().max() <= 0.5)
    True
    """
    bound = 1.0 / sqrt(max(weight.shape[1], 1))
    nn.init.uniform_(weight, -bound, bound)
    if bias is not None:
        nn.init.uniform_(bias, -bound, bound)
