"""XGBoost with monotone constraints: the peer of the paper's table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
import xgboost

from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Peer, Space, Uniform, Vector


@dataclass
class XGBoost(Peer):
    """Gradient-boosted trees of xgboost, at its own defaults."""

    n_estimators: int = 100
    learning_rate: float = 0.3
    max_depth: int = 6
    min_child_weight: float = 1.0
    subsample: float = 1.0
    colsample_bytree: float = 1.0
    reg_lambda: float = 1.0
    reg_alpha: float = 0.0

    name = "xgboost"
    monotone = True
    space: ClassVar[Space] = {
        "n_estimators": LogUniform(50, 1000, whole=True),
        "learning_rate": LogUniform(0.01, 0.3),
        "max_depth": Choice((2, 3, 4, 5, 6, 8)),
        "min_child_weight": LogUniform(0.5, 30),
        "subsample": Uniform(0.5, 1.0),
        "colsample_bytree": Uniform(0.5, 1.0),
        "reg_lambda": LogUniform(0.01, 30),
        "reg_alpha": LogUniform(1e-4, 3),
    }
    packages = ("xgboost-cpu",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = xgboost.XGBClassifier if kind is Kind.BINARY else xgboost.XGBRegressor
        self._levels = Levels.learn(frame)
        self._kind = kind
        self._model = model(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            max_depth=self.max_depth,
            min_child_weight=self.min_child_weight,
            subsample=self.subsample,
            colsample_bytree=self.colsample_bytree,
            reg_lambda=self.reg_lambda,
            reg_alpha=self.reg_alpha,
            monotone_constraints=dict(signs),
            enable_categorical=True,
            random_state=seed,
            n_jobs=budget.threads,
        ).fit(self._levels.frame(frame), target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._levels.frame(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float)
