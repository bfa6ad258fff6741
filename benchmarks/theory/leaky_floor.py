"""How near a switch network with LeakyReLU comes to a hinge and to a step, beside the floor that its depth leaves.

    python -m benchmarks.theory.leaky_floor

The largest error on 33 points of [0, 1], the least over the seeds; trained on the mean eighth power. One layer has a
floor of its own, for it adds up units that bend once.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch

from isotone.activations import Activation
from isotone.architecture import Architecture, Numeric
from isotone.nn import from_parameters
from isotone.theory import leaky_floor, one_layer_floor, steepness_ratio

RESULTS = Path(__file__).parents[1] / "results" / "theory-leaky.json"
LINE = np.linspace(0.0, 1.0, 33)
TARGETS = {"hinge": np.maximum(2.0 * LINE - 1.0, 0.0), "step": (LINE > 0.5) * 1.0}
SLOPES = (0.1, 0.3)
DEPTHS = (1, 2, 3)
WIDTH = 16
SEEDS = 2
STEPS = 1500


def trained_error(target: np.ndarray, s: Activation, depth: int, seed: int) -> float:
    """Return the least largest error that training meets."""
    plan = Architecture((Numeric((0.5, 0.8), direction=1),), (WIDTH,) * depth, activation=s)
    module = from_parameters(plan, plan.initial(seed, np.float32, "balanced"))
    x, y = torch.tensor(LINE[:, None], dtype=torch.float32), torch.tensor(target[:, None], dtype=torch.float32)
    optimiser = torch.optim.Adam(module.parameters(), lr=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    least = float("inf")
    for _ in range(STEPS):
        optimiser.zero_grad()
        errors = (module(x) - y).abs()
        least = min(least, float(errors.detach().max()))
        # the root: without it, gradients fall below what Adam can tell from zero
        ((errors**8).mean() ** 0.125).backward()
        optimiser.step()
        schedule.step()
    return least


def floor_of(target: np.ndarray, s: Activation, depth: int) -> float:
    """Return the largest error that is known to remain at this depth, whatever the width."""
    if depth == 1:
        return one_layer_floor(LINE, target, s)
    # a slope of zero saturates: nothing bounds the ratio
    return leaky_floor(LINE, target, steepness_ratio(s, depth)) if s.parameters[0] else 0.0


def main() -> None:
    torch.set_num_threads(1)
    found: dict[str, dict[str, float]] = {}
    for name, target in TARGETS.items():
        for slope in (*SLOPES, 0.0):
            s = Activation("leaky_relu", (slope,))
            for depth in DEPTHS:
                floor = floor_of(target, s, depth)
                error = min(trained_error(target, s, depth, seed) for seed in range(SEEDS))
                found[f"{name}-{int(100 * slope)}-{depth}"] = {"slope": slope, "floor": floor, "error": error}
                print(f"{name} slope {slope} depth {depth}: floor {floor:.4f}, trained {error:.4f}", flush=True)
    RESULTS.write_text(json.dumps({"width": WIDTH, "seeds": SEEDS, "steps": STEPS, "found": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
