"""Train the four models of the paper, and a switch with the balanced start, on cos(x) + x.

    python -m benchmarks.figures.measure_wave [wave] [wave-slow]

The paper names neither the steps nor the learning rate. The figure has 1e-2; `wave-slow` has Adam's default of 1e-3.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from statistics import fmean

import torch

from benchmarks.figures import records
from benchmarks.figures.wave import EDGE, POINTS, error, train

PAPER = ("unconstrained", "relu", "sigmoid", "switch")
WIDTHS = (128, 256)
DEPTH = 3
EVERY = 25


@dataclass(frozen=True)
class Run:
    """How the models of one record are trained."""

    models: tuple[str, ...]
    rate: float
    steps: int
    seeds: int


RUNS = {
    "wave": Run((*PAPER, "balanced"), rate=1e-2, steps=2000, seeds=2),
    "wave-slow": Run(PAPER, rate=1e-3, steps=2500, seeds=3),
}


def one(model: str, width: int, run: Run) -> records.Record:
    """Return the losses over the seeds, and the curve of the first."""
    fits = [train(model, (width,) * DEPTH, seed, run.steps, run.rate) for seed in range(run.seeds)]
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
    for name in sys.argv[1:] or RUNS:
        run = RUNS[name]
        found = {f"{model} {width}": one(model, width, run) for width in WIDTHS for model in run.models}
        settings = {"edge": EDGE, "points": POINTS, "depth": DEPTH, "every": EVERY} | asdict(run)
        records.store(name, settings | {"found": found})


if __name__ == "__main__":
    main()
