"""Certified monotone networks (Liu et al., 2020): a slope penalty in training, then a proof by integer programming."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from torch import Tensor, nn

from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Vector
from benchmarks.peers.training import Schedule, Split, TorchPeer, train

INFEASIBLE = 2  # scipy.optimize.milp's status
# the solver meets its rows to 1e-6 only, so it cannot tell a smaller negative slope from zero
TOLERANCE = 1e-6


class Pair(nn.Module):
    """Two affine maps around a ReLU on the unit box: the block that is penalised and certified as a whole."""

    def __init__(self, inputs: int, rising: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.rising = rising
        self.inner = nn.Linear(inputs, hidden)
        self.outer = nn.Linear(hidden, outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.inner(x).relu())

    def slopes(self, x: Tensor) -> Tensor:
        """Return the derivatives by the rising inputs, shape ``(n, outputs, rising)``."""
        active = (self.inner(x) > 0).to(x.dtype)
        return torch.einsum("oh,nh,hi->noi", self.outer.weight, active, self.inner.weight[:, : self.rising])

    def penalty(self, points: int, margin: float) -> Tensor:
        """Return the worst squared shortfall of a slope below `margin` on random points, averaged over the slopes."""
        shortfall = (margin - self.slopes(torch.rand(points, self.inner.in_features))).relu() ** 2
        return shortfall.amax(dim=0).mean() if self.rising else shortfall.sum()


class CertifiedNetwork(nn.Module):
    """Two pairs with a bottleneck in the unit box between them; free columns also take a way of their own.

    Shape: ``(n, d)`` in the unit box -> ``(n,)``.
    """

    def __init__(self, increasing: int, free: int, hidden: int, bottleneck: int) -> None:
        super().__init__()
        self.increasing = increasing
        self.first = Pair(increasing + free, increasing, hidden, bottleneck)
        self.second = Pair(2 * bottleneck, bottleneck, hidden, 1)
        self.free_first = nn.Sequential(nn.Linear(free, hidden), nn.ReLU(), nn.Linear(hidden, bottleneck))
        self.free_second = nn.Sequential(nn.Linear(bottleneck, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, x: Tensor) -> Tensor:
        free = self.free_first(x[:, self.increasing :]).clamp(0.0, 1.0)
        joined = torch.cat([self.first(x).clamp(0.0, 1.0), free], dim=1)
        return (self.second(joined) + self.free_second(free)).squeeze(1)


def refutable(pair: Pair, deadline: float) -> bool:
    """Say whether some slope of a pair may be negative somewhere in the unit box; unknown counts as yes."""
    inner, bias, outer = (t.detach().double().numpy() for t in (pair.inner.weight, pair.inner.bias, pair.outer.weight))
    gains = [outer[o] * inner[:, i] for o in range(len(outer)) for i in range(pair.rising)]
    return any(_may_be_negative(gain, inner, bias, deadline) for gain in gains)


Matrix = NDArray[np.float64]


def _may_be_negative(gain: Matrix, inner: Matrix, bias: Matrix, deadline: float) -> bool:
    """Decide whether the sum of the gains of the active units can fall below zero."""
    high = np.maximum(inner, 0).sum(axis=1) + bias
    low = np.minimum(inner, 0).sum(axis=1) + bias
    open_ = (low < 0) & (high > 0)
    settled = gain[low >= 0].sum()
    if settled + np.minimum(gain[open_], 0).sum() >= -TOLERANCE:
        return False
    seconds = deadline - time.process_time()
    if seconds <= 0:
        return True
    bound = _smallest(gain[open_], settled, inner[open_], bias[open_], low[open_], high[open_], seconds)
    return bound < -2 * TOLERANCE


def _smallest(
    gain: Matrix, settled: float, inner: Matrix, bias: Matrix, low: Matrix, high: Matrix, seconds: float
) -> float:
    """Bound the negative slopes from below, over inputs in the unit box and switches z of the open units."""
    units, inputs = inner.shape
    # unit k is off: w_k x + b_k <= 0; on: w_k x + b_k >= 0
    off = LinearConstraint(np.hstack([inner, -np.diag(high)]), -np.inf, -bias)
    on = LinearConstraint(np.hstack([inner, np.diag(low)]), low - bias, np.inf)
    negative = LinearConstraint(np.concatenate([np.zeros(inputs), gain])[None], -np.inf, -TOLERANCE - settled)
    result = milp(
        np.concatenate([np.zeros(inputs), gain]),
        integrality=np.repeat([0, 1], [inputs, units]),
        bounds=Bounds(0, 1),
        constraints=[off, on, negative],
        options={"time_limit": seconds},
    )
    if result.status == INFEASIBLE:
        return 0.0
    return -np.inf if result.mip_dual_bound is None else settled + float(result.mip_dual_bound)


@dataclass
class Certified(TorchPeer):
    """Retrain with ten times the penalty until both pairs are certified; never to be certified is a failure.

    NOTE[PAPER]: HiGHS instead of Gurobi; outputs of a pair are certified one by one, which has the same minimum.
    NOTE[PAPER]: the authors choose an epoch by held-out accuracy alone; ours adds the penalty, else early epochs win.
    NOTE[PAPER]: inputs are clipped to the box of the training rows, for nothing is proved outside it.
    """

    hidden: int = 32
    bottleneck: int = 8
    margin: float = 0.2
    points: int = 256
    rounds: int = 8

    name = "certified"
    space: ClassVar = {
        "hidden": LogUniform(8, 64, whole=True),
        "bottleneck": LogUniform(4, 16, whole=True),
        "learning_rate": LogUniform(3e-4, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }
    packages = ("scipy", "torch")

    def network(self, x: Tensor, increasing: int) -> CertifiedNetwork:
        return CertifiedNetwork(increasing, x.shape[1] - increasing, self.hidden, self.bottleneck)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        deadline = time.process_time() + 0.9 * budget.seconds
        x, y = self.begin(frame, target, signs, kind, seed, budget, boxed=True)
        split = Split.draw(x, y, kind, seed)
        for strength in 10.0 ** np.arange(self.rounds):
            self.model = self.penalised(split, float(strength))
            if not any(refutable(pair, deadline) for pair in (self.model.first, self.model.second)):
                self.strength = float(strength)
                return self
            if time.process_time() > deadline:
                break
        raise RuntimeError(f"The network was not certified monotone: last penalty {strength:g}, {budget.seconds:g} s.")

    @property
    def schedule(self) -> Schedule:
        """A shorter one than that of the other networks, since it is followed once per penalty."""
        return Schedule(self.learning_rate, self.batch_size, patience=20)

    def penalised(self, split: Split, strength: float) -> CertifiedNetwork:
        """Return a network trained from scratch under one strength of the penalty."""
        network = self.network(split.x, self.inputs.increasing)
        pairs = (network.first, network.second)

        def penalty() -> Tensor:
            return strength * sum((pair.penalty(self.points, self.margin) for pair in pairs), torch.zeros(()))

        train(network, split, self.target, self.schedule, penalty=penalty)
        return network
