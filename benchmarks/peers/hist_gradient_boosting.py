"""scikit-learn's histogram gradient boosting with `monotonic_cst`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Budget, Kind, LogUniform, Peer, Space, Uniform, Vector


@dataclass
class HistGradientBoosting(Peer):
    """Gradient-boosted trees of scikit-learn, at its own defaults."""

    learning_rate: float = 0.1
    max_iter: int = 100
    max_leaf_nodes: int = 31
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    max_features: float = 1.0

    name = "hist_gradient_boosting"
    monotone = True
    space: ClassVar[Space] = {
        "learning_rate": LogUniform(0.01, 0.3),
        "max_iter": LogUniform(50, 1000, whole=True),
        "max_leaf_nodes": LogUniform(4, 128, whole=True),
        "min_samples_leaf": LogUniform(2, 60, whole=True),
        "l2_regularization": LogUniform(1e-3, 30),
        "max_features": Uniform(0.4, 1.0),
    }
    packages = ("scikit-learn",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = HistGradientBoostingClassifier if kind is Kind.BINARY else HistGradientBoostingRegressor
        self._levels = Levels.learn(frame)
        self._kind = kind
        self._model = model(
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            l2_regularization=self.l2_regularization,
            max_features=self.max_features,
            monotonic_cst=dict(signs),
            categorical_features="from_dtype",
            random_state=seed,
        )
        self._threads = budget.threads
        with threadpool_limits(self._threads):
            self._model.fit(self._levels.frame(frame), target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._levels.frame(frame)
        with threadpool_limits(self._threads):
            if self._kind is Kind.BINARY:
                return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
            return np.asarray(self._model.predict(table), dtype=float)
