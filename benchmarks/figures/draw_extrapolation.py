"""The front page: what a bounded network, trees and switches say beyond the data."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record


def figure(record: Record) -> Figure:
    whole, (axes,) = style.panels(1, 1, 3.1)
    axes.axvspan(record["edge"], record["far"], color="#eeeeee", lw=0)
    axes.scatter(record["x"], record["y"], s=7, color=style.GREY, alpha=0.6, lw=0, label="data")
    axes.plot(record["line"], record["truth"]["curve"], color=style.BLACK, ls=":", lw=1.2, label="trend")
    for name in ("sigmoid", "tree", "switch"):
        title, colour, line = style.MODELS[name]
        axes.plot(record["line"], record["found"][name]["curve"], color=colour, ls=line, label=title)
    axes.text(record["edge"] + 0.15, 0.0, "no data here", color=style.GREY, va="bottom")
    axes.set_xlim(0, record["far"])
    style.label(axes, "x", "prediction")
    style.legend_below(whole, axes, 2)
    return whole
