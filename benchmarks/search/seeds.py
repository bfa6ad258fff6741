"""Train a hundred seeds of a network on every development table: ``python -m benchmarks.search.seeds``.

All seeds of a table train together, as the members of one model: the post switch with the sizes of the estimators'
defaults, and the settings of the candidate ``plain``, on a fold of the training rows; test files are not opened. Each
start is trained twice. To the end, for what becomes of the switches: losses on the rows learned from, and a look
inside. And stopped early, as the default model: losses on the fold held out, of each network by itself and of means of
eight. Member ``i`` then stops on the fold ``i`` modulo eight of its own rows, so that eight in a row are such a model.

A weight of a switch is asleep if no row has a slope on the side that its sign picks, a network is cut if no path of
waking weights leads through it, as in `benchmarks.figures.measure_collapse`; a unit of the free branch is dead if it is
zero for every row.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import metrics, results, tasks
from benchmarks.cells import split
from benchmarks.figures.measure_collapse import free_output, state, turned
from benchmarks.figures.records import Record, shortened
from benchmarks.peers.columns import Levels
from benchmarks.peers.interface import Kind, Vector
from benchmarks.progress import progress
from benchmarks.search.__main__ import FOLDS, ruled
from benchmarks.search.candidates import alone
from isotone import engine
from isotone.architecture import Architecture, Parameters
from isotone.estimators import MonotoneClassifier, MonotoneRegressor
from isotone.estimators import tasks as heads
from isotone.reference import LINKS, encode

Array = NDArray[np.float64]
FILE = results.FOLDER / "seeds.json"
MEMBERS, TOGETHER = 100, 8
SEED = FOLD = 0
DECAY, STEPS = 0.01, 3_000
# so many rows are read to see what sleeps
LOOKED_AT = 1_000


@dataclass(frozen=True)
class Start:
    """How weights are drawn, whether the output is shifted and scaled to the targets, and the trunk if not the default.

    Without `fitted` the output neither knows the targets' mean and deviation nor the base rate of the classes.
    """

    scheme: str
    fitted: bool
    hidden: tuple[int, ...] | None = None


# the paper's start, and what the library does about it, one thing after the other; where seeds collapse, and here
NARROW = (3, 3, 3)
STARTS = {
    "3 wide, uniform, output as drawn": Start("uniform", fitted=False, hidden=NARROW),
    "3 wide, uniform": Start("uniform", fitted=True, hidden=NARROW),
    "3 wide, balanced": Start("balanced", fitted=True, hidden=NARROW),
    "uniform, output as drawn": Start("uniform", fitted=False),
    "uniform": Start("uniform", fitted=True),
    "balanced": Start("balanced", fitted=True),
}


@dataclass(frozen=True)
class Part:
    """The learned and the held out rows of a table."""

    task: tasks.Task
    learn: pd.DataFrame
    held_out: pd.DataFrame

    @classmethod
    def of(cls, task: tasks.Task) -> Part:
        """Return the fold that is measured on."""
        train = task.train()
        rows = split(task.kind, train[task.target].to_numpy(float), SEED, FOLDS, FOLD)
        return cls(task, *(train.iloc[chosen].reset_index(drop=True) for chosen in rows))

    def features(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return what the estimators read: names without an order are categories, by the rows learned from."""
        levels = Levels.learn(self.learn.drop(columns=self.task.target))
        return levels.frame(frame.drop(columns=self.task.target))

    def target(self, frame: pd.DataFrame) -> Vector:
        return frame[self.task.target].to_numpy(float)

    def loss(self, frame: pd.DataFrame, prediction: Vector) -> float:
        """Return the table's metric of what is predicted for the rows of one of the two parts."""
        kind, learned = self.task.kind, self.target(self.learn)
        levels = np.unique(learned) if kind is Kind.ORDINAL else np.zeros(0)
        return metrics.scores(kind, self.target(frame), prediction, levels)[self.task.metric]

    def constant(self) -> dict[str, float]:
        """Return the losses of the mean of the rows learned from, on these and on those held out."""
        mean, parts = self.target(self.learn).mean(), {"learned": self.learn, "held_out": self.held_out}
        return {name: self.loss(frame, np.full(len(frame), mean)) for name, frame in parts.items()}


def measured(part: Part, start: Start, members: int = MEMBERS, steps: int = STEPS) -> Record:
    """Return the losses of every member and of every eight, and what sleeps in them before and after training."""
    whole, stopped = (fitted(part, start, members, steps, stops) for stops in (False, True))
    network, rows = whole.architecture_, read_rows(part, whole, part.learn)
    fresh = network.initial(whole._training.seed, scheme=start.scheme)
    some = np.random.default_rng(SEED).permutation(len(rows))[:LOOKED_AT]
    return {
        "learned": losses(part, whole, part.learn, ones(members)),
        "alone": losses(part, stopped, part.held_out, ones(members)),
        "together": losses(part, stopped, part.held_out, eights(members)),
    } | inside(network, fresh, whole.parameters_, rows[some])


def fitted(part: Part, start: Start, members: int, steps: int, stops: bool) -> Any:
    """Return the model of all members, trained from this start."""
    kind = MonotoneClassifier if part.task.kind is Kind.BINARY else MonotoneRegressor
    sizes = {"n_estimators": members, "hidden_layer_sizes": start.hidden}
    model = kind(monotonic_cst=dict(part.task.signs), random_state=SEED, n_jobs=1, **sizes)
    with begun(start, steps, stops):
        return model.fit(part.features(part.learn), part.target(part.learn))


def read_rows(part: Part, model: Any, frame: pd.DataFrame) -> Array:
    """Return rows as the engine reads them."""
    return np.asarray(model.to_predictor().encode(part.features(frame)))


def losses(part: Part, model: Any, frame: pd.DataFrame, groups: Sequence[slice]) -> list[float]:
    """Return the losses of the means of some members."""
    network = model.architecture_
    latent = engine.member_scores(network, model.parameters_, read_rows(part, model, frame), threads=1)
    return [part.loss(frame, predictions(network, latent[group])) for group in groups]


def ones(members: int) -> list[slice]:
    """Return each member by itself."""
    return [slice(one, one + 1) for one in range(members)]


def eights(members: int) -> list[slice]:
    """Return the members of each mean; those left over are in none."""
    return [slice(first, first + TOGETHER) for first in range(0, members - TOGETHER + 1, TOGETHER)]


def predictions(network: Architecture, latent: NDArray[np.floating]) -> Vector:
    """Return what these members predict together. Shape: ``(members, n, 1)`` -> ``(n,)``."""
    mean = latent.mean(axis=0, dtype=np.float64)
    return np.asarray(LINKS[network.link](network.center + network.scale * mean)[:, 0])


def inside(network: Architecture, fresh: Parameters, trained: Parameters, x: Array) -> Record:
    """Return what sleeps, is cut and is dead in the members, before and after training."""
    found: dict[str, dict[str, Any]] = {"asleep": {}, "cut": {}, "dead": {}}
    for when, parameters in {"start": fresh, "end": trained}.items():
        asleep, cut = state(network, parameters, x)
        found["asleep"][when] = median(asleep)
        found["cut"][when] = [member for member, is_cut in enumerate(cut) if is_cut]
        found["dead"][when] = dead(network, parameters, x)
    return found | {"turned": turned(fresh, trained)}


def dead(network: Architecture, parameters: Parameters, x: Array) -> float | None:
    """Return the share of the free branch's last units, of all members, that no row moves; None without the branch."""
    if not network.free_hidden:
        return None
    free = encode(network, x)[0]
    units = [free_output(network, parameters, member, free) for member in range(network.members)]
    return float(np.mean([(unit == 0.0).all(axis=0) for unit in units]))


@contextmanager
def begun(start: Start, steps: int, stops: bool) -> Iterator[None]:
    """Have models fitted by the one recipe, from this start, to the end or until rows of their own say stop."""
    recipes = alone(DECAY, steps).rules["recipes"]
    rules = {"initialisation": start.scheme, "validation_fraction": 1 / TOGETHER, "holds_out": stops}
    # without rows held out there is no choice, and `cautious` stands for all recipes
    with ruled({**rules, "recipes": recipes, "cautious": lambda size: recipes(size)[0]}), ExitStack() as stack:
        for name in () if start.fitted else ("regression", "binary"):
            stack.enter_context(mock.patch.object(heads, name, _as_drawn(getattr(heads, name))))
        yield


def _as_drawn(head: Any) -> Any:
    """Return the same rule, but for what it knows of the targets."""
    return lambda *given: replace(head(*given), start=(0.0,), center=0.0, scale=1.0)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure each table anew, and keep the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default="development")
    parser.add_argument("--file", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    found: dict[str, Mapping[str, Any]] = read(options.file)["found"] if options.file.exists() else {}
    chosen = tasks.find(options.tasks)
    display = progress(len(chosen) * len(STARTS))
    for task in chosen:
        part, starts = Part.of(task), {}
        for name, start in STARTS.items():
            starts[name] = measured(part, start)
            display.advance(1, f"{task.name} {name}")
        found[task.name] = {"constant": part.constant(), "starts": starts}
        write(found, options.file)


def write(found: Mapping[str, Any], path: Path) -> None:
    """Write what was found, with where it is from."""
    settings = {"members": MEMBERS, "together": TOGETHER, "seed": SEED, "fold": FOLD, "folds": FOLDS}
    recipe = {"weight_decay": DECAY, "steps": STEPS, "looked_at": LOOKED_AT}
    record = shortened(settings | recipe | {"found": found}) | {"provenance": results.provenance(("isotone",), 1)}
    path.write_text(json.dumps(record, separators=(",", ":")) + "\n")


def read(path: Path) -> Record:
    """Return a record that was written."""
    record: Record = json.loads(path.read_text())
    return record


if __name__ == "__main__":
    main()
