"""The appendix' samples: functions that one unit of layers 1, 2 and 3 can hold, and a sum of three of the last."""

from __future__ import annotations

from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

HEIGHTS = LinearSegmentedColormap.from_list("height", ["#f7f1e3", "#8fb3c4", "#0b3c5d"])
ROWS = {
    "1": "layer 1:\nhalf-space",
    "2": "layer 2:\nintersection",
    "3": "layer 3:\nunion",
    "4": "layer 4:\nweighted sum",
}


def figure(record: Record) -> Figure:
    columns = len(record["found"]["1"])
    whole, axes = style.panels(len(ROWS), columns, 4.6, sharex=True, sharey=True)
    side = record["side"]
    for row, (layer, name) in enumerate(ROWS.items()):
        for column, terraces in enumerate(record["found"][layer]):
            place = axes[row * columns + column]
            place.set(facecolor=HEIGHTS(0.0), xlim=(-1, 1), ylim=(-1, 1), aspect="equal")
            for level, starts in zip(terraces["levels"], terraces["starts"], strict=True):
                place.fill_between(side, starts, 1.0, color=HEIGHTS(level), lw=0)
            place.set_xticks([-1, 1])
            place.set_yticks([-1, 1])
            last = "x₁" if row == len(ROWS) - 1 else ""
            style.label(place, last, f"{name}\nx₂" if column == 0 else "", f"sample {column + 1}" if row == 0 else "")
    bar = whole.colorbar(ScalarMappable(cmap=HEIGHTS), ax=axes, location="bottom", shrink=0.6, aspect=30, pad=0.02)
    bar.set_label("output, from least to greatest", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    return whole
