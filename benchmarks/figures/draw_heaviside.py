"""A step from two kinks, and how it steepens."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

LINES = {"1": (style.SKY, ":"), "4": (style.ORANGE, "--"), "16": (style.BLUE, "-")}


def figure(record: Record) -> Figure:
    whole, (both, limit) = style.panels(2, 1, 4.4, sharex=True)
    for steepness, (colour, line) in LINES.items():
        found = record["found"][steepness]
        name = f"α = {steepness}"
        both.plot(record["line"], found["left"], color=colour, ls=line, label=name)
        # the other order on top, as marks: it is the same function
        both.plot(record["line"][::12], found["right"][::12], color=colour, ls="", marker="o", ms=2.6)
        limit.plot(record["line"], found["limit"], color=colour, ls=line, label=name)
    limit.plot(record["line"], record["step"], color=style.BLACK, lw=0.8, drawstyle="steps-post", label="step")
    style.label(both, "", "output", "ReLU(ReLU′(αx − ½) + 1): line\nReLU′(ReLU(αx + ½) − 1) + 1: dots")
    style.label(limit, "x", "output", "ReLU(ReLU′(αx) + 1) against the step")
    both.legend(loc="lower right")
    limit.legend(loc="lower right")
    return whole
