"""Whether our runs agree with what the paper prints: ``reproduce.toml`` against committed lines.

``python -m benchmarks.paper.agreement`` prints the comparison; ``--write FILE`` stores it as well.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.paper.protocol import spread
from benchmarks.report import markdown

LIST = Path(__file__).parent.with_name("reproduce.toml")
DRAWS = 20_000
PAPER_SEEDS = 5
# fewer runs than this say too little about how five-seed means scatter
LEAST_RUNS = 20


@dataclass(frozen=True)
class Cell:
    """One printed figure and where ours stand.

    With a `tolerance` the mean of our runs is compared, without one the interval of their five-seed means. `reproduced`
    is what is known to come out.
    """

    table: str
    file: str
    score: str
    printed: float
    half_digit: float
    tolerance: float | None = None
    reproduced: bool = True

    def runs(self, folder: Path = results.FOLDER) -> list[float]:
        """Return our score of each seed."""
        lines = results.read([folder / self.file])
        return [line["scores"][self.score] for line in lines if line["task"] == self.table]


def cells() -> list[Cell]:
    """Return every figure that is to be reproduced."""
    return [Cell(**entry) for entry in tomllib.loads(LIST.read_text())["cell"]]


def central_means(runs: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Return the interval that holds the given share of means of five runs drawn without replacement."""
    if len(runs) < LEAST_RUNS:
        raise ValueError(f"An interval of five-seed means needs at least {LEAST_RUNS} runs; there are {len(runs)}.")
    random = np.random.default_rng(0)
    chosen = random.permuted(np.tile(np.asarray(runs), (DRAWS, 1)), axis=1)[:, :PAPER_SEEDS]
    low, high = np.quantile(chosen.mean(axis=1), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def expected(cell: Cell, runs: Sequence[float]) -> tuple[float, float]:
    """Return the interval in which the printed figure must lie."""
    if cell.tolerance is None:
        return central_means(runs)
    mean, _ = spread(runs)
    return mean - cell.tolerance, mean + cell.tolerance


def is_reproduced(cell: Cell, runs: Sequence[float]) -> bool:
    """Say whether the printed figure is one that five of our runs may well average to."""
    low, high = expected(cell, runs)
    return low - cell.half_digit <= cell.printed <= high + cell.half_digit


def compared(cell: Cell, runs: Sequence[float]) -> dict[str, Any]:
    """Return a printed figure beside our runs and the interval of their five-seed means."""
    mean, deviation = spread(runs)
    beside = {"runs": len(runs), "mean": mean, "deviation": deviation, "expected": expected(cell, runs)}
    about = {"table": cell.table, "file": cell.file, "printed": cell.printed, "tolerance": cell.tolerance}
    return about | beside | {"reproduced": is_reproduced(cell, runs)}


def comparisons(folder: Path = results.FOLDER) -> tuple[list[dict[str, Any]], list[str]]:
    """Return every figure beside our runs, and the tables that nobody has run."""
    found = [(cell, cell.runs(folder)) for cell in cells()]
    return [compared(*pair) for pair in found if pair[1]], [cell.table for cell, runs in found if not runs]


def text(comparisons: Sequence[dict[str, Any]], absent: Sequence[str] = ()) -> str:
    """Render the comparisons, and name the tables without runs."""
    header = ["table", "lines", "runs", "published", "ours", "interval", "inside"]
    table = markdown(header, [_row(entry) for entry in comparisons])
    return f"{table}\n\nNot run, for the file is not at hand: {', '.join(absent)}." if absent else table


def _row(entry: dict[str, Any]) -> list[str]:
    low, high = entry["expected"]
    rule = "central 95 % of five-seed means" if entry["tolerance"] is None else f"mean ± {entry['tolerance']}"
    ours = f"{entry['mean']:.4g} ± {entry['deviation']:.2g}"
    verdict = "yes" if entry["reproduced"] else "no"
    figures = [f"{entry['printed']:.4g}", ours, f"{low:.4g} to {high:.4g} ({rule})", verdict]
    return [entry["table"], entry["file"], str(entry["runs"]), *figures]


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a file of JSON for the comparison")
    options = parser.parse_args(arguments)
    entries, absent = comparisons()
    print(text(entries, absent))
    if options.write:
        options.write.write_text(json.dumps(entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
