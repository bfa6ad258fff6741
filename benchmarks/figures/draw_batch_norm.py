"""Monotone batch normalisation: what it does to training, and to the gradient's fall from layer to layer."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

NAMES = {"relu": "|W|\nReLU", "sigmoid": "|W|\nsigmoid", "relu6": "|W|\nReLU6", "switch": "switch\nReLU"}
KINDS = {"": ("without", style.VERMILION, "o", -0.17), " normalised": ("normalised", style.BLUE, "s", 0.17)}
BESIDE = 0.09


def errors(axes: Axes, record: Record, depth: int) -> None:
    for suffix, (title, colour, mark, shift) in KINDS.items():
        for place, name in enumerate(NAMES):
            found = record["found"][f"{name}{suffix} {depth}"]["errors"]
            shown = title if place == 0 else None
            # side by side, for seeds of a constrained network end alike
            seeds = place + shift + BESIDE * (np.arange(len(found)) - (len(found) - 1) / 2)
            axes.plot(seeds, found, color=colour, ls="", marker=mark, ms=3.5, label=shown)
    axes.set_yscale("log")
    axes.set_xticks(range(len(NAMES)), list(NAMES.values()))
    style.label(axes, "network", "mean squared error", f"{depth} hidden layers of {record['width']}, each seed")


def figure(record: Record, depth: Record) -> Figure:
    whole, (shallow, deep, ratio) = style.panels(3, 1, 6.6)
    for axes, layers in zip((shallow, deep), record["depths"], strict=True):
        errors(axes, record, layers)
    shallow.legend(loc="lower left", handletextpad=0.2)
    for name in ("sigmoid", "relu"):
        title, colour, line = style.MODELS[name]
        for suffix, mark in (("", "o"), (" normalised", "s")):
            path = depth["found"][name + suffix]["ratio"]
            shown = {"label": title + suffix.replace(" ", ", "), "marker": mark, "mfc": "white", "ms": 4}
            ratio.plot(depth["depths"], path, color=colour, ls=line, **shown)
    ratio.set_yscale("log")
    style.label(ratio, "hidden layers of 128", "ratio", "gradient, layer 2 over last but one")
    style.legend_below(whole, ratio, 1)
    return whole
