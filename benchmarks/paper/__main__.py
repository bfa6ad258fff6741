"""Rerun the paper's evaluation with its own loop: ``python -m benchmarks.paper auto,heart --seeds 5``.

Seeds that have a line in ``results/paper-torch_loop.jsonl`` are not repeated. Without tables it only shows the lines.
``--epochs 3`` times a few epochs and writes nothing.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import torch

from benchmarks import results
from benchmarks.paper import loop
from benchmarks.paper.protocol import RECIPES, spread
from benchmarks.report import markdown

ENGINE = "torch_loop"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, time or print."""
    options = _parser().parse_args(arguments)
    names = _known(options.tasks.split(",")) if options.tasks else []
    torch.set_num_threads(options.threads)
    path = options.results / f"paper-{ENGINE}.jsonl"
    if options.epochs:
        _time(names, options.epochs)
        return
    _run_missing(names, options.seeds, options.threads, path)
    print(table(list(results.read([path]))))


def _known(names: Sequence[str]) -> Sequence[str]:
    unknown = sorted(set(names) - set(RECIPES))
    if unknown:
        raise ValueError(f"The paper has no recipe for {unknown}; it has one for {sorted(RECIPES)}.")
    return names


def _time(names: Sequence[str], epochs: int) -> None:
    for task in names:
        seconds = loop.run(task, 0, epochs)["seconds"] / epochs * RECIPES[task].epochs
        print(f"{task}: {seconds:.0f} s for all {RECIPES[task].epochs} epochs of a run, from {epochs}")


def table(lines: Sequence[results.Record]) -> str:
    """Render mean and population deviation of the three scores of each table."""
    by_task = defaultdict(list)
    for line in lines:
        by_task[line["task"]].append(line)
    rows = [
        [task, str(len(runs)), *(_spread(runs, name) for name in ("paper", "best_whole", "last_whole"))]
        for task, runs in by_task.items()
    ]
    return markdown(["table", "seeds", "as the paper", "best epoch, all rows", "last epoch, all rows"], rows)


def _spread(runs: Sequence[results.Record], name: str) -> str:
    mean, deviation = spread([run["scores"][name] for run in runs])
    return f"{mean:.4g} ± {deviation:.2g}"


def _run_missing(tasks: Sequence[str], seeds: int, threads: int, path: Path) -> None:
    done = {(line["task"], line["seed"]) for line in results.read([path])}
    for task in tasks:
        for seed in range(seeds):
            if (task, seed) not in done:
                line = {"protocol": "paper", "engine": ENGINE} | loop.run(task, seed)
                results.append(line | results.provenance(["torch"], threads), path)
                print(task, seed, line["scores"], flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="?", default="", help="names, separated by commas")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=0, help="time this many and write nothing")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", type=Path, default=results.FOLDER)
    return parser


if __name__ == "__main__":
    main()
