"""CatBoost with monotone constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
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
    """Boosting of oblivious trees by catboost; a `None` leaves a setting to it.

    `None` is not the same as naming its default: given any `l2_leaf_reg`, it no longer chooses its learning rate by the
    data. With constraints it shrinks its trees but not its constant, so predictions of a target far from 0 are off by a
    share of the target's mean; `centre` spares it that by subtracting the mean before and adding it after.
    """

    iterations: int | None = None
    learning_rate: float | None = None
    depth: int | None = None
    l2_leaf_reg: float | None = None
    random_strength: float | None = None
    subsample: float | None = None
    centre: bool = True

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
        self._constant = float(np.mean(target)) if self.centre and kind is not Kind.BINARY else 0.0
        self._nominal = list(Levels.learn(frame).levels)
        self._kind = kind
        self._model = model(
            monotone_constraints=dict(signs),
            random_seed=seed,
            thread_count=budget.threads,
            one_hot_max_size=ONE_HOT_LEVELS,
            verbose=False,
            allow_writing_files=False,
            **self._given(),
        ).fit(self._text(frame), target - self._constant, cat_features=self._nominal)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._text(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float) + self._constant

    def _given(self) -> dict[str, Setting]:
        given = {name: value for name, value in asdict(self).items() if value is not None and name != "centre"}
        # a share of rows needs a bootstrap that draws one; the default weighs rows instead
        return given | ({} if self.subsample is None else {"bootstrap_type": "Bernoulli"})

    def _text(self, frame: pd.DataFrame) -> pd.DataFrame:
        table = with_codes(frame)
        return table.assign(**{name: table[name].astype(str).astype(object) for name in self._nominal})
