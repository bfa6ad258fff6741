"""How the sizes of gradients spread in each layer of a fresh network with six hidden layers."""

from __future__ import annotations

from matplotlib import colormaps
from matplotlib.figure import Figure

from benchmarks.figures import style
from benchmarks.figures.records import Record

NAMES = ("sigmoid", "relu", "switch")


def figure(record: Record) -> Figure:
    whole, axes = style.panels(len(NAMES), 1, 5.6, sharex=True, sharey=True)
    for place, name in zip(axes, NAMES, strict=True):
        layers = record["found"][name]
        for layer, found in enumerate(layers):
            colour = colormaps["cividis"](layer / (len(layers) - 1))
            place.stairs(found["shares"], record["edges"], color=colour, lw=1.3, label=f"{layer + 1}")
            if found["zero"] > 0.01:
                place.plot([-12.6], [found["zero"]], color=colour, marker="D", ms=4, ls="", clip_on=False)
        style.label(place, "", "share of parameters", style.MODELS[name][0])
    axes[-1].set_xlabel("log₁₀ of the gradient's size (diamonds: exactly 0)")
    axes[-1].set_xlim(-13, 4)
    handles, names = axes[0].get_legend_handles_labels()
    whole.legend(
        handles,
        names,
        loc="outside lower center",
        ncols=4,
        fontsize=8,
        frameon=False,
        title="linear layer, from the input on",
        title_fontsize=8,
    )
    return whole
