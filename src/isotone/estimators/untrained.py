"""Weights that no row of the training data ever reached, set to what a reader would expect of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isotone import engine
from isotone.architecture import Architecture, Categorical, Numeric, Parameters

Array = NDArray[np.float64]
# a weight whose image under every weight map is nought, or nearly
NOTHING = {"abs": 0.0, "square": 0.0, "clamp": 0.0, "softplus": -40.0, "exp": -40.0}


def settle(architecture: Architecture, parameters: Parameters, columns: Iterable[Array], weight: Array) -> Parameters:
    """Return the parameters with untrained weights of the first layers settled. Shape: ``d`` times ``(n,)``, ``(n,)``.

    A category that never occurred reads as the average of those that did, weighted by how often they did; a numeric
    column that was constant has no influence.

    >>> network = Architecture((Numeric((5.0, 6.0)),), free_hidden=(1,), hidden=())
    >>> settle(network, network.initial(0), [np.full(3, 5.0)], np.ones(3))["free.0.weight"].tolist()
    [[[0.0]]]
    """
    arrays = {name: array.copy() for name, array in parameters.items()}
    places = {"free": 0, "trunk": 0}
    for column, values in zip(architecture.columns, columns, strict=True):
        branch = "trunk" if column.direction else "free"
        place, places[branch] = places[branch], places[branch] + column.components
        block = arrays[f"{branch}.0.weight"][:, :, place : place + column.components]
        if isinstance(column, Categorical):
            _average_unseen(block, np.bincount(values.astype(np.intp), weight, column.size).astype(np.float64))
        elif _is_constant(column, values):
            block[...] = NOTHING[architecture.constraint] if column.direction else 0.0
    return engine.fixed(Parameters(arrays))


def _average_unseen(block: NDArray[np.floating], counts: Array) -> None:
    """Give each code that never occurred the mean vector of the others. Shape: ``(members, outputs, codes)``."""
    if counts.any():
        block[:, :, counts == 0] = (block @ (counts / counts.sum()))[:, :, None]


def _is_constant(column: Numeric, values: Array) -> bool:
    present = values[~np.isnan(values)]
    return not len(present) or bool(present.min() == present.max())
