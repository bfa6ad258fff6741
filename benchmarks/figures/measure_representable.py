"""Evaluate what the layers of an interpolating network represent, one unit of each, for both orders of alternation.

python -m benchmarks.figures.measure_representable
"""

from __future__ import annotations

import numpy as np

from benchmarks.figures import records
from isotone.reference import encode
from isotone.theory import Network, interpolate
from isotone.theory.network import constrained_layers

POINTS = np.array([[0.6, 3.6], [2.6, 0.6], [1.6, 1.6], [3.6, 4.5], [4.5, 2.6]])
VALUES = np.array([1.0, 0.0, 2.0, 3.0, 3.0])
SIZE = 5.0
LINE = np.linspace(0.0, SIZE, 501)
# the units that are shown: one cut, one box, one level, the function
UNITS = {"left": (1, 1, 1, 0), "right": (1, 2, 0, 0)}


def layer_outputs(network: Network, rows: np.ndarray) -> list[np.ndarray]:
    """Return what every hidden layer and the network give. Shapes: ``(n, width)``."""
    plan = network.architecture
    inputs, outputs = encode(plan, rows)[1], []
    for (weight, bias), s in zip(constrained_layers(network)[:-1], plan.layer_activations, strict=True):
        inputs = s.value(inputs @ weight[0].T + bias[0])
        outputs.append(inputs)
    return [*outputs, network(rows)]


def pieces(heights: np.ndarray) -> records.Record:
    """Return a function that is constant on boxes as the edges of these along both axes, and its heights between them.

    Shape: ``(n, n)`` over `LINE`, the first axis upwards.
    """
    rows, columns = (_starts(np.any(np.diff(heights, axis=axis) != 0, axis=1 - axis)) for axis in (0, 1))
    edges = {"x": [*LINE[columns].tolist(), SIZE], "y": [*LINE[rows].tolist(), SIZE]}
    return edges | {"heights": heights[np.ix_(rows, columns)].tolist()}


def _starts(changes: np.ndarray) -> np.ndarray:
    return np.append(0, np.flatnonzero(changes) + 1)


def units() -> records.Record:
    """Return the pieces of a unit of each layer, and of the network, for both orders."""
    grid = np.stack([axis.ravel() for axis in np.meshgrid(LINE, LINE)], axis=1)
    found = {}
    for side, chosen in UNITS.items():
        # a threshold shows the sets themselves; other activations have ramps between neighbouring coordinates
        outputs = layer_outputs(interpolate(POINTS, VALUES, "threshold", side), grid)
        shapes = (heights[:, unit].reshape(len(LINE), -1) for heights, unit in zip(outputs, chosen, strict=True))
        found[side] = [pieces(heights) for heights in shapes]
    return {"points": POINTS.tolist(), "values": VALUES.tolist(), "found": found}


def main() -> None:
    record = units()
    print({side: [len(each["heights"]) for each in shapes] for side, shapes in record["found"].items()})
    records.store("representable", record)


if __name__ == "__main__":
    main()
