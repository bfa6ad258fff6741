"""The same function under other signs, activations and forms: each rewrites description and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isotone.activations import Activation
from isotone.architecture import Architecture, Categorical, Column, Parameters
from isotone.theory.network import Layer, Network, constrained_layers, with_trunk


def flip_signs(network: Network) -> Network:
    """Return the same function with all weights of the other sign.

    Two adjacent layers may change their signs if the activation between them becomes its point reflection and the
    inner bias changes its sign. Flipped from the output on, that meets every second hidden layer. With an odd number
    of layers one map is left over; the reference then feeds the trunk ``-x``, which is its flip.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4, 4), form="constrained")
    >>> flipped = flip_signs(Network(plan, plan.initial(0)))
    >>> flipped.architecture.weight_sign, flipped.architecture.reflect, flipped.architecture.activation.reflected
    (-1, (False, False, False), True)
    """
    plan, layers = network.architecture, constrained_layers(network)
    depth = len(plan.hidden)
    meets = [(depth - layer) % 2 == 1 for layer in range(depth)] + [False]
    flipped = [(weight, -bias if meet else bias) for (weight, bias), meet in zip(layers, meets, strict=True)]
    reflect = tuple(flag != meet for flag, meet in zip(plan.reflect or (), meets, strict=False))
    wanted = replace(plan, constraint="clamp", weight_sign=-plan.weight_sign, reflect=reflect)
    return with_trunk(network, _without_needless_flags(wanted), flipped)


def point_reflection(network: Network) -> Network:
    """Return ``x -> -N(-x)``: every bias changes its sign, every activation becomes its point reflection.

    Columns need two knots each and the link is the identity; a free branch may not be there: its activations would have
    to turn, too.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4,), form="constrained")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> bool(point_reflection(network)([[0.3]]) == -network([[-0.3]]))
    True
    """
    plan, constrained = network.architecture, constrained_layers(network)
    if plan.free_components:
        raise ValueError(f"a point reflection needs columns that all have a direction; got {plan.columns}.")
    if plan.link != "identity":
        raise ValueError(f"a point reflection needs the link identity; got {plan.link!r}.")
    columns = tuple(_reflected(column) for column in plan.columns)
    reflect = tuple(not flag for flag in plan.reflect or ())
    turned = replace(plan, columns=columns, reflect=reflect, center=-plan.center, constraint="clamp")
    layers = [(weight, -bias) for weight, bias in constrained]
    return with_trunk(network, _without_needless_flags(turned), layers)


def rebased(network: Network, activation: Activation) -> Network:
    """Return the same network, described by ``activation`` or its point reflection: a change of words only.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4,), form="constrained")
    >>> rebased(Network(plan, plan.initial(0)), plan.activation.reflection).architecture.reflect
    (True,)
    """
    plan = network.architecture
    if activation == plan.activation:
        return network
    if plan.form != "constrained" or activation != plan.activation.reflection:
        raise ValueError(
            f"only a constrained network is described by its activation {plan.activation} or the reflection alike; got "
            f"{activation} for form={plan.form!r}."
        )
    flags = tuple(not flag for flag in plan.reflect or ())
    return Network(replace(plan, activation=activation, reflect=flags), network.parameters)


def as_post_switch(network: Network) -> Network:
    """Return a constrained network as a post-switch one: no number changes, but signs of weights.

    Behind a layer with ``s`` the weights stay positive; behind one with ``s'`` they become negative, for
    ``W s'(z) = (-W) s(-z)``. So one block holds both. The affine map at the entrance is there already.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4), form="constrained")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> bool(as_post_switch(network)([[0.3]]) == network([[0.3]]))
    True
    """
    plan, layers = _non_negative(network)
    signs = [1.0, *(-1.0 if flag else 1.0 for flag in plan.reflect or ())]
    switched = [(sign * weight, bias) for sign, (weight, bias) in zip(signs, layers, strict=True)]
    return with_trunk(network, _switch_plan(plan, "post"), switched)


def as_pre_switch(network: Network) -> Network:
    """Return a constrained network as a pre-switch one, the blocks' additive constants in the next bias.

    A block with weights of one sign is ``s_l(W x + b) - s_l(b)``, where ``s_l`` is ``s`` for positive weights and
    ``s'`` for negative ones, then with ``-b`` in the place of ``b``. The affine map at the end is there already.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4), form="constrained")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> np.allclose(as_pre_switch(network)([[0.3]]), network([[0.3]]))
    True
    """
    # NOTE[PAPER]: the switch proposition calls the constant s(b) a "constant factor"; it is added, not multiplied
    plan, layers = _non_negative(network)
    signs = [*(-1.0 if flag else 1.0 for flag in plan.reflect or ()), 1.0]
    absorbed = absorb_offsets(layers, plan.layer_activations)
    switched = [(sign * weight, sign * bias) for sign, (weight, bias) in zip(signs, absorbed, strict=True)]
    return with_trunk(network, _switch_plan(plan, "pre"), switched)


def absorb_offsets(layers: Sequence[Layer], activations: Sequence[Activation]) -> list[Layer]:
    """Return layers whose biases make up for each block ``s(z)`` becoming ``s(z) - s(b)``.

    >>> zero, one = np.zeros((1, 1)), np.ones((1, 1, 1))
    >>> absorb_offsets([(one, zero + 3.0), (one, zero)], [Activation("relu")])[1][1]
    array([[3.]])
    """
    absorbed = [layers[0]]
    for (weight, bias), s in zip(layers[1:], activations, strict=True):
        offset = s.value(absorbed[-1][1])
        absorbed.append((weight, bias + np.einsum("...oi,...i->...o", weight, offset)))
    return absorbed


def change_activation(network: Network, activation: Activation, a: float, b: float, c: float = 1.0) -> Network:
    """Return the same function with the activation ``t(z) = a s(c z) + b`` of the table in the place of ``s``.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4,), form="constrained", activation="sigmoid")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> change_activation(network, Activation("tanh"), 2.0, -1.0, 2.0).architecture.activation.name
    'tanh'
    """
    plan = network.architecture
    _check_affine(plan.activation, activation, a, b, c)
    return Network(replace(plan, activation=activation, constraint="clamp"), absorb_affine(network, a, b, c))


def absorb_affine(network: Network, a: float, b: float, c: float = 1.0) -> Parameters:
    """Return weights and biases that leave the function as it is when every ``s(z)`` becomes ``a s(c z) + b``.

    The weights are effective ones, for the constraint clamp. The new activation need not be in the table: with
    ``b = -a s(-inf)`` it saturates to zero, so that saturating elsewhere is no restriction.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(1,), form="constrained")
    >>> one = Network(plan, Parameters({name: np.ones(shape) for name, shape in plan.shapes.items()}))
    >>> numbers = absorb_affine(one, 2.0, 6.0)
    >>> numbers["trunk.1.weight"].item(), numbers["trunk.1.bias"].item()
    (0.5, -2.0)
    """
    # NOTE[PAPER]: the proposition allows a = 0, which makes the activation constant; a > 0 is needed
    if not (0.0 < a < np.inf and 0.0 < c < np.inf):
        raise ValueError(f"an activation keeps order and shape under positive, finite factors; got a = {a}, c = {c}.")
    plan, layers = network.architecture, constrained_layers(network)
    # -t(-z) = a s'(c z) - b
    shifts = [-b if flag else b for flag in plan.reflect or ()]
    inner = [1.0 / c] * len(shifts) + [1.0]
    outer = [(1.0, 0.0), *((1.0 / a, plan.weight_sign * shift) for shift in shifts)]
    absorbed = [
        (i * o * weight, i * (bias - o * shift * weight.sum(axis=-1)))
        for (weight, bias), i, (o, shift) in zip(layers, inner, outer, strict=True)
    ]
    return with_trunk(network, replace(plan, constraint="clamp"), absorbed).parameters


def _check_affine(old: Activation, new: Activation, a: float, b: float, c: float) -> None:
    """Raise unless ``new(z) = a old(c z) + b``, seen at points on both sides."""
    z = np.linspace(-20.0, 20.0, 161)
    difference = np.abs(new.value(z) - (a * old.value(c * z) + b)).max()
    # 64 eps: a few roundings of either formula, beside the largest value met
    if difference > 64 * np.finfo(float).eps * np.abs(new.value(z)).max():
        raise ValueError(f"{new} is not {a} s({c} z) + {b} of {old}: they differ by {difference:.3g} on [-20, 20].")


def _non_negative(network: Network) -> tuple[Architecture, list[Layer]]:
    """Return description and layers of the network, its signs flipped if they are negative."""
    one = network if network.architecture.weight_sign == 1 else flip_signs(network)
    return one.architecture, constrained_layers(one)


def _switch_plan(plan: Architecture, form: str) -> Architecture:
    return replace(plan, form=form, constraint="abs", weight_sign=1, reflect=None)


def _without_needless_flags(plan: Architecture) -> Architecture:
    """Return the description with the reflected activation where all layers are reflected."""
    if plan.reflect and all(plan.reflect):
        return replace(plan, activation=plan.activation.reflection, reflect=(False,) * len(plan.reflect))
    return plan


def _reflected(column: Column) -> Column:
    """Return the column that reads ``x`` as the given one reads ``-x``, up to the sign."""
    if isinstance(column, Categorical) or len(column.knots) > 2 or column.levels is not None:
        raise ValueError(f"a point reflection needs columns of two knots without levels; got {column}.")
    start, end = column.knots
    return replace(column, knots=(-start, -start + (end - start)))
