"""What all estimators share: from a frame through encoder, architecture and engine to a predictor."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from isotone.activations import Activation
from isotone.constraints import Signs
from isotone.encoding import Encoder, Table
from isotone.engine import Interrupted
from isotone.estimators.categories import parse_categories
from isotone.estimators.cores import threads_for
from isotone.estimators.defaults import Size
from isotone.estimators.progress import Progress
from isotone.estimators.reading import check_total, checked_features, read_features, read_target, read_weights
from isotone.estimators.rows import Rows
from isotone.estimators.tasks import Task
from isotone.estimators.training import Course, Training
from isotone.estimators.trials import Contest, Trial, best, planned
from isotone.files import Origin, Predictor, register
from isotone.losses import Loss

Array = NDArray[np.float64]
# settings that may change between runs that go on from each other; all others say which network it is
CHANGEABLE = {
    "batch_size", "class_weight", "early_stopping", "learning_rate", "learning_rate_init", "max_iter", "n_jobs",
    "n_iter_no_change", "random_state", "validation_fraction", "verbose", "warm_start", "weight_decay",
}  # fmt: skip
# below this many rows one thread is faster than waking others
FEWEST_ROWS_TO_SHARE = 1024


class MonotoneEstimator(BaseEstimator):  # type: ignore[misc]
    """The base of the estimators: everything but what is predicted.

    >>> issubclass(MonotoneEstimator, BaseEstimator)
    True
    """

    monotonic_cst: Any
    categorical_features: Any
    missing: str
    encoding: str
    n_segments: int | None
    hidden_layer_sizes: int | Sequence[int] | None
    free_hidden_layer_sizes: int | Sequence[int] | None
    activation: str | Activation
    form: str
    n_estimators: int | None
    learning_rate: str
    learning_rate_init: float | None
    batch_size: int | None
    max_iter: int | None
    weight_decay: float | None
    early_stopping: bool | str
    validation_fraction: float | None
    n_iter_no_change: int | None
    warm_start: bool
    random_state: Any
    n_jobs: int | None
    verbose: int
    # where training stands; there once the estimator is fitted
    _training: Training
    _predictor: Predictor
    # the settings that say which network was fitted, as they were then
    _network: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let a saved model of this class find its way back."""
        super().__init_subclass__(**kwargs)
        register(cls.__name__, cls._restored)

    def _keep(self, arguments: Mapping[str, Any]) -> None:
        """Store the arguments of ``__init__`` untouched."""
        for name in self._get_param_names():
            setattr(self, name, arguments[name])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # not input_tags.categorical: scikit-learn reads it as "codes only"
        tags.input_tags.allow_nan = True
        return tags

    # What is predicted: the subclasses say it.

    @abstractmethod
    def _codes(self, target: NDArray[Any], y: Any, classes: Any, resume: bool) -> Array:
        """Return the target as the numbers that the loss reads, and keep what is needed to read them back."""

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss that the settings ask for."""

    @abstractmethod
    def _task(self, y: Array, weight: Array) -> Task:
        """Return what is to be predicted."""

    def _row_weights(self, y: Array, weight: Array) -> Array:
        """Return the weight of each row once those of its class are in."""
        return weight

    def _heading(self) -> dict[str, Any]:
        """Return what a predictor needs to name its outputs."""
        return {}

    def _task_name(self) -> str:
        return "regression"

    # Fitting.

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        resume = bool(self.warm_start) and hasattr(self, "_training")
        return self._learn(X, y, sample_weight, resume=resume, settings=self.get_params(deep=False))

    def _fit_once(self, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        """Pass the data once, from where the last call stopped."""
        once = {"max_iter": 1, "learning_rate": "constant", "early_stopping": False}
        settings = self.get_params(deep=False) | once
        return self._learn(X, y, sample_weight, resume=hasattr(self, "_training"), settings=settings, classes=classes)

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, *, resume: bool, settings: Mapping[str, Any], classes: Any = None
    ) -> Self:
        before = dict(vars(self))
        if resume:
            self._check_same_network()
        try:
            encoder, rows = self._gather(X, y, sample_weight, resume, classes)
            size = Size(len(rows), len(encoder.fields), self._task_name())
            if resume:
                return self._resumed(rows, Trial.of(best(self._training.history.get("trials", ())), settings, size))
            return self._begun(encoder, rows, planned(settings, size))
        finally:
            if vars(self).get("_training") is before.get("_training"):
                # nothing was learned: the estimator stays as it was, names of columns and classes with it
                self.__dict__.clear()
                self.__dict__.update(before)

    def _resumed(self, rows: Rows, trial: Trial) -> Self:
        """Go on from where training stands."""
        with self._shown(trial) as progress:
            course = self._training.course(rows, trial.plan, threads_for(self.n_jobs), progress)
            with self._left_valid(course):
                return self._conclude(course, course.run(self._training))

    def _begun(self, encoder: Encoder, rows: Rows, trials: Sequence[Trial]) -> Self:
        """Train anew by each of the trials, and keep the one that says most of the rows it held out."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        contest = Contest()
        with self._shown(*trials) as progress:
            for trial in trials:
                course = self._course(encoder, rows, trial, seed, progress)
                with self._left_valid(course, contest):
                    contest.enter(course)
        return self._conclude(*contest.winner())

    def _shown(self, *trials: Trial) -> Progress:
        return Progress(sum(trial.plan.passes for trial in trials), bool(self.verbose))

    @contextmanager
    def _left_valid(self, course: Course, contest: Contest | None = None) -> Iterator[None]:
        """Leave a valid model if Ctrl-C ends a trial: the best whole one, or the first as far as it came."""
        try:
            yield
        except Interrupted as stop:
            if contest is not None and contest.leader is not None:
                self._conclude(*contest.winner())
            else:
                self._conclude(course, course.reached(stop.parameters, stop.state, stop.history))
            raise

    def _conclude(self, course: Course, training: Training) -> Self:
        named = hasattr(self, "feature_names_in_")
        predictor = training.predictor(course.rows, named, **self._heading())
        self._training, self._network = training, self._network_settings()
        return self._publish(predictor)

    def _gather(self, X: Any, y: Any, sample_weight: Any, resume: bool, classes: Any) -> tuple[Encoder, Rows]:
        """Return how the columns are read, and the distinct rows; whatever else was read of the data is let go."""
        table = read_features(self, X, reset=not resume)
        weight = read_weights(sample_weight, table)
        target = read_target(self, y, table.rows)
        kept = weight > 0
        if not kept.all():
            table, target, weight = table.take(kept), target[kept], weight[kept]
        codes = self._codes(target, y, classes, resume)
        encoder = self._training.encoder if resume else self._categorise(table)
        rows = Rows.gather(encoder.codes(table), codes, weight)
        weighted = check_total(self._row_weights(rows.y, rows.weight), "class_weight")
        return encoder, rows.weighted(weighted)

    def _network_settings(self) -> dict[str, Any]:
        """Return the settings that say which network it is; what the caller does to a list later is not seen."""
        settings = self.get_params(deep=False).items()
        return {name: copy.deepcopy(value) for name, value in settings if name not in CHANGEABLE}

    def _check_same_network(self) -> None:
        """Raise if a run would go on with another network than the settings now ask for."""
        now = self._network_settings()
        changed = [
            f"{name} was {_text(before)}, is {_text(now[name])}"
            for name, before in self._network.items()
            if _text(before) != _text(now[name])
        ]
        if changed:
            raise ValueError(
                f"a fit can only go on with the network it began with: {'; '.join(changed)}; "
                "clone the estimator, or set warm_start=False, to begin anew."
            )

    def _categorise(self, table: Table) -> Encoder:
        signs = Signs.parse(self.monotonic_cst, table.names)
        self._check_signs(signs)
        orders = parse_categories(self.categorical_features, table.names)
        return Encoder.categorise(table, signs, orders, self.missing)

    def _check_signs(self, signs: Signs) -> None:
        """Raise if the loss cannot keep these signs."""

    def _course(self, encoder: Encoder, rows: Rows, trial: Trial, seed: int, progress: Progress) -> Course:
        encoder = encoder.placed(rows.columns, rows.weight, self.encoding, trial.plan.segments)
        task, threads = self._task(rows.y, rows.weight), threads_for(self.n_jobs)
        network = trial.plan.architecture(encoder.columns, task, self.form, self.activation)
        return Course(encoder, network, task, rows, trial.plan, seed, threads, progress, [trial.entry])

    def _publish(self, predictor: Predictor) -> Self:
        """Set the fitted attributes."""
        history = predictor.origin.history
        self._predictor = predictor
        self.encoder_, self.architecture_ = predictor.encoder, predictor.architecture
        self.parameters_ = predictor.parameters
        self.signs_ = _signs(predictor)
        self.n_iter_ = history["n_iter"]
        self.loss_curve_ = history["loss_curve"]
        self.validation_curve_ = history["validation_curve"]
        self.trials_ = history.get("trials", [])
        return self

    # Predicting.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the prediction of each row; the same row has the same bits in any company.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        return self._ready.predict(self._checked(X), self._threads(X))

    def input_gradient(self, X: Any) -> Array:
        """Return the derivative of the prediction by each numeric column. Shape: ``(n, d)`` -> ``(n, d)``.

        On a column with a sign it has that sign, exactly.

        Args:
            X: a frame or array. Shape ``(n, d)``.
        """
        return self._ready.input_gradient(self._checked(X), self._threads(X))

    def to_predictor(self) -> Predictor:
        """Return the fitted model without scikit-learn: numpy and the engine are all it needs."""
        predictor = self._ready
        # what was set after the fit says nothing of the network that was fitted
        settings = self.get_params(deep=False) | self._network
        if not isinstance(settings["random_state"], int | np.integer | None):
            # a stream has no place in a file; the seed that was drawn from it gives the same model
            settings["random_state"] = self._training.seed
        origin = Origin(type(self).__name__, settings, predictor.origin.history)
        return replace(predictor, origin=origin)

    def to_torch(self) -> Any:
        """Return the fitted network as a PyTorch module; needs ``isotone[torch]``."""
        from isotone.nn import from_parameters

        return from_parameters(self._ready.architecture, self._ready.parameters)

    def __sklearn_is_fitted__(self) -> bool:
        return "_predictor" in vars(self)

    @property
    def _ready(self) -> Predictor:
        if "_predictor" not in vars(self):
            check_is_fitted(self)
        return self._predictor

    def _checked(self, X: Any) -> Any:
        """Return what the predictor can read; an array of numbers goes straight to it."""
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "fd" and not self._ready.named:
            if len(X) and X.shape[1] == self.n_features_in_:
                return X
        else:
            check_is_fitted(self)
        return checked_features(self, X, reset=False)

    def _threads(self, X: Any) -> int | None:
        few = isinstance(X, np.ndarray) and len(X) < FEWEST_ROWS_TO_SHARE
        return 1 if few else threads_for(self.n_jobs)

    @classmethod
    def _restored(cls, predictor: Predictor) -> Self:
        """Return the estimator that a predictor was saved from."""
        estimator = cls(**predictor.origin.settings)
        told, kept = (
            Signs.parse(estimator.monotonic_cst, predictor.encoder.names).by_name(),
            _signs(predictor).by_name(),
        )
        if told != kept:
            raise ValueError(f"its settings have the signs {told}, its network {kept}.")
        estimator.n_features_in_ = len(predictor.encoder.fields)
        if predictor.named:
            estimator.feature_names_in_ = np.asarray(predictor.encoder.names, dtype=object)
        estimator._recall(predictor)
        estimator._network = estimator._network_settings()
        estimator._training = Training.of(predictor, estimator._task_name(), estimator._loss())
        return estimator._publish(predictor)

    def _recall(self, predictor: Predictor) -> None:
        """Take from a predictor what names its outputs."""


def _text(setting: Any) -> str:
    """Return a setting as text that can be compared; numpy leaves out the middle of a long array."""
    return repr(setting.tolist() if hasattr(setting, "tolist") else setting)


def _signs(predictor: Predictor) -> Signs:
    """Return the signs that the network keeps."""
    return Signs(predictor.encoder.names, tuple(field.column.direction for field in predictor.encoder.fields))
