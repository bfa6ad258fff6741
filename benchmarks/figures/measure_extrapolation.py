"""Fit a rising trend and ask beyond the data: a bounded network, a monotone tree ensemble, and switches.

python -m benchmarks.figures.measure_extrapolation
"""

from __future__ import annotations

import numpy as np
import torch
from sklearn.ensemble import HistGradientBoostingRegressor
from torch import nn

from benchmarks.figures import records
from benchmarks.figures.networks import NETWORKS

EDGE = 6.0
FAR = 10.0
ROWS = 80
NOISE = 0.35
HIDDEN = (32, 32, 32)
STEPS = 2000
SEEDS = 5


def trend(x: np.ndarray) -> np.ndarray:
    return 0.6 * x + 1.5 * (1.0 - np.exp(-x))


def fitted(name: str, x: np.ndarray, y: np.ndarray, seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    network = NETWORKS[name](HIDDEN)
    rows, targets = (torch.tensor(part[:, None], dtype=torch.float32) for part in (x, y))
    optimiser = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(STEPS):
        optimiser.zero_grad()
        (network(rows) - targets).square().mean().backward()
        optimiser.step()
    return network


def said(network: nn.Sequential, x: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return network(torch.tensor(x[:, None], dtype=torch.float32))[:, 0].numpy().astype(float)


def judged(curves: list[np.ndarray], line: np.ndarray) -> records.Record:
    """Return the first curve, and over all of them: errors inside and beyond the data, and the rise beyond."""
    beyond, inside = line > EDGE, line <= EDGE
    errors = [curve - trend(line) for curve in curves]
    return {
        "curve": curves[0].tolist(),
        "inside": [float(np.sqrt(np.mean(error[inside] ** 2))) for error in errors],
        "beyond": [float(np.sqrt(np.mean(error[beyond] ** 2))) for error in errors],
        "rise": [float(curve[-1] - curve[inside][-1]) for curve in curves],
    }


def main() -> None:
    torch.set_num_threads(1)
    stream = np.random.default_rng(0)
    x = np.sort(stream.uniform(0.0, EDGE, ROWS))
    y = trend(x) + NOISE * stream.normal(size=ROWS)
    line = np.linspace(0.0, FAR, 201)
    tree = HistGradientBoostingRegressor(monotonic_cst=[1], min_samples_leaf=5, random_state=0).fit(x[:, None], y)
    curves = {name: [said(fitted(name, x, y, seed), line) for seed in range(SEEDS)] for name in ("sigmoid", "switch")}
    found = {name: judged(each, line) for name, each in (curves | {"tree": [tree.predict(line[:, None])]}).items()}
    print({name: {part: each[part] for part in ("inside", "beyond", "rise")} for name, each in found.items()})
    settings = {"edge": EDGE, "far": FAR, "noise": NOISE, "hidden": HIDDEN, "steps": STEPS, "seeds": SEEDS}
    rows = {"x": x.tolist(), "y": y.tolist(), "line": line.tolist()}
    truth = judged([trend(line)], line)
    records.store("extrapolation", settings | rows | {"truth": truth, "found": found})


if __name__ == "__main__":
    main()
