"""Networks that are dead at birth: where saturation leaves no gradient."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.architecture import Parameters
from isotone.columns import check_rows
from isotone.reference import encode
from isotone.theory.network import Network, constrained_layers

Array = NDArray[np.float64]


def without_biases(network: Network) -> Network:
    """Return the network with every bias at zero, the usual start.

    >>> from isotone.architecture import Architecture, Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4, 4), form="constrained", weight_sign=-1)
    >>> without_biases(Network(plan, plan.initial(0)))([[-2.0], [3.0]]).ravel().tolist()
    [0.0, 0.0]
    """
    zeroed = {
        name: np.zeros_like(array) if name.endswith("bias") else array for name, array in network.parameters.items()
    }
    return replace(network, parameters=Parameters(zeroed))


def hidden_slopes(network: Network, x: ArrayLike) -> list[Array]:
    """Return the activation's derivative at every unit of each hidden layer. Shapes: ``(members, n, width)``.

    For constrained networks whose columns all have a direction.

    >>> from isotone.architecture import Architecture, Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4,), form="constrained")
    >>> hidden_slopes(Network(plan, plan.initial(0)), [[100.0]])[0].ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    plan = network.architecture
    if plan.free_components:
        raise ValueError(f"slopes are followed where all columns have a direction; got {plan.columns}.")
    inputs, slopes = encode(plan, check_rows(plan.columns, x))[1][None], []
    for (weight, bias), s in zip(constrained_layers(network)[:-1], plan.layer_activations, strict=True):
        sums = plan.weight_sign * inputs @ weight.transpose(0, 2, 1) + bias[:, None]
        slopes.append(s.derivative(sums))
        inputs = s.value(sums)
    return slopes


def input_gradients(network: Network, x: ArrayLike) -> Array:
    """Return the derivative of each member's scores by the trunk's inputs. Shape: ``(members, n, outputs, inputs)``.

    Where a sum lies exactly on a kink, this is the chain rule over one-sided slopes: a convention, as in PyTorch.

    >>> from isotone.architecture import Architecture, Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(), form="constrained")
    >>> network = Network(plan, plan.initial(0, np.float64))
    >>> bool(input_gradients(network, [[0.0]])[0, 0, 0, 0] == abs(network.parameters["trunk.0.weight"][0, 0, 0]))
    True
    """
    sign = network.architecture.weight_sign
    weights = [sign * weight[:, None] for weight, _ in constrained_layers(network)]
    rows = len(np.asarray(x))
    gradient: Array = np.broadcast_to(weights[0], (len(weights[0]), rows, *weights[0].shape[2:]))
    for slope, weight in zip(hidden_slopes(network, x), weights[1:], strict=True):
        gradient = weight @ (slope[..., None] * gradient)
    return gradient


def dead_layers(network: Network, x: ArrayLike) -> list[int]:
    """Return the hidden layers, counted from 1, whose slopes are zero at every unit, row and member.

    Below such a layer no parameter has a gradient, whatever the loss.

    >>> from isotone.architecture import Architecture, Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(4, 4, 4), form="constrained", weight_sign=-1)
    >>> dead_layers(without_biases(Network(plan, plan.initial(0))), [[2.0], [3.0]])
    [1]
    """
    return [layer for layer, slopes in enumerate(hidden_slopes(network, x), 1) if not slopes.any()]
