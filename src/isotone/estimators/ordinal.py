"""Classes with an order, and probabilities of exceeding each that keep it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.activations import Activation
from isotone.constraints import Signs, listed
from isotone.encoding import declared_order
from isotone.estimators import tasks
from isotone.estimators.classifier import ClassesEstimator
from isotone.estimators.labels import ranked
from isotone.files import Predictor
from isotone.losses import Loss

Array = NDArray[np.float64]


class MonotoneOrdinalClassifier(ClassesEstimator):
    """Networks of one latent score and shared cut points: the probability of exceeding each class keeps order.

    Probabilities of exceeding a class are multiples of 2^-50, so that those of the classes are exact differences:
    never negative, of sum exactly 1, and every sum over upper classes keeps order. ``predict`` gives the most probable
    class and ``predict_median`` the middle one, both by thresholds on the latent score, so that they keep order too.
    A setting of ``None`` is chosen from the size of the data.

    Where rows are held out, several values of ``weight_decay``, ``max_iter``, ``learning_rate_init``,
    ``n_segments``, ``hidden_layer_sizes`` and ``free_hidden_layer_sizes`` are tried, as far as these are ``None``, and
    the loss on those rows chooses; ``trials_`` tells of each.

    Args:
        class_order: the classes from lowest to highest. None takes the order of an ordered type, else that of numbers;
            text needs an order as soon as a column has a sign.
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
    >>> model = MonotoneOrdinalClassifier(monotonic_cst=[1, 0], max_iter=5, random_state=0)
    >>> model = model.fit(X, np.digitize(X[:, 0], [0.3, 0.6]))
    >>> float(model.predict_proba(X[:1]).sum())
    1.0
    """

    class_order: Sequence[Any] | None

    def __init__(
        self,
        *,
        class_order: Sequence[Any] | None = None,
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

    def latent(self, X: Any) -> Array:
        """Return the latent score, which keeps order. Shape: ``(n, d)`` -> ``(n,)``.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        return self._ready.latent(self._checked(X), self._threads(X))[:, 0]

    def predict_median(self, X: Any) -> NDArray[Any]:
        """Return the middle class of each row: better if far misses cost more. Shape: ``(n, d)`` -> ``(n,)``.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        return self._ready.labels(self._ready.median_rank(self._checked(X), self._threads(X)))

    def _codes(self, target: NDArray[Any], y: Any, classes: Any, resume: bool) -> Array:
        places = super()._codes(target, y, classes, resume).astype(np.intp)
        if not resume:
            order = self.class_order if self.class_order is not None else declared_order(y)
            self._is_ordered = order is not None or self.classes_.dtype.kind in "iufb"
            self._ranks = ranked(self.classes_, order)
        return np.argsort(self._ranks)[places].astype(np.float64)

    def _check_signs(self, signs: Signs) -> None:
        if signs.constrained and not self._is_ordered:
            raise ValueError(
                f"monotonic_cst gives {listed(signs.constrained)} a sign, which means nothing before the classes "
                f"{self.classes_.tolist()} have an order; pass class_order, from lowest to highest."
            )

    def _class_weights(self, mass: Array) -> Array:
        ranks = list(self._ranks)
        by_class = np.empty(len(mass))
        by_class[ranks] = mass
        return super()._class_weights(by_class)[ranks]

    def _task_name(self) -> str:
        return "ordinal"

    def _loss(self) -> Loss:
        return Loss("ordinal")

    def _task(self, y: Array, weight: Array) -> tasks.Task:
        return tasks.ordinal(y, weight, len(self.classes_))

    def _heading(self) -> dict[str, Any]:
        return {"classes": self.classes_, "ranks": self._ranks}

    def _recall(self, predictor: Predictor) -> None:
        super()._recall(predictor)
        self._ranks, self._is_ordered = predictor.ranks, True
