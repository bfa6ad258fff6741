"""What one unit of layers 1, 2 and 3 represents, and their sum, over the data that the network interpolates."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.draw_layer_samples import HEIGHTS
from benchmarks.figures.records import Record

LAYERS = ("layer 1", "layer 2", "layer 3", "network")
# what is dark
TITLES = {
    "left": ("half-space", "outside intersection", "level set", "sum of level sets"),
    "right": ("half-space", "intersection", "level set", "sum of level sets"),
}


def data(axes: Axes, record: Record) -> None:
    for (x, y), value in zip(record["points"], record["values"], strict=True):
        axes.plot(x, y, "o", ms=9, mfc="white", mec="black", mew=0.8)
        axes.text(x, y, f"{value:.0f}", ha="center", va="center_baseline", fontsize=8)


def figure(record: Record) -> Figure:
    whole, axes = style.panels(len(LAYERS), len(TITLES), 6.8, sharex=True, sharey=True)
    for column, (side, titles) in enumerate(TITLES.items()):
        for row, (unit, title) in enumerate(zip(record["found"][side], titles, strict=True)):
            place = axes[row * len(TITLES) + column]
            place.pcolormesh(unit["x"], unit["y"], unit["heights"], cmap=HEIGHTS)
            data(place, record)
            place.set(aspect="equal", xticks=range(6), yticks=range(6))
            head = f"layer 1 saturates {side}\n" if row == 0 else ""
            last = "x₁" if row == len(LAYERS) - 1 else ""
            style.label(place, last, f"{LAYERS[row]}\nx₂" if column == 0 else "", head + title)
    return whole
