"""Draw every figure from the committed results.

python -m benchmarks.figures.draw [--into FOLDER] [names]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.figures import (
    draw_batch_norm,
    draw_collapse,
    draw_dead_relu6,
    draw_extrapolation,
    draw_gradient_depth,
    draw_gradient_layers,
    draw_graphs,
    draw_heaviside,
    draw_initialisation,
    draw_layer_samples,
    draw_leaky,
    draw_representable,
    draw_wave,
    style,
)
from benchmarks.figures.records import FOLDER, load

# each figure, what draws it, and the results that it reads
FIGURES: dict[str, tuple[Callable[..., Figure], tuple[str, ...]]] = {
    "extrapolation": (draw_extrapolation.figure, ("extrapolation",)),
    "heaviside": (draw_heaviside.figure, ("heaviside",)),
    "representable": (draw_representable.figure, ("representable",)),
    "switches": (draw_graphs.figure, ()),
    "initialisation": (draw_initialisation.figure, ("initialisation",)),
    "wave": (draw_wave.figure, ("wave",)),
    "gradient-depth": (draw_gradient_depth.figure, ("gradient-depth",)),
    "gradient-layers": (draw_gradient_layers.figure, ("gradient-layers",)),
    "dead-relu6": (draw_dead_relu6.figure, ("dead-relu6", "gradient-depth")),
    "layer-samples": (draw_layer_samples.figure, ("layer-samples",)),
    "batch-norm": (draw_batch_norm.figure, ("batch-norm", "gradient-depth")),
    "collapse": (draw_collapse.figure, ("collapse",)),
    "leaky-floor": (draw_leaky.figure, ("../theory-leaky",)),
}


def drawn(name: str, results: Path = FOLDER) -> Figure:
    draw, sources = FIGURES[name]
    with mpl.rc_context(style.SETTINGS):
        return draw(*(load(source, results) for source in sources))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="figures; all if none is named")
    parser.add_argument("--into", type=Path, default=style.FOLDER)
    asked = parser.parse_args()
    for name in asked.names or FIGURES:
        style.save(drawn(name), asked.into / f"{name}.png")
        print(name)


if __name__ == "__main__":
    main()
