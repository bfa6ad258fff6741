"""How the numbers of a fresh layer are drawn: as ``nn.Linear`` does, or balanced as ``isotone.initialisation`` says."""

from __future__ import annotations

from math import sqrt

import torch
from torch import Tensor, nn

from isotone.architecture import SCHEMES
from isotone.initialisation import Balance, Moments


def check_initialisation(name: str) -> str:
    """Return the name, or raise unless it is one of a scheme.

    >>> check_initialisation("balanced")
    'balanced'
    """
    if name not in SCHEMES:
        raise ValueError(f"initialisation is one of {list(SCHEMES)}; got {name!r}.")
    return name


def uniform_(weight: Tensor, bias: Tensor | None) -> None:
    """Fill weight and bias uniformly within ``1 / sqrt(inputs)``, as ``nn.Linear`` does. Shape: ``(m, d)``, ``(m,)``.

    >>> weight = torch.empty(5, 4)
    >>> uniform_(weight, None)
    >>> bool(weight.abs().max() <= 0.5)
    True
    """
    bound = 1.0 / sqrt(max(weight.shape[1], 1))
    nn.init.uniform_(weight, -bound, bound)
    if bias is not None:
        nn.init.uniform_(bias, -bound, bound)


def balanced_(weight: Tensor, bias: Tensor | None, balance: Balance) -> Moments:
    """Fill the numbers of a layer as a balance says; return the moments of its outputs. Shape: ``(m, d)``, ``(m,)``.

    >>> weight, bias = torch.empty(5, 4), torch.empty(5)
    >>> moments = balanced_(weight, bias, Balance(0.25, 0.0, 2.0, Moments()))
    >>> torch.equal(bias, -2.0 * weight.sum(dim=1))
    True
    """
    nn.init.uniform_(weight, -balance.width, balance.width)
    if bias is not None:
        spread = sqrt(3.0) * balance.bias
        nn.init.uniform_(bias, -spread, spread)
        with torch.no_grad():
            # what the inputs' centre adds to each unit, so that the middle row stands in the middle
            bias -= balance.centre * weight.sum(dim=1)
    return balance.outputs
