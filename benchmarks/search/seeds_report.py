"""How far a hundred seeds lie apart, and how many collapse: ``python -m benchmarks.search.seeds_report``."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks import tasks
from benchmarks.figures.records import Record
from benchmarks.report import markdown
from benchmarks.search.seeds import FILE, STARTS, read

QUANTILES = {"best": 0.0, "5 %": 0.05, "median": 0.5, "95 %": 0.95, "worst": 1.0}
EXPLAINED = (
    "*Collapsed*: trained to the end, the network has a loss on the rows it learned from above half-way from the "
    "median network to the best constant. *Far off*: stopped early on rows of its own, as the library does, it has a "
    "loss on the fold held out above the same mark there. Medians are those of the start whose median is lowest, so "
    "that one mark divides all networks of a size on a table. *Cut*: no path of waking weights leads through the "
    "network, so that it is a constant."
)
STARTED = (
    "`uniform, output as drawn` is the paper's start: PyTorch's scheme, and an output that has to learn the mean and "
    "the size of the targets. `uniform` begins at the mean, in units of the targets' deviation, or at the base rate of "
    "the classes. `balanced` also chooses how wide weights are drawn, and is what the library does. `3 wide` has three "
    "layers of three units, as narrow as the paper's network for Blog, the others the library's two of 32."
)
COUNTED = ("collapsed", "cut before training", "cut", "far off", "means far off")


def half_way(constant: float, losses: Iterable[Sequence[float]]) -> float:
    """Return what lies between the lowest median of several starts and the best constant."""
    return 0.5 * (constant + min(float(np.median(each)) for each in losses))


def above(losses: Sequence[float], mark: float) -> int:
    """Return how many losses are worse than a mark; one that is not a number is."""
    return int((~(np.asarray(losses) <= mark)).sum())


def counts(table: Record, start: str) -> dict[str, int]:
    """Return how many networks of a start collapsed, are cut, and are far off, and how many means of eight."""
    found = table["starts"][start]
    alike = [each for name, each in table["starts"].items() if STARTS[name].hidden == STARTS[start].hidden]
    learned = half_way(table["constant"]["learned"], [each["learned"] for each in alike])
    held_out = half_way(table["constant"]["held_out"], [each["alone"] for each in alike])
    numbers = (
        above(found["learned"], learned), len(found["cut"]["start"]), len(found["cut"]["end"]),
        above(found["alone"], held_out), above(found["together"], held_out),
    )  # fmt: skip
    return dict(zip(COUNTED, numbers, strict=True))


def summary_table(record: Record) -> str:
    """Render the counts of each start over all tables, and what sleeps in the middle one of them."""
    tables = list(record["found"].values())
    rows = []
    for start in STARTS:
        sums = [sum(counts(table, start)[counted] for table in tables) for counted in COUNTED]
        found = [table["starts"][start] for table in tables]
        turned = float(np.median([one["turned"] for one in found]))
        slept = [_before_and_after([one[part] for one in found]) for part in ("asleep", "dead")]
        rows.append([start, *map(str, sums), *slept, _share(turned)])
    header = ["start", *COUNTED, "switches' weights asleep", "free units dead", "switches' signs turned"]
    return markdown(header, rows)


def networks_table(record: Record) -> str:
    """Render the losses of single networks on each table, from each start."""
    rows = []
    for name, table in record["found"].items():
        for start, found in table["starts"].items():
            counted = counts(table, start)
            numbers = [str(counted[key]) for key in ("far off", "collapsed", "cut")]
            rows.append(
                [*_label(name, start), f"{table['constant']['held_out']:.4g}", *_spread(found["alone"]), *numbers]
            )
    return markdown(["table", "start", "constant", *QUANTILES, "far off", "collapsed", "cut"], rows)


def means_table(record: Record) -> str:
    """Render the losses of means of eight networks on each table, from each start."""
    rows = [
        [*_label(name, start), *_spread(found["together"]), str(counts(table, start)["means far off"])]
        for name, table in record["found"].items()
        for start, found in table["starts"].items()
    ]
    return markdown(["table", "start", *QUANTILES, "far off"], rows)


def text(record: Record) -> str:
    """Render the whole page."""
    tables, members, together = len(record["found"]), record["members"], record["together"]
    means = members // together
    how = (
        f"{members} networks on each of {tables} tables from each start: {record['steps']} steps, weight decay "
        f"{record['weight_decay']}, one of {record['folds']} folds of the training rows held out. So "
        f"{members * tables} networks stand behind a number of the first table, and {means * tables} means of "
        f"{together}; shares are those of the middle table, before → after training."
    )
    about = record["provenance"]
    return "\n\n".join([
        "# Seeds that collapse", how, f"{EXPLAINED} {STARTED}", summary_table(record),
        f"## One network\n\nLosses on the fold held out.\n\n{networks_table(record)}",
        f"## Means of eight\n\n{means} of them, losses on the fold held out.\n\n{means_table(record)}",
        f"Commit {about['commit']}, {about['threads']} thread, {about['hardware']}.",
    ])  # fmt: skip


def _label(name: str, start: str) -> tuple[str, str]:
    return f"{name}, {tasks.TASKS[name].metric}", start


def _spread(losses: Sequence[float]) -> list[str]:
    return [f"{value:.4g}" for value in np.quantile(losses, list(QUANTILES.values()))]


def _before_and_after(pairs: Iterable[Mapping[str, float | None]]) -> str:
    """Return the medians over the tables that have such units."""
    known = [(pair["start"], pair["end"]) for pair in pairs if pair["start"] is not None]
    return " → ".join(_share(float(np.median(side))) for side in zip(*known, strict=True))


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", type=Path, default=FILE)
    print(text(read(parser.parse_args(arguments).file)))


if __name__ == "__main__":
    main()
