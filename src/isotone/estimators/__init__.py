"""Estimators with scikit-learn's manners."""

from isotone.estimators.classifier import MonotoneClassifier
from isotone.estimators.ordinal import MonotoneOrdinalClassifier
from isotone.estimators.quantile import MonotoneQuantileRegressor
from isotone.estimators.regressor import MonotoneRegressor

__all__ = ["MonotoneClassifier", "MonotoneOrdinalClassifier", "MonotoneQuantileRegressor", "MonotoneRegressor"]
