"""Rerun the paper's evaluation: ``python -m benchmarks.paper auto,heart --engine torch_modules --seeds 5``.

In the authors' own loop (``torch_loop``), by the library's PyTorch modules (``torch_modules``) or by its ``engine``.

Seeds that have a line in ``results/paper-<engine>.jsonl`` get no second one. Without tables it only shows all lines.
``--epochs 3`` times a few epochs and writes nothing.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import torch

from benchmarks import results
from benchmarks.paper import loop, modules, native
from benchmarks.paper.protocol import RECIPES, SEEDS, spread
from benchmarks.progress import progress
from benchmarks.report import markdown
from benchmarks.tasks import TASKS

# what stands in the names of files, and the packages whose versions stand in the lines
ENGINES = {"torch_loop": ("torch",), "torch_modules": ("torch", "isotone"), "engine": ("isotone",)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, time or print."""
    options = _parser().parse_args(arguments)
    names = _known(options.tasks.split(",")) if options.tasks else []
    if options.if_at_hand and not (names := at_hand(names)):
        return
    if options.engine == "engine" and options.device != "cpu":
        raise ValueError(
            f"The engine trains on the cpu; --device {options.device} is for torch_loop and torch_modules."
        )
    torch.set_num_threads(options.threads)
    path = options.results / f"paper-{options.engine}.jsonl"
    if options.epochs:
        _time(names, options)
        return
    for name in names:
        _run_missing(name, options, path)
    shown = [path] if names else [options.results / f"paper-{engine}.jsonl" for engine in ENGINES]
    print(table(list(results.read(shown))))


def _known(names: Sequence[str]) -> Sequence[str]:
    unknown = sorted(set(names) - set(RECIPES))
    if unknown:
        raise ValueError(f"The paper has no recipe for {unknown}; it has one for {sorted(RECIPES)}.")
    return names


def at_hand(names: Sequence[str]) -> Sequence[str]:
    """Return the tables whose files need no download, and say which are left out."""
    absent = [name for name in names if not TASKS[name].is_at_hand]
    if absent:
        print(f"left out, for their files are in no folder: {', '.join(absent)}")
    return [name for name in names if name not in absent]


def _time(names: Sequence[str], options: argparse.Namespace) -> None:
    for task in names:
        (line,) = _runs(task, [0], options)
        seconds = line["seconds"] / options.epochs * RECIPES[task].epochs
        print(f"{task}: {seconds:.2g} s for all {RECIPES[task].epochs} epochs of a run, from {options.epochs}")


def table(lines: Sequence[results.Record]) -> str:
    """Render mean and population deviation of the three scores: of five seeds, and of all where there are more."""
    groups = defaultdict(list)
    for line in sorted(lines, key=lambda line: (list(RECIPES).index(line["task"]), line["seed"])):
        groups[line["task"], line["engine"]].append(line)
    rows = []
    for (task, engine), runs in groups.items():
        for chosen in [runs[: len(SEEDS)]] + [runs] * (len(runs) > len(SEEDS)):
            figures = [_spread(chosen, name) for name in ("paper", "best_whole", "last_whole")]
            rows.append([task, engine, str(len(chosen)), *figures])
    return markdown(["table", "by", "seeds", "as the paper", "best epoch, all rows", "last epoch, all rows"], rows)


def _spread(runs: Sequence[results.Record], name: str) -> str:
    mean, deviation = spread([run["scores"][name] for run in runs])
    return f"{mean:.4g} ± {deviation:.2g}"


def _run_missing(task: str, options: argparse.Namespace, path: Path) -> None:
    done = {(line["task"], line["seed"]) for line in results.read([path])}
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    missing = [seed for seed in seeds if (task, seed) not in done]
    for line in _runs(task, missing, options) if missing else ():
        keep([line], options.engine, options.threads, options.results, _device(options.device))
        print(task, line["seed"], line["scores"], flush=True)


def keep(lines: Iterable[results.Record], engine: str, threads: int, folder: Path, device: str = "cpu") -> None:
    """Add the lines of seeds that have none to the results of an engine."""
    path = folder / f"paper-{engine}.jsonl"
    done = {(line["task"], line["seed"]) for line in results.read([path])}
    about = {"protocol": "paper", "engine": engine, "device": device}
    for line in lines:
        if (line["task"], line["seed"]) not in done:
            results.append(about | line | results.provenance(ENGINES[engine], threads), path)


def _runs(task: str, seeds: Sequence[int], options: argparse.Namespace) -> Iterable[results.Record]:
    if options.engine == "torch_loop":
        return (loop.run(task, seed, options.epochs, options.device) for seed in seeds)
    if options.engine == "torch_modules":
        return (modules.run(task, seed, options.epochs, options.device) for seed in seeds)
    # members train together, and those before the missing ones are needed for these to have their places
    display = progress(options.epochs or RECIPES[task].epochs)
    tell = partial(display.advance, 1)
    lines = native.run(task, max(seeds) + 1, options.epochs, options.threads, tell)
    return [line for line in lines if line["seed"] in seeds]


def _device(name: str) -> str:
    return torch.cuda.get_device_name() if name == "cuda" else name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="?", default="", help="names, separated by commas")
    parser.add_argument("--engine", choices=ENGINES, default="torch_loop")
    parser.add_argument("--seeds", type=int, default=5, help="how many")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=0, help="time this many and write nothing")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--if-at-hand", action="store_true", help="leave out a table that would be downloaded")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="of PyTorch; the engine has the former"
    )
    parser.add_argument("--results", type=Path, default=results.FOLDER)
    return parser


if __name__ == "__main__":
    main()
