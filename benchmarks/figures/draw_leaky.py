"""LeakyReLU: the error that its depth leaves at any width, and what training reaches."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

# the shift keeps marks of nearly equal errors apart
SLOPES = {"10": ("slope 0.1", style.BLUE, "-", "o", -0.07), "30": ("slope 0.3", style.VERMILION, "--", "s", 0.07)}
DEPTHS = (1, 2, 3)


def figure(record: Record) -> Figure:
    whole, axes = style.panels(1, 2, 2.7, sharey=True)
    for place, target in zip(axes, ("hinge", "step"), strict=True):
        for slope, (title, colour, line, mark, shift) in SLOPES.items():
            found = [record["found"][f"{target}-{slope}-{depth}"] for depth in DEPTHS]
            floors = [each["floor"] for each in found]
            place.plot(DEPTHS, floors, color=colour, ls=line, label=f"{title}: floor")
            place.plot(
                [depth + shift for depth in DEPTHS],
                [each["error"] for each in found],
                color=colour,
                ls="",
                marker=mark,
                ms=5,
                mfc="white",
                label=f"{title}: trained",
            )
        place.set_yscale("log")
        place.set_xticks(DEPTHS)
        style.label(place, "hidden layers", "largest error" if target == "hinge" else "", target)
    style.legend_below(whole, axes[0], 2)
    return whole
