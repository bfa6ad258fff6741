"""What is to be run: one `Fit` per line of results, grouped into cells that share a process and a time limit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks import peers
from benchmarks.peers.interface import Kind, Setting, Vector, draw_settings

TRIALS = 20
TUNING_FOLDS = 3
TUNING_SEED = 0

# protocols whose every fit trains on a part of the training rows and is scored on the rest of them
INSIDE_TRAINING_ROWS = frozenset({"development", "tuning"})


@dataclass(frozen=True)
class Fit:
    """One model on one table under one protocol.

    Args:
        protocol: ``development`` and ``tuning`` score on a fold of the training rows, ``honest`` and ``tuned`` on the
            test rows.
        seed: seeds the model; in ``development`` the folds too, in ``honest`` and ``tuned`` the order of the rows.
        fold: which of `folds` parts is held out; `None` where the test rows are scored.
        trial: number of the settings tried, in ``tuning`` only.
    """

    protocol: str
    task: str
    peer: str
    seed: int
    fold: int | None = None
    folds: int | None = None
    trial: int | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What makes a result line that of this fit, as text."""
        return json.dumps(
            [self.protocol, self.task, self.peer, self.seed, self.fold, self.folds, self.trial, dict(self.settings)]
        )


Cell = Sequence[Fit]


def honest(tasks: Sequence[str], names: Sequence[str], seeds: Sequence[int]) -> Iterator[Cell]:
    """Yield a cell per task and peer: default settings, every seed, the test rows scored once each."""
    for task in tasks:
        for name in names:
            yield [Fit("honest", task, name, seed) for seed in seeds]


def development(tasks: Sequence[str], names: Sequence[str], seeds: Sequence[int], folds: int) -> Iterator[Cell]:
    """Yield a cell per task, peer and seed: default settings on seeded folds of the training rows."""
    for task in tasks:
        for name in names:
            for seed in seeds:
                yield [Fit("development", task, name, seed, fold, folds) for fold in range(folds)]


def tuning(task: str, name: str) -> Cell:
    """Return the search of one peer on one table: the defaults and drawn settings, each on the same folds."""
    random = np.random.default_rng(TUNING_SEED)
    space = peers.find(name).space
    drawn: list[dict[str, Setting]] = [{}] + [draw_settings(space, random) for _ in range(TRIALS - 1)]
    return [
        Fit("tuning", task, name, TUNING_SEED, fold, TUNING_FOLDS, trial, settings)
        for trial, settings in enumerate(drawn)
        for fold in range(TUNING_FOLDS)
    ]


def tuned(task: str, name: str, settings: Mapping[str, Setting], seeds: Sequence[int]) -> Cell:
    """Return the cell that refits the winner of a search on every seed."""
    return [replace(fit, protocol="tuned", settings=settings) for fit in next(honest([task], [name], seeds))]


def split(kind: Kind, target: Vector, seed: int, folds: int, fold: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows to learn from and the rows held out; classes and levels keep their shares."""
    splitter = KFold if kind is Kind.REGRESSION else StratifiedKFold
    parts = splitter(folds, shuffle=True, random_state=seed).split(np.zeros(len(target)), target)
    learn, held_out = list(parts)[fold]
    return learn, held_out
