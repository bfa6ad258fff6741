"""How every figure looks: one column wide, letters of eight points or more, colours that the colour-blind tell apart.

The panel is white and opaque, so that a figure reads the same on a light and on a dark page.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

FOLDER = Path(__file__).parents[2] / "docs" / "figures"
COLUMN, PAGE = 3.3, 6.75
DOTS = 220
# the palette of Okabe and Ito; each line style belongs to one colour, so that a print in grey reads too
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#666666"
SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}
# what stands for each model in every figure: name, colour, line
MODELS = {
    "unconstrained": ("unconstrained, ReLU", BLACK, ":"),
    "relu": ("|W|, ReLU", VERMILION, "-."),
    "sigmoid": ("|W|, sigmoid", PURPLE, "--"),
    "relu6": ("|W|, ReLU6", ORANGE, (0, (1, 1))),
    "switch": ("switch, ReLU (ours)", BLUE, "-"),
    "balanced": ("switch, balanced start", GREEN, (0, (6, 2))),
    "tree": ("monotone trees", GREEN, "-."),
}


def panels(rows: int, columns: int, height: float, width: float = COLUMN, **sharing: bool) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes in reading order."""
    figure = Figure(figsize=(width, height), dpi=DOTS, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **sharing)
    return figure, list(axes.ravel())


def label(axes: Axes, x: str, y: str, title: str = "") -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """Put one legend for all panels under them."""
    handles, names = axes.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=columns, fontsize=8, frameon=False)


def save(figure: Figure, path: Path) -> None:
    """Write a PNG of 128 colours, the same bytes for the same figure."""
    with mpl.rc_context(SETTINGS):
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=DOTS, metadata={"Software": None})
    image = Image.open(buffer).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(path, optimize=True)
