"""Several quantiles at once, that keep order and never cross."""

from __future__ import annotations

from collections.abc import Sequence
from operator import lt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from isotone.activations import Activation
from isotone.estimators import tasks
from isotone.estimators.base import MonotoneEstimator
from isotone.estimators.plan import REAL
from isotone.estimators.reading import numbers_of
from isotone.losses import Loss

Array = NDArray[np.float64]


class MonotoneQuantileRegressor(RegressorMixin, MonotoneEstimator):  # type: ignore[misc]
    """Networks with one monotone output per quantile, sorted: each keeps order, none crosses another.

    Sorting does not force the spread to grow along a column that has a sign. A setting of ``None`` is chosen from the
    size of the data.

    Where rows are held out, several values of ``weight_decay``, ``max_iter``, ``learning_rate_init``,
    ``n_segments``, ``hidden_layer_sizes`` and ``free_hidden_layer_sizes`` are tried, as far as these are ``None``, and
    the loss on those rows chooses; ``trials_`` tells of each.

    Args:
        quantiles: rising levels between 0 and 1; ``predict`` gives the middle one.
        monotonic_cst: the columns with a sign: a mapping from name to 1, -1, ``"increasing"`` or ``"decreasing"``, a
            sequence with one direction per column, or one direction for all.
        categorical_features: ``"from_dtype"``: text, categories and ordered categories of a frame are categories. A
            sequence of columns makes these nominal too; a mapping gives a column's categories from lowest to highest,
            or ``"nominal"``. Only ordered categories can have a sign.
        missing: what to do with missing values in columns that have a sign: ``"refuse"`` them, or ``"learn"`` a value
            (order then holds between rows with the same columns missing). In other columns they are always learned.
        encoding: how a number enters the network: ``"piecewise"`` as one component per segment, ``"quantile"`` as its
            normal score, ``"standard"`` as its distance from the mean. All three continue linearly beyond the data.
        n_segments: how many pieces the map of a column has.
        hidden_layer_sizes: widths of the monotone trunk.
        free_hidden_layer_sizes: widths of the branch that reads the columns without a sign.
        activation: of the trunk, by name, or an ``Activation``; one that decreases anywhere is refused.
        form: ``"post"`` or ``"pre"`` for the switch before or after the weights, or ``"constrained"``.
        n_estimators: how many networks are averaged.
        learning_rate: the schedule, ``"one_cycle"``, ``"cosine"`` or ``"constant"``.
        learning_rate_init: the highest learning rate of the schedule.
        batch_size: rows per step.
        max_iter: passes over the data in each trial.
        weight_decay: decoupled weight decay.
        early_stopping: whether each network keeps the weights that were best on rows of its own that it holds out;
            ``"auto"`` does so unless the rows are very few.
        validation_fraction: the share of rows that each network holds out; the same for all from 100,000 rows on.
        n_iter_no_change: passes without a better one after which a network stops.
        warm_start: whether ``fit`` goes on from the last fit.
        random_state: the only source of randomness.
        n_jobs: threads; None takes what the process may use. Results do not depend on it.
        verbose: whether to show progress.

    >>> X = np.random.default_rng(0).uniform(size=(60, 1))
    >>> model = MonotoneQuantileRegressor(monotonic_cst=1, max_iter=5, random_state=0).fit(X, X[:, 0])
    >>> bool((np.diff(model.predict_quantiles(X), axis=1) >= 0).all())
    True
    """

    quantiles: Sequence[float]

    def __init__(
        self,
        *,
        quantiles: Sequence[float] = (0.1, 0.5, 0.9),
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "refuse",
        encoding: str = "piecewise",
        n_segments: int | None = None,
        hidden_layer_sizes: int | Sequence[int] | None = None,
        free_hidden_layer_sizes: int | Sequence[int] | None = None,
        activation: str | Activation = "relu",
        form: str = "post",
        n_estimators: int | None = None,
        learning_rate: str = "one_cycle",
        learning_rate_init: float | None = None,
        batch_size: int | None = None,
        max_iter: int | None = None,
        weight_decay: float | None = None,
        early_stopping: bool | str = "auto",
        validation_fraction: float | None = None,
        n_iter_no_change: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the networks; the result does not depend on the order of the rows, nor on how repetitions are written.

        Args:
            X: a frame or array. Shape ``(n, d)``.
            y: numbers. Shape ``(n,)``.
            sample_weight: of each row; a weight of 2 is a row given twice. Shape ``(n,)``.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Pass these rows once, from where the last call stopped; the first call learns the encoding.

        Args:
            X: a frame or array. Shape ``(n, d)``.
            y: numbers. Shape ``(n,)``.
            sample_weight: of each row. Shape ``(n,)``.
        """
        return self._fit_once(X, y, sample_weight)

    def predict_quantiles(self, X: Any) -> Array:
        """Return all quantiles in rising order. Shape: ``(n, d)`` -> ``(n, len(quantiles))``.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        return self._ready.predict_quantiles(self._checked(X), self._threads(X))

    def _codes(self, target: NDArray[Any], y: Any, classes: Any, resume: bool) -> Array:
        self._levels()
        return numbers_of(target)

    def _levels(self) -> tuple[float, ...]:
        levels = tuple(np.atleast_1d(np.asarray(self.quantiles)).tolist())
        real = all(isinstance(level, REAL) for level in levels)
        if not levels or not real or not all(map(lt, (0.0, *levels), (*levels, 1.0))):
            raise ValueError(f"quantiles are rising levels between 0 and 1; got {self.quantiles!r}.")
        return tuple(map(float, levels))

    def _task_name(self) -> str:
        return "quantiles"

    def _loss(self) -> Loss:
        return Loss("quantile", self._levels())

    def _task(self, y: Array, weight: Array) -> tasks.Task:
        return tasks.quantiles(self._levels(), y, weight)

    def _heading(self) -> dict[str, Any]:
        return {"levels": self._levels()}
