"""Times training and prediction of every peer on the same rows: ``python -m benchmarks.speed.peers``.

Every peer has its default settings and one thread, and is timed by the time the processor had for it. All are fitted
once unseen by the clock; what fails then is named and left out. After that everyone fits once in each turn, so that
what slows the machine slows all of them, and every peer is compared with the library turn by turn: medians are kept,
and the distance of the quartiles relative to them. Beside the times stands what they buy, the error on rows that no
peer has learnt from. Runs only if the tests of the engine are green. Writes ``benchmarks/results/speed/peers.json``
with ``--output``.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd

from benchmarks import peers, results
from benchmarks.apart import workshop
from benchmarks.apart.workshop import processor_seconds
from benchmarks.peers.interface import Budget, Kind, Peer, Vector
from benchmarks.speed import estimators
from benchmarks.speed.green import check_green
from benchmarks.speed.turns import in_turns, machine, once_each, repeat, spread, write

COLUMNS, SIGNED = 8, 3
# rows that errors are taken of; who needs longer for them than this is timed on a few
SCORED, SLOW_SECONDS, FEW = 500, 0.5, 50
OURS = "isotone"


@dataclass(frozen=True)
class Rows:
    """A table whose first columns push its target up, as every peer reads it."""

    frame: pd.DataFrame
    target: Vector

    @classmethod
    def draw(cls, rows: int, columns: int = COLUMNS) -> Self:
        """Return as many rows of the table that the estimators are timed on."""
        x, y = estimators.table(rows, columns)
        return cls(pd.DataFrame(x, columns=[f"c{column}" for column in range(columns)]), y)

    def between(self, first: int, last: int) -> Self:
        """Return some of the rows."""
        return type(self)(self.frame.iloc[first:last].reset_index(drop=True), self.target[first:last])

    @property
    def signs(self) -> dict[str, int]:
        """What every peer is told."""
        return dict.fromkeys(self.frame.columns[:SIGNED], 1)


def fitted(name: str, rows: Rows) -> Peer:
    """Return a peer with its default settings, fitted on one thread."""
    return peers.find(name)().fit(
        rows.frame, rows.target, rows.signs, kind=Kind.REGRESSION, seed=0, budget=Budget(threads=1)
    )


@dataclass(frozen=True)
class Standing:
    """A peer that fits and predicts, its error on rows it has not learnt from, and the rows that it is timed on."""

    peer: Peer
    error: float
    predicted: Rows

    @classmethod
    def of(cls, name: str, learn: Rows, held_out: Rows) -> Self:
        """Fit a peer, score it, and give it few rows to be timed on if it is slow."""
        peer, scored = fitted(name, learn), held_out.between(0, SCORED)
        begin = processor_seconds()
        apart = peer.predict(scored.frame) - scored.target
        slow = processor_seconds() - begin > SLOW_SECONDS
        error = round(float(np.sqrt(np.mean(apart**2))), 4)
        return cls(peer, error, held_out.between(0, FEW) if slow else held_out)


def standing(names: Iterable[str], learn: Rows, held_out: Rows) -> tuple[dict[str, Standing], dict[str, str]]:
    """Return the peers that fit and predict, and why the others do not."""
    able: dict[str, Standing] = {}
    failed: dict[str, str] = {}
    for name in names:
        try:
            able[name] = Standing.of(name, learn, held_out)
        except (RuntimeError, ValueError, ImportError) as error:
            failed[name] = f"{type(error).__name__}: {error}"
    return able, failed


def compared(taken: dict[str, list[float]], units: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return each one's median in its unit and its spread, and the same of its ratio to ours in each turn."""
    scaled = {name: [micros / units[name] for micros in found] for name, found in taken.items()}
    found = {}
    for name, times in scaled.items():
        ratios = [theirs / own for theirs, own in zip(times, scaled[OURS], strict=True)]
        found[name] = {"median": _short(times), "spread": spread(times),
                       "ratio": _short(ratios), "ratio_spread": spread(ratios)}  # fmt: skip
    return found


def _short(values: list[float]) -> float:
    return float(f"{statistics.median(values):.3g}")


def measure(names: Sequence[str], options: argparse.Namespace) -> dict[str, object]:
    """Return the times of everyone who can be timed, and the reasons of those who cannot."""
    rows = Rows.draw(options.rows + options.held_out)
    learn, held_out = rows.between(0, options.rows), rows.between(options.rows, len(rows.target))
    able, failed = standing(names, learn, held_out)
    fits, predictions = fit_times(able, learn, options), predict_times(able, options)
    records = [
        {"peer": name, "error": stood.error, "fit_s": fits[name], "predicted_rows": len(stood.predicted.target),
         "predict_1000_ms": predictions[name]}
        for name, stood in able.items()
    ]  # fmt: skip
    return {"rows": len(learn.target), "columns": COLUMNS, "turns": options.turns, "records": records, "failed": failed}


def fit_times(able: Iterable[str], learn: Rows, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the seconds of a fit."""
    acts: dict[str, Callable[[], object]] = {name: partial(fitted, name, learn) for name in able}
    return compared(once_each(acts, options.turns, processor_seconds), dict.fromkeys(acts, 1e6))


def predict_times(able: dict[str, Standing], options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the milliseconds of 1000 rows."""
    runs = {name: repeat(partial(stood.peer.predict, stood.predicted.frame)) for name, stood in able.items()}
    # microseconds of a call by thousands of rows are microseconds of 1000 rows
    units = {name: 1e3 * len(stood.predicted.target) / 1000 for name, stood in able.items()}
    return compared(in_turns(runs, options.turns, options.seconds, processor_seconds), units)


def versions(names: Iterable[str]) -> object:
    """Return the versions of the packages behind the peers."""
    packages = {package for name in names for package in peers.find(name).packages}
    own = {f"{package} ({name})": version for name in names if (apart := peers.find(name).apart)
           for package, version in workshop.packages(apart).items()}  # fmt: skip
    return results.provenance(sorted(packages), 1)["versions"] | own


def read_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", default=",".join(peers.REGISTRY), help=f"names; {OURS} must be among them")
    parser.add_argument("--rows", type=int, default=1000, help="to learn from")
    parser.add_argument("--held-out", type=int, default=10_000, help="rows to predict")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.1, help="length of a turn of predictions")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--output", type=Path)
    return parser.parse_args(arguments)


def main() -> None:
    """Run the tests, measure, print a line each, and write the records."""
    options = read_options()
    check_green()
    names = options.peers.split(",")
    for name in names:
        peers.find(name).prepare()
    found = measure(names, options)
    for record in found["records"]:
        print(record)
    print(f"failed: {found['failed']}")
    able = [name for name in names if name not in found["failed"]]
    write(options.output, {"machine": machine() | {"versions": versions(able)}, "note": options.note, **found})


if __name__ == "__main__":
    main()
