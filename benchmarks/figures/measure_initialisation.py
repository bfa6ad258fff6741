"""Draw fresh networks of the four parametrisations: how their output spreads, and how its mean grows with the width.

python -m benchmarks.figures.measure_initialisation
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from benchmarks.figures import records
from isotone.nn import MonotoneMLP
from isotone.theory import growth

FORMS = ("unconstrained", "constrained", "post", "pre")
DEPTH = 4
WIDTHS = (8, 16, 32, 64, 128)
SHOWN = 64
DRAWS = 300
ROW = (1.0, -0.5, 2.0, 0.3)


def fresh(form: str, width: int) -> nn.Module:
    if form != "unconstrained":
        reflect = (False,) * DEPTH if form == "constrained" else None
        return MonotoneMLP(len(ROW), hidden=(width,) * DEPTH, form=form, reflect=reflect)
    inner = [part for _ in range(DEPTH - 1) for part in (nn.Linear(width, width), nn.ReLU())]
    return nn.Sequential(nn.Linear(len(ROW), width), nn.ReLU(), *inner, nn.Linear(width, 1))


def drawn(form: str, width: int) -> list[float]:
    """Return the outputs of fresh networks at one row."""
    torch.manual_seed(0)
    with torch.no_grad():
        return [float(fresh(form, width)(torch.tensor([ROW]))) for _ in range(DRAWS)]


def main() -> None:
    torch.set_num_threads(1)
    found: records.Record = {}
    for form in FORMS:
        outputs = {width: drawn(form, width) for width in WIDTHS}
        derived = {width: growth(form, "relu", (width,) * DEPTH, ROW)[-1] for width in WIDTHS}
        found[form] = {
            "outputs": outputs[SHOWN],
            "mean": [float(np.mean(each)) for each in outputs.values()],
            "deviation": [float(np.std(each)) for each in outputs.values()],
            "derived_mean": [each.mean for each in derived.values()],
        }
        print(form, [round(value, 3) for value in found[form]["mean"]], flush=True)
    settings = {"row": ROW, "draws": DRAWS, "depth": DEPTH, "widths": WIDTHS, "shown": SHOWN}
    records.store("initialisation", settings | {"found": found})


if __name__ == "__main__":
    main()
