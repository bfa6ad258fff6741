"""Tables from result lines: ``python -m benchmarks.report development > benchmarks/results/development.md``."""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np

from benchmarks import comparison, results, tasks
from benchmarks.comparison import SIGNIFICANT, Vector
from benchmarks.metrics import LARGER_IS_BETTER

Record = Mapping[str, Any]
# one column of results on one table: by (seed, fold)
Runs = Mapping[tuple[int, int | None], Record]
Board = Mapping[str, Mapping[str, Runs]]

MARKS = (
    f"Bold: best mean. †: worse than the best at {SIGNIFICANT:.0%} by the corrected resampled t-test over seeds and "
    "folds. Fits that failed or ran out of time are counted, and such a table ranks last."
)


def board(lines: Iterable[Record]) -> Board:
    """Sort lines by task, peer, and seed and fold; a later line of the same fit replaces an earlier one."""
    sorted_: dict[str, dict[str, dict[tuple[int, int | None], Record]]] = defaultdict(lambda: defaultdict(dict))
    for line in lines:
        sorted_[line["task"]][line["peer"]][line["seed"], line["fold"]] = line
    return sorted_


def shared(data: Board, names: Sequence[str]) -> Board:
    """Keep the given peers and, on each table, the fits that all of those with any line there have."""
    kept = {}
    for task, runs in data.items():
        chosen = {name: runs[name] for name in names if name in runs}
        common = set.intersection(*(set(run) for run in chosen.values())) if chosen else set()
        if common:
            kept[task] = {name: {key: run[key] for key in common} for name, run in chosen.items()}
    return kept


def losses(runs: Runs, metric: str) -> Vector:
    """Return the losses in order of seed and fold; a fit without a score is NaN."""
    sign = -1 if metric in LARGER_IS_BETTER else 1
    ordered = (runs[key] for key in sorted(runs, key=str))
    return np.array([sign * run["scores"][metric] if run["status"] == "ok" else math.nan for run in ordered])


def first_metric(task: str) -> str:
    """Return the metric that a task is judged by."""
    return tasks.TASKS[task].metric


def ranking(data: Board, names: Sequence[str], metric_of: Callable[[str], str]) -> Vector:
    """Return the mean losses, shape ``(tasks, peers)``; NaN where a peer has not finished every fit."""
    return np.array(
        [
            [losses(runs[name], metric_of(task)).mean() if name in runs else math.nan for name in names]
            for task, runs in data.items()
        ]
    )


def significance(runs: Mapping[str, Runs], metric: str) -> Mapping[str, float]:
    """Return each finished peer's p against the best of its table, by the corrected resampled t-test."""
    finished = {name: values for name, run in runs.items() if np.isfinite(values := losses(run, metric)).all()}
    if not finished:
        return {}
    if len(next(iter(finished.values()))) < 2:
        return dict.fromkeys(finished, 1.0)  # one fit tells no difference from luck
    line = next(iter(runs[next(iter(finished))].values()))
    return comparison.against_best(finished, line["scored_rows"] / line["rows"])[1]


def score_table(data: Board, names: Sequence[str], metric_of: Callable[[str], str] = first_metric) -> str:
    """Render mean scores: the best in bold, a dagger on those significantly worse."""
    rows = []
    worse = dict.fromkeys(names, 0)
    for task, runs in data.items():
        metric = metric_of(task)
        p = significance(runs, metric)
        best = min(p, key=lambda name: float(losses(runs[name], metric).mean()), default=None)
        rows.append([task, metric, *(_cell(runs, name, metric, best, p) for name in names)])
        for name in names:
            worse[name] += p.get(name, 0.0) < SIGNIFICANT
    values = ranking(data, names, metric_of)
    low, high = comparison.leave_one_out(values) if len(values) > 1 else (None, None)
    rows.append(["**mean rank**", "", *(f"{rank:.2f}" for rank in comparison.mean_ranks(values))])
    if low is not None and high is not None:
        rows.append(
            ["with any one table left out", "", *(f"{a:.2f} to {b:.2f}" for a, b in zip(low, high, strict=True))]
        )
    rows.append(["tables significantly worse, or unfinished", "", *(str(worse[name]) for name in names)])
    return markdown(["table", "metric", *names], rows)


def time_table(data: Board, names: Sequence[str]) -> str:
    """Render the median processor seconds of a fit and the wall seconds of a prediction of 1000 rows."""
    rows = []
    for task, runs in data.items():
        rows.append([task, *(" / ".join(filter(None, times(runs.get(name)))) for name in names)])
    totals = [sum(_fit_seconds(runs[name]) for runs in data.values() if name in runs) for name in names]
    rows.append(["**sum of fit times**", *(f"{total:.1f}" for total in totals)])
    return markdown(["table", *names], rows)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Render a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def method(data: Board) -> str:
    """Say in one sentence what was run, as far as the lines tell."""
    lines = [line for runs in data.values() for run in runs.values() for line in run.values()]
    seeds, folds = {line["seed"] for line in lines}, {line["folds"] for line in lines}
    where = "the test rows" if folds == {None} else f"{folds.pop()} folds of the training rows"
    threads, letters = {line["threads"] for line in lines}, machines(data)
    on = "; ".join(f"{letter}: {machine}" if letter else machine for machine, letter in letters.items())
    return (
        f"{len(lines)} fits: {len(seeds)} seeds, scored on {where}, {_listed(threads)} thread(s) per fit, on {on}"
        f"{_limits(lines)}."
    )


def machines(data: Board) -> Mapping[str, str]:
    """Return a letter for each machine that ran some of the fits; none where it is the only one."""
    found = sorted({line["hardware"] for runs in data.values() for run in runs.values() for line in run.values()})
    return dict(zip(found, ascii_lowercase, strict=False)) if len(found) > 1 else dict.fromkeys(found, "")


def _limits(lines: Sequence[Record]) -> str:
    # lines written before limits were have none
    known = {f"{line['limit_seconds']:g}" for line in lines if "limit_seconds" in line}
    return f"; a cell ended after {_listed(known)} processor seconds" if known else ""


def _cell(runs: Mapping[str, Runs], name: str, metric: str, best: str | None, p: Mapping[str, float]) -> str:
    if name not in runs:
        return ""
    unfinished = [run["status"] for run in runs[name].values() if run["status"] != "ok"]
    if unfinished:
        return f"{unfinished[0]} ({len(unfinished)} of {len(runs[name])})"
    mean = f"{abs(float(losses(runs[name], metric).mean())):.4g}"
    if best is None or name == best:
        return f"**{mean}**"
    return mean + ("†" if p.get(name, 1.0) < SIGNIFICANT else "")


def _fit_seconds(runs: Runs) -> float:
    done = [run["fit_cpu_seconds"] for run in runs.values() if run["status"] == "ok"]
    # the median: the first fit of a process also pays for what its packages load late
    return float(np.median(done)) if done else math.nan


def times(runs: Runs | None) -> list[str]:
    """Return the median processor seconds of a fit and the median seconds of predicting 1000 rows."""
    done = [run for run in (runs or {}).values() if run["status"] == "ok"]
    if not done:
        return ["", ""]
    per_thousand = float(np.median([1000 * run["predict_seconds"] / run["scored_rows"] for run in done]))
    return [f"{_fit_seconds(runs or {}):.3g}", f"{per_thousand:.2g}"]


def _listed(values: Iterable[object]) -> str:
    return ", ".join(sorted(map(str, values)))


def asked(
    parser: argparse.ArgumentParser, protocols: Sequence[str], arguments: Sequence[str] | None
) -> tuple[Board, Sequence[str], argparse.Namespace]:
    """Read the command line; return the fits that the peers with lines share, these peers, and the options."""
    parser.add_argument("protocol", choices=protocols)
    parser.add_argument("--tasks", default=",".join(tasks.GROUPS), help="names or groups, separated by commas")
    parser.add_argument("--peers", default="", help="names, separated by commas; all that have lines unless given")
    parser.add_argument("--results", type=Path, default=results.FOLDER)
    options = parser.parse_args(arguments)
    lines = board(results.read(sorted(options.results.glob(f"{options.protocol}-*.jsonl"))))
    data = {task.name: lines[task.name] for task in tasks.find(options.tasks) if task.name in lines}
    known = {name for runs in data.values() for name in runs}
    names = [name for name in options.peers.split(",") if name in known] if options.peers else sorted(known)
    return shared(data, names), names, options


def heading(options: argparse.Namespace) -> str:
    """Return the title of a page of results."""
    return f"# {options.protocol.capitalize()}"


def absent(options: argparse.Namespace) -> str:
    """Say that there are no lines, and what writes them."""
    return f"Not measured yet: `make -C benchmarks {options.protocol}`."


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of the protocol ``development``."""
    data, names, options = asked(argparse.ArgumentParser(description=__doc__), ("development",), arguments)
    print(f"{heading(options)}\n")
    if not data:
        print(absent(options))
        return
    print(f"{method(data)} {MARKS}\n\n## Scores\n\n{score_table(data, names)}\n")
    levels = {task: runs for task, runs in data.items() if tasks.TASKS[task].kind == "ordinal"}
    if levels:
        print(f"## Mean absolute rank error\n\n{score_table(levels, names, lambda _: 'rank_error')}\n")
    print(f"## Processor seconds of a fit / seconds to predict 1000 rows\n\n{time_table(data, names)}")


if __name__ == "__main__":
    main()
