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
FINE = np.linspace(-1.0, 1.0, 401)
# how many of the 61 x 401 places have the same height, to a hundredth, on a terrace
FLAT = 250
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


def terraces(heights: np.ndarray) -> records.Record:
    """Return the heights of a function's terraces above its lowest, and where on each line over x1 they begin.

    Shape: ``(lines, places)``. Between -1 and 1 if the terrace begins on the line, else one of these ends.
    """
    low, high = heights.min(), heights.max()
    scaled = (heights - low) / (high - low)
    # far from a step's middle the function is flat: what many places share is a terrace
    found, counts = np.unique(scaled.round(2), return_counts=True)
    levels = found[(counts >= FLAT) & (found > 0.0)]
    middles = (levels + np.append(0.0, levels[:-1])) / 2
    starts = [[round(float(np.interp(middle, line, FINE)), 3) for line in scaled] for middle in middles]
    return {"levels": levels.tolist(), "starts": starts}


def samples() -> records.Record:
    """Return, per layer, the terraces of three functions; each is one unit of a network of its own."""
    grid = np.stack([axis.ravel() for axis in np.meshgrid(SIDE, FINE, indexing="ij")], axis=1)
    found: dict[str, list[records.Record]] = {"1": [], "2": [], "3": [], "4": []}
    for seed in range(SAMPLES):
        for layer, (cuts, sets, levels) in {"1": (1, 1, 1), "2": (3, 1, 1), "3": (3, 3, 1), "4": (3, 3, 3)}.items():
            heights = sampled(np.random.default_rng(seed), cuts, sets, levels)(grid)[:, 0]
            found[layer].append(terraces(heights.reshape(len(SIDE), len(FINE))))
    return {"side": SIDE.tolist(), "steepness": STEEP, "found": found}


def main() -> None:
    kinks = steps()
    print({name: (each["area"], each["difference"]) for name, each in kinks["found"].items()})
    records.store("heaviside", kinks)
    records.store("layer-samples", samples())


if __name__ == "__main__":
    main()
