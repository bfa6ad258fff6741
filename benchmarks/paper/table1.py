"""The paper's Table 1, our column, as the paper measured it: ``python -m benchmarks.paper.table1``.

Five seeds of each table by the engine, and a few epochs of the loop as its authors wrote it, scaled to whole runs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.paper import __main__ as command
from benchmarks.paper import native
from benchmarks.paper.protocol import PUBLISHED, RECIPES, SEEDS, spread
from benchmarks.paper.times import loop_seconds
from benchmarks.progress import progress
from benchmarks.report import markdown

TABLES = ("auto", "heart", "compas", "blog", "blog_as_published")
SCORES = ("paper", "best_whole", "last_whole")
HEADER = ("table", "metric", "published", "as the paper", "best epoch, all rows", "last epoch, all rows")
TIMES = ("table", "epochs", "engine, 5 runs", "authors' loop here, 5 runs", "ratio")
# measured elsewhere by `python -m benchmarks.paper.times --device cuda`
ON_A_GPU = results.FOLDER / "paper-loop-gpu.json"

Record = Mapping[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print and store."""
    options = _parser().parse_args(arguments)
    names = options.tasks.split(",")
    display = progress(sum(RECIPES[task].epochs for task in names))
    started = time.perf_counter()
    measured = {task: engine_runs(task, options.threads, tell=partial(display.advance, 1)) for task in names}
    seconds = time.perf_counter() - started
    for task, record in measured.items():
        record["loop_seconds"] = len(SEEDS) * loop_seconds(task, options.threads)
    where = results.provenance(["isotone", "torch"], options.threads)
    gpu = json.loads(ON_A_GPU.read_text())
    about = {"seeds": len(SEEDS), "seconds": seconds, "gpu": gpu} | where
    print(text(measured, about))
    if options.write:
        options.write.write_text(json.dumps(about | {"tables": measured}, indent=1) + "\n")


def engine_runs(
    task: str, threads: int, folder: Path = results.FOLDER, tell: native.Tell = lambda task: None
) -> dict[str, Any]:
    """Return mean and deviation of each score of five seeds, and the seconds that all five took; new lines are kept."""
    lines = native.run(task, len(SEEDS), threads=threads, tell=tell)
    command.keep(lines, "engine", threads, folder)
    scores = {name: spread([line["scores"][name] for line in lines]) for name in SCORES}
    return {"scores": scores, "engine_seconds": sum(line["seconds"] for line in lines)}


def text(measured: Mapping[str, Record], about: Record) -> str:
    """Render the figures, which blog comes nearer, and the times."""
    figures = [
        [task, RECIPES[task].metric, _pair(PUBLISHED[task])] + [_pair(record["scores"][name]) for name in SCORES]
        for task, record in measured.items()
    ]
    header = [*TIMES, f"the same on {about['gpu']['device']}, 5 runs", "ratio"]
    times = [_time(task, record, about["gpu"]["seconds"][task]) for task, record in measured.items()]
    parts = [markdown(HEADER, figures), nearer(measured), markdown(header, times), _footer(about)]
    return "\n\n".join(part for part in parts if part)


def nearer(measured: Mapping[str, Record]) -> str:
    """Say which columns of blog come nearer to the printed figure, if both were run."""
    gaps = {
        task: abs(measured[task]["scores"]["paper"][0] - PUBLISHED[task][0])
        for task in ("blog", "blog_as_published")
        if task in measured
    }
    if len(gaps) < 2:
        return ""
    first, second = sorted(gaps, key=gaps.__getitem__)
    return f"{first} comes nearer to what is published: {gaps[first]:.4f} away, {second} {gaps[second]:.4f}."


def _time(task: str, record: Record, on_gpu: float) -> list[str]:
    engine = record["engine_seconds"]
    authors = (record["loop_seconds"], len(SEEDS) * on_gpu)
    compared = [text for seconds in authors for text in (f"{seconds:.0f} s", f"{seconds / engine:.0f}")]
    return [task, str(RECIPES[task].epochs), f"{engine:.1f} s", *compared]


def _footer(about: Record) -> str:
    where = f"{about['threads']} threads, {about['hardware']}, load {about['load']} when it ended"
    return f"All tables by the engine, files read and scored: {about['seconds']:.1f} s ({where})."


def _pair(mean_and_deviation: Sequence[float]) -> str:
    mean, deviation = mean_and_deviation
    return f"{mean:.4g} ± {deviation:.2g}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="?", default=",".join(TABLES), help="names, separated by commas")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--write", type=Path, help="a file of JSON for the figures")
    return parser


if __name__ == "__main__":
    main()
