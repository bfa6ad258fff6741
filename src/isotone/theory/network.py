"""A description with its numbers: what every theorem takes and gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.architecture import Architecture, Parameters
from isotone.columns import check_rows
from isotone.reference import predict
from isotone.weights import weight_map

Array = NDArray[np.float64]
Layer = tuple[Array, Array]

# where the first layer of an alternation may saturate
SIDES = ("left", "right")


@dataclass(frozen=True)
class Network:
    """An architecture and parameters that fit it; calling it gives the reference's float64 prediction.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(3,))
    >>> Network(plan, plan.initial(0, np.float64))([[0.5], [1.5]]).shape
    (2, 1)
    """

    architecture: Architecture
    parameters: Parameters

    def __post_init__(self) -> None:
        self.parameters.check(self.architecture)

    def __call__(self, x: ArrayLike) -> Array:
        """Return the prediction, or raise if the columns cannot be read. Shape: ``(n, d)`` -> ``(n, m)``."""
        return predict(self.architecture, self.parameters, check_rows(self.architecture.columns, x))


def trunk_layers(network: Network) -> list[Layer]:
    """Return stored weights and biases of the trunk, in float64. Shapes: ``(members, out, in)``, ``(members, out)``.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(3,))
    >>> [weight.shape for weight, _ in trunk_layers(Network(plan, plan.initial(0)))]
    [(1, 3, 1), (1, 1, 3)]
    """
    stored = network.parameters
    depth = len(network.architecture.hidden) + 1
    names = [(f"trunk.{layer}.weight", f"trunk.{layer}.bias") for layer in range(depth)]
    return [(stored[w].astype(np.float64), stored[b].astype(np.float64)) for w, b in names]


def constrained_layers(network: Network) -> list[Layer]:
    """Return the non-negative weights ``g(W)`` and the biases of a constrained network's trunk.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=(3,), form="constrained")
    >>> all((weight >= 0).all() for weight, _ in constrained_layers(Network(plan, plan.initial(0))))
    True
    """
    plan = network.architecture
    if plan.form != "constrained":
        raise ValueError(f"this equivalence starts from form='constrained'; got {plan.form!r}.")
    g = weight_map(plan.constraint).value
    return [(g(weight), bias) for weight, bias in trunk_layers(network)]


def with_trunk(network: Network, plan: Architecture, layers: Sequence[Layer]) -> Network:
    """Return a network of the description ``plan`` with new trunk layers; its other arrays stay as they are.

    >>> from isotone.architecture import Numeric
    >>> plan = Architecture((Numeric(direction=1),), hidden=())
    >>> one = Network(plan, plan.initial(0))
    >>> with_trunk(one, plan, [(np.ones((1, 1, 1)), np.zeros((1, 1)))])([[5.0]])
    array([[5.]])
    """
    return Network(plan, Parameters(_without_trunk(network.parameters) | named_layers(layers)))


def named_layers(layers: Sequence[Layer]) -> dict[str, NDArray[np.floating]]:
    """Return the layers under the names that ``Architecture.shapes`` gives them.

    >>> list(named_layers([(np.ones((1, 1, 1)), np.zeros((1, 1)))]))
    ['trunk.0.weight', 'trunk.0.bias']
    """
    return {
        f"trunk.{index}.{part}": array
        for index, layer in enumerate(layers)
        for part, array in zip(("weight", "bias"), layer, strict=True)
    }


def _without_trunk(parameters: Mapping[str, NDArray[np.floating]]) -> dict[str, NDArray[np.floating]]:
    return {name: array for name, array in parameters.items() if not name.startswith("trunk.")}
