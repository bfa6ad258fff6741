"""Times how cost grows with rows, columns, width and depth: ``python -m benchmarks.speed.growth``.

First the engine: an epoch of training and a prediction, where one size of one network grows and the others stay. Then
whole fits with default settings, of the library and of trees, as rows and columns grow. The sizes of an axis run in
turns, on one thread, by the time the process had on it. Times over sizes are given as a power: the exponent is the
slope of a straight line through their logarithms, and beside it stands that of the two greatest sizes alone, where
what every call costs weighs least. Runs only if the tests of the engine are green. Writes
``benchmarks/results/speed/growth.json`` with ``--output``.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.speed import peers
from benchmarks.speed.green import check_green
from benchmarks.speed.peers import Rows
from benchmarks.speed.turns import Run, in_turns, machine, medians, once_each, repeat, spread, write
from isotone import engine
from isotone.architecture import Architecture, Numeric
from isotone.losses import Loss

SQUARED = Loss("squared_error")


@dataclass(frozen=True)
class Size:
    """What grows: the rows, and a network over columns of which every other rises."""

    rows: int = 4096
    columns: int = 16
    width: int = 32
    depth: int = 3

    def architecture(self) -> Architecture:
        """Return the network: a free branch of one layer, then as many switches as it is deep."""
        columns = tuple(Numeric(direction=column % 2) for column in range(self.columns))
        return Architecture(columns, (self.width,) * self.depth, (self.width,))

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and noise to learn."""
        rng = np.random.default_rng(0)
        return rng.normal(size=(self.rows, self.columns)), rng.normal(size=self.rows)


class Axis(NamedTuple):
    """What grows, and how far."""

    name: str
    sizes: Sequence[int]


AXES = (
    Axis("rows", (1024, 4096, 16_384, 65_536)),
    Axis("columns", (8, 16, 32, 64, 128)),
    Axis("width", (8, 16, 32, 64, 128)),
    Axis("depth", (1, 2, 4, 8, 16)),
)
WHOLE_FITS = (Axis("rows", (1000, 4000, 16_000, 64_000)), Axis("columns", (8, 16, 32, 64)))
FITTED, FITTED_ROWS = ("isotone", "xgboost", "lightgbm", "hist_gradient_boosting"), 2000


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Return the power of the size that the times follow best: the slope through their logarithms."""
    return round(float(np.polyfit(np.log(sizes), np.log(times), 1)[0]), 2)


def record(name: str, axis: Axis, taken: dict[str, list[float]]) -> dict[str, object]:
    """Return the medians along an axis, their spread, and the fitted exponents."""
    times = list(medians(taken, 1).values())
    return {"what": name, "grows": axis.name, "sizes": list(axis.sizes), "us": times,
            "spread": max(spread(found) for found in taken.values()), "exponent": exponent(axis.sizes, times),
            "at_the_end": exponent(axis.sizes[-2:], times[-2:])}  # fmt: skip


def epoch(size: Size) -> Run:
    """Return what trains a network of a size for so many epochs."""
    architecture, (x, y) = size.architecture(), size.data()
    start = architecture.initial(0)

    def run(epochs: int) -> None:
        settings = engine.Settings(epochs=epochs, batch_size=64)
        engine.train(architecture, x, y, SQUARED, settings, start=start, threads=1)

    return run


def prediction(size: Size) -> Run:
    """Return what predicts the rows of a size so many times."""
    architecture, (x, _) = size.architecture(), size.data()
    ready = engine.Compiled(architecture, architecture.initial(0))
    return repeat(partial(ready.predict, x.astype(np.float32), 1))


ENGINE: dict[str, Callable[[Size], Run]] = {"an epoch": epoch, "a prediction": prediction}


def of_engine(axis: Axis, options: argparse.Namespace) -> list[dict[str, object]]:
    """Return how an epoch and a prediction grow along an axis."""
    found = []
    for name, make in ENGINE.items():
        runs = {str(value): make(replace(Size(), **{axis.name: value})) for value in axis.sizes}
        found.append(record(name, axis, in_turns(runs, options.turns, options.seconds, time.process_time)))
    return found


def of_fits(axis: Axis, names: Sequence[str], options: argparse.Namespace) -> list[dict[str, object]]:
    """Return how a whole fit of each peer grows along an axis."""
    tables = {str(value): _table(axis.name, value) for value in axis.sizes}
    found = []
    for name in names:
        peers.fitted(name, next(iter(tables.values())))  # what a first fit loads is no part of it
        fits = {value: partial(peers.fitted, name, table) for value, table in tables.items()}
        found.append(record(name, axis, once_each(fits, options.fits, time.process_time)))
    return found


def _table(axis: str, value: int) -> Rows:
    return Rows.draw(value) if axis == "rows" else Rows.draw(FITTED_ROWS, value)


def shortened(axes: Sequence[Axis], largest: float) -> list[Axis]:
    """Return the axes without the sizes above one, for a quick look."""
    return [Axis(axis.name, [size for size in axis.sizes if size <= largest]) for axis in axes]


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.05, help="length of a turn of the engine")
    parser.add_argument("--fits", type=int, default=3, help="turns of whole fits")
    parser.add_argument("--largest", type=float, default=math.inf, help="leave out what is greater, for a quick look")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    return parser.parse_args(arguments)


def main() -> None:
    """Run the tests, measure, print a line each, and write the records."""
    options = read_options()
    check_green()
    ours = [line for axis in shortened(AXES, options.largest) for line in of_engine(axis, options)]
    fits = [line for axis in shortened(WHOLE_FITS, options.largest) for line in of_fits(axis, FITTED, options)]
    for line in ours + fits:
        print(line)
    about = {"machine": machine(), "note": options.note, "base": vars(Size()), "fitted_rows": FITTED_ROWS,
             "fitted_columns": peers.COLUMNS}  # fmt: skip
    write(options.output, {**about, "engine": ours, "fits": fits})


if __name__ == "__main__":
    main()
