"""How the sizes of gradients spread in each layer of a fresh network with six hidden layers."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

NAMES = ("sigmoid", "relu", "switch")


def figure(record: Record) -> Figure:
    whole, axes = style.panels(len(NAMES), 1, 5.4, sharex=True, sharey=True)
    edges, zero = record["edges"], record["edges"][0] - 1.0
    numbers = np.arange(1, record["layers"] + 2)
    for place, name in zip(axes, NAMES, strict=True):
        layers = record["found"][name]
        shares = np.array([found["shares"] for found in layers])
        rows = np.append(numbers - 0.5, numbers[-1] + 0.5)
        shown = place.pcolormesh(edges, rows, shares, cmap="Blues", vmin=0, vmax=1, rasterized=True)
        # a column of its own for gradients that are nothing at all
        nothing = np.array([[found["zero"]] for found in layers])
        place.pcolormesh([zero - 0.5, zero + 0.5], rows, nothing, cmap="Blues", vmin=0, vmax=1)
        style.label(place, "", "linear layer", style.MODELS[name][0])
        place.set_yticks(numbers)
    axes[-1].set_xticks([zero, -10, -5, 0, 5], ["0", "10⁻¹⁰", "10⁻⁵", "1", "10⁵"])
    axes[-1].set_xlabel("size of the gradient (first column: exactly 0)")
    bar = whole.colorbar(shown, ax=axes, location="bottom", shrink=0.7, aspect=30, pad=0.02)
    bar.set_label("share of the layer's parameters", fontsize=8)
    return whole
