"""CatBoost with monotone constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import catboost
import numpy as np
import pandas as pd

from benchmarks.peers.columns import Levels, with_codes
from benchmarks.peers.interface import Budget, Kind, LogUniform, Peer, Setting, Space, Uniform, Vector

# target statistics of a category break the constraints without a word (tests show it); one-hot splits keep them
ONE_HOT_LEVELS = 255


@dataclass
class CatBoost(Peer):
    """Ordered boosting of oblivious trees by catboost; a `None` leaves the choice to it, as its defaults do."""

    iterations: int = 1000
    learning_rate: float | None = None
    depth: int = 6
    l2_leaf_reg: float = 3.0
    random_strength: float = 1.0
    subsample: float | None = None

    name = "catboost"
    monotone = True
    space: ClassVar[Space] = {
        "iterations": LogUniform(100, 2000, whole=True),
        "learning_rate": LogUniform(0.01, 0.3),
        "depth": LogUniform(3, 8, whole=True),
        "l2_leaf_reg": LogUniform(0.3, 30),
        "random_strength": LogUniform(0.1, 10),
        "subsample": Uniform(0.5, 1.0),
    }
    packages = ("catboost",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = catboost.CatBoostClassifier if kind is Kind.BINARY else catboost.CatBoostRegressor
        self._nominal = list(Levels.learn(frame).levels)
        self._kind = kind
        self._model = model(
            iterations=self.iterations,
            depth=self.depth,
            l2_leaf_reg=self.l2_leaf_reg,
            random_strength=self.random_strength,
            monotone_constraints=dict(signs),
            random_seed=seed,
            thread_count=budget.threads,
            one_hot_max_size=ONE_HOT_LEVELS,
            verbose=False,
            allow_writing_files=False,
            **self._given(),
        ).fit(self._text(frame), target, cat_features=self._nominal)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._text(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float)

    def _given(self) -> dict[str, Setting]:
        # a share of rows needs a bootstrap that draws one; the default weighs rows instead
        rows: dict[str, Setting] = (
            {} if self.subsample is None else {"subsample": self.subsample, "bootstrap_type": "Bernoulli"}
        )
        return rows | ({} if self.learning_rate is None else {"learning_rate": self.learning_rate})

    def _text(self, frame: pd.DataFrame) -> pd.DataFrame:
        table = with_codes(frame)
        return table.assign(**{name: table[name].astype(str).astype(object) for name in self._nominal})
