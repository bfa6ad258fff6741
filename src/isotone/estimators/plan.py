"""From an estimator's settings to the numbers of one fit: what was given is checked, what was not is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isotone.architecture import Architecture, Column, Numeric
from isotone.estimators import defaults
from isotone.estimators.defaults import Size
from isotone.estimators.tasks import Task

SCHEDULES = ("one_cycle", "cosine", "constant")
WHOLE = (int, np.integer)
REAL = (int, float, np.integer, np.floating)


@dataclass(frozen=True)
class Plan:
    """How one fit goes.

    >>> Plan.of({"n_estimators": 3}, Size(1000, 8, "regression")).members
    3
    """

    members: int
    hidden: tuple[int, ...]
    free_hidden: tuple[int, ...]
    segments: int
    batch: int
    passes: int
    schedule: str
    rate: float
    decay: float
    scheme: str
    holds_out: bool
    shares_fold: bool
    fraction: float
    patience: int

    @property
    def resumes(self) -> bool:
        """Whether a later run can go on as if it had never stopped: nothing depends on when the end will come.

        >>> Plan.of({"learning_rate": "constant", "early_stopping": False}, Size(9, 1, "regression")).resumes
        True
        """
        return self.schedule == "constant" and not self.holds_out

    @classmethod
    def of(cls, given: Mapping[str, Any], size: Size) -> Plan:
        """Read the settings of an estimator; ``None`` means the default for a problem of this size.

        >>> Plan.of({"max_iter": 5, "hidden_layer_sizes": 4}, Size(1000, 8, "regression")).hidden
        (4,)
        """
        members = _count("n_estimators", given, defaults.members(size))
        hidden = _widths("hidden_layer_sizes", given, defaults.hidden(size), empty=True)
        batch = min(_count("batch_size", given, defaults.batch_size(size)), size.n)
        passes = _count("max_iter", given, defaults.passes(size, batch))
        schedule = given.get("learning_rate", SCHEDULES[0])
        _check_choice("learning_rate", schedule, SCHEDULES)
        return cls(
            members=members,
            hidden=hidden,
            free_hidden=_widths("free_hidden_layer_sizes", given, defaults.free_hidden(size, hidden)),
            segments=_count("n_segments", given, defaults.segments(size)),
            batch=batch,
            passes=passes,
            schedule=schedule,
            rate=_real("learning_rate_init", given, defaults.learning_rate(size), above=True),
            decay=_real("weight_decay", given, 0.0),
            scheme=defaults.initialisation(size),
            holds_out=_holds_out(given, size),
            shares_fold=defaults.shares_fold(size),
            fraction=_fraction(given, defaults.validation_fraction(size, members)),
            patience=_count("n_iter_no_change", given, defaults.patience(size, passes)),
        )

    def architecture(self, columns: tuple[Column, ...], task: Task, form: str, activation: Any) -> Architecture:
        """Return the network of a task over these columns.

        >>> from isotone.losses import Loss
        >>> task = Task("binary", Loss("log_loss"))
        >>> Plan.of({}, Size(100, 1, "binary")).architecture((Numeric(),), task, "post", "relu").link
        'sigmoid'
        """
        has_free = any(not one.direction or (isinstance(one, Numeric) and one.missing) for one in columns)
        return Architecture(
            columns=columns,
            hidden=self.hidden,
            free_hidden=self.free_hidden if has_free else (),
            outputs=len(task.start),
            members=self.members,
            form=form,
            activation=activation,
            link=task.loss.link,
            cuts=len(task.cuts),
            center=task.center,
            scale=task.scale,
        )


def _count(name: str, given: Mapping[str, Any], default: int) -> int:
    value = given.get(name)
    if value is None:
        return default
    if not isinstance(value, WHOLE) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} is a whole number of at least 1, or None; got {value!r}.")
    return int(value)


def _real(name: str, given: Mapping[str, Any], default: float, above: bool = False) -> float:
    value = given.get(name)
    if value is None:
        return default
    fits = isinstance(value, REAL) and not isinstance(value, bool) and 0 <= value < float("inf")
    if not fits or (above and value == 0):
        raise ValueError(f"{name} is a finite number {'above' if above else 'of at least'} 0, or None; got {value!r}.")
    return float(value)


def _widths(name: str, given: Mapping[str, Any], default: tuple[int, ...], empty: bool = False) -> tuple[int, ...]:
    value = given.get(name)
    if value is None:
        return default
    widths = (value,) if isinstance(value, WHOLE) else value
    fits = hasattr(widths, "__len__") and not isinstance(widths, str) and (empty or len(widths) > 0)
    if not fits or any(not isinstance(width, WHOLE) or isinstance(width, bool) or width < 1 for width in widths):
        raise ValueError(f"{name} is a sequence of whole numbers of at least 1, or None; got {value!r}.")
    return tuple(int(width) for width in widths)


def _fraction(given: Mapping[str, Any], default: float) -> float:
    value = given.get("validation_fraction")
    if value is None:
        return default
    if not isinstance(value, REAL) or not 0 < value <= 0.5:
        raise ValueError(f"validation_fraction is above 0 and at most 0.5, or None; got {value!r}.")
    return float(value)


def _holds_out(given: Mapping[str, Any], size: Size) -> bool:
    value = given.get("early_stopping", "auto")
    _check_choice("early_stopping", value, (True, False, "auto"))
    if value is True and size.n < 2:
        raise ValueError(f"early_stopping=True needs rows to hold out; got n_samples = {size.n}.")
    return defaults.holds_out(size) if value == "auto" else bool(value)


def _check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} is one of {list(choices)}; got {value!r}.")
