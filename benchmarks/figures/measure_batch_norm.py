"""Train non-negative networks and switches on cos(x) + x with and without monotone batch normalisation.

python -m benchmarks.figures.measure_batch_norm
"""

from __future__ import annotations

import torch

from benchmarks.figures import records
from benchmarks.figures.wave import error, train

ACTIVATIONS = ("relu", "sigmoid", "relu6", "switch")
DEPTHS = (3, 6)
WIDTH = 64
SEEDS = 3
STEPS = 600
RATE = 1e-2


def main() -> None:
    torch.set_num_threads(1)
    found = {}
    for depth in DEPTHS:
        for name in ACTIVATIONS:
            for suffix in ("", " normalised"):
                fits = [train(name + suffix, (WIDTH,) * depth, seed, STEPS, RATE) for seed in range(SEEDS)]
                errors = sorted(error(fit.curve()) for fit in fits)
                found[f"{name}{suffix} {depth}"] = {"errors": errors, "median": errors[len(errors) // 2]}
                print(depth, name + suffix, [round(each, 4) for each in errors], flush=True)
    settings = {"depths": DEPTHS, "width": WIDTH, "seeds": SEEDS, "steps": STEPS, "rate": RATE}
    records.store("batch-norm", settings | {"found": found})


if __name__ == "__main__":
    main()
