"""The dead ReLU6 network: where its units rest, layer by layer, and how much of its gradient is zero by depth."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record


def figure(record: Record, depth: Record) -> Figure:
    whole, (units, zeros) = style.panels(2, 1, 4.4)
    layers = np.arange(1, record["layers"] + 1)
    low, high = (np.array([each[side] for each in record["units"]]) for side in ("low", "high"))
    units.bar(layers, low, color=style.SKY, label="at 0")
    units.bar(layers, 1 - low - high, bottom=low, color="#dddddd", label="between")
    units.bar(layers, high, bottom=1 - high, color=style.ORANGE, hatch="///", edgecolor="white", lw=0, label="at 6")
    style.label(units, "hidden layer, from the input on", "share of units", "where ReLU6 units rest, six layers")
    units.set_ylim(0, 1)
    units.legend(loc="upper center", bbox_to_anchor=(0.5, -0.28), ncols=3)
    for name in ("relu6", "relu", "switch"):
        title, colour, line = style.MODELS[name]
        zeros.plot(depth["depths"], depth["found"][name]["zero"], color=colour, ls=line, marker="o", ms=3, label=title)
    zeros.set_ylim(-0.03, 1.03)
    style.label(zeros, "hidden layers of 128", "share of zero gradients", "parameters whose gradient is exactly 0")
    zeros.legend(loc="center right", bbox_to_anchor=(1.0, 0.55))
    return whole
