"""LightGBM with monotone constraints by its `advanced` method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import lightgbm
import numpy as np
import pandas as pd

from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Budget, Kind, LogUniform, Peer, Space, Uniform, Vector


@dataclass
class LightGBM(Peer):
    """Leaf-wise gradient-boosted trees of lightgbm, at its own defaults."""

    n_estimators: int = 100
    learning_rate: float = 0.1
    num_leaves: int = 31
    min_child_samples: int = 20
    subsample: float = 1.0
    colsample_bytree: float = 1.0
    reg_lambda: float = 0.0
    reg_alpha: float = 0.0

    name = "lightgbm"
    monotone = True
    space: ClassVar[Space] = {
        "n_estimators": LogUniform(50, 1000, whole=True),
        "learning_rate": LogUniform(0.01, 0.3),
        "num_leaves": LogUniform(4, 128, whole=True),
        "min_child_samples": LogUniform(2, 60, whole=True),
        "subsample": Uniform(0.5, 1.0),
        "colsample_bytree": Uniform(0.5, 1.0),
        "reg_lambda": LogUniform(1e-3, 30),
        "reg_alpha": LogUniform(1e-4, 3),
    }
    packages = ("lightgbm",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = lightgbm.LGBMClassifier if kind is Kind.BINARY else lightgbm.LGBMRegressor
        self._levels = Levels.learn(frame)
        self._kind = kind
        table = self._nameless(frame)
        self._model = model(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            num_leaves=self.num_leaves,
            min_child_samples=self.min_child_samples,
            subsample=self.subsample,
            subsample_freq=1,
            colsample_bytree=self.colsample_bytree,
            reg_lambda=self.reg_lambda,
            reg_alpha=self.reg_alpha,
            monotone_constraints=[signs.get(name, 0) for name in frame],
            monotone_constraints_method="advanced",
            random_state=seed,
            n_jobs=budget.threads,
            verbose=-1,
        ).fit(table, target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._nameless(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float)

    def _nameless(self, frame: pd.DataFrame) -> pd.DataFrame:
        # lightgbm refuses names with JSON's special characters and rewrites spaces
        table = self._levels.frame(frame)
        return table.set_axis([f"column_{i}" for i in range(table.shape[1])], axis=1)
