"""The definition: every form's forward pass in plain NumPy float64. Truth is slow and short."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.activations import Activation, log_softmax, logistic
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.weights import weight_map

Array = NDArray[np.float64]
# encoded inputs stay within this, so that no sum overflows
INPUT_BOUND = 2.0**20

LINKS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda z: z,
    "exp": np.exp,
    "sigmoid": logistic,
    "softmax": lambda z: np.exp(log_softmax(z)),
    "sorted": lambda z: np.sort(z, axis=1),
}


def encode(architecture: Architecture, x: ArrayLike) -> tuple[Array, Array]:
    """Return the components of the free branch and of the constrained columns. Shape: ``(n, d)`` -> two ``(n, *)``.

    >>> encode(Architecture((Numeric((0.0, 1.0, 3.0), direction=1),)), [[2.0]])[1]
    array([[1. , 0.5]])
    """
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(architecture.columns):
        raise ValueError(f"x has shape (n, {len(architecture.columns)}); got {rows.shape}.")
    free, slots, constrained = [rows[:, :0]], [rows[:, :0]], [rows[:, :0]]
    for column, values in zip(architecture.columns, rows.T, strict=True):
        (constrained if column.direction else free).append(components(architecture, column, values))
        if isinstance(column, Numeric) and column.missing:
            slots.append(np.isnan(values)[:, None] * 1.0)
    return np.hstack(free + slots), np.hstack(constrained)


def components(architecture: Architecture, column: Numeric | Categorical, values: Array) -> Array:
    """Return one column's components, times its direction; a missing value has zeros. Shape: ``(n,)`` -> ``(n, k)``.

    >>> components(Architecture((Numeric(direction=-1),)), Numeric(direction=-1), np.array([3.0]))
    array([[-3.]])
    """
    if isinstance(column, Categorical):
        return np.where(values[:, None] == np.arange(column.size), 1.0, 0.0)
    knots = np.array(column.knots)
    fractions = (np.nan_to_num(values[:, None], nan=knots[0]) - knots[:-1]) / np.diff(knots)
    lower, upper = np.zeros(len(knots) - 1), np.ones(len(knots) - 1)
    lower[0], upper[-1] = -INPUT_BOUND, INPUT_BOUND
    fractions = np.clip(fractions, lower, upper)
    if column.levels is not None:
        level = column.levels[0] + fractions @ np.diff(column.levels)
        fractions = np.clip(level * ~np.isnan(values), -INPUT_BOUND, INPUT_BOUND)[:, None]
    oriented: Array = fractions * (int(column.direction) * architecture.trunk_direction or 1)
    return oriented


def post_switch(weight: Array, bias: Array, inputs: Array, s: Activation) -> Array:
    """``W+ s(x) + W- s(-x) + b``. Shape: ``(n, d)`` -> ``(n, m)``.

    >>> post_switch(np.array([[-2.0]]), np.zeros(1), np.array([[-3.0]]), Activation("relu"))
    array([[-6.]])
    """
    return s.value(inputs) @ np.maximum(weight, 0.0).T + s.value(-inputs) @ np.minimum(weight, 0.0).T + bias


def pre_switch(weight: Array, bias: Array, inputs: Array, s: Activation) -> Array:
    """``s(W+ x + b) - s(W- x + b)``. Shape: ``(n, d)`` -> ``(n, m)``.

    >>> pre_switch(np.array([[-2.0]]), np.zeros(1), np.array([[-3.0]]), Activation("relu"))
    array([[-6.]])
    """
    return s.value(inputs @ np.maximum(weight, 0.0).T + bias) - s.value(inputs @ np.minimum(weight, 0.0).T + bias)


def trunk(architecture: Architecture, layers: list[tuple[Array, Array]], inputs: Array) -> Array:
    """Return one member's outputs, with the affine end layer that its form has. Shape: ``(n, d)`` -> ``(n, m)``.

    >>> network = Architecture((Numeric(direction=1),), hidden=())
    >>> trunk(network, [(np.array([[-2.0]]), np.array([1.0]))], np.array([[3.0]]))
    array([[7.]])
    """
    g = weight_map(architecture.constraint).value
    activations = architecture.layer_activations
    for index, (weight, bias) in enumerate(layers):
        if architecture.form == "post" and index > 0:
            inputs = post_switch(weight, bias, inputs, activations[index - 1])
        elif architecture.form == "pre" and index < len(activations):
            inputs = pre_switch(weight, bias, inputs, activations[index])
        else:
            inputs = inputs @ (architecture.weight_sign * g(weight)).T + bias
            if architecture.form == "constrained" and index < len(activations):
                inputs = activations[index].value(inputs)
    return inputs


def member_scores(architecture: Architecture, parameters: Parameters, x: ArrayLike) -> Array:
    """Return every member's latent scores. Shape: ``(n, d)`` -> ``(members, n, m)``.

    >>> network = Architecture((Numeric(direction=1),), members=2)
    >>> member_scores(network, network.initial(0), np.zeros((3, 1))).shape
    (2, 3, 1)
    """
    free, constrained = encode(architecture, x)
    scores = []
    for member in range(architecture.members):
        hidden = free  # without columns where nothing is free
        for weight, bias in _layers(parameters, "free", member):
            hidden = architecture.free_activation.value(hidden @ weight.T + bias)
        scores.append(trunk(architecture, _layers(parameters, "trunk", member), np.hstack([constrained, hidden])))
    return np.stack(scores)


def cut_points(parameters: Parameters) -> Array:
    """Return the shared, non-decreasing cut points: the mean of the members'. Shape: ``(members, k)`` -> ``(k,)``.

    >>> cut_points(Parameters({"cuts": np.zeros((1, 2))})).round(4)
    array([0.    , 0.6931])
    """
    steps = np.array(parameters["cuts"], dtype=np.float64)
    steps[:, 1:] = np.logaddexp(0.0, steps[:, 1:])
    return np.asarray(np.cumsum(steps, axis=1).mean(axis=0))


def predict(architecture: Architecture, parameters: Parameters, x: ArrayLike) -> Array:
    """Return the prediction after mean, target transform and link. Shape: ``(n, d)`` -> ``(n, m)``.

    The link cumulative gives ``P(y > k)`` for each cut; the link sorted sorts the outputs of a row.

    >>> network = Architecture((Numeric(direction=1),), link="sigmoid")
    >>> predict(network, network.initial(0), np.zeros((3, 1))).shape
    (3, 1)
    """
    latent = architecture.center + architecture.scale * member_scores(architecture, parameters, x).mean(axis=0)
    if architecture.link == "cumulative":
        return logistic(latent - cut_points(parameters))
    return LINKS[architecture.link](latent)


def _layers(parameters: Parameters, branch: str, member: int) -> list[tuple[Array, Array]]:
    """Return one member's weights and biases of a branch, in float64."""
    names = [name for name in parameters.names if name.startswith(branch) and name.endswith("weight")]
    pairs = [(parameters[name], parameters[name.replace("weight", "bias")]) for name in names]
    return [(weight[member].astype(np.float64), bias[member].astype(np.float64)) for weight, bias in pairs]
