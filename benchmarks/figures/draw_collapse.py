"""How many of a hundred seeds collapse, and how much of a switch network sleeps before and after training."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

CASES = {
    "auto": "auto\n8 wide\nCELU",
    "heart": "heart\n16 wide\nReLU",
    "auto, 3 wide": "auto\n3 wide\nCELU",
    "auto, 3 wide, ReLU": "auto\n3 wide\nReLU",
}
STARTS = {
    "uniform": ("uniform", style.VERMILION, "", "o"),
    "balanced": ("balanced", style.BLUE, "///", "s"),
    "uniform, targets standardised": ("uniform, targets standardised", style.ORANGE, "...", "^"),
    "balanced, targets standardised": ("balanced, targets standardised", style.SKY, "\\\\\\", "v"),
}
WIDTH = 0.2


def figure(record: Record) -> Figure:
    whole, (counts, asleep) = style.panels(2, 1, 5.4, sharex=True)
    for place, (start, (name, colour, hatch, mark)) in enumerate(STARTS.items()):
        at = [number for number, case in enumerate(CASES) if start in record["found"][case]]
        found = [record["found"][list(CASES)[number]][start] for number in at]
        x = np.array(at) + (place - 1.5) * WIDTH
        bars = counts.bar(x, [each["collapsed"] for each in found], WIDTH, color=colour, hatch=hatch, ec="white", lw=0)
        counts.bar_label(bars, padding=1)
        before, after = ([each["asleep"][when] for each in found] for when in ("start", "end"))
        asleep.vlines(x, before, after, color=colour, lw=1.2)
        asleep.plot(x, before, color=colour, ls="", marker=mark, ms=4.5, mfc="white")
        asleep.plot(x, after, color=colour, ls="", marker=mark, ms=4.5)
        counts.bar([0], [0], color=colour, hatch=hatch, ec="white", lw=0, label=name)
    for when, face in (("before training", "white"), ("after", style.GREY)):
        asleep.plot([], [], color=style.GREY, ls="", marker="o", ms=4.5, mfc=face, label=when)
    asleep.set_xticks(range(len(CASES)), list(CASES.values()))
    counts.margins(y=0.12)
    style.label(counts, "", f"of {record['seeds']} seeds", "networks that end as a constant")
    style.label(asleep, "network", "median share", "weights of switches that no row moves")
    asleep.legend(loc="upper left", handletextpad=0.3)
    style.legend_below(whole, counts, 1)
    return whole
