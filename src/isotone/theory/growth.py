r"""Mean and variance of a fresh network's output: how each parametrisation grows with depth and width.

Weights and biases are uniform within ``1 / sqrt(inputs)`` (PyTorch's default). Over them, every layer has a mean ``M``
of a unit, a mean square ``Q`` and a mean product ``C`` of two units. With ``m`` inputs, per layer:

- unconstrained: :math:`M' = 0`, :math:`C' = 0`, :math:`Q' = E s^2 / 3 + 1/(3m)`;
- constrained: :math:`M' = \sqrt m\, E s / 2`; switches: :math:`M' = \sqrt m\, E[s(x) - s(-x)] / 4`, for ReLU
  :math:`\sqrt m\, M / 4`. These means, and for ReLU the post-switch's :math:`Q` and :math:`C`, are exact.

Where an expectation of the activation is needed, units count as jointly normal with the moments that they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.activations import Activation
from isotone.activations import activation as named_activation
from isotone.columns import is_size

Array = NDArray[np.float64]
Function = Callable[[Array], Array]
PARAMETRISATIONS = ("unconstrained", "constrained", "post", "pre")

# the trapezoid rule on normal densities: tails beyond 8 are nothing, a kink costs the square of the step
_NODES: Array = np.linspace(-8.0, 8.0, 641)
_WEIGHTS: Array = np.exp(-0.5 * np.square(_NODES)) / np.exp(-0.5 * np.square(_NODES)).sum()


@dataclass(frozen=True)
class Spread:
    """Mean of a unit over random parameters, its mean square, and the mean product of two units of its layer.

    >>> Spread(1.0, 3.0, 1.5).variance
    2.0
    """

    mean: float
    square: float
    product: float

    @property
    def variance(self) -> float:
        """The variance of a unit.

        >>> Spread(0.0, 4.0, 0.0).variance
        4.0
        """
        return self.square - self.mean**2


@dataclass(frozen=True)
class Inputs:
    """What a linear map sees of its inputs: how many, the means of their sum, its square, the sum of their squares.

    >>> Inputs.of_row([1.0, 2.0])
    Inputs(count=2, total=3.0, total_square=9.0, squares=5.0)
    """

    count: int
    total: float
    total_square: float
    squares: float

    @classmethod
    def of_row(cls, row: ArrayLike) -> Inputs:
        """Return what is known of one fixed row.

        >>> Inputs.of_row([0.0]).count
        1
        """
        x = np.asarray(row, dtype=np.float64)
        if x.ndim != 1 or not x.size or not np.isfinite(x).all():
            raise ValueError(f"a row is a list of finite numbers, at least one; got {row!r}.")
        return cls(x.size, float(x.sum()), float(x.sum()) ** 2, float(x @ x))

    @classmethod
    def of_units(cls, count: int, mean: float, square: float, product: float) -> Inputs:
        """Return what is known of ``count`` units with these moments.

        >>> Inputs.of_units(2, 1.0, 1.0, 1.0).total_square
        4.0
        """
        return cls(count, count * mean, count * square + count * (count - 1) * product, count * square)


def growth(
    parametrisation: str, activation: str | Activation, widths: Sequence[int], row: ArrayLike
) -> tuple[Spread, ...]:
    """Return the moments of each layer's sums, the output last, over fresh networks with one output at one row.

    A post-switch network begins, a pre-switch network ends with ``|W| x + b``; after a pre-switch block its output
    counts, after any other layer the sum before the activation.

    >>> post = growth("post", "relu", [64, 64, 64], [1.0, 1.0])
    >>> round(post[-1].mean / post[-2].mean, 6) == round(64**0.5 / 4, 6)
    True
    """
    if parametrisation not in PARAMETRISATIONS:
        raise ValueError(f"a parametrisation is one of {list(PARAMETRISATIONS)}; got {parametrisation!r}.")
    if not all(is_size(width) for width in widths):
        raise ValueError(f"widths are whole numbers of at least 1; got {widths}.")
    s = named_activation(activation).value
    step = {"unconstrained": _free_step, "constrained": _absolute_step, "post": _post_step}
    first = Inputs.of_row(row)
    if parametrisation == "pre":
        return _pre_growth(s, widths, first)
    spreads = [free_sums(first) if parametrisation == "unconstrained" else absolute_sums(first)]
    for width in widths:
        spreads.append(step[parametrisation](s, width, spreads[-1]))
    return tuple(spreads)


def free_sums(inputs: Inputs) -> Spread:
    """Return the moments of ``W h + b``.

    >>> free_sums(Inputs(3, 0.0, 0.0, 3.0)).product
    0.0
    """
    variance = 1.0 / (3.0 * inputs.count)
    return Spread(0.0, variance * (inputs.squares + 1.0), 0.0)


def absolute_sums(inputs: Inputs) -> Spread:
    """Return the moments of ``|W| h + b``: the mean size of a weight is half of the bound.

    >>> absolute_sums(Inputs.of_row([2.0])).mean
    1.0
    """
    bound = 1.0 / sqrt(inputs.count)
    product = bound**2 / 4.0 * inputs.total_square
    square = product + bound**2 / 12.0 * inputs.squares + bound**2 / 3.0
    return Spread(bound / 2.0 * inputs.total, square, product)


def _free_step(s: Function, width: int, sums: Spread) -> Spread:
    return free_sums(_activated(s, width, sums))


def _absolute_step(s: Function, width: int, sums: Spread) -> Spread:
    return absolute_sums(_activated(s, width, sums))


def _post_step(s: Function, width: int, sums: Spread) -> Spread:
    """Return the moments of ``W+ s(x) + W- s(-x) + b``; ``w+`` has the mean ``a / 4``, the mean square ``a^2 / 6``."""
    odd = _activated(lambda x: s(x) - s(-x), width, sums)
    either = sum(_activated(one, width, sums).squares for one in (s, lambda x: s(-x)))
    bound = 1.0 / sqrt(width)
    product = bound**2 / 16.0 * odd.total_square
    square = product + bound**2 * (either / 6.0 - odd.squares / 16.0 + 1.0 / 3.0)
    return Spread(bound / 4.0 * odd.total, square, product)


def _pre_growth(s: Function, widths: Sequence[int], first: Inputs) -> tuple[Spread, ...]:
    """Return the moments of each block's outputs, then those of the affine map at the end."""
    spreads: list[Spread] = []
    inputs = first
    for width in widths:
        spreads.append(switched_block(s, inputs))
        last = spreads[-1]
        inputs = Inputs.of_units(width, last.mean, last.square, last.product)
    return (*spreads, absolute_sums(inputs))


def switched_block(s: Function, inputs: Inputs) -> Spread:
    """Return the moments of ``s(W+ x + b) - s(W- x + b)``, its two sums taken as normal.

    The sums have opposite means; they share the bias, and between two units only the common mode is shared.

    >>> round(switched_block(lambda x: x, Inputs.of_row([1.0, 1.0])).mean, 6) == round(2 / 2**0.5 / 2, 6)
    True
    """
    bound = 1.0 / sqrt(inputs.count)
    mean, bias = bound / 4.0 * inputs.total, bound**2 / 3.0
    common = bound**2 / 16.0 * inputs.total_square - mean**2
    variance = common + bound**2 * 5.0 / 48.0 * inputs.squares + bias
    within = bound**2 / 16.0 * inputs.squares - common + bias

    def mixed(first: float, second: float, covariance: float) -> float:
        return _product(s, (first, second), variance, covariance)

    square = mixed(mean, mean, variance) + mixed(-mean, -mean, variance) - 2.0 * mixed(mean, -mean, within)
    product = mixed(mean, mean, common) + mixed(-mean, -mean, common) - 2.0 * mixed(mean, -mean, -common)
    return Spread(_mean(s, mean, variance) - _mean(s, -mean, variance), square, product)


def _activated(f: Function, width: int, sums: Spread) -> Inputs:
    """Return what the next layer sees of ``f`` at units with these moments, taken as normal."""
    covariance = sums.product - sums.mean**2
    means = (sums.mean, sums.mean)
    product = _product(f, means, sums.variance, covariance)
    return Inputs.of_units(width, _mean(f, sums.mean, sums.variance), _product(f, means, *[sums.variance] * 2), product)


def _mean(f: Function, mean: float, variance: float) -> float:
    return float(_WEIGHTS @ f(mean + sqrt(max(variance, 0.0)) * _NODES))


def _product(f: Function, means: tuple[float, float], variance: float, covariance: float) -> float:
    """Return the mean of ``f(x) f(y)`` over normal ``x`` and ``y`` of one variance."""
    shared = min(abs(covariance), max(variance, 0.0))
    common, own = sqrt(shared) * _NODES[:, None], sqrt(max(variance, 0.0) - shared) * _NODES[None, :]
    above = f(means[0] + common + own) @ _WEIGHTS
    below = f(means[1] + np.copysign(1.0, covariance) * common + own) @ _WEIGHTS
    return float(_WEIGHTS @ (above * below))
