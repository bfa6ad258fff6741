"""Where the kinks of fresh switch networks lie on [-10, 10], with PyTorch's default start and with the balanced one.

python -m benchmarks.figures.measure_kinks
"""

from __future__ import annotations

from statistics import fmean

import torch
from torch import Tensor, nn

from benchmarks.figures import records
from benchmarks.figures.networks import NETWORKS
from benchmarks.figures.wave import EDGE
from isotone.nn import ConstrainedLinear, SwitchLinear

MODELS = ("switch", "balanced")
DEPTH, WIDTH, DRAWS = 3, 128, 20
NEAR = 1.0


def sums(network: nn.Module, x: Tensor) -> list[Tensor]:
    """Return the sums of every hidden layer, before their activation."""
    found: list[Tensor] = []
    layers = [module for module in network.modules() if isinstance(module, ConstrainedLinear | SwitchLinear)]
    for layer in layers[:-1]:
        layer.register_forward_hook(lambda *call: found.append(call[-1].detach()))
    with torch.no_grad():
        network(x)
    return found


def shares(sums: Tensor, x: Tensor) -> dict[str, float]:
    """Return the shares of units that change their sign at all, and within the nearest places to zero."""
    rising = (sums[:-1] <= 0) & (sums[1:] > 0)
    near = rising & (x[:-1].abs() < NEAR)
    return {"bent": float(rising.any(dim=0).double().mean()), "near": float(near.any(dim=0).double().mean())}


def main() -> None:
    torch.set_num_threads(1)
    x = torch.linspace(-EDGE, EDGE, 2001)[:, None]
    found: dict[str, list[records.Record]] = {}
    for name in MODELS:
        draws = []
        for seed in range(DRAWS):
            torch.manual_seed(seed)
            draws.append([shares(layer, x) for layer in sums(NETWORKS[name]((WIDTH,) * DEPTH), x)])
        found[name] = [
            {key: fmean(each[key] for each in layer) for key in layer[0]} for layer in zip(*draws, strict=True)
        ]
        print(name, found[name])
    settings = {"depth": DEPTH, "width": WIDTH, "draws": DRAWS, "near": NEAR, "edge": EDGE}
    records.store("kinks", settings | {"found": found})


if __name__ == "__main__":
    main()
