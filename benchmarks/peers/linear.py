"""Ridge and logistic regression on standardised, one-hot columns: the floor that no constraint shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, Ridge

from benchmarks.peers.columns import Columns
from benchmarks.peers.interface import Budget, Kind, LogUniform, Peer, Space, Vector


@dataclass
class Linear(Peer):
    """A straight line in every column; it takes no signs, so the data decide the slope's."""

    penalty: float = 1.0

    name = "linear"
    monotone = False
    space: ClassVar[Space] = {"penalty": LogUniform(1e-3, 1e3)}
    packages = ("scikit-learn",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        self._columns = Columns.learn(frame, signs, standardise=True)
        self._kind = kind
        model = LogisticRegression(C=1 / self.penalty, max_iter=1000) if kind is Kind.BINARY else Ridge(self.penalty)
        self._model = model.fit(self._columns.matrix(frame), target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        matrix = self._columns.matrix(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(matrix)[:, 1], dtype=float)
        return np.asarray(self._model.predict(matrix), dtype=float)
