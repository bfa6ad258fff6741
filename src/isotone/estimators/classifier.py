"""Classes, and a probability that keeps order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from isotone.activations import Activation
from isotone.constraints import Signs, listed
from isotone.estimators import tasks
from isotone.estimators.base import MonotoneEstimator
from isotone.estimators.labels import class_weights, known_classes, positions
from isotone.files import Predictor
from isotone.losses import Loss

Array = NDArray[np.float64]


class ClassesEstimator(ClassifierMixin, MonotoneEstimator):  # type: ignore[misc]
    """What estimators of classes share.

    >>> issubclass(ClassesEstimator, MonotoneEstimator)
    True
    """

    class_weight: Any
    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the networks; the result does not depend on the order of the rows, nor on how repetitions are written.

        Args:
            X: a frame or array. Shape ``(n, d)``.
            y: classes. Shape ``(n,)``.
            sample_weight: of each row; a weight of 2 is a row given twice. Shape ``(n,)``.
        """
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Pass these rows once, from where the last call stopped; the first call learns the encoding.

        Args:
            X: a frame or array. Shape ``(n, d)``.
            y: classes. Shape ``(n,)``.
            classes: all classes that may ever come; needed in the first call if these rows lack some.
            sample_weight: of each row. Shape ``(n,)``.
        """
        return self._fit_once(X, y, sample_weight, classes)

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, in the order of ``classes_``. Shape: ``(n, d)`` -> ``(n, k)``.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        return self._ready.predict_proba(self._checked(X), self._threads(X))

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of the probability of each class. Shape: ``(n, d)`` -> ``(n, k)``.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _codes(self, target: NDArray[Any], y: Any, classes: Any, resume: bool) -> Array:
        if not resume:
            self.classes_ = known_classes(target, classes)
        elif classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ValueError(
                f"classes are those of the first call, {self.classes_.tolist()}; got {np.asarray(classes).tolist()}."
            )
        return positions(target, self.classes_).astype(np.float64)

    def _row_weights(self, y: Array, weight: Array) -> Array:
        codes, count = y.astype(np.intp), len(self.classes_)
        by_class = self._class_weights(np.bincount(codes, weight, count).astype(np.float64))
        return np.asarray(weight * by_class[codes])

    def _class_weights(self, mass: Array) -> Array:
        """Return the weight of each code, given how much its rows weigh together."""
        return class_weights(self.class_weight, self.classes_, mass)

    def _heading(self) -> dict[str, Any]:
        return {"classes": self.classes_}

    def _recall(self, predictor: Predictor) -> None:
        self.classes_ = np.asarray(predictor.classes)


class MonotoneClassifier(ClassesEstimator):
    """Networks whose probability of the positive class keeps order along the columns that have a sign.

    Of two classes the second in sorted order is the positive one. More than two are predicted by a softmax, which
    cannot keep order, so then no column may have a sign; classes that have an order of their own belong to
    ``MonotoneOrdinalClassifier``. A setting of ``None`` is chosen from the size of the data.

    Where rows are held out, several values of ``weight_decay``, ``max_iter``, ``learning_rate_init``,
    ``n_segments``, ``hidden_layer_sizes`` and ``free_hidden_layer_sizes`` are tried, as far as these are ``None``, and
    the loss on those rows chooses; ``trials_`` tells of each.

    Args:
        class_weight: None, ``"balanced"``, or a mapping from class to weight.
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

    >>> X = np.random.default_rng(0).uniform(size=(60, 2))
    >>> model = MonotoneClassifier(monotonic_cst=[1, 0], max_iter=5, random_state=0).fit(X, X[:, 0] < 0.5)
    >>> ladder = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    >>> bool((np.diff(model.predict_proba(ladder)[:, 1]) >= 0).all())
    True
    """

    def __init__(
        self,
        *,
        class_weight: Any = None,
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

    def decision_function(self, X: Any) -> Array:
        """Return the score before the link. Shape: ``(n, d)`` -> ``(n,)``, or ``(n, k)`` for more than two classes.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        scores = self._ready.latent(self._checked(X), self._threads(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _task_name(self) -> str:
        return "binary" if len(self.classes_) == 2 else "multiclass"

    def _task(self, y: Array, weight: Array) -> tasks.Task:
        count = len(self.classes_)
        return tasks.binary(y, weight) if count == 2 else tasks.multiclass(y, weight, count)

    def _loss(self) -> Loss:
        return Loss("log_loss" if len(self.classes_) == 2 else "softmax")

    def _check_signs(self, signs: Signs) -> None:
        if signs.constrained and len(self.classes_) > 2:
            raise ValueError(
                f"monotonic_cst gives {listed(signs.constrained)} a sign, but there are {len(self.classes_)} classes: "
                "a softmax cannot keep order, since raising the score of one class lowers the probability of the "
                "others; use MonotoneOrdinalClassifier for classes with an order, or leave monotonic_cst out."
            )
