"""Fresh networks of the four parametrisations: their outputs, and the mean as the width grows."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

FORMS = {
    "unconstrained": ("unconstrained", style.BLACK, ":", "o"),
    "constrained": ("naive |W|", style.VERMILION, "-.", "s"),
    "post": ("post-switch", style.BLUE, "-", "^"),
    "pre": ("pre-switch", style.ORANGE, "--", "v"),
}


def figure(record: Record) -> Figure:
    whole, (spread, scaling) = style.panels(2, 1, 5.0)
    edges = np.sinh(np.linspace(np.arcsinh(-2.0), np.arcsinh(400.0), 70))
    for form, (name, colour, line, mark) in FORMS.items():
        found = record["found"][form]
        shares = np.histogram(found["outputs"], edges)[0] / len(found["outputs"])
        spread.stairs(shares, edges, color=colour, ls=line, lw=1.5)
        scaling.plot(record["widths"], found["derived_mean"], color=colour, ls=line)
        scaling.errorbar(
            record["widths"], found["mean"], found["deviation"], color=colour, ls="", marker=mark, ms=4, capsize=2
        )
        scaling.plot([], [], color=colour, ls=line, marker=mark, ms=4, label=name)
    spread.set_xscale("asinh")
    spread.set_xticks([-1, 0, 1, 10, 100], ["−1", "0", "1", "10", "100"])
    spread.minorticks_off()
    style.label(
        spread, "output at one row (asinh scale)", "share of networks", f"four hidden layers of {record['shown']}"
    )
    scaling.set_yscale("asinh")
    scaling.set_xscale("log", base=2)
    scaling.set_xticks(record["widths"], [str(width) for width in record["widths"]])
    scaling.set_yticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    style.label(scaling, "neurons per layer", "output (asinh scale)", "mean ± deviation drawn; lines derived")
    style.legend_below(whole, scaling, 2)
    return whole
