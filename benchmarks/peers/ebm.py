"""Explainable Boosting Machines of interpret-core with monotone constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Peer, Space, Vector


@dataclass
class EBM(Peer):
    """Additive shape functions with pair terms, at interpret's own defaults except where a constraint forbids them."""

    learning_rate: float = 0.015
    max_bins: int = 1024
    max_leaves: int = 3
    min_samples_leaf: int = 4
    smoothing_rounds: int = 75
    outer_bags: int = 14
    interactions: str = "3.5x"

    name = "ebm"
    monotone = True
    space: ClassVar[Space] = {
        "learning_rate": LogUniform(0.003, 0.1),
        "max_bins": Choice((128, 256, 1024)),
        "max_leaves": Choice((2, 3, 4)),
        "min_samples_leaf": LogUniform(2, 30, whole=True),
        "smoothing_rounds": Choice((0, 25, 75, 200)),
        "interactions": Choice(("0", "1x", "3.5x")),
    }
    packages = ("interpret-core",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = ExplainableBoostingClassifier if kind is Kind.BINARY else ExplainableBoostingRegressor
        self._levels = Levels.learn(frame)
        self._kind = kind
        self._model = model(
            learning_rate=self.learning_rate,
            max_bins=self.max_bins,
            max_leaves=self.max_leaves,
            min_samples_leaf=self.min_samples_leaf,
            smoothing_rounds=self.smoothing_rounds,
            outer_bags=self.outer_bags,
            interactions=0 if self.interactions == "0" else self.interactions,
            monotone_constraints=[signs.get(name, 0) for name in frame],
            random_state=seed,
            n_jobs=budget.threads,
        ).fit(self._levels.frame(frame), target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._levels.frame(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float)
