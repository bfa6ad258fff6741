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


def trend(x: np.ndarray) -> np.ndarray:
    return 0.6 * x + 1.5 * (1.0 - np.exp(-x))


def fitted(name: str, x: np.ndarray, y: np.ndarray) -> nn.Sequential:
    torch.manual_seed(0)
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


def main() -> None:
    torch.set_num_threads(1)
    stream = np.random.default_rng(0)
    x = np.sort(stream.uniform(0.0, EDGE, ROWS))
    y = trend(x) + NOISE * stream.normal(size=ROWS)
    line = np.linspace(0.0, FAR, 201)
    tree = HistGradientBoostingRegressor(monotonic_cst=[1], min_samples_leaf=5, random_state=0).fit(x[:, None], y)
    curves = {name: said(fitted(name, x, y), line) for name in ("sigmoid", "switch")}
    curves["tree"] = tree.predict(line[:, None])
    beyond, inside = line > EDGE, line <= EDGE
    found = {
        name: {
            "curve": curve.tolist(),
            "inside": float(np.sqrt(np.mean((curve - trend(line))[inside] ** 2))),
            "beyond": float(np.sqrt(np.mean((curve - trend(line))[beyond] ** 2))),
            "rise": float(curve[-1] - curve[inside][-1]),
        }
        for name, curve in curves.items()
    }
    print({name: {part: each[part] for part in ("inside", "beyond", "rise")} for name, each in found.items()})
    truth = {"curve": trend(line).tolist(), "rise": float(trend(line)[-1] - trend(line)[inside][-1])}
    settings = {"edge": EDGE, "far": FAR, "noise": NOISE, "hidden": HIDDEN, "steps": STEPS}
    rows = {"x": x.tolist(), "y": y.tolist(), "line": line.tolist()}
    records.store("extrapolation", settings | rows | {"truth": truth, "found": found})


if __name__ == "__main__":
    main()
