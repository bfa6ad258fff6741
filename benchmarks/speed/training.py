"""Times the engine's training step against the same network in PyTorch eager with fused Adam.

``python -m benchmarks.speed.training --output benchmarks/results/speed/training.json``. Runs only if the tests of the
engine are green. Both train in one process, in turns, so that what slows the machine slows both; a turn's time is the
mean over its steps, and the median over the turns is kept. One thread is timed by the time the process had on it; two
threads against one by the clock on the wall. The engine's time includes its shuffling, gathering and everything else
that a call of ``engine.train`` does; PyTorch's batches lie ready.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import celu, linear

from benchmarks.speed import limits as unmet
from benchmarks.speed.green import check_green
from benchmarks.speed.peak import peak
from benchmarks.speed.turns import in_turns, machine, medians, write
from isotone import engine
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.losses import Loss

SQUARED = Loss("squared_error")
ROUNDING = 1e-5


@dataclass(frozen=True)
class Shape:
    """A network of the paper's kind: three free layers, four hidden switch layers."""

    free: int
    constrained: int
    width: int
    activation: str
    batch: int

    def architecture(self, members: int) -> Architecture:
        """Return the engine's description of it."""
        columns = (Numeric(direction=1),) * self.constrained + (Numeric(),) * self.free
        hidden, free_hidden = (self.width,) * 4, (self.width,) * 3
        return Architecture(columns, hidden, free_hidden, members=members, activation=self.activation)

    @property
    def parameters(self) -> int:
        """How many numbers one member has."""
        return sum(int(np.prod(shape)) for shape in self.architecture(1).shapes.values())


SHAPES = {
    "auto": Shape(4, 3, 8, "celu", 8),
    "heart": Shape(11, 2, 16, "relu", 8),
    "compas": Shape(9, 4, 16, "relu", 8),
    "loan": Shape(23, 5, 16, "relu", 256),
    "wide": Shape(32, 32, 64, "relu", 256),
}
# name, members, and how many times PyTorch's speed is promised
AGAINST_TORCH = (
    ("auto", 16, 200), ("heart", 16, 200), ("compas", 16, 200), ("auto", 1, 100), ("heart", 1, 40), ("compas", 1, 40),
    ("loan", 1, 15), ("wide", 1, None),
)  # fmt: skip
PEAK_SHARE, TWO_THREADS = 0.35, 1.9


class Eager:
    """The same network as a user of PyTorch writes it, on batches that lie ready."""

    def __init__(self, shape: Shape, x: np.ndarray, y: np.ndarray) -> None:
        given = shape.architecture(1).initial(seed=0)
        self.shape = shape
        self.weights = {name: torch.tensor(array[0]).requires_grad_() for name, array in given.items()}
        self.optimizer = torch.optim.Adam(self.weights.values(), fused=True)
        batches = range(0, len(y) - shape.batch + 1, shape.batch)
        rows, targets = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]
        self.batches = [(rows[i : i + shape.batch], targets[i : i + shape.batch]) for i in batches]

    def scores(self, x: Tensor) -> Tensor:
        """Return the network's output."""
        hidden = x[:, self.shape.constrained :]
        for layer in range(3):
            hidden = torch.relu(linear(hidden, *self._layer("free", layer)))
        joined = torch.cat([x[:, : self.shape.constrained], hidden], dim=1)
        weight, bias = self._layer("trunk", 0)
        out = linear(joined, weight.abs(), bias)
        s = celu if self.shape.activation == "celu" else torch.relu
        for layer in range(1, 5):
            weight, bias = self._layer("trunk", layer)
            out = linear(s(out), weight.clamp(min=0), bias) + linear(s(-out), weight.clamp(max=0))
        return out

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the mean squared error."""
        return (self.scores(x) - y).square().mean()

    def run(self, steps: int) -> None:
        """Take steps of the optimiser."""
        for step in range(steps):
            self.optimizer.zero_grad()
            self.loss(*self.batches[step % len(self.batches)]).backward()
            self.optimizer.step()

    def _layer(self, branch: str, layer: int) -> tuple[Tensor, Tensor]:
        return self.weights[f"{branch}.{layer}.weight"], self.weights[f"{branch}.{layer}.bias"]


def data(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Return rows for 64 batches, and noise to learn."""
    rng, rows = np.random.default_rng(0), 64 * shape.batch
    return rng.normal(size=(rows, shape.free + shape.constrained)), rng.normal(size=rows)


def disagreement(shape: Shape) -> float:
    """Return how far the two losses and gradients are apart before any step, relative to the largest."""
    x, y = (part[: shape.batch] for part in data(shape))
    eager, architecture = Eager(shape, x, y), shape.architecture(1)
    value, gradient = engine.value_and_grad(architecture, architecture.initial(0), x, y, SQUARED)
    loss = eager.loss(*eager.batches[0])
    loss.backward()
    apart = [abs(value[0] / loss.item() - 1.0)]
    for name, weight in eager.weights.items():
        apart.append(float(np.abs(gradient[name][0] - weight.grad.numpy()).max() / np.abs(gradient[name]).max()))
    return max(apart)


def engine_steps(shape: Shape, members: int, threads: int) -> Callable[[int], None]:
    """Return what trains all members for as many steps."""
    architecture, (x, y) = shape.architecture(members), data(shape)
    start: Parameters = architecture.initial(0)

    def run(steps: int) -> None:
        settings = engine.Settings(epochs=max(steps // 64, 1), batch_size=shape.batch)
        engine.train(architecture, x, y, SQUARED, settings, start=start, threads=threads)

    return run


def against_torch(name: str, members: int, promised: int | None, options: argparse.Namespace) -> dict[str, object]:
    """Return the time of a member's step in both, and their ratio."""
    shape = SHAPES[name]
    apart = disagreement(shape)
    if apart > ROUNDING:
        raise ValueError(f"the two networks of {name} are {apart} apart, so their times do not compare.")
    eager = Eager(shape, *data(shape))
    runs = {"torch": eager.run, "engine": engine_steps(shape, members, threads=1)}
    found = medians(in_turns(runs, options.turns, options.seconds, time.process_time, unit=64))
    own = found["engine"] / members
    return {"network": name, "parameters": shape.parameters, "batch": shape.batch, "members": members,
            "torch_us": round(found["torch"], 1), "engine_us": round(own, 2), "ratio": round(found["torch"] / own, 1),
            "promised": promised, **limits(shape, own, options.peak)}  # fmt: skip


def limits(shape: Shape, micros: float, found: dict[str, float]) -> dict[str, object]:
    """Return what a step has to do against the measured ceilings.

    Nominally a weight has three multiply-adds a row. Weights, both moments and the gradient are read, and three of them
    written, once a step; the first-level cache gives two vectors a cycle and takes one.
    """
    multiply_adds = 3 * shape.parameters * shape.batch
    at_peak = multiply_adds / (found["peak"] / 2) * 1e6
    vectors = shape.parameters / found["lanes"]
    moved = max(4 * vectors / 2, 3 * vectors) / found["clock"] * 1e6
    return {
        "multiply_adds": multiply_adds,
        "us_at_peak": round(at_peak, 2),
        "share_of_peak": round(at_peak / micros, 3),
        "optimiser_bytes": 28 * shape.parameters,
        "optimiser_us_at_least": round(moved, 3),
    }


def two_threads(name: str, options: argparse.Namespace) -> dict[str, object]:
    """Return how much faster two threads train 16 members, by the clock on the wall."""
    shape = SHAPES[name]
    runs = {str(threads): engine_steps(shape, 16, threads) for threads in (1, 2)}
    found = medians(in_turns(runs, options.turns, options.seconds, unit=64))
    return {"network": name, "members": 16, "one_us": round(found["1"] / 16, 2), "two_us": round(found["2"] / 16, 2),
            "ratio": round(found["1"] / found["2"], 2), "promised": TWO_THREADS}  # fmt: skip


def read_options() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.3, help="length of a turn")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def show(record: dict[str, object]) -> None:
    """Print one line."""
    promise = "" if record["promised"] is None else f", promised {record['promised']}x"
    print(f"{record['network']:7s} {record['members']:3} members: {record['ratio']}x{promise}; {record}")


def main() -> None:
    """Run the tests, measure, print a line each, and write the records."""
    options = read_options()
    check_green()
    torch.set_num_threads(1)
    options.peak = peak()
    print(options.peak)
    records = [against_torch(name, members, promised, options) for name, members, promised in AGAINST_TORCH]
    threads = [two_threads(name, options) for name in ("auto", "heart")] if (os.cpu_count() or 1) > 1 else []
    for record in records + threads:
        show(record)
    wide = records[-1]
    print(f"width 64, batch 256: {wide['share_of_peak']:.0%} of the measured peak, promised {PEAK_SHARE:.0%}")
    about = machine() | {"peak": options.peak, "torch": torch.__version__}
    found = {"machine": about, "note": options.note, "promised_share": PEAK_SHARE, "steps": records, "threads": threads}
    print(*unmet.training(found), sep="\n")
    write(options.output, found)


if __name__ == "__main__":
    main()
