"""Timing in turns: what slows the machine then slows everything that is compared."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from isotone import _native

# does a thing so many times
Run = Callable[[int], object]
Clock = Callable[[], float]


def per_time(run: Run, times: int, clock: Clock) -> float:
    """Return the microseconds of one time."""
    begin = clock()
    run(times)
    return (clock() - begin) / times * 1e6


def fitting(run: Run, seconds: float, unit: int) -> int:
    """Return how many times fill the seconds, in whole units."""
    run(unit)
    return max(unit, int(seconds * 1e6 / per_time(run, unit, time.perf_counter)) // unit * unit)


def in_turns(
    runs: dict[str, Run], turns: int, seconds: float, clock: Clock = time.perf_counter, unit: int = 1
) -> dict[str, list[float]]:
    """Return the microseconds of one time of each run, turn by turn; a turn of each fills the seconds."""
    return counted(runs, {name: fitting(run, seconds, unit) for name, run in runs.items()}, turns, clock)


def once_each(acts: dict[str, Callable[[], object]], turns: int, clock: Clock) -> dict[str, list[float]]:
    """Return the microseconds of things that are long enough to be timed one by one, turn by turn."""
    return counted({name: repeat(act) for name, act in acts.items()}, dict.fromkeys(acts, 1), turns, clock)


def counted(runs: dict[str, Run], times: dict[str, int], turns: int, clock: Clock) -> dict[str, list[float]]:
    """Return the microseconds of one time of each run, turn by turn; a turn does it as often as said."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(turns):
        for name, run in runs.items():
            taken[name].append(per_time(run, times[name], clock))
    return taken


def medians(taken: dict[str, list[float]], digits: int = 2) -> dict[str, float]:
    """Return the median of each."""
    return {name: round(statistics.median(found), digits) for name, found in taken.items()}


def spread(found: list[float]) -> float:
    """Return the distance of the quartiles, relative to the median."""
    low, middle, high = statistics.quantiles(found, n=4)
    return round((high - low) / middle, 3)


def repeat(act: Callable[[], object]) -> Run:
    """Return what does a thing so many times."""

    def run(times: int) -> None:
        for _ in range(times):
            act()

    return run


def machine() -> dict[str, object]:
    """Return what a result has to say of the machine."""
    name = platform.processor() or platform.machine()
    return {"device": name, "cpus": os.cpu_count(), "level": _native.level(), "load": round(os.getloadavg()[0], 2)}


def write(path: Path | None, result: dict[str, object]) -> None:
    """Write the records of a run, if somewhere is named."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result, indent=1) + "\n")
