"""Explainable Boosting Machines of interpret-core with monotone constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Peer, Space, Vector


@dataclass
class EBM(Peer):
    """Additive shape functions with pair terms; a `None` leaves a setting at interpret's default for the kind."""

    learning_rate: float | None = None
    max_bins: int | None = None
    max_leaves: int | None = None
    min_samples_leaf: int | None = None
    smoothing_rounds: int | None = None
    interactions: str | None = None

    name = "ebm"
    monotone = True
    space: ClassVar[Space] = {
        "learning_rate": LogUniform(0.003, 0.1),
        "max_bins": Choice((128, 256, 1024)),
        "max_leaves": Choice((2, 3, 4)),
        "min_samples_leaf": LogUniform(2, 30, whole=True),
        "smoothing_rounds": Choice((0, 75, 200, 500)),
        "interactions": Choice(("1x", "3x", "5x")),
    }
    packages = ("interpret-core",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = ExplainableBoostingClassifier if kind is Kind.BINARY else ExplainableBoostingRegressor
        self._levels = Levels.learn(frame)
        self._kind = kind
        self._model = model(
            monotone_constraints=[signs.get(name, 0) for name in frame],
            random_state=seed,
            n_jobs=budget.threads,
            **{name: value for name, value in asdict(self).items() if value is not None},
        ).fit(self._levels.frame(frame), target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._levels.frame(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float)
