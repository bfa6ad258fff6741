"""Tables of the protocols that score test rows: ``python -m benchmarks.standings honest``.

One table per task with everything about a peer in its row: score, tests, failures, fit and predict time.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks import comparison, results
from benchmarks.cells import TRIALS
from benchmarks.metrics import LARGER_IS_BETTER
from benchmarks.report import (
    Board,
    Runs,
    absent,
    asked,
    first_metric,
    heading,
    losses,
    machines,
    markdown,
    method,
    ranking,
    significance,
    times,
)
from benchmarks.selection import finished

HEADER = ("mean ± sd", "p, seeds", "p, rows", "fits", "fit, s", "predict 1000 rows, s")
EXPLAINED = (
    "Mean and standard deviation (ddof 1) over the seeds. p: two-sided, against the first row; over seeds by the "
    "corrected resampled t-test, over 20 parts of the test rows, seeds averaged, by a paired t-test. In brackets: what "
    "the fits that finished scored, where some did not; such a peer ranks last. Tables worse: p below "
    f"{comparison.SIGNIFICANT:g}, or unfinished. Fit: median processor seconds; predict: median seconds on the wall."
)
RANKS = (
    "peer",
    "mean rank",
    "with any one table left out",
    "tables worse, by seeds",
    "tables worse, by rows",
    "failed",
    "timeouts",
)
SEVERAL = "Times compare between rows of one machine; a letter says which, where there were several."
SEARCHED = (
    f"Trials: how many of the {TRIALS} settings, the defaults the first, were fitted on every fold before the search "
    "met the limit, which holds for it and for the fits of its winner apart."
)

# trials that finished, by task and peer
Trials = Mapping[tuple[str, str], int]


def text(data: Board, names: Sequence[str], trials: Trials | None = None) -> str:
    """Render the ranks over all tasks, then a table for each; with `trials` say how far the searches came."""
    letters = machines(data)
    parts = [f"## {task}\n\n{table(task, runs, trials, letters)}" for task, runs in data.items()]
    explained = [EXPLAINED, SEVERAL * (len(letters) > 1), "" if trials is None else SEARCHED]
    return "\n\n".join([" ".join(filter(None, explained)), f"## Ranks\n\n{ranks(data, names)}", *parts])


def table(
    task: str, runs: Mapping[str, Runs], trials: Trials | None = None, letters: Mapping[str, str] | None = None
) -> str:
    """Render the peers of one task, the best first, unfinished ones last; `letters` name machines."""
    metric = first_metric(task)
    p = significance(runs, metric)
    order = sorted(runs, key=lambda name: (name not in p, _mean(losses(runs[name], metric))))
    rows = [[name, *_row(runs, name, order[0], metric, p), *_times(runs[name], letters or {})] for name in order]
    header = [f"{task}, {metric}", *HEADER]
    if trials is None:
        return markdown(header, rows)
    return markdown([*header, "trials"], [[*row, str(trials[task, row[0]])] for row in rows])


def _mean(values: comparison.Vector) -> float:
    done = values[np.isfinite(values)]
    return float(done.mean()) if len(done) else np.inf


def row_test(runs: Mapping[str, Runs], best: str, name: str) -> float | None:
    """Return p of a paired t-test over parts of the test rows, the seeds averaged; None if there are no parts."""
    mine, theirs = (np.mean([run["blocks"] for run in runs[peer].values()], axis=0) for peer in (name, best))
    return comparison.corrected_t_test(mine - theirs, 0.0)[1] if mine.size > 1 else None


def _row(runs: Mapping[str, Runs], name: str, best: str, metric: str, p: Mapping[str, float]) -> list[str]:
    tested = name in p and name != best
    by_rows = row_test(runs, best, name) if tested else None
    return [
        _score(losses(runs[name], metric), metric),
        _p(p[name]) if tested else "",
        "" if by_rows is None else _p(by_rows),
        _fits(runs[name]),
    ]


def _times(runs: Runs, letters: Mapping[str, str]) -> list[str]:
    fit, predict = times(runs)
    ran = sorted({letters.get(run["hardware"], "") for run in runs.values() if run["status"] == "ok"})
    return [f"{fit} {''.join(ran)}".strip(), predict]


def _score(values: comparison.Vector, metric: str) -> str:
    done = values[np.isfinite(values)]
    if not len(done):
        return ""
    mean = _mean(values) * (-1 if metric in LARGER_IS_BETTER else 1)
    # equal scores have a mean that rounds and so a deviation that is not quite zero
    spread = f" ± {done.std(ddof=1) if np.ptp(done) else 0:.2g}" if len(done) > 1 else ""
    return f"{mean:.4g}{spread}" if len(done) == len(values) else f"({mean:.4g}{spread})"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 else "< 0.001"


def _fits(runs: Runs) -> str:
    counts = Counter(run["status"] for run in runs.values())
    return ", ".join(f"{counts[status]} {status}" for status in ("ok", "failed", "timeout") if counts[status])


def ranks(data: Board, names: Sequence[str]) -> str:
    """Render mean ranks over the tables that every peer was run on, and what did not finish."""
    complete = {task: runs for task, runs in data.items() if set(names) <= set(runs)}
    left_out = [task for task in data if task not in complete]
    note = f"Not among them, for not every peer was run there: {', '.join(left_out)}." if left_out else ""
    return "\n\n".join(part for part in (_ranked(complete, names) if complete else "", note) if part)


def _ranked(data: Board, names: Sequence[str]) -> str:
    values = ranking(data, names, first_metric)
    mean = comparison.mean_ranks(values)
    low, high = comparison.leave_one_out(values) if len(values) > 1 else (mean, mean)
    worse = worse_tables(data, names)
    rows = [
        [names[k], f"{mean[k]:.2f}", f"{low[k]:.2f} to {high[k]:.2f}", *worse[names[k]], *_unfinished(data, names[k])]
        for k in np.argsort(mean, kind="stable")
    ]
    return markdown(RANKS, rows)


def worse_tables(data: Board, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return on how many tables each peer is significantly worse than the best, by seeds and by rows.

    Who has not finished a table is worse there by both.
    """
    counts = {name: [0, 0] for name in names}
    for task, runs in data.items():
        by_seeds = significance(runs, first_metric(task))
        best = min(by_seeds, key=lambda name: _mean(losses(runs[name], first_metric(task))), default="")
        for name in names:
            by_rows = row_test(runs, best, name) if name in by_seeds and name != best else None
            counts[name][0] += by_seeds.get(name, 0.0) < comparison.SIGNIFICANT
            counts[name][1] += name not in by_seeds or (by_rows is not None and by_rows < comparison.SIGNIFICANT)
    return {name: [str(count) for count in both] for name, both in counts.items()}


def _unfinished(data: Board, name: str) -> list[str]:
    lines = [line for runs in data.values() for line in runs.get(name, {}).values()]
    return [str(sum(line["status"] == status for line in lines)) for status in ("failed", "timeout")]


def searches(data: Board, folder: Path) -> Trials:
    """Return how many trials of each search behind these fits finished."""
    lines = list(results.read(sorted(folder.glob("tuning-*.jsonl"))))
    return {
        (task, name): len(finished((line for line in lines if line["peer"] == name), task))
        for task, runs in data.items()
        for name in runs
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables of one protocol."""
    data, names, options = asked(argparse.ArgumentParser(description=__doc__), ("honest", "tuned"), arguments)
    trials = searches(data, options.results) if options.protocol == "tuned" else None
    found = f"{method(data)}\n\n{text(data, names, trials)}" if data else absent(options)
    print(f"{heading(options)}\n\n{found}")


if __name__ == "__main__":
    main()
