"""The library itself: its estimators, at their own defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Budget, Choice, Kind, LogUniform, Peer, Space, Uniform, Vector
from isotone.estimators import MonotoneClassifier, MonotoneRegressor


@dataclass
class Isotone(Peer):
    """Averaged networks of isotone; a `None` leaves a setting to the library.

    Levels are regressed as numbers, as by the other peers, for their metric asks for a mean.
    """

    width: int | None = None
    depth: int | None = None
    free_width: int | None = None
    n_segments: int | None = None
    encoding: str | None = None
    activation: str | None = None
    form: str | None = None
    n_estimators: int | None = None
    learning_rate_init: float | None = None
    batch_size: int | None = None
    max_iter: int | None = None
    weight_decay: float | None = None
    validation_fraction: float | None = None

    name = "isotone"
    monotone = True
    space: ClassVar[Space] = {
        "width": LogUniform(8, 64, whole=True),
        "depth": Choice((1, 2, 3)),
        "free_width": LogUniform(8, 64, whole=True),
        "n_segments": LogUniform(2, 32, whole=True),
        "encoding": Choice(("piecewise", "quantile", "standard")),
        "activation": Choice(("relu", "celu")),
        "learning_rate_init": LogUniform(1e-3, 3e-2),
        "batch_size": Choice((16, 32, 64, 128, 256)),
        "weight_decay": LogUniform(1e-4, 1.0),
        "validation_fraction": Uniform(0.1, 0.3),
    }
    packages = ("isotone",)

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        model = MonotoneClassifier if kind is Kind.BINARY else MonotoneRegressor
        self._levels = Levels.learn(frame)
        self._kind = kind
        self._model = model(
            monotonic_cst=dict(signs), random_state=seed, n_jobs=budget.threads, **self._settings()
        ).fit(self._levels.frame(frame), target)
        return self

    def predict(self, frame: pd.DataFrame) -> Vector:
        table = self._levels.frame(frame)
        if self._kind is Kind.BINARY:
            return np.asarray(self._model.predict_proba(table)[:, 1], dtype=float)
        return np.asarray(self._model.predict(table), dtype=float)

    @property
    def trials(self) -> list[dict[str, Any]]:
        """What the fit tried, and the loss of each on the rows it held out."""
        return list(self._model.trials_)

    def _settings(self) -> dict[str, Any]:
        """Return the arguments of the estimator: widths and depth become the sizes of layers."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        width, depth, free_width = (given.pop(name, None) for name in ("width", "depth", "free_width"))
        if width is not None or depth is not None:
            # where only one of the two is given, the other is that of two layers of 32
            given["hidden_layer_sizes"] = (width or 32,) * (2 if depth is None else depth)
        if free_width is not None:
            given["free_hidden_layer_sizes"] = (free_width,)
        return given
