"""Write the golden files of the current format: ``python -m tests.golden.write``. What stands is never overwritten.

Each is a saved model and, beside it, rows and the exact bits of every prediction for them. A file stays for ever: a
later isotone must read it, and give these bits on every machine.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import isotone
from isotone import MonotoneClassifier, MonotoneOrdinalClassifier, MonotoneQuantileRegressor, MonotoneRegressor
from isotone.files import VERSION

HERE = Path(__file__).parent
GRADES = ["low", "mid", "high"]
METHODS = ("predict", "predict_proba", "predict_quantiles", "latent", "median_rank")
SMALL: dict[str, Any] = {
    "n_estimators": 3,
    "hidden_layer_sizes": (9, 5),
    "max_iter": 30,
    "random_state": 0,
    "monotonic_cst": {"size": 1, "grade": -1},
    "missing": "learn",
}


def rows(count: int, shift: float = 0.0) -> pd.DataFrame:
    """Return rows that no generator of random numbers is needed for."""
    i = np.arange(count)
    return pd.DataFrame(
        {
            "size": np.where(i % 11 == 5, np.nan, np.sin(i * 1.7 + shift) * 2.0),
            "grade": pd.Categorical.from_codes(i % 7 % 3, GRADES, ordered=True),
            "age": np.where(i % 13 == 2, np.nan, np.cos(i * 0.9 + shift) * 30.0 + 40.0),
            "town": np.array(["a", "b", "c"])[i % 5 % 3],
        }
    )


def models() -> dict[str, Any]:
    """Return one fitted model of each kind."""
    X = rows(140)
    score = X["size"].fillna(1.0) - X["grade"].cat.codes + (X["town"] == "b") + np.sin(np.arange(140) * 3.1)
    free = SMALL | {"monotonic_cst": None}
    return {
        "regressor": MonotoneRegressor(**SMALL).fit(X, score),
        "poisson": MonotoneRegressor(**SMALL, loss="poisson", form="constrained", activation="elu").fit(
            X, np.floor(np.exp(score / 3))
        ),
        "binary": MonotoneClassifier(**SMALL, form="pre", encoding="quantile", activation="tanh").fit(X, score > 0),
        "multiclass": MonotoneClassifier(**free, encoding="standard").fit(X, np.digitize(score, [-1, 1])),
        "ordinal": MonotoneOrdinalClassifier(**SMALL, class_order=["c", "a", "b"]).fit(
            X, np.array(["c", "a", "b"])[np.digitize(score, [-1, 1])]
        ),
        "quantiles": MonotoneQuantileRegressor(**SMALL, quantiles=(0.2, 0.5, 0.9)).fit(X, score),
    }


def spoken(predictor: isotone.files.Predictor, X: pd.DataFrame) -> dict[str, Any]:
    """Return what each method says, numbers as hexadecimal text."""
    found: dict[str, Any] = {}
    for method in METHODS:
        try:
            answer = getattr(predictor, method)(X)
        except TypeError:
            continue
        plain = answer.dtype.kind not in "f"
        found[method] = answer.tolist() if plain else [value.hex() for value in answer.ravel().tolist()]
    return found


def asked() -> pd.DataFrame:
    """Return the rows that the golden predictions belong to, some far beyond the data and of unseen towns."""
    X = rows(40, 0.3)
    X.loc[3, "size"], X.loc[4, "size"], X.loc[6, "age"], X.loc[7, "town"] = 1e6, -50.0, 1e9, "elsewhere"
    return X


def main() -> None:
    """Write a model and its predictions for each kind that has none yet."""
    folder = HERE / f"v{VERSION}"
    folder.mkdir(exist_ok=True)
    for name, model in models().items():
        path = folder / f"{name}.isotone"
        if not path.exists():
            isotone.save(model, path)
            said = spoken(isotone.load(path), asked())
            path.with_suffix(".json").write_text(json.dumps(said) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
