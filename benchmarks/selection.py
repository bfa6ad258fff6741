"""Which settings a search chooses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks import tasks
from benchmarks.cells import TUNING_FOLDS
from benchmarks.metrics import LARGER_IS_BETTER
from benchmarks.peers.interface import Setting

Line = Mapping[str, Any]


def finished(lines: Iterable[Line], task: str) -> Sequence[Sequence[Line]]:
    """Return the lines of each trial of a search that finished all of its folds."""
    trials = defaultdict(list)
    for line in lines:
        if line["task"] == task and line["status"] == "ok":
            trials[line["trial"]].append(line)
    return [folds for folds in trials.values() if len(folds) == TUNING_FOLDS]


def winner(lines: Iterable[Line], task: str) -> Mapping[str, Setting] | None:
    """Return the settings with the best mean score over the folds; `None` if no trial finished all of them."""
    metric = tasks.TASKS[task].metric
    complete = finished(lines, task)
    if not complete:
        return None
    sign = -1 if metric in LARGER_IS_BETTER else 1
    best = min(complete, key=lambda folds: sign * sum(fold["scores"][metric] for fold in folds))
    return best[0]["settings"]
