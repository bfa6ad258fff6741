r"""How the numbers of a fresh layer are drawn: PyTorch's way, or so that a stack of switches keeps the variance.

Over random weights within ``(-a, a)``, a switch layer passes on the odd part :math:`o(x) = (s(x) - s(-x)) / 2` of its
activation with the mean weight ``a / 2``, the same for all of its units: a common mode, whose gain grows with the
number of inputs (for ReLU under PyTorch's default it is :math:`\sqrt d / 4` a layer). ``balance`` follows variance and
common mode through a layer and chooses ``a`` so that the variance of the layer's sums is one; half of it is given to
the biases, which spread the units over the kinks, so that no row leaves all of them on the flat side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

Array = NDArray[np.float64]
INITIALISATIONS = ("uniform", "balanced")
# how much of the variance of a sum comes from its bias
BIAS_SHARE = 0.5


def check_initialisation(name: str) -> str:
    """Return the name, or raise unless it is one of an initialisation.

    >>> check_initialisation("balanced")
    'balanced'
    """
    if name not in INITIALISATIONS:
        raise ValueError(f"initialisation is one of {list(INITIALISATIONS)}; got {name!r}.")
    return name


@dataclass(frozen=True)
class Moments:
    """Mean square of a layer's inputs, and mean product of two of them, over rows and weights; their mean is zero.

    Standardised, independent columns have 1 and 0; the outputs of a balanced layer have about 1 and 0.5.

    >>> Moments().square
    1.0
    """

    square: float = 1.0
    product: float = 0.5


@dataclass(frozen=True)
class Balance:
    """Half the width of the weights' distribution, deviation of the biases, and the moments of what comes out.

    >>> Balance(0.25, 0.7, Moments()).width
    0.25
    """

    width: float
    bias: float
    outputs: Moments


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


def balanced_(weight: Tensor, bias: Tensor | None, chosen: Balance) -> Moments:
    """Fill weight and bias as a balance says, and return the moments of the outputs. Shape: ``(m, d)``, ``(m,)``.

    >>> import torch
    >>> round(balanced_(torch.empty(5, 4), None, affine_balance(4, False, Moments())).square, 6)
    1.0
    """
    nn.init.uniform_(weight, -chosen.width, chosen.width)
    if bias is not None:
        nn.init.normal_(bias, std=chosen.bias)
    return chosen.outputs


def affine_balance(inputs: int, has_bias: bool, moments: Moments) -> Balance:
    """Return the balance of ``|W| x + b``.

    >>> round(affine_balance(16, True, Moments(1.0, 0.0)).width, 4)
    0.3062
    """
    count, pairs = max(inputs, 1), inputs * (inputs - 1)
    square = count * moments.square / 3 + pairs * moments.product / 4
    common = (count * moments.square + pairs * moments.product) / 4
    width, bias = _shares(square, has_bias)
    return Balance(width, bias, Moments(width**2 * square + bias**2, width**2 * common))


def post_balance(inputs: int, has_bias: bool, s: Callable[[Array], Array], moments: Moments) -> Balance:
    """Return the balance of ``W+ s(x) + W- s(-x) + b``.

    >>> relu = lambda x: np.maximum(x, 0.0)
    >>> round(post_balance(10_000, True, relu, Moments()).width * 10_000, 2)
    4.0
    """
    count, pairs = max(inputs, 1), inputs * (inputs - 1)
    one, two = moments.square, moments.product

    def odd(x: Array) -> Array:
        return (s(x) - s(-x)) / 2

    either = (mean_product(s, one, one) + mean_product(lambda x: s(-x), one, one)) / 2
    square = count * either / 3 + pairs * mean_product(odd, one, two) / 4
    common = (count * mean_product(odd, one, one) + pairs * mean_product(odd, one, two)) / 4
    width, bias = _shares(square, has_bias)
    return Balance(width, bias, Moments(width**2 * square + bias**2, width**2 * common))


def pre_balance(inputs: int, has_bias: bool, s: Callable[[Array], Array], moments: Moments) -> Balance:
    """Return the balance of ``s(W+ x + b) - s(W- x + b)``, whose sums inside ``s`` get the variance one.

    >>> relu = lambda x: np.maximum(x, 0.0)
    >>> round(pre_balance(64, True, relu, Moments()).outputs.square, 2)
    0.66
    """
    count, pairs = max(inputs, 1), inputs * (inputs - 1)
    square = count * moments.square / 6 + pairs * moments.product / 16
    width, bias = _shares(square, has_bias)
    common = width**2 * (count * moments.square + pairs * moments.product) / 16
    # the two sums of a unit share the bias and have opposite common modes
    within = bias**2 - width**2 * pairs * moments.product / 16
    out = 2 * (mean_product(s, 1.0, 1.0) - mean_product(s, 1.0, within))
    across = 2 * (mean_product(s, 1.0, common) - mean_product(s, 1.0, -common))
    return Balance(width, bias, Moments(out, across))


def mean_product(f: Callable[[Array], Array], square: float, product: float) -> float:
    """Return the mean of ``f(x) f(y)`` over centred normal ``x`` and ``y`` with these moments.

    >>> round(mean_product(lambda x: x, 2.0, -1.5), 6)
    -1.5
    """
    shared = min(abs(product), square)
    common, own = sqrt(shared) * _NODES[:, None], sqrt(square - shared) * _NODES[None, :]
    above = f(common + own) @ _WEIGHTS
    below = f(np.copysign(1.0, product) * common + own) @ _WEIGHTS
    return float(_WEIGHTS @ (above * below))


def _shares(square: float, has_bias: bool) -> tuple[float, float]:
    """Return the width of the weights and the deviation of the biases that make the variance one."""
    share = BIAS_SHARE if has_bias else 0.0
    return (sqrt((1 - share) / square) if square > 0 else 0.0), sqrt(share)


_NODES, _weights = np.polynomial.hermite_e.hermegauss(64)
_WEIGHTS: Array = _weights / _weights.sum()
