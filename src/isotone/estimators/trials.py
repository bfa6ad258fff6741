"""Several ways to fit one problem, tried in turn; the rows that the members hold out choose one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from isotone.estimators import defaults
from isotone.estimators.defaults import Size
from isotone.estimators.plan import Plan
from isotone.estimators.training import Course, Training

Settings = Mapping[str, Any]
LOSS = "validation_loss"
# what may differ between trials, as the estimators call it and as a plan does
TRIED = {
    "weight_decay": "decay",
    "max_iter": "passes",
    "learning_rate_init": "rate",
    "n_segments": "segments",
    "hidden_layer_sizes": "hidden",
    "free_hidden_layer_sizes": "free_hidden",
}


@dataclass(frozen=True)
class Trial:
    """The settings that a trial chose, under the estimator's names, and its plan.

    >>> Trial.of({"weight_decay": 0.5}, {}, Size(1000, 8, "regression")).plan.decay
    0.5
    """

    settings: Settings
    plan: Plan

    @classmethod
    def of(cls, chosen: Settings, given: Settings, size: Size) -> Trial:
        """Return the trial of these settings, as far as an estimator's own leave the choice.

        >>> "weight_decay" in Trial.of({"weight_decay": 0.5}, {"weight_decay": 0.0}, Size(9, 1, "binary")).settings
        False
        """
        free = {name: value for name, value in chosen.items() if given.get(name) is None}
        plan = Plan.of({**given, **free}, size)
        # also what this one leaves to the size of the data: with all of it set, there is nothing left to try
        return cls({name: getattr(plan, part) for name, part in TRIED.items() if given.get(name) is None}, plan)

    @property
    def entry(self) -> dict[str, Any]:
        """What a fitted model tells of this trial, before it has run.

        >>> entry = Trial.of({"weight_decay": 0.5}, {}, Size(9, 1, "regression")).entry
        >>> entry["weight_decay"], entry["validation_loss"]
        (0.5, None)
        """
        return {**self.settings, LOSS: None}


@dataclass
class Contest:
    """The trials that have run, and the best of them.

    >>> Contest().entries
    []
    """

    entries: list[dict[str, Any]] = field(default_factory=list)
    leader: tuple[Course, Training] | None = None
    diverged: FloatingPointError | None = None

    def enter(self, course: Course) -> None:
        """Run a trial; it leads if its least loss on the rows held out is the least so far."""
        (entry,) = course.trials
        try:
            training = course.run(None)
        except FloatingPointError as error:
            # less daring settings may stay finite; if none does, the last of these is raised
            self.diverged = error
        else:
            entry = entry | {LOSS: min(training.history["validation_curve"], default=None)}
            if self.leader is None or _loss(entry) < min(map(_loss, self.entries)):
                self.leader = course, training
        self.entries.append(entry)

    def winner(self) -> tuple[Course, Training]:
        """Return the best trial; its history tells of all of them."""
        if self.leader is None:
            raise self.diverged or RuntimeError("no trial has run: call enter first.")
        course, training = self.leader
        return course, replace(training, history=training.history | {"trials": self.entries})


def planned(given: Settings, size: Size) -> tuple[Trial, ...]:
    """Return the trials of a fit; one alone where no rows are held out to choose by.

    >>> [len(planned({"early_stopping": wanted}, Size(1000, 8, "regression"))) > 1 for wanted in (True, False)]
    [True, False]
    """
    recipes = defaults.recipes(size) if Plan.of(given, size).holds_out else (defaults.cautious(size),)
    return tuple(_distinct(Trial.of(recipe, given, size) for recipe in recipes))


def best(entries: Sequence[Mapping[str, Any]]) -> Settings:
    """Return the settings of the trial with the least loss.

    >>> best([{"weight_decay": 0.0, "validation_loss": 2.0}, {"weight_decay": 1.0, "validation_loss": 1.0}])
    {'weight_decay': 1.0}
    """
    chosen = min(entries, key=_loss, default={})
    return {name: value for name, value in chosen.items() if name != LOSS}


def _loss(entry: Mapping[str, Any]) -> float:
    return inf if entry[LOSS] is None else float(entry[LOSS])


def _distinct(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Yield each trial whose settings no earlier one has."""
    seen: list[Settings] = []
    for trial in trials:
        if trial.settings not in seen:
            seen.append(trial.settings)
            yield trial
