"""Checking what a caller hands over, in scikit-learn's ways and words."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, validate_data

from isotone.encoding import Labels, Table, check_collected, is_frame, read_table

Array = NDArray[np.float64]


def checked_features(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Return a frame or a two-dimensional array whose columns are those of the fit; ``reset`` begins a fit.

    >>> from sklearn.base import BaseEstimator
    >>> checked_features(BaseEstimator(), [[1.0, 2.0]], reset=True)
    array([[1., 2.]])
    """
    check_collected(X)
    if is_frame(X):
        # scikit-learn finds the names of the frame that narwhals wraps
        X = nw.to_native(X, pass_through=True)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        _check_extent(X)
        return X
    return validate_data(estimator, X, reset=reset, dtype=None, ensure_all_finite=False)


def read_features(estimator: BaseEstimator, X: Any, *, reset: bool) -> Table:
    """Return the columns of a frame or array.

    >>> from sklearn.base import BaseEstimator
    >>> read_features(BaseEstimator(), [[1.0, 2.0]], reset=True).names
    ('x0', 'x1')
    """
    return read_table(checked_features(estimator, X, reset=reset))


def read_target(estimator: BaseEstimator, y: Any, rows: int) -> NDArray[Any]:
    """Return a one-dimensional target without gaps, as long as the data.

    >>> from sklearn.base import BaseEstimator
    >>> read_target(BaseEstimator(), [1, 2], 2)
    array([1, 2])
    """
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
        )
    check_collected(y)
    target = column_or_1d(y, warn=True)
    if target.dtype.kind in "cmM":
        raise ValueError(f"Complex data not supported, nor dates: y has the dtype {target.dtype}.")
    _check_objects(target)
    assert_all_finite(target, input_name="y")
    if len(target) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, len(target)]}")
    return np.asarray(target)


def numbers_of(target: NDArray[Any]) -> Array:
    """Return a target as finite numbers.

    >>> numbers_of(np.array([1, 2]))
    array([1., 2.])
    """
    try:
        numbers = target.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"y holds numbers; got {target[:5].tolist()}.") from error
    assert_all_finite(numbers, input_name="y")
    return numbers


def read_weights(sample_weight: Any, table: Table) -> Array:
    """Return one weight per row, none negative and some positive; all 1 if none are given.

    >>> read_weights(None, read_table([[1.0], [2.0]]))
    array([1., 1.])
    """
    rows = np.empty((table.rows, 1))
    weights: Array = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
    return check_total(weights, "sample_weight")


def check_total(weights: Array, what: str) -> Array:
    """Return the weights, or raise if together they are nothing, or more than float64 holds: they have no mean.

    >>> check_total(np.ones(2), "sample_weight")
    array([1., 1.])
    """
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total == 0.0:
        raise ValueError(f"{what} leaves every row without weight; some rows need a positive one.")
    if not np.isfinite(total):
        raise ValueError(
            f"{what} lets rows weigh up to {weights.max():g}, and together more than float64 holds; "
            "only ratios matter, so divide all by the largest."
        )
    return weights


def _check_objects(target: NDArray[Any]) -> None:
    """Raise if a target of objects has gaps, or mixes text with numbers."""
    if target.dtype != object:
        return
    labels = Labels.of(target.tolist(), "y")
    if labels.missing.any():
        place = int(np.argmax(labels.missing))
        raise ValueError(f"y contains missing values: {target[place]} at row {place}; Input y contains NaN.")
    if len({isinstance(value, str) for value in labels.values}) > 1:
        raise TypeError(f"y mixes text and numbers; got {target[:5].tolist()}.")


def _check_extent(X: Any) -> None:
    """Raise if a frame has no rows or no columns."""
    rows, columns = X.shape
    if columns == 0:
        raise ValueError(f"0 feature(s) (shape={(rows, columns)}) while a minimum of 1 is required.")
    if rows == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={(rows, columns)}) while a minimum of 1 is required.")
