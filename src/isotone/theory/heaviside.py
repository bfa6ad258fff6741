"""Steps from two kinks: the threshold as a limit of ReLU networks, at a finite steepness with its finite error."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.activations import Activation
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.columns import check_rows
from isotone.constraints import Direction
from isotone.reference import encode
from isotone.theory.network import SIDES, Layer, Network, constrained_layers, named_layers, with_trunk

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Step(Network):
    """A network that is a step of height 1 outside an open interval of width ``1 / steepness``, its ``band``.

    Inside the band it errs by up to 1 at every steepness: the convergence is pointwise, and in the mean the error is
    ``1 / (2 steepness)``, the area between the step and the ramp.

    >>> heaviside(4.0).band
    (-0.25, 0.0)
    """

    band: tuple[float, float]


def heaviside(steepness: float, first_side: str = "right") -> Step:
    """Return ``ReLU(ReLU'(a x) + 1)``, near ``1_{x >= 0}``, or ``ReLU'(ReLU(a x) - 1)``, near ``1_{x > 0} - 1``.

    The first for ``first_side="right"``, where ``ReLU'`` comes first; the second for ``"left"``.

    >>> heaviside(4.0)([[-1.0], [-0.125], [0.0]]).ravel().tolist()
    [0.0, 0.5, 1.0]
    """
    # NOTE[PAPER]: the second limit is 1_{x > 0} - 1; and at a finite steepness both hold outside the band only
    check_steepness(steepness)
    if first_side not in SIDES:
        raise ValueError(f"first_side is one of {list(SIDES)}; got {first_side!r}.")
    side = 1.0 if first_side == "right" else -1.0
    band = (-1.0 / steepness, 0.0) if first_side == "right" else (0.0, 1.0 / steepness)
    built = _two_kinks(steepness, 0.0, side)
    return Step(built.architecture, built.parameters, band)


def both_orders(steepness: float) -> tuple[Network, Network]:
    """Return the two sides of Figure 2: ``ReLU(ReLU'(a x - 1/2) + 1)`` and ``ReLU'(ReLU(a x + 1/2) - 1) + 1``.

    They are one function, ``clip(a x + 1/2, 0, 1)``.

    >>> left, right = both_orders(2.0)
    >>> bool((left([[0.125]]) == right([[0.125]])).all())
    True
    """
    # NOTE[PAPER]: Figure 2's caption lacks the +1 on the right
    check_steepness(steepness)
    lower = _two_kinks(steepness, 0.5, -1.0)
    return _two_kinks(steepness, -0.5, 1.0), Network(replace(lower.architecture, center=1.0), lower.parameters)


def naive_relu(network: Network, x: ArrayLike) -> Network:
    """Return a threshold network as a ReLU network with twice the hidden layers, equal at the rows ``x``.

    Each threshold becomes two layers, ``ReLU(ReLU'(a z) + 1)``, or the other order for a reflected one. ``a`` is a
    power of two, chosen per unit so that no row falls into the band. This is the naive bound: 3 hidden layers become 6.

    >>> from isotone.theory.interpolation import interpolate
    >>> steps = interpolate([[0.0], [1.0]], [0.0, 1.0], "threshold")
    >>> naive_relu(steps, [[0.0], [1.0]]).architecture.hidden
    (1, 1, 1, 1, 1, 1)
    """
    # NOTE[PAPER]: the text says 8 layers; the construction has 6 hidden layers, that is 7 affine maps
    plan = network.architecture
    kind = (plan.activation.name, plan.members, plan.weight_sign, plan.free_components)
    if kind != ("threshold", 1, 1, 0):
        raise ValueError(
            "the naive bound starts from one member with the activation threshold, non-negative weights and a direction"
            f" for every column; got {kind[0]}, {kind[1]} members, weight_sign {kind[2]} and columns {plan.columns}."
        )
    inputs = encode(plan, check_rows(plan.columns, x))[1]
    doubled: list[Layer] = []
    layers = constrained_layers(network)
    for (weight, bias), s in zip(layers[:-1], plan.layer_activations, strict=True):
        sums = inputs @ weight[0].T + bias[0]
        factor = _steep_enough(sums, s)
        shift = -1.0 if s.reflected else 1.0
        doubled += [(factor[:, None] * weight, factor * bias), _shifted_identity(len(factor), shift)]
        inputs = s.value(sums)
    reflected = tuple(flag for s in plan.layer_activations for flag in (not s.reflected, s.reflected))
    wide = tuple(width for width in plan.hidden for _ in range(2))
    relu = replace(plan, hidden=wide, activation=Activation("relu"), reflect=reflected, constraint="clamp")
    return with_trunk(network, relu, [*doubled, layers[-1]])


def check_steepness(steepness: float) -> None:
    """Raise unless the steepness is positive and finite.

    >>> check_steepness(1.0)
    """
    if not 0.0 < steepness < np.inf:
        raise ValueError(f"a steepness is positive and finite; got {steepness}.")


def _two_kinks(steepness: float, inner: float, outer: float) -> Network:
    """Return the network ``s'(s(a x + inner) + outer)``, where ``s`` is ReLU' for ``outer > 0`` and ReLU else."""
    plan = Architecture(
        (Numeric(direction=Direction.INCREASING),),
        hidden=(1, 1),
        form="constrained",
        constraint="clamp",
        reflect=(outer > 0, outer < 0),
    )
    numbers = ((steepness, inner), (1.0, outer), (1.0, 0.0))
    layers = [(np.full((1, 1, 1), weight), np.full((1, 1), bias)) for weight, bias in numbers]
    return Network(plan, Parameters(named_layers(layers)))


def _shifted_identity(units: int, shift: float) -> Layer:
    return np.eye(units)[None], np.full((1, units), shift)


def _steep_enough(sums: Array, s: Activation) -> Array:
    """Return, per unit, a power of two that takes every sum on the low side of the step past the band."""
    distances = sums if s.reflected else -sums
    nearest = np.where(distances > 0.0, distances, np.inf).min(axis=0)
    exponents = np.where(np.isfinite(nearest), -np.floor(np.log2(np.minimum(nearest, 1.0))), 0.0)
    factors: Array = np.ldexp(1.0, exponents.astype(int))
    return factors
