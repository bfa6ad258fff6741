"""Run a protocol: ``python -m benchmarks.run development --tasks concrete,swd --peers xgboost --seeds 3``.

``honest``       default settings, every training row, each seed's model scores the test rows once
``development``  default settings on seeded folds of the training rows; the test files are not opened
``tuned``        a search on folds of the training rows, then its winner as in ``honest``

A run resumes: fits with a line in the results folder are not repeated, failures and timeouts included.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path

from benchmarks import cells, peers, results, tasks
from benchmarks.cells import Cell, Fit
from benchmarks.jobs import leave_when_asked, run_jobs
from benchmarks.peers.interface import Budget
from benchmarks.progress import progress
from benchmarks.selection import winner

PROTOCOLS = ("honest", "development", "tuned")


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and run what it asks for."""
    options = _parser().parse_args(arguments)
    leave_when_asked(signal.SIGTERM)
    names = [task.name for task in tasks.find(options.tasks)]
    chosen = options.peers.split(",")
    for name in chosen:
        peers.find(name).prepare()
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    budget = Budget(options.seconds, options.threads)
    if options.protocol == "tuned":
        run_tuned(names, chosen, seeds, budget, options.results, options.jobs)
        return
    planned = (
        cells.honest(names, chosen, seeds)
        if options.protocol == "honest"
        else cells.development(names, chosen, seeds, options.folds)
    )
    run_cells(list(planned), budget, options.results, options.jobs)


def run_tuned(
    names: Sequence[str], chosen: Sequence[str], seeds: Sequence[int], budget: Budget, folder: Path, jobs: int = 1
) -> None:
    """Search once per task and peer, then refit each winner on the seeds."""
    pairs = list(product(names, chosen))
    run_cells([cells.tuning(*pair) for pair in pairs], budget, folder, jobs)
    refits = []
    for task, name in pairs:
        lines = results.read([results.path_of(cells.tuning(task, name)[0], folder)])
        settings = winner(lines, task)
        if settings is None:
            _fail(cells.tuned(task, name, {}, seeds), "no trial of the search finished", budget, folder)
        else:
            refits.append(cells.tuned(task, name, settings, seeds))
    run_cells(refits, budget, folder, jobs)


def _fail(cell: Cell, why: str, budget: Budget, folder: Path) -> None:
    """Write that a cell has nothing to run: it counts as failed in the tables."""
    for missing, _ in _missing([cell], folder):
        for fit in missing:
            _keep(asdict(fit) | {"status": "failed", "error": why}, fit, budget, folder)


def run_cells(planned: Sequence[Cell], budget: Budget, folder: Path, jobs: int = 1) -> None:
    """Run what has no line yet, `jobs` cells at a time, and append its lines."""
    missing = list(_missing(planned, folder))
    if not missing:
        return
    display = progress(sum(len(cell) for cell, _ in missing))
    for fit, record in run_jobs(missing, budget, jobs):
        _keep(record, fit, budget, folder)
        display.advance(1, f"{record['peer']} {record['task']} {record['status']}")


def _keep(record: results.Record, fit: Fit, budget: Budget, folder: Path) -> None:
    peer = peers.find(fit.peer)
    about = results.provenance(peer.packages, budget.threads, peer.apart)
    results.append({**record, "limit_seconds": budget.seconds, **about}, results.path_of(fit, folder))


def _missing(planned: Iterable[Cell], folder: Path) -> Iterable[tuple[Cell, float]]:
    """Yield what is left of each cell, and the processor seconds that its finished fits took of each thread."""
    planned = list(planned)
    paths = {results.path_of(fit, folder) for cell in planned for fit in cell}
    done = {results.key_of(record): record for record in results.read(sorted(paths))}
    for cell in planned:
        rest = [fit for fit in cell if fit.key not in done]
        lines = [done[fit.key] for fit in cell if fit.key in done]
        if rest:
            yield rest, sum(line.get("fit_cpu_seconds", 0.0) / line["threads"] for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("protocol", choices=PROTOCOLS)
    parser.add_argument("--tasks", default="development", help="names or groups, separated by commas")
    parser.add_argument("--peers", default=",".join(peers.REGISTRY), help="names, separated by commas")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--folds", type=int, default=3, help="parts of the training rows, in development")
    parser.add_argument("--jobs", type=int, default=1, help="cells at a time")
    parser.add_argument("--threads", type=int, default=1, help="per fit")
    parser.add_argument(
        "--seconds", type=float, default=300.0, help="of the processor, per cell; a timeout is a result"
    )
    parser.add_argument("--results", type=Path, default=results.FOLDER)
    return parser


if __name__ == "__main__":
    main()
