"""Remark 3.1 as a program: directions multiply when monotone functions are composed."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np

from isotone.architecture import Architecture, Column, Numeric
from isotone.constraints import Direction
from isotone.theory.equivalences import rebased
from isotone.theory.network import Layer, Network, constrained_layers, with_trunk


def composed_direction(*directions: int | str | Direction) -> Direction:
    """Return the direction of a composition of functions with these directions: free if one of them is.

    >>> composed_direction(-1, "decreasing"), composed_direction(1, -1)
    (<Direction.INCREASING: 1>, <Direction.DECREASING: -1>)
    """
    return Direction(prod(Direction.parse(direction) for direction in directions))


def negated(network: Network) -> Network:
    """Return ``x -> -N(x)``: every column turns its direction, and non-negative weights stay non-negative.

    >>> from isotone.architecture import Architecture
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4,), form="constrained")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> bool(negated(network)([[0.3]]) == -network([[0.3]]))
    True
    """
    plan, layers = _plain(network)
    turned = replace(
        plan,
        columns=tuple(_turned(column) for column in plan.columns),
        reflect=tuple(not flag for flag in plan.reflect or ()),
        center=-plan.center,
        constraint="clamp",
    )
    return with_trunk(network, turned, [(weight, -bias) for weight, bias in layers])


def compose(outer: Network, inner: Network) -> Network:
    """Return ``x -> outer(inner(x))`` as one constrained network: the two maps between them become one.

    Each column's direction is that of ``inner`` times that of ``outer``'s one column. Both have one member, ``inner``
    one output. ``outer`` may not clamp: what ``inner`` gives stays within 2^20 units of ``outer``'s column.

    >>> from isotone.architecture import Architecture
    >>> plan = Architecture((Numeric(direction=-1),), hidden=(4,), form="constrained")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> compose(network, network).architecture.columns[0].direction.name
    'INCREASING'
    """
    column = _only_column(outer)
    _check_single(outer, inner)
    sign = int(column.direction)
    fed = inner if sign == 1 else negated(inner)
    (above, over), (below, under) = _plain(outer), _plain(rebased(fed, outer.architecture.activation))
    plan = replace(
        above,
        columns=below.columns,
        hidden=below.hidden + above.hidden,
        reflect=(*(below.reflect or ()), *(above.reflect or ())),
        constraint="clamp",
    )
    start, end = column.knots
    joint = _joined(over[0], under[-1], below.scale / (end - start), (below.center - sign * start) / (end - start))
    return with_trunk(inner, plan, [*under[:-1], joint, *over[1:]])


def _joined(outer: Layer, inner: Layer, scale: float, shift: float) -> Layer:
    """Return the affine map ``outer(scale * inner(h) + shift)``. Shapes: ``(members, out, in)``, ``(members, out)``."""
    weight = scale * (outer[0] @ inner[0])
    bias = np.einsum("moi,mi->mo", outer[0], scale * inner[1] + shift) + outer[1]
    return weight, bias


def _plain(network: Network) -> tuple[Architecture, list[Layer]]:
    """Return description and layers of a non-negative network without free columns, or raise."""
    plan = network.architecture
    if plan.free_components or plan.weight_sign != 1 or plan.link != "identity":
        raise ValueError(
            "this needs non-negative weights, the link identity and a direction for every column; got weight_sign "
            f"{plan.weight_sign}, link {plan.link!r} and columns {plan.columns}."
        )
    return plan, constrained_layers(network)


def _check_single(outer: Network, inner: Network) -> None:
    """Raise unless one number goes from one network to one other: a mean of members is not one of its functions."""
    counts = (outer.architecture.members, inner.architecture.members, inner.architecture.outputs)
    if counts != (1, 1, 1):
        raise ValueError(
            "a composition takes an outer and an inner network of one member and an inner one of one output; got "
            f"{counts[0]} and {counts[1]} members and {counts[2]} outputs."
        )


def _only_column(outer: Network) -> Numeric:
    columns = outer.architecture.columns
    column = columns[0]
    if len(columns) > 1 or not isinstance(column, Numeric) or len(column.knots) > 2 or column.levels is not None:
        raise ValueError(f"the outer network has one numeric column of two knots without levels; got {columns}.")
    return column


def _turned(column: Column) -> Column:
    if isinstance(column, Numeric):
        return replace(column, direction=Direction(-column.direction))
    return column
