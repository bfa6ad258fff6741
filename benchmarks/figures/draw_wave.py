"""cos(x) + x with the four models and ours as the library starts it, at two widths, and their losses."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

NAMES = ("unconstrained", "relu", "sigmoid", "switch", "balanced")


def curves(axes: Axes, record: Record, width: int) -> None:
    x = np.linspace(-record["edge"], record["edge"], record["points"])
    axes.plot(x, np.cos(x) + x, color="#bbbbbb", lw=3.5, label="cos(x) + x")
    for name in NAMES:
        title, colour, line = style.MODELS[name]
        axes.plot(x, record["found"][f"{name} {width}"]["curve"], color=colour, ls=line, lw=1.3, label=title)
    style.label(axes, "x", "prediction", f"{record['depth']} hidden layers of {width}")


def figure(record: Record) -> Figure:
    whole, (narrow, wide, losses) = style.panels(3, 1, 7.4)
    curves(narrow, record, 128)
    curves(wide, record, 256)
    for name in NAMES:
        for width, line in ((128, "-"), (256, "--")):
            path = record["found"][f"{name} {width}"]["losses"]
            steps = np.arange(len(path)) * record["every"]
            losses.plot(steps, path, color=style.MODELS[name][1], ls=line, lw=1.2)
    for width, line in ((128, "-"), (256, "--")):
        losses.plot([], [], color=style.GREY, ls=line, label=f"{width} neurons")
    losses.set_yscale("log")
    losses.legend(loc="upper right")
    style.label(losses, "step of Adam", "mean squared error", "training loss (colours as above)")
    style.legend_below(whole, narrow, 2)
    return whole
