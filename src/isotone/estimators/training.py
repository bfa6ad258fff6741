"""One run of the engine, and what is kept to go on from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone import engine
from isotone.architecture import Architecture, Parameters
from isotone.columns import Columns
from isotone.encoding import Encoder
from isotone.estimators.folds import held_out
from isotone.estimators.plan import Plan
from isotone.estimators.progress import Progress
from isotone.estimators.rows import Rows
from isotone.estimators.tasks import Task
from isotone.estimators.untrained import settle
from isotone.files import Origin, Predictor
from isotone.losses import Loss

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Training:
    """Where training stands: all that is needed to predict, and to go on.

    ``parameters`` are those that were trained; a predictor gets them with untrained weights settled.

    >>> Training.__dataclass_fields__["seed"].type
    'int'
    """

    encoder: Encoder
    architecture: Architecture
    task: Task
    seed: int
    parameters: Parameters
    state: engine.State | None
    history: dict[str, Any]

    @classmethod
    def of(cls, predictor: Predictor, name: str, loss: Loss) -> Training:
        """Return where a saved model stands; the optimiser's moments are not in the file."""
        seed = predictor.origin.settings.get("random_state")
        task = Task.of(name, loss, predictor.architecture)
        history = dict(predictor.origin.history)
        parameters = predictor.parameters
        return cls(predictor.encoder, predictor.architecture, task, int(seed or 0), parameters, None, history)

    def course(self, rows: Rows, plan: Plan, threads: int, progress: Progress) -> Course:
        """Return a further run on these rows."""
        trials = self.history.get("trials", [])
        return Course(self.encoder, self.architecture, self.task, rows, plan, self.seed, threads, progress, trials)

    def predictor(self, rows: Rows, named: bool, **heading: Any) -> Predictor:
        """Return what predicts; ``rows`` tell which weights were trained."""
        settled = settle(self.architecture, self.parameters, rows.columns, rows.weight)
        # the engine refuses weights whose sums could overflow: here, and not at the first prediction
        engine.compiled(self.architecture, settled)
        origin = Origin(history=self.history)
        return Predictor(self.architecture, settled, self.encoder, named, origin=origin, **heading)


@dataclass(frozen=True)
class Course:
    """What one run is given; ``trials`` are those that its settings were chosen by, or itself.

    >>> Course.__dataclass_fields__["rows"].type
    'Rows'
    """

    encoder: Encoder
    architecture: Architecture
    task: Task
    rows: Rows
    plan: Plan
    seed: int
    threads: int
    progress: Progress
    trials: list[dict[str, Any]]

    def run(self, start: Training | None) -> Training:
        """Train, from the beginning or from where an earlier run stands."""
        rows = self.rows
        try:
            trained, state, history = engine.train(
                self.architecture,
                Columns(rows.table),
                rows.y,
                self.task.loss,
                self._settings(start),
                sample_weight=rows.weight / rows.weight.mean(),
                validation=self._held(),
                start=self._start(start),
                seed=self.seed,
                threads=self.threads,
                callback=self.progress if self.progress.shows else None,
                rows=rows.kept,
            )
        except FloatingPointError as error:
            what = str(error).split(";")[0]
            raise FloatingPointError(f"{what}; a learning_rate_init below {self.plan.rate:g} would help.") from error
        return self.reached(trained, state, history)

    def reached(self, parameters: Parameters, state: engine.State, history: engine.History) -> Training:
        """Return where training stands after these results of the engine."""
        told = _told(history) | {"trials": self.trials}
        return Training(self.encoder, self.architecture, self.task, self.seed, parameters, state, told)

    def _start(self, start: Training | None) -> Parameters | engine.State:
        if start is None:
            return self.task.initial(self.architecture, self.seed, self.plan.scheme)
        return start.state if self.plan.resumes and start.state is not None else start.parameters

    def _settings(self, start: Training | None) -> engine.Settings:
        plan = self.plan
        resumed = self._start(start) if start is not None else None
        return engine.Settings(
            epochs=plan.passes + (resumed.epoch if isinstance(resumed, engine.State) else 0),
            batch_size=plan.batch,
            optimizer="adamw",
            schedule=plan.schedule,
            learning_rate=plan.rate,
            weight_decay=plan.decay,
            patience=plan.patience if plan.holds_out else None,
        )

    def _held(self) -> NDArray[np.bool_] | None:
        """Return the rows that all members hold out, or each of them, or None. Shape: ``(n,)`` or ``(members, n)``."""
        if not self.plan.holds_out:
            return None
        if self.plan.shares_fold:
            # rows stand in the order of a hash, so the last ones are a random part
            return np.arange(len(self.rows)) >= len(self.rows) - max(round(len(self.rows) * self.plan.fraction), 1)
        strata = self.rows.y if self.task.name in {"binary", "multiclass", "ordinal"} else None
        return held_out(self.plan.members, len(self.rows), self.plan.fraction, self.seed, strata)


def _told(history: engine.History) -> dict[str, Any]:
    """Return what a fitted model tells of its training: means over the members that were still at it."""
    return {
        "n_iter": history.epochs,
        "loss_curve": _means(history.loss),
        "validation_curve": _means(history.validation_loss),
    }


def _means(table: Array) -> list[float]:
    """Return the mean of each line over its numbers, lines without any left out."""
    return [float(line[~np.isnan(line)].mean()) for line in table if not np.isnan(line).all()]
