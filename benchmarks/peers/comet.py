"""COMET (Sivaraman et al., 2020): learning from counterexamples, and the monotone envelope at prediction, by z3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import pandas as pd
import torch
import z3
from numpy.typing import NDArray
from torch import Tensor, nn

from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Vector
from benchmarks.peers.training import Schedule, Split, TorchPeer, free_branch, train

Matrix = NDArray[np.float64]


def on_grid(values: Matrix, bits: int) -> Matrix:
    """Round to multiples of ``2 ** -bits``."""
    rounded: Matrix = np.round(values * 2.0**bits) / 2.0**bits
    return rounded


@dataclass(frozen=True)
class Exact:
    """A ReLU network on dyadic numbers, which float64 and z3 compute without rounding, and so alike."""

    weights: list[Matrix]
    biases: list[Matrix]
    increasing: int
    effort: int  # in z3's own units, which unlike seconds are the same on every machine

    @classmethod
    def of(cls, network: nn.Sequential, increasing: int, effort: int) -> Self:
        maps = [layer for layer in network if isinstance(layer, nn.Linear)]
        weights = [on_grid(layer.weight.detach().double().numpy(), 10) for layer in maps]
        # inputs have 10 bits and every layer adds 10 more: sums of three layers stay within the 53 bits of float64
        biases = [on_grid(layer.bias.detach().double().numpy(), 10) for layer in maps]
        return cls(weights, biases, increasing, effort)

    def __call__(self, x: Matrix) -> Vector:
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = np.maximum(x @ weight.T + bias, 0.0)
        output: Vector = (x @ self.weights[-1].T + self.biases[-1])[:, 0]
        return output

    def extreme(self, row: Matrix, side: int) -> tuple[float, Matrix] | None:
        """Return the largest value over smaller rows (side +1) or the smallest over larger rows (-1), and where it is.

        These rows differ in the constrained inputs only and lie in the unit box. None: the solver ran out of effort.
        """
        low, high = row.copy(), row.copy()
        (low if side > 0 else high)[: self.increasing] = 0.0 if side > 0 else 1.0
        corners = np.stack([row, low, high])
        values = side * self(corners)
        solver = z3.Optimize()
        solver.set("rlimit", self.effort)
        inputs = [z3.Real(f"x{k}") for k in range(self.increasing)]
        for x, bottom, top in zip(inputs, low, high, strict=False):
            solver.add(x >= _rational(bottom), x <= _rational(top))
        output = side * self._encode(solver, inputs, low, high)
        solver.add(output > _rational(values.max()))
        solver.maximize(output)
        verdict = solver.check()
        if verdict == z3.unsat:
            return side * float(values.max()), corners[values.argmax()]
        if verdict != z3.sat:
            return None
        best, *point = [float(solver.model().eval(term, True).as_fraction()) for term in (output, *inputs)]
        return side * best, np.concatenate([point, row[self.increasing :]])

    def _encode(self, solver: z3.Optimize, inputs: list[z3.ArithRef], low: Matrix, high: Matrix) -> z3.ArithRef:
        """Return the output as a z3 term; units whose sign is settled in the box cost no case."""
        first = self.weights[0]
        constants = first[:, self.increasing :] @ low[self.increasing :] + self.biases[0]
        terms, weights, biases = inputs, first[:, : self.increasing], constants
        low, high = low[: self.increasing], high[: self.increasing]
        for k in range(len(self.weights)):
            if k > 0:
                weights, biases = self.weights[k], self.biases[k]
            sums = [_affine(row, terms, bias) for row, bias in zip(weights, biases, strict=True)]
            low, high = _interval(weights, biases, low, high)
            if k < len(self.weights) - 1:
                terms = [_relu(solver, f"h{k}_{j}", s, low[j], high[j]) for j, s in enumerate(sums)]
                low, high = np.maximum(low, 0), np.maximum(high, 0)
        return sums[0]


def _rational(value: float) -> z3.RatNumRef:
    numerator, denominator = float(value).as_integer_ratio()
    return z3.Q(numerator, denominator)


def _affine(weights: Matrix, terms: list[z3.ArithRef], bias: float) -> z3.ArithRef:
    products = [_rational(w) * t for w, t in zip(weights, terms, strict=True) if w != 0]
    return z3.Sum([*products, _rational(bias)])


def _interval(weights: Matrix, biases: Matrix, low: Matrix, high: Matrix) -> tuple[Matrix, Matrix]:
    rising, falling = np.maximum(weights, 0), np.minimum(weights, 0)
    return rising @ low + falling @ high + biases, rising @ high + falling @ low + biases


def _relu(solver: z3.Optimize, name: str, term: z3.ArithRef, low: float, high: float) -> z3.ArithRef:
    if low >= 0:
        return term
    if high <= 0:
        return z3.RealVal(0)
    unit = z3.Real(name)
    solver.add(z3.Or(z3.And(term >= 0, unit == term), z3.And(term <= 0, unit == 0)))
    return unit


@dataclass
class Comet(TorchPeer):
    """A ReLU network that learns from its own worst violations; predictions are its upper or lower monotone envelope.

    NOTE[PAPER]: z3 instead of OptiMathSAT, one small hidden layer instead of two or three, and counterexamples for a
    sample of the rows in each round, so that a fit and its predictions end within minutes on one core.
    NOTE[PAPER]: weights and inputs are rounded to multiples of 1/1024, so that the network solved is the network run.
    NOTE[PAPER]: inputs are clipped to the box of the training rows, where the paper assumes them to lie.
    A query that runs out of effort has no envelope: during training it gives no counterexample, in `predict` it raises.
    """

    width: int = 16
    layers: int = 1
    rounds: int = 5
    sample: int = 32
    epochs_per_round: int = 20
    effort: int = 3_000_000
    learning_rate: float = 1e-2

    name = "comet"
    # the envelope is a maximum of exact numbers, rounded once; the logistic function may lose a last place
    slack = 4 * float(np.finfo(float).eps)
    space: ClassVar = {"width": Choice((8, 12, 16)), "learning_rate": LogUniform(1e-3, 3e-2)}
    packages = ("z3-solver", "torch")

    def network(self, x: Tensor, increasing: int) -> nn.Sequential:
        hidden = free_branch(x.shape[1], self.width, self.layers)
        return nn.Sequential(*hidden, nn.Linear(self.width, 1), nn.Flatten(0))

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        x, y = self.begin(frame, target, signs, kind, seed, budget, boxed=True)
        split = Split.draw(x, y, kind, seed)
        random = np.random.default_rng(seed)
        self.model = self.network(x, self.inputs.increasing)
        train(self.model, split, self.target, self.schedule)
        for _ in range(self.rounds):
            rows = split.x[random.permutation(len(split.x))[: self.sample]]
            train(self.model, self.with_counterexamples(split, rows), self.target, self.brief_schedule)
        self.exact = Exact.of(self.model, self.inputs.increasing, self.effort)
        self.side = self.better_side(split)
        return self

    @property
    def brief_schedule(self) -> Schedule:
        """What a round of counterexamples follows."""
        return replace(self.schedule, epochs=self.epochs_per_round)

    def with_counterexamples(self, split: Split, rows: Tensor) -> Split:
        """Add rows and their worst violations, all under one label: their mean, or the class of the row itself."""
        exact = Exact.of(self.model, self.inputs.increasing, self.effort)
        points, labels = [np.empty((0, rows.shape[1]))], [np.empty(0)]
        for row in on_grid(rows.double().numpy(), 10):
            own = float(exact(row[None])[0])
            found = [extreme for side in (1, -1) if (extreme := exact.extreme(row, side)) and extreme[0] != own]
            if found:
                points.append(np.stack([row, *[point for _, point in found]]))
                outputs = [own, *[value for value, _ in found]]
                label = float(own > 0) if self.target.kind is Kind.BINARY else np.mean(outputs)
                labels.append(np.full(len(found) + 1, label))
        added, meant = (torch.as_tensor(np.concatenate(parts), dtype=torch.float32) for parts in (points, labels))
        return replace(split, x=torch.cat([split.x, added]), y=torch.cat([split.y, meant]))

    def better_side(self, split: Split) -> int:
        """Choose the upper (+1) or lower (-1) envelope by its loss on some held-out rows."""
        rows = on_grid(split.x_held[: self.sample].double().numpy(), 10)
        losses = {}
        for side in (1, -1):
            found = [self.exact.extreme(row, side) for row in rows]
            known = [k for k, extreme in enumerate(found) if extreme]
            values = torch.tensor([found[k][0] for k in known], dtype=torch.float32)  # type: ignore[index]
            losses[side] = float(self.target.loss(values, split.y_held[known])) if known else np.inf
        return min(losses, key=lambda side: losses[side])

    def predict(self, frame: pd.DataFrame) -> Vector:
        rows, back = np.unique(on_grid(self.inputs.tensor(frame).double().numpy(), 10), axis=0, return_inverse=True)
        found = [self.exact.extreme(row, self.side) for row in rows]
        if missing := sum(extreme is None for extreme in found):
            raise RuntimeError(f"z3 found no envelope for {missing} of {len(rows)} rows, effort {self.effort} each.")
        return self.target.decode(np.array([extreme[0] for extreme in found if extreme])[back])
