"""The computation graphs of both switches."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from benchmarks.figures import style
from benchmarks.figures.records import Record

UPPER, LOWER, MIDDLE = 0.78, 0.22, 0.5
Place = tuple[float, float]


def box(axes: Axes, place: Place, text: str, colour: str = "white", half: float = 0.075) -> None:
    x, y = place
    shape = FancyBboxPatch(
        (x - half, y - 0.11), 2 * half, 0.22, boxstyle="round,pad=0,rounding_size=0.02", fc=colour, ec="black", lw=0.8
    )
    axes.add_patch(shape)
    axes.text(x, y, text, ha="center", va="center", fontsize=9)


def arrow(axes: Axes, start: Place, end: Place) -> None:
    shape = FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=8, lw=0.9, color="black", shrinkA=0, shrinkB=0)
    axes.add_patch(shape)


def chain(axes: Axes, height: float, names: tuple[str, str], colours: tuple[str, str], sign: str) -> None:
    """Draw one side: from the input through two boxes to the sum."""
    arrow(axes, (0.1, MIDDLE), (0.175, height))
    box(axes, (0.28, height), names[0], colours[0], half=0.105)
    arrow(axes, (0.385, height), (0.485, height))
    box(axes, (0.56, height), names[1], colours[1])
    arrow(axes, (0.635, height), (0.765, MIDDLE + (0.05 if height > MIDDLE else -0.05)))
    axes.text(0.665, MIDDLE + (0.1 if height > MIDDLE else -0.1), sign, fontsize=10, ha="center", va="center")


def switch(axes: Axes, title: str, upper: tuple[str, str], lower: tuple[str, str], signs: str, bias: bool) -> None:
    pale_blue, pale_orange = "#cfe3f3", "#fbe3b5"
    activation_first = "σ" in upper[0]
    colours = (pale_orange, pale_blue) if activation_first else (pale_blue, pale_orange)
    box(axes, (0.06, MIDDLE), "x", half=0.04)
    chain(axes, UPPER, upper, colours, signs[0])
    chain(axes, LOWER, lower, colours, signs[1])
    box(axes, (0.805, MIDDLE), "Σ", half=0.04)
    if bias:
        box(axes, (0.805, 0.12), "b", half=0.04)
        arrow(axes, (0.805, 0.23), (0.805, 0.39))
    arrow(axes, (0.845, MIDDLE), (0.91, MIDDLE))
    box(axes, (0.95, MIDDLE), "y", half=0.04)
    axes.set(xlim=(0, 1), ylim=(0, 1), title=title)
    axes.axis("off")


def figure(_: Record | None = None) -> Figure:
    whole, (post, pre) = style.panels(2, 1, 3.9)
    switch(
        post, "post-activation switch:  y = W⁺σ(x) + W⁻σ(−x) + b", ("σ(x)", "W⁺ ·"), ("σ(−x)", "W⁻ ·"), "++", bias=True
    )
    switch(
        pre,
        "pre-activation switch:  y = σ(W⁺x + b) − σ(W⁻x + b)",
        ("W⁺x + b", "σ(·)"),
        ("W⁻x + b", "σ(·)"),
        "+−",
        bias=False,
    )
    return whole
