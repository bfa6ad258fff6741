"""Estimators fitted on small data, for the tests of what all of them promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from isotone import MonotoneClassifier, MonotoneOrdinalClassifier, MonotoneQuantileRegressor, MonotoneRegressor

LEVELS = ("none", "low", "mid", "high", "top")
COLUMNS = ("size", "grade", "age", "town")
ROWS = 160
Outputs = Callable[[Any, pd.DataFrame], np.ndarray]


@dataclass(frozen=True)
class Kind:
    """A way to fit: an estimator, the target it gets from a score, and the outputs that must keep order."""

    make: Callable[..., Any]
    target: Callable[[np.ndarray], np.ndarray]
    outputs: tuple[Outputs, ...]


def prediction(model: Any, X: pd.DataFrame) -> np.ndarray:
    return model.predict(X)[:, None]


def positive(model: Any, X: pd.DataFrame) -> np.ndarray:
    return model.predict_proba(X)[:, 1:]


def exceeding(model: Any, X: pd.DataFrame) -> np.ndarray:
    """Return the sums over the upper classes, added up as a reader would."""
    return np.cumsum(model.predict_proba(X)[:, ::-1], axis=1)[:, :-1]


def latent(model: Any, X: pd.DataFrame) -> np.ndarray:
    return model.latent(X)[:, None]


def middle(model: Any, X: pd.DataFrame) -> np.ndarray:
    return model.predict_median(X)[:, None]


def quantiles(model: Any, X: pd.DataFrame) -> np.ndarray:
    return model.predict_quantiles(X)


def decision(model: Any, X: pd.DataFrame) -> np.ndarray:
    return model.decision_function(X)[:, None]


def regressor(loss: str) -> Callable[..., MonotoneRegressor]:
    return lambda **settings: MonotoneRegressor(loss=loss, **settings)


def counts(score: np.ndarray) -> np.ndarray:
    return np.floor(np.exp(0.5 * score))


KINDS: dict[str, Kind] = {
    "squared_error": Kind(regressor("squared_error"), lambda z: z, (prediction,)),
    "absolute_error": Kind(regressor("absolute_error"), lambda z: z, (prediction,)),
    "huber": Kind(regressor("huber"), lambda z: z, (prediction,)),
    "quantile": Kind(regressor("quantile"), lambda z: z, (prediction,)),
    "poisson": Kind(regressor("poisson"), counts, (prediction,)),
    "gamma": Kind(regressor("gamma"), lambda z: np.exp(0.5 * z), (prediction,)),
    "tweedie": Kind(regressor("tweedie"), counts, (prediction,)),
    "quantiles": Kind(MonotoneQuantileRegressor, lambda z: z, (prediction, quantiles)),
    "binary": Kind(MonotoneClassifier, lambda z: z > 0, (prediction, positive, decision)),
    "ordinal": Kind(
        MonotoneOrdinalClassifier,
        lambda z: np.digitize(z, [-1.0, 0.0, 1.0]),
        (prediction, middle, latent, exceeding),
    ),
}


def draw(rng: np.random.Generator, rows: int = ROWS) -> pd.DataFrame:
    """Return rows with a numeric, an ordered, a gappy and a nominal column."""
    return pd.DataFrame(
        {
            "size": np.round(rng.normal(size=rows), 2),
            "grade": pd.Categorical.from_codes(rng.integers(0, len(LEVELS), rows), LEVELS, ordered=True),
            "age": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
            "town": rng.choice(["a", "b", "c"], rows),
        }
    )


def score(X: pd.DataFrame, pull: float, rng: np.random.Generator) -> np.ndarray:
    """Return a score that rises along size and grade if ``pull`` is positive, and falls if it is negative."""
    noise = 0.3 * rng.normal(size=len(X))
    return pull * (X["size"] + 0.5 * X["grade"].cat.codes - 1.0).to_numpy() + (X["town"] == "b") * 0.5 + noise


@cache
def fitted(kind: str, direction: int, pull: float, **settings: Any) -> Any:
    """Return a model with both signs ``direction`` (0 for none), fitted on data that go the way of ``pull``."""
    rng = np.random.default_rng(7)
    X = draw(rng)
    signs = {"size": direction, "grade": direction}
    small = {"n_estimators": 2, "hidden_layer_sizes": (8, 8), "max_iter": 40, "random_state": 0, "monotonic_cst": signs}
    model = KINDS[kind].make(**(small | settings))
    return model.fit(X, KINDS[kind].target(np.asarray(score(X, pull, rng))))
