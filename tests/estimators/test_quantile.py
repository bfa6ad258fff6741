"""Quantiles that never cross, keep order, and leave the spread alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from isotone import MonotoneQuantileRegressor, MonotoneRegressor

SMALL: dict[str, Any] = {"n_estimators": 4, "hidden_layer_sizes": (16, 16), "random_state": 0}
LEVELS = (0.1, 0.5, 0.9)


def narrowing(rng: np.random.Generator, rows: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Return data whose spread shrinks from 2 to 0.2 as the column grows."""
    x = rng.uniform(0, 1, rows)
    return x[:, None], 3.0 * x + (2.0 - 1.8 * x) * rng.uniform(-0.5, 0.5, rows)


def test_the_spread_may_shrink_along_a_constrained_column(rng: np.random.Generator) -> None:
    X, y = narrowing(rng)
    model = MonotoneQuantileRegressor(**SMALL, quantiles=LEVELS, monotonic_cst=1, max_iter=40).fit(X, y)
    ladder = np.linspace(0, 1, 500)[:, None]
    found = model.predict_quantiles(ladder)
    assert (np.diff(found, axis=0) >= 0).all()
    assert (np.diff(found, axis=1) >= 0).all()
    spread = found[:, 2] - found[:, 0]
    # the truth is 1.6 at the left and 0.16 at the right; positive increments could only grow
    assert spread[25] > 1.1
    assert spread[-25] < 0.5


def test_quantiles_cover_what_they_say(rng: np.random.Generator) -> None:
    X, y = narrowing(rng)
    model = MonotoneQuantileRegressor(**SMALL, quantiles=LEVELS, monotonic_cst=1, max_iter=40).fit(X, y)
    new, truth = narrowing(rng)
    shares = (truth[:, None] <= model.predict_quantiles(new)).mean(axis=0)
    # three standard errors of a share of 1500 rows, and as much again for the fit
    np.testing.assert_allclose(shares, LEVELS, atol=0.06)


@pytest.mark.parametrize(("levels", "middle"), [((0.5,), 0), ((0.2, 0.8), 1), (LEVELS, 1), (np.array(LEVELS), 1)])
def test_predict_gives_the_middle_quantile(levels: Any, middle: int, rng: np.random.Generator) -> None:
    X, y = narrowing(rng, 100)
    model = MonotoneQuantileRegressor(**SMALL, quantiles=levels, max_iter=3).fit(X, y)
    assert (model.predict(X) == model.predict_quantiles(X)[:, middle]).all()


def test_one_quantile_is_that_of_the_regressor(rng: np.random.Generator) -> None:
    X, y = narrowing(rng, 200)
    one = MonotoneQuantileRegressor(**SMALL, quantiles=[0.9], max_iter=5).fit(X, y)
    same = MonotoneRegressor(**SMALL, loss="quantile", quantile=0.9, max_iter=5).fit(X, y)
    assert one.predict(X).tobytes() == same.predict(X).tobytes()
