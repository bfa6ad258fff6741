"""Calibrated lattices by the package `pytorch_lattice`, which wants an older NumPy and so an environment of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from benchmarks.apart.workshop import workshop
from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Peer, Vector
from benchmarks.peers.training import EPS, Inputs, Target


@dataclass
class PytorchLattice(Peer):
    """Calibrators, random lattices and a sum of the package's layers, projected by the package after each step.

    NOTE[PAPER]: one row of lattices between calibrators and sum, as the package's guide has it; the deep lattice
    network of the paper, with its embedding, is the peer `lattice`.
    """

    knots: int = 10
    lattices: int = 16
    rank: int = 3
    learning_rate: float = 1e-2
    batch_size: int = 32

    name = "pytorch_lattice"
    monotone = True
    # computed in float64 and rounded to float32 once
    slack = 4 * EPS
    apart = "pytorch_lattice"
    space: ClassVar = {
        "knots": Choice((5, 10, 20)),
        "lattices": LogUniform(4, 64, whole=True),
        "rank": Choice((2, 3, 4)),
        "learning_rate": LogUniform(1e-3, 3e-2),
        "batch_size": Choice((8, 32, 128)),
    }

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        self.inputs, self.target = Inputs.learn(frame, signs), Target.learn(target, kind)
        about = {"kind": str(kind), "seed": seed, "threads": budget.threads, "increasing": self.inputs.increasing}
        rows = {"x": self._rows(frame), "y": self.target.encode(target).numpy()}
        self.model = workshop(self.apart).ask(asdict(self) | about | {"act": "fit"}, rows)[0]["model"]
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        asked = {"act": "predict", "model": self.model}
        return self.target.decode(workshop(self.apart).ask(asked, {"x": self._rows(frame)})[1]["output"])

    def _rows(self, frame: pd.DataFrame) -> np.ndarray:
        return self.inputs.tensor(frame).numpy()
