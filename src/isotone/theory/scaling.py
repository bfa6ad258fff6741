"""The proof's limit at a finite place: how far into its tails each layer must reach.

Everything is asked of ``u(z) = s(z) - s(-inf)``, non-negative, non-decreasing and vanishing on the left, for an
activation ``s`` that saturates left. The second layer's activation is the point reflection of the first's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, inf, isfinite, log2

import numpy as np
from numpy.typing import NDArray

from isotone.activations import Activation

Array = NDArray[np.float64]
Rise = Callable[[Array], Array]

# relative error that layer 3 may have in real arithmetic; half of the promised 1e-9 stays for rounding
AIM = 2.0**-31
POWERS: Array = np.ldexp(1.0, np.arange(61))
SMALL_TO_LARGE: Array = np.concatenate([[0.0], np.ldexp(1.0, np.arange(-20, 64))])


@dataclass(frozen=True)
class Scaling:
    """Where each layer works: ``tail`` and ``lift`` of a cut, the factors of layers 2 and 3, their resting points.

    A cut's unit stands at most at ``-tail`` below its cut and at least at ``lift`` above. Layer 2 rests at
    ``-second_rest`` (seen through the reflection) and multiplies by ``second``, layer 3 rests at ``third_rest``, where
    its height above saturation is ``height``, and multiplies by ``third``.

    >>> scaling(Activation("relu"), inputs=2, units=3, is_tight=False).tail
    0.0
    """

    tail: float
    lift: float
    second: float
    second_rest: float
    third: float
    third_rest: float
    height: float


def rise(s: Activation) -> Rise:
    """Return ``u(z) = s(z) - s(-inf)`` of an activation that saturates left.

    >>> rise(Activation("tanh"))(np.array([0.0]))
    array([1.])
    """
    floor = s.limits[0]
    return lambda z: s.value(z) - floor


def scaling(s: Activation, inputs: int, units: int, is_tight: bool) -> Scaling:
    """Return a scaling for layer-2 units of at most ``inputs`` cuts and layer-3 units of at most ``units`` boxes.

    ``is_tight`` says that some cut has no float between its two coordinates, so that one of them lies on the cut.
    The reasons for each line stand in docs/theory.md, "The finite scaling".

    >>> scaling(Activation("relu"), inputs=2, units=3, is_tight=False).second
    2.0
    """
    u = rise(s)
    third_rest, drop, leeway = resting_point(u)
    lift = _reach(u, _goal(s))
    if not (leeway > 0.0 and isfinite(lift)):
        raise ValueError(f"{s} neither rises nor saturates within 2^60 of zero, where float64 could show it.")
    on_cut, lifted, height = (float(value) for value in u(np.array([0.0, lift, third_rest])))
    third = _power_above((drop + leeway) / lifted)
    second_tail = tail(u, leeway / (4.0 * units * third))
    step = min(lifted, on_cut or lifted) if is_tight else lifted
    second = _power_above((2.0 * lift + second_tail) / step)
    first_tail = tail(u, lift / (4.0 * inputs * second))
    return Scaling(first_tail, lift, second, 1.5 * lift, third, third_rest, height)


def tail(u: Rise, level: float) -> float:
    """Return how far left ``u`` has fallen to ``level``: zero or a power of two.

    >>> tail(rise(Activation("sigmoid")), 1e-9)
    32.0
    """
    low = np.flatnonzero(u(-SMALL_TO_LARGE) <= level)
    return float(SMALL_TO_LARGE[low[0]]) if low.size else inf


def resting_point(u: Rise) -> tuple[float, float, float]:
    """Return a point ``b > 0``, a drop to where ``u`` is nothing beside ``u(b)``, and a leeway around ``b``.

    Within the leeway ``u(b)`` hardly changes. Chosen so that leeway over drop, the relative error that a sum may have,
    comes near to its largest: of order 1 on a plateau (a second saturation), a fourth of the aim on a line.

    >>> rest, drop, leeway = resting_point(rise(Activation("sigmoid")))
    >>> bool(leeway / drop > 0.1)
    True
    """
    found = [_leeway(u, rest) for rest in POWERS]
    ratios = np.array([leeway / drop for drop, leeway in found])
    best = int(np.flatnonzero(ratios >= 0.9 * ratios.max())[0])
    return float(POWERS[best]), *found[best]


def _leeway(u: Rise, rest: float) -> tuple[float, float]:
    """Return drop and leeway of one resting point; no leeway if ``u`` has not risen there."""
    height = float(u(np.array([rest]))[0])
    drop = rest + tail(u, 0.25 * AIM * height)
    if not (0.0 < height < 1e100 and isfinite(drop)):
        return 1.0, 0.0
    steps = rest / (2.0 * POWERS)
    change = np.maximum(height - u(rest - steps), u(rest + steps) - height)
    fits = np.flatnonzero(change <= 0.25 * AIM * height)
    return drop, float(steps[fits[0]]) if fits.size else 0.0


def _goal(s: Activation) -> float:
    """Return a height that layers 1 and 2 must step by: it dwarfs the saturation value, whose sums are rounded."""
    left, right = s.limits
    return min(1.0 + 1024.0 * abs(left), 0.5 * (right - left))


def _reach(u: Rise, goal: float) -> float:
    """Return the least power of two from 1 on where ``u`` reaches the goal."""
    high = np.flatnonzero(u(POWERS) >= goal)
    return float(POWERS[high[0]]) if high.size else inf


def _power_above(value: float) -> float:
    """Return the least power of two that is at least ``value``: multiplying by it rounds nothing."""
    return 2.0 ** ceil(log2(value)) if isfinite(value) else inf
