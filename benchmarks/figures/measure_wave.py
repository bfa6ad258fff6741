"""Train the four models of the paper on cos(x) + x with 128 and 256 neurons a layer.

python -m benchmarks.figures.measure_wave
"""

from __future__ import annotations

from statistics import fmean

import torch

from benchmarks.figures import records
from benchmarks.figures.wave import EDGE, POINTS, error, train

MODELS = ("unconstrained", "relu", "sigmoid", "switch")
WIDTHS = (128, 256)
DEPTH = 3
SEEDS = 2
STEPS = 1000
EVERY = 10


def one(model: str, width: int) -> records.Record:
    """Return the losses over the seeds, and the curve of the first."""
    fits = [train(model, (width,) * DEPTH, seed, STEPS) for seed in range(SEEDS)]
    curves = [fit.curve() for fit in fits]
    finals = [error(curve) for curve in curves]
    print(model, width, [round(value, 5) for value in finals], flush=True)
    return {
        "curve": curves[0],
        "losses": [fmean(step) for step in zip(*(fit.losses[::EVERY] for fit in fits), strict=True)],
        "final": finals,
        "mean": fmean(finals),
    }


def main() -> None:
    torch.set_num_threads(1)
    found = {f"{model} {width}": one(model, width) for width in WIDTHS for model in MODELS}
    settings = {"edge": EDGE, "points": POINTS, "depth": DEPTH, "seeds": SEEDS, "steps": STEPS, "every": EVERY}
    records.store("wave", settings | {"found": found})


if __name__ == "__main__":
    main()
