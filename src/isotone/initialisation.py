r"""How wide a fresh layer's weights are and where its biases stand, so that a stack of layers keeps the variance.

Weights are uniform within ``(-a, a)``. A unit that takes ``|w|`` passes on its inputs with the mean weight ``a / 2``, a
switch the odd part :math:`o(x) = (s(x) - s(-x)) / 2` of its activation with ``a / 2``: a common mode, the same for all
units of a layer, whose gain grows with the number of inputs. So what is followed through the layers is the mean
square of a unit *and* the mean product of two units, over rows and weights. ``a`` is chosen so that a sum before its
activation has the variance one; a share of it is given to the biases, which spread the kinks over the data. Besides,
each bias cancels what its unit sums up for the middle row. Derivation and test: docs/theory.md, isotone.theory.growth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

# how much of the variance of a sum comes from its bias
BIAS_SHARE = 0.5
# normal expectations by the trapezoid rule: a kink costs the square of the step, tails beyond 8 nothing
_NODES: Array = np.linspace(-8.0, 8.0, 161)
_WEIGHTS: Array = np.exp(-0.5 * np.square(_NODES)) / np.exp(-0.5 * np.square(_NODES)).sum()


@dataclass(frozen=True)
class Moments:
    """Mean square of a layer's inputs and mean product of two, over rows and weights, both less those of ``middle``.

    ``middle`` is their mean, where the middle row stands. Standardised, independent columns have 1, 0 and 0.

    >>> Moments().square
    1.0
    """

    square: float = 1.0
    product: float = 0.5
    middle: float = 0.0


@dataclass(frozen=True)
class Balance:
    """Half the width of the weights' distribution, deviation of the biases, the inputs' centre, the outputs' moments.

    >>> Balance(0.25, 0.7, 0.0, Moments()).width
    0.25
    """

    width: float
    bias: float
    centre: float
    outputs: Moments


@dataclass(frozen=True)
class Group:
    """The components of one input column: their values in the middle row, and how far rows stray from it.

    ``along`` is the mean square of the components' summed deviation, ``apart`` the sum of their mean squares.

    >>> Group().along
    1.0
    """

    middle: tuple[float, ...] = (0.0,)
    along: float = 1.0
    apart: float = 1.0

    @classmethod
    def segments(cls, count: int) -> Group:
        """Return a column cut into segments that are equally likely: 1 in the first half, 0 in the second.

        >>> Group.segments(3).middle
        (1.0, 0.5, 0.0)
        """
        middle = np.clip(0.5 * count - np.arange(count), 0.0, 1.0)
        return cls(tuple(middle.tolist()), count**2 / 12.0, count / 4.0)

    @classmethod
    def levels(cls, levels: Sequence[float]) -> Group:
        """Return a column whose knots, equally likely, have these levels.

        >>> Group.levels([0.0, 2.0]).middle
        (1.0,)
        """
        return cls((float(np.mean(levels)),), float(np.var(levels)), float(np.var(levels)))

    @classmethod
    def indicators(cls, count: int) -> Group:
        """Return a column of codes, of which one component is 1.

        >>> Group.indicators(3).apart
        1.0
        """
        return cls((0.0,) * count)

    def times(self, sign: int) -> Group:
        """Return the group of the negated components for a negative sign.

        >>> Group.segments(2).times(-1).middle
        (-1.0, -0.0)
        """
        return self if sign > 0 else replace(self, middle=tuple(-value for value in self.middle))


def affine_balance(inputs: int, has_bias: bool, s: Function | None, moments: Moments) -> Balance:
    """Return the balance of ``|W| s(x) + b``; None is the identity.

    >>> round(affine_balance(16, True, None, Moments(1.0, 0.0)).width, 4)
    0.3062
    """
    centre, one, two = _centred(s or _identity, moments)
    pairs = inputs * (inputs - 1)
    return _balance(inputs * one / 3 + pairs * two / 4, (inputs * one + pairs * two) / 4, has_bias, centre)


def free_balance(inputs: int, has_bias: bool, s: Function, moments: Moments) -> Balance:
    """Return the balance of ``W s(x) + b`` with weights of any sign: no common mode.

    >>> relu = lambda x: np.maximum(x, 0.0)
    >>> round(free_balance(6, False, relu, Moments()).width, 2)
    1.21
    """
    centre, one, _ = _centred(s, moments)
    return _balance(inputs * one / 3, 0.0, has_bias, centre)


def post_balance(inputs: int, has_bias: bool, s: Function, moments: Moments) -> Balance:
    """Return the balance of ``W+ s(x) + W- s(-x) + b``.

    >>> relu = lambda x: np.maximum(x, 0.0)
    >>> round(post_balance(10_000, False, relu, Moments()).width * 10_000, 1)
    5.7
    """

    def odd(x: Array) -> Array:
        return 0.5 * (s(x) - s(-x))

    centre, either, _ = _centred(s, moments)
    one, two = _product(odd, moments.square, moments.square), _product(odd, moments.square, moments.product)
    pairs = inputs * (inputs - 1)
    return _balance(inputs * either / 3 + pairs * two / 4, (inputs * one + pairs * two) / 4, has_bias, centre)


def pre_balance(inputs: int, has_bias: bool, s: Function, moments: Moments) -> Balance:
    """Return the balance of ``s(W+ x + b) - s(W- x + b)``, whose sums inside ``s`` get the variance one.

    >>> relu = lambda x: np.maximum(x, 0.0)
    >>> round(pre_balance(64, True, relu, Moments()).outputs.square, 2)
    0.66
    """
    pairs = inputs * (inputs - 1) * moments.product
    inner = _balance(inputs * moments.square / 6 + pairs / 16, (inputs * moments.square + pairs) / 16, has_bias, 0.0)
    # the two sums of a unit share the bias; what they share else has opposite signs
    within = inner.bias**2 - inner.width**2 * pairs / 16
    apart = 0.25 * inputs * inner.width * moments.middle
    return replace(inner, centre=moments.middle, outputs=_block_moments(s, within, inner.outputs.product, apart))


def entrance_widths(groups: Sequence[Group], has_bias: bool, kind: str) -> tuple[Array, Moments]:
    """Return one width per component, so that each column adds the same variance, and the moments of the sums.

    ``kind`` is absolute (``|W|``), switch (``W+`` or ``W-``) or free.

    >>> widths, moments = entrance_widths([Group(), Group.segments(4)], False, "absolute")
    >>> widths.round(2).tolist(), round(moments.square, 2)
    ([1.22, 1.1, 1.1, 1.1, 1.1], 1.0)
    """
    mean, square = {"absolute": (0.5, 1 / 3), "switch": (0.25, 1 / 6), "free": (0.0, 1 / 3)}[kind]
    share = (1.0 - BIAS_SHARE * has_bias) / max(len(groups), 1)
    unit = [mean**2 * group.along + (square - mean**2) * group.apart for group in groups]
    widths = [sqrt(share / size) for size in unit]
    common = sum(share * mean**2 * group.along / size for group, size in zip(groups, unit, strict=True))
    spread = np.repeat(widths, [len(group.middle) for group in groups])
    return np.asarray(spread, dtype=np.float64), Moments(1.0, common)


@dataclass(frozen=True)
class Draw:
    """How one layer's numbers are drawn: a width and a centre per input, the biases' deviation, how weights act.

    ``kind`` is absolute (``|W|`` acts), free (``W``) or halved (the two halves of a pre-switch, which share a bias).

    >>> weight, bias = Draw(np.ones(2), np.zeros(2), 0.0, "free").numbers(np.random.default_rng(0), 3)
    >>> weight.shape, bias.tolist()
    ((3, 2), [0.0, 0.0, 0.0])
    """

    widths: Array
    centres: Array
    bias: float
    kind: str

    def numbers(self, stream: np.random.Generator, units: int) -> tuple[Array, Array]:
        """Return a weight and a bias. Shapes: ``(units, inputs)``, ``(units,)``.

        >>> draw = Draw(np.ones(1), np.ones(1), 0.0, "absolute")
        >>> weight, bias = draw.numbers(np.random.default_rng(0), 1)
        >>> bool(abs(weight[0, 0]) + bias[0] == 0.0)
        True
        """
        weight = stream.uniform(-1.0, 1.0, (units, len(self.widths))) * self.widths
        acting = {"absolute": np.abs(weight), "free": weight, "halved": 0.5 * weight}[self.kind]
        return weight, stream.uniform(-1.0, 1.0, units) * sqrt(3.0) * self.bias - acting @ self.centres


def trunk_draws(
    form: str, groups: Sequence[Group], widths: Sequence[int], activations: Sequence[Function]
) -> list[Draw]:
    """Return a draw for each layer of a monotone trunk; ``widths`` are its hidden layers'.

    >>> [draw.kind for draw in trunk_draws("post", [Group()], [8], [np.tanh])]
    ['absolute', 'free']
    """
    is_block = form == "pre" and len(widths) > 0
    first, moments = _entrance(groups, bool(widths), "switch" if is_block else "absolute")
    if is_block:
        apart = 0.25 * float(first.widths @ first.centres)
        moments = _block_moments(activations[0], BIAS_SHARE - moments.product, moments.product, apart)
    draws = [replace(first, kind="halved") if is_block else first]
    for layer, width in enumerate(widths):
        has_bias = layer + 1 < len(widths)
        balance, kind = _next_balance(form, width, has_bias, activations[layer : layer + 2], moments)
        draws.append(Draw(np.full(width, balance.width), np.full(width, balance.centre), balance.bias, kind))
        moments = balance.outputs
    return draws


def _next_balance(
    form: str, width: int, has_bias: bool, activations: Sequence[Function], moments: Moments
) -> tuple[Balance, str]:
    """Return the balance of the layer behind a hidden one, and its kind; ``has_bias`` is false for the last."""
    if form == "post":
        return post_balance(width, has_bias, activations[0], moments), "free"
    if form == "constrained":
        return affine_balance(width, has_bias, activations[0], moments), "absolute"
    if has_bias:
        return pre_balance(width, True, activations[1], moments), "halved"
    return affine_balance(width, False, None, moments), "absolute"


def free_draws(groups: Sequence[Group], widths: Sequence[int], s: Function) -> list[Draw]:
    """Return a draw for each layer of a free branch, all of whose layers are activated.

    >>> len(free_draws([Group.indicators(3)], [4, 4], np.tanh))
    2
    """
    draws = [_entrance(groups, True, "free")[0]]
    for width in widths[:-1]:
        balance = free_balance(width, True, s, Moments(1.0, 0.0))
        draws.append(Draw(np.full(width, balance.width), np.full(width, balance.centre), balance.bias, "free"))
    return draws


def free_outputs(count: int, s: Function) -> list[Group]:
    """Return the groups that the last layer of a free branch adds to the trunk's inputs.

    >>> free_outputs(2, lambda x: x)[0].apart.__round__(6)
    1.0
    """
    centre, variance, _ = _centred(s, Moments(1.0, 0.0))
    return [Group((centre,), variance, variance)] * count


def stored_weight(constraint: str, weight: Array) -> Array:
    """Return what the map ``g`` of this name takes to the sizes of the weights, with their signs where it has them.

    >>> stored_weight("square", np.array([9.0]))
    array([3.])
    """
    # the logarithm of a weight below this would only be a larger number for nothing
    sizes = np.maximum(np.abs(weight), 1e-12)
    inverses: dict[str, Callable[[], Array]] = {
        "abs": lambda: weight,
        "clamp": lambda: np.abs(weight),
        "square": lambda: np.sign(weight) * np.sqrt(np.abs(weight)),
        "softplus": lambda: np.log(np.expm1(sizes)),
        "exp": lambda: np.log(sizes),
    }
    return inverses[constraint]()


def _entrance(groups: Sequence[Group], has_bias: bool, kind: str) -> tuple[Draw, Moments]:
    widths, moments = entrance_widths(groups, has_bias, kind)
    centres = np.concatenate([np.asarray(group.middle) for group in groups] or [np.zeros(0)])
    return Draw(widths, centres, sqrt(BIAS_SHARE * has_bias), kind), moments


def _block_moments(s: Function, within: float, across: float, apart: float) -> Moments:
    """Return the moments of a pre-switch block whose sums have the variance 1 and, in the middle row, ``+-apart``.

    One bias cannot bring both of its sums to zero there, unless the inputs are zero: it brings them to opposite values.
    """
    middle = _mean(s, 1.0, apart) - _mean(s, 1.0, -apart)

    def mixed(one: float, two: float, covariance: float) -> float:
        return _product(s, 1.0, covariance, (one, two))

    square = mixed(apart, apart, 1.0) + mixed(-apart, -apart, 1.0) - 2.0 * mixed(apart, -apart, within)
    product = mixed(apart, apart, across) + mixed(-apart, -apart, across) - 2.0 * mixed(apart, -apart, -across)
    return Moments(square - middle**2, product - middle**2, middle)


def _balance(square: float, common: float, has_bias: bool, centre: float) -> Balance:
    """Return the balance in which weights of width 1 would give this mean square and this common mode."""
    share = BIAS_SHARE * has_bias
    width = sqrt((1.0 - share) / square) if square > 0 else 0.0
    return Balance(width, sqrt(share), centre, Moments(1.0, width**2 * common))


def _centred(s: Function, moments: Moments) -> tuple[float, float, float]:
    """Return the mean of ``s``, its variance, and the covariance of two units."""
    centre, means = _mean(s, moments.square, moments.middle), (moments.middle, moments.middle)
    covariances = [_product(s, moments.square, other, means) - centre**2 for other in (moments.square, moments.product)]
    return centre, covariances[0], covariances[1]


def _mean(f: Function, square: float, mean: float) -> float:
    return float(_WEIGHTS @ f(mean + sqrt(square) * _NODES))


def _product(f: Function, square: float, product: float, means: tuple[float, float] = (0.0, 0.0)) -> float:
    """Return the mean of ``f(x) f(y)`` over normal ``x`` and ``y`` of one variance, this covariance and these means."""
    shared = min(abs(product), square)
    common, own = sqrt(shared) * _NODES[:, None], sqrt(square - shared) * _NODES[None, :]
    above = f(means[0] + common + own) @ _WEIGHTS
    below = f(means[1] + np.copysign(1.0, product) * common + own) @ _WEIGHTS
    return float(_WEIGHTS @ (above * below))


def _identity(x: Array) -> Array:
    return x
