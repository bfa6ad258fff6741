"""What the search for defaults found: ``python -m benchmarks.search.report > benchmarks/results/search.md``."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks import comparison, results, tasks
from benchmarks.comparison import Vector
from benchmarks.report import Record, markdown
from benchmarks.search.__main__ import LINES

COSTS = {
    "one-member": "one network instead of eight",
    "no-signs": "the same networks, no column with a sign",
}
EXPLAINED = (
    "Mean loss over the folds of the training rows, divided by that of `plain`: one set of settings for all tables, "
    "without trials. Then the mean rank among all candidates, the geometric mean of those ratios, and the processor "
    "seconds of one fit of each table, on one thread."
)
LEFT_OUT = (
    "Which candidate has the best mean rank on the fifteen other tables, and what its loss on the table left out is, "
    "divided by that of `library`."
)

# mean losses and seconds of the candidates in order, a row per table
Means = tuple[Sequence[str], Sequence[str], Vector, Vector]


def means(lines: Iterable[Record]) -> Means:
    """Return tables, candidates, and their mean losses and seconds; candidates with every table only."""
    losses: dict[tuple[str, str], list[float]] = defaultdict(list)
    seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        key = line["task"], line["candidate"]
        losses[key] += [score[tasks.TASKS[line["task"]].metric] for score in line["scores"]]
        seconds[key] += line["fit_cpu_seconds"]
    tables = list(dict.fromkeys(task for task, _ in losses))
    names = [
        name for name in dict.fromkeys(name for _, name in losses) if all((task, name) in losses for task in tables)
    ]
    grid = [[(task, name) for name in names] for task in tables]
    return (
        tables,
        names,
        np.array([[np.mean(losses[key]) for key in row] for row in grid]),
        np.array([[np.median(seconds[key]) for key in row] for row in grid]),
    )


def candidates_table(found: Means) -> str:
    """Render every candidate's ratio to the plain one."""
    tables, names, losses, seconds = found
    ratios = losses / losses[:, [names.index("plain")]]
    ranks = comparison.mean_ranks(losses)
    rows = [
        [
            names[place], *(f"{ratio:.3f}" for ratio in ratios[:, place]),
            f"{ranks[place]:.2f}", f"{geometric(ratios[:, place]):.3f}", f"{seconds[:, place].sum():.1f}",
        ]
        for place in np.argsort(ranks)
    ]  # fmt: skip
    return markdown(["candidate", *tables, "mean rank", "geometric mean", "seconds"], rows)


def left_out_table(found: Means) -> str:
    """Render which candidate would have been chosen without each table, and its loss there beside the library's."""
    tables, names, losses, _ = found
    kept = [place for place, name in enumerate(names) if name not in COSTS]
    chosen = [kept[place] for place in comparison.chosen_without(losses[:, kept])]
    library = names.index("library")
    rows = [
        [task, names[place], f"{losses[row, place] / losses[row, library]:.3f}"]
        for row, (task, place) in enumerate(zip(tables, chosen, strict=True))
    ]
    return markdown(["table left out", "best on the others", "its loss there, of the library's"], rows)


def costs_table(found: Means) -> str:
    """Render what the promises cost: the loss of the library divided by that of a network without one of them."""
    tables, names, losses, _ = found
    library = losses[:, names.index("library")]
    rows = []
    for name, meaning in COSTS.items():
        if name in names:
            ratios = library / losses[:, names.index(name)]
            rows.append([meaning, f"{geometric(ratios):.3f}", f"{int((ratios < 1).sum())} of {len(tables)}"])
    return markdown(["without it", "loss with it, of the loss without: geometric mean", "better with it"], rows)


def geometric(ratios: Vector) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.log(ratios).mean()))


def text(lines: Sequence[Mapping[str, object]]) -> str:
    """Render the whole page."""
    found = means(lines)
    seeds = sorted({str(line["seed"]) for line in lines})
    return "\n\n".join([
        "# The search for defaults",
        f"{len(found[1])} candidates, {len(found[0])} tables, 3 folds, seeds {', '.join(seeds)}. {EXPLAINED}",
        candidates_table(found),
        f"## Chosen without one table\n\n{LEFT_OUT}\n\n{left_out_table(found)}",
        f"## What the promises cost\n\n{costs_table(found)}",
    ])  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=Path, default=LINES)
    print(text(list(results.read([parser.parse_args(arguments).lines]))))


if __name__ == "__main__":
    main()
