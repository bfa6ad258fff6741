"""Whether our runs agree with what the paper prints: ``reproduce.toml`` against committed lines."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import results

LIST = Path(__file__).parent.with_name("reproduce.toml")
DRAWS = 20_000
PAPER_SEEDS = 5
# fewer runs than this say too little about how five-seed means scatter
LEAST_RUNS = 20


@dataclass(frozen=True)
class Cell:
    """One printed figure and where ours stand."""

    table: str
    file: str
    score: str
    printed: float
    half_digit: float

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


def is_reproduced(cell: Cell, runs: Sequence[float]) -> bool:
    """Say whether the printed figure is one that five of our runs may well average to."""
    low, high = central_means(runs)
    return low - cell.half_digit <= cell.printed <= high + cell.half_digit
