"""Evaluate what the theory builds: steps from two kinks, and functions that layers 1, 2 and 3 can hold.

python -m benchmarks.figures.measure_constructions
"""

from __future__ import annotations

import numpy as np

from benchmarks.figures import records
from isotone.activations import Activation
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.theory import Network, both_orders, heaviside
from isotone.theory.network import Layer, named_layers

STEEPNESSES = (1.0, 4.0, 16.0)
STEEP = 25.0
SAMPLES = 3
SIDE = np.linspace(-1.0, 1.0, 61)
LINE = np.linspace(-1.5, 1.5, 241)


def steps() -> records.Record:
    """Return both orders of the two kinks, each stage of one, and the error that a finite steepness leaves."""
    found: records.Record = {"line": LINE.tolist(), "found": {}}
    step = (LINE >= 0.0) * 1.0
    fine = np.linspace(-1.5, 1.5, 24001)
    for steepness in STEEPNESSES:
        left, right = both_orders(steepness)
        heights = left(LINE[:, None])[:, 0]
        limit = heaviside(steepness)
        error = np.abs(limit(fine[:, None])[:, 0] - (fine >= 0.0))
        found["found"][f"{steepness:g}"] = {
            "left": heights.tolist(),
            "right": right(LINE[:, None])[:, 0].tolist(),
            "difference": float(np.abs(heights - right(LINE[:, None])[:, 0]).max()),
            "limit": limit(LINE[:, None])[:, 0].tolist(),
            "band": list(limit.band),
            "area": float(np.sum(error) * (fine[1] - fine[0])),
            "largest": float(error.max()),
        }
    return found | {"step": step.tolist()}


def sampled(stream: np.random.Generator, cuts: int, sets: int, levels: int) -> Network:
    """Return a network of random half-spaces, intersections of those, unions of those, and a sum of steps."""
    plan = Architecture(
        (Numeric(direction=1), Numeric(direction=1)),
        hidden=(cuts * sets * levels, sets * levels, levels),
        form="constrained",
        constraint="clamp",
        activation=Activation("sigmoid"),
        reflect=(False, False, False),
    )
    normals = np.abs(stream.normal(size=(cuts * sets * levels, 2)))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    places = stream.uniform(-0.7, 0.7, size=(cuts * sets * levels, 2))
    first = STEEP * normals, -STEEP * (normals * places).sum(axis=1)
    # all of the cuts for an intersection, one of the sets for a union
    second = STEEP * np.kron(np.eye(sets * levels), np.ones(cuts)), np.full(sets * levels, STEEP * (0.5 - cuts))
    third = STEEP * np.kron(np.eye(levels), np.ones(sets)), np.full(levels, -0.5 * STEEP)
    last = stream.uniform(0.5, 1.0, size=(1, levels)), np.zeros(1)
    layers: list[Layer] = [(weight[None], bias[None]) for weight, bias in (first, second, third, last)]
    return Network(plan, Parameters(named_layers(layers)))


def samples() -> records.Record:
    """Return, per layer, three functions on a grid; each is one unit of a network of its own."""
    grid = np.stack([axis.ravel() for axis in np.meshgrid(SIDE, SIDE)], axis=1)
    found: dict[str, list[list[float]]] = {"1": [], "2": [], "3": [], "4": []}
    for seed in range(SAMPLES):
        for layer, (cuts, sets, levels) in {"1": (1, 1, 1), "2": (3, 1, 1), "3": (3, 3, 1), "4": (3, 3, 3)}.items():
            heights = sampled(np.random.default_rng(seed), cuts, sets, levels)(grid)[:, 0]
            low, high = heights.min(), heights.max()
            found[layer].append([round(float(height), 3) for height in (heights - low) / (high - low)])
    return {"side": SIDE.tolist(), "steepness": STEEP, "found": found}


def main() -> None:
    kinks = steps()
    print({name: (each["area"], each["difference"]) for name, each in kinks["found"].items()})
    records.store("heaviside", kinks)
    records.store("layer-samples", samples())


if __name__ == "__main__":
    main()
