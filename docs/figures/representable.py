"""Draw what the layers of an interpolating network represent; writes representable.svg beside this file.

    python docs/figures/representable.py

The background is white and opaque, so that the figure reads the same on a light and on a dark page.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from isotone.reference import encode
from isotone.theory import Network, interpolate
from isotone.theory.network import constrained_layers

mpl.use("Agg")
import matplotlib.pyplot as plt

POINTS = np.array([[0.6, 3.6], [2.6, 0.6], [1.6, 1.6], [3.6, 4.5], [4.5, 2.6]])
VALUES = np.array([1.0, 0.0, 2.0, 3.0, 3.0])
GREY = "#404040"
COLOURS = LinearSegmentedColormap.from_list("height", ["#f3e9d2", "#88a09e", "#1f4e6b"])
LINE = np.linspace(0.0, 5.0, 251)
# the units that are shown: one cut, one box, one level, the function
UNITS = {"left": (1, 1, 1, 0), "right": (1, 2, 0, 0)}
LAYERS = ("layer 1", "layer 2", "layer 3", "the network")
# what is dark
TITLES = {
    "left": ("a half-space", "outside an intersection", "a level set", "their sum"),
    "right": ("a half-space", "an intersection", "a level set", "their sum"),
}


def layer_outputs(network: Network, rows: np.ndarray) -> list[np.ndarray]:
    """Return what every hidden layer and the network give. Shapes: ``(n, width)``."""
    plan = network.architecture
    inputs, outputs = encode(plan, rows)[1], []
    for (weight, bias), s in zip(constrained_layers(network)[:-1], plan.layer_activations, strict=True):
        inputs = s.value(inputs @ weight[0].T + bias[0])
        outputs.append(inputs)
    return [*outputs, network(rows)]


def draw(axes: Axes, heights: np.ndarray, title: str) -> None:
    """Draw one unit over the plane, with the data."""
    axes.imshow(
        heights.reshape(len(LINE), len(LINE)), origin="lower", extent=(0, 5, 0, 5), cmap=COLOURS, interpolation="none"
    )
    axes.scatter(*POINTS.T, s=100, color="white", edgecolor="black", linewidth=0.8, zorder=2)
    for (x, y), value in zip(POINTS, VALUES, strict=True):
        axes.text(x, y, f"{value:.0f}", ha="center", va="center_baseline", fontsize=8, color="black", zorder=3)
    axes.set_title(title, color=GREY, fontsize=10)
    axes.set_xlabel("x₁", color=GREY, fontsize=10, labelpad=1)
    axes.set_xticks(range(6))
    axes.tick_params(colors=GREY, labelsize=8)
    for spine in axes.spines.values():
        spine.set_color(GREY)


def main() -> None:
    """Draw both alternation cases, a row each, the layers from left to right."""
    grid = np.stack([axis.ravel() for axis in np.meshgrid(LINE, LINE)], axis=1)
    figure, axes = plt.subplots(2, 4, figsize=(9.2, 5.4), layout="constrained")
    for row, (side, units) in zip(axes, UNITS.items(), strict=True):
        # a threshold shows the sets themselves; other activations have ramps between neighbouring coordinates
        outputs = layer_outputs(interpolate(POINTS, VALUES, "threshold", side), grid)
        for place, (heights, unit, title) in enumerate(zip(outputs, units, TITLES[side], strict=True)):
            draw(row[place], heights[:, unit], f"{LAYERS[place]}:\n{title}")
        row[0].set_ylabel(f"layer 1 saturates {side}\nx₂", color=GREY, fontsize=10)
    plt.rcParams["svg.hashsalt"] = "isotone"
    figure.savefig(Path(__file__).with_suffix(".svg"), facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    main()
