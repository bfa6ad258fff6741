"""scikit-learn's own checks, all of them, and its machinery around our estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from isotone import MonotoneClassifier, MonotoneOrdinalClassifier, MonotoneQuantileRegressor, MonotoneRegressor

# few members, for the checks ask about manners and not about accuracy
SMALL: dict[str, Any] = {"n_estimators": 2, "hidden_layer_sizes": (8, 8), "max_iter": 60, "random_state": 0}
ESTIMATORS = [
    MonotoneRegressor(**SMALL),
    MonotoneRegressor(**SMALL, loss="quantile", encoding="quantile", form="pre"),
    MonotoneClassifier(**SMALL),
    MonotoneClassifier(**SMALL, encoding="standard", form="constrained"),
    MonotoneOrdinalClassifier(**SMALL),
    MonotoneQuantileRegressor(**SMALL),
]


# no expected failures: a fit depends neither on the order nor on the repetition of rows
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_has_nothing_to_say(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    check(estimator)
