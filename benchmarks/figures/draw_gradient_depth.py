"""The mean size of a fresh network's gradient as layers are added."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

# NOTE[PAPER]: the two ends that the paper's text gives, for 4 and 10 layers; its figure is not to be had
ENDS = (4, 10)
PUBLISHED = {"sigmoid": (0.0019, 0.00099), "relu": (3.54, 3311.0), "switch": (0.010, 1.259)}


def figure(record: Record) -> Figure:
    whole, (axes,) = style.panels(1, 1, 3.4)
    for name, published in PUBLISHED.items():
        title, colour, line = style.MODELS[name]
        output = record["found"][name]["output"]
        means = np.array([each["mean"] for each in output])
        spread = np.array([each["deviation"] for each in output])
        axes.plot(record["depths"], means, color=colour, ls=line, marker="o", ms=3, label=title)
        axes.fill_between(
            record["depths"], np.maximum(means - spread, means / 10), means + spread, color=colour, alpha=0.2
        )
        axes.plot(ENDS, published, color=colour, ls="", marker="x", ms=6, mew=1.6)
    axes.plot([], [], color=style.GREY, ls="", marker="x", ms=6, mew=1.6, label="the paper's text")
    axes.set_yscale("log")
    style.label(axes, "hidden layers of 128", "mean size of the gradient (± 1 deviation)")
    style.legend_below(whole, axes, 2)
    return whole
