"""The four-layer theorem as a constructor: weights through any monotone data set, with a bound on their error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.activations import Activation
from isotone.activations import activation as named_activation
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.constraints import Direction
from isotone.reference import encode
from isotone.theory import equivalences
from isotone.theory.data_sets import Cuts, MonotoneData, boxes, monotone_data, offending_pair, widest_cuts
from isotone.theory.enclosure import scores_between
from isotone.theory.network import SIDES, Network, named_layers
from isotone.theory.scaling import Scaling, scaling

Array = NDArray[np.float64]
Plain = tuple[Array, Array]
Choice = Callable[[MonotoneData, Cuts], NDArray[np.bool_]]

# what the bound may be at most, beside the range of the values
PROMISE = 1e-9
# a factor beyond this, times a coordinate and the next layer's factor, could overflow
FACTOR_CEILING = 2.0**800
FORMS: dict[str, Callable[[Network], Network]] = {
    "non_negative": lambda network: network,
    "non_positive": equivalences.flip_signs,
    "post": equivalences.as_post_switch,
    "pre": equivalences.as_pre_switch,
}


@dataclass(frozen=True)
class Interpolation(Network):
    """A network through a data set: at its points it errs by at most ``bound``, in float64 and in real arithmetic.

    >>> fitted = interpolate([[0.0], [1.0]], [3.0, 5.0])
    >>> bool(abs(fitted([[1.0]])[0, 0] - 5.0) <= fitted.bound)
    True
    """

    bound: float
    scaling: Scaling | None


def interpolate(
    points: ArrayLike,
    values: ArrayLike,
    activation: str | Activation = "relu",
    first_side: str = "left",
    form: str = "non_negative",
) -> Interpolation:
    """Return a monotone network with 3 hidden layers through any monotone data set (the proof of the main text).

    Hidden units: at most ``n d``, ``n`` and ``n``. Layer 1 saturates on ``first_side``, layer 2 on the other, layer 3
    as layer 1. The form non_positive has one activation in all layers; post and pre are the switch networks.

    Args:
        points: rows in any order, with ties and incomparable rows. Shape: ``(n, d)``.
        values: one finite number per row; rows in order need values in order. Shape: ``(n,)``.
        activation: any usable one of the registry, or its reflection.
        first_side: left or right.
        form: non_negative, non_positive, post or pre.

    >>> fitted = interpolate([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 2.0, 3.0], "tanh", form="post")
    >>> fitted([[1.0, 0.0]]).round(8)
    array([[2.]])
    """
    return _interpolate(points, values, activation, first_side, form, boxes)


def interpolate_by_unions(
    points: ArrayLike,
    values: ArrayLike,
    activation: str | Activation = "relu",
    first_side: str = "right",
    form: str = "non_negative",
) -> Interpolation:
    """Return a network as ``interpolate`` does, by the alternative proof of the appendix, repaired.

    With ``first_side="right"``, unit ``i`` of layer 2 is the intersection of one half-space for each point of lower
    value, which holds ``x_i`` and not that point; unit ``k`` of layer 3 is the union over the points of the ``k``-th
    level and above. With ``"left"``, unions of half-spaces are intersected. Each half-space is the one whose gap is
    widest, so coordinates that nearly agree are used only where nothing else parts two points.

    >>> interpolate_by_unions([[0.0, 1.0], [1.0, 0.0]], [0.0, 1.0])([[0.0, 1.0], [1.0, 0.0]]).round(8).ravel().tolist()
    [0.0, 1.0]
    """
    # NOTE[PAPER]: the printed sets intersect over x_j < x_i, so incomparable points are not parted: f(0,1)=0, f(1,0)=1
    # gives both units the whole plane. All j with f(x_j) < f(x_i) are needed; and the union runs over f(x_j) >= f(x_i),
    # not >, or the level of x_i is left out. Lemma 2a's complement is a union of A+, not of A-; Lemma 3a says "union"
    # twice: left-saturating gives the intersection.
    return _interpolate(points, values, activation, first_side, form, widest_cuts)


def _interpolate(
    points: ArrayLike, values: ArrayLike, spec: str | Activation, first_side: str, form: str, choose: Choice
) -> Interpolation:
    """Build the network whose first layer saturates left; the other case is its point reflection."""
    chosen = check_interpolates(named_activation(spec))
    if first_side not in SIDES or form not in list(FORMS):
        raise ValueError(
            f"first_side is one of {list(SIDES)} and form one of {list(FORMS)}; got {first_side!r}, {form!r}."
        )
    data = monotone_data(points, values)
    # NOTE[PAPER]: the opposite case swaps layer 2's values: it is high inside the intersection, 0 outside
    is_mirrored = first_side == "right"
    if is_mirrored:
        data = MonotoneData(-data.points, -data.values)
    # with s in the place of s' in every layer, saturating right becomes saturating left
    own = chosen.reflection if is_mirrored else chosen
    first = own if own.saturates_left else own.reflection
    network, bound, used = _left_network(data, first, form == "pre", choose)
    turned = equivalences.point_reflection(network) if is_mirrored else network
    final = FORMS[form](equivalences.rebased(turned, chosen))
    return Interpolation(final.architecture, final.parameters, bound, used)


def check_interpolates(chosen: Activation) -> Activation:
    """Return the activation, or raise if the theorem does not cover it.

    >>> check_interpolates(Activation("relu")).name
    'relu'
    """
    if not chosen.usable:
        raise ValueError(f"{chosen.name} cannot interpolate: it {chosen.why_not}.")
    # NOTE[PAPER]: the theorem does not say that the activations may not be constant
    if chosen.limits[0] == chosen.limits[1]:
        raise ValueError(f"an activation that interpolates is not constant; {chosen} is.")
    return chosen


def _left_network(
    data: MonotoneData, first: Activation, is_pre: bool, choose: Choice
) -> tuple[Network, float, Scaling | None]:
    """Return the constrained network whose layers saturate left, right, left, its bound and its scaling."""
    low, high = float(data.levels[0]), float(data.levels[-1])
    # halves first: the range of finite values may overflow
    plan = Architecture(
        tuple(_column(values, is_pre) for values in data.points.T),
        hidden=(1, 1, 1),
        form="constrained",
        activation=first,
        constraint="clamp",
        reflect=(False, True, False),
        center=_middle(low, high),
        scale=_power_of_two(0.5 * high - 0.5 * low),
    )
    inner = _encoded(plan, data)
    layers, used = _layers(inner, first, choose)
    network = _network(plan, layers)
    oriented = equivalences.absorb_offsets(layers, plan.layer_activations) if is_pre else layers
    bound = _bound(plan, oriented, inner, data.values, is_pre)
    _check_bound(bound, low, high)
    return network, bound, used


def _middle(low: float, high: float) -> float:
    """Return the middle of the values; the half of a least float would be 0, which is not the one value there is."""
    return low if low == high else 0.5 * low + 0.5 * high


def _column(values: Array, is_pre: bool) -> Numeric:
    """Return the column that reads these values: a power of two as unit; in a pre-switch network, from the least on.

    A pre-switch block subtracts ``s(b)``. Measured from the least value on, every cut has its ``b`` in the tail.
    """
    origin = float(values.min()) if is_pre else 0.0
    reach = float(np.abs(values - origin).max())
    return Numeric((origin, origin + _power_of_two(reach or abs(origin))), Direction.INCREASING)


def _power_of_two(size: float) -> float:
    """Return the power of two just above a size, within the finite ones; 1 for 0."""
    return float(np.ldexp(1.0, min(int(np.frexp(size)[1]), 1023))) if size else 1.0


def _encoded(plan: Architecture, data: MonotoneData) -> MonotoneData:
    """Return the data as the trunk sees them, or raise if rounding made them other data."""
    _, rows = encode(plan, data.points)
    offence = offending_pair(rows, data.values)
    if offence is not None:
        raise ValueError(
            f"the rows {offence[0]} and {offence[1]} differ by less than float64 can tell beside the other values of "
            f"their columns; got {data.points[list(offence)].tolist()}."
        )
    return MonotoneData(rows, data.values / plan.scale - plan.center / plan.scale)


def _layers(data: MonotoneData, first: Activation, choose: Choice) -> tuple[list[Plain], Scaling | None]:
    """Return the four affine maps; for a single level, maps of zeros."""
    if len(data.levels) == 1:
        widths = (data.points.shape[1], 1, 1, 1, 1)
        empty = [(np.zeros((out, inputs)), np.zeros(out)) for inputs, out in pairwise(widths)]
        return empty, None
    cuts = Cuts.between(data.points)
    chosen = choose(data, cuts)
    kept = np.flatnonzero(chosen.any(axis=0))
    members = data.lower[1] < data.levels[1:, None]
    middle, is_tight = _middles(cuts, kept)
    used = scaling(first, int(chosen.sum(axis=1).max()), members.shape[1], bool(is_tight.any()))
    boundary = np.where(is_tight, (cuts.above if used.tail else cuts.below)[kept], middle)
    cut = _cut_layer(cuts, kept, boundary, used)
    floor = first.limits[0]
    return [cut, *_set_layers(chosen[:, kept], members, used, floor), _sum_layer(data.levels, used, floor)], used


def _middles(cuts: Cuts, kept: NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
    """Return a float between the coordinates of each cut, and where there is none."""
    below, above = cuts.below[kept], cuts.above[kept]
    middle = below + 0.5 * (above - below)
    return middle, ~((below < middle) & (middle < above))


def _cut_layer(cuts: Cuts, kept: NDArray[np.intp], boundary: Array, used: Scaling) -> Plain:
    """Return layer 1: unit ``r`` is in its tail below cut ``r`` and at its lift above. Powers of two round nothing."""
    # NOTE[PAPER]: Lemma 1 sets b = lambda alpha beta; the half-space needs b = -lambda alpha beta
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        left = np.nan_to_num(used.tail / (boundary - cuts.below[kept]), posinf=0.0)
        right = np.nan_to_num(used.lift / (cuts.above[kept] - boundary), posinf=0.0)
    needed = np.maximum(left, right)
    worst = int(np.argmax(needed))
    if not needed[worst] < FACTOR_CEILING:
        raise ValueError(
            f"column {cuts.column[kept][worst]} has values too close together for float64, beside its largest one; "
            f"the gap is {cuts.above[kept][worst] - cuts.below[kept][worst]:.3g} of it."
        )
    factors = np.ldexp(1.0, np.ceil(np.log2(needed)).astype(int))
    weight = np.zeros((len(kept), len(cuts.coordinates)))
    weight[np.arange(len(kept)), cuts.column[kept]] = factors
    return weight, -factors * boundary


def _set_layers(chosen: NDArray[np.bool_], members: NDArray[np.bool_], used: Scaling, floor: float) -> list[Plain]:
    """Return layer 2, low where no cut of its set is passed, and layer 3, high where no set of lower value holds x."""
    second = np.where(chosen, used.second, 0.0)
    third = np.where(members, used.third, 0.0)
    return [
        (second, -used.second_rest - floor * second.sum(axis=1)),
        (third, used.third_rest + floor * third.sum(axis=1)),
    ]


def _sum_layer(levels: Array, used: Scaling, floor: float) -> Plain:
    """Return layer 4: the lowest level, and the step to each next one where its unit of layer 3 is high."""
    steps = np.diff(levels)[None, :] / used.height
    return steps, levels[:1] - floor * steps.sum(axis=1)


def _network(plan: Architecture, layers: list[Plain]) -> Network:
    hidden = tuple(len(bias) for _, bias in layers[:-1])
    members = [(weight[None], bias[None]) for weight, bias in layers]
    return Network(replace(plan, hidden=hidden), Parameters(named_layers(members)))


def _bound(plan: Architecture, layers: list[Plain], inner: MonotoneData, values: Array, is_pre: bool) -> float:
    """Return how far the network can be from the values, rounded or not."""
    interval = scores_between(layers, plan.layer_activations, inner.points, is_pre)
    # center + scale * score rounds to the nearest float, which is monotone: the ends of the interval are ends
    rounded = [np.abs(plan.center + plan.scale * scores[:, 0] - values).max() for scores in interval]
    real = [plan.scale * np.abs(scores[:, 0] - inner.values).max() for scores in interval]
    return float(max(rounded + real))


def _check_bound(bound: float, low: float, high: float) -> None:
    # in halves where the range of finite values overflows, and not where it is so small that halves would round
    half = 1.0 if isfinite(high - low) else 0.5
    if not (isfinite(bound) and half * bound <= PROMISE * (half * high - half * low)):
        raise ValueError(
            f"no scaling in float64 keeps the error below {PROMISE} of the range of the values: it may be {bound:.3g} "
            f"for values from {low} to {high}; fewer points or a saturating activation help."
        )
