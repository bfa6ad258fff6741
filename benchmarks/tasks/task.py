"""A task: one table with its split, signs, kind and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from benchmarks.peers.interface import Kind
from benchmarks.tasks import storage


@dataclass(frozen=True)
class Task:
    """One table with its split, signs, kind and metric; the two parts are read apart, so tuning need not open the test.

    Args:
        name: what results call it.
        signs: constrained columns only, each -1 or +1.
        metric: the first figure of the task, a name in `metrics`.
        terms: licence or other terms of the data.
        file: stem of the two files, ``train_<file>.csv`` and ``test_<file>.csv``; the name, unless two tasks share it.
        ordered: levels of the ordered columns, lowest first.
    """

    name: str
    signs: Mapping[str, int]
    kind: Kind
    metric: str
    terms: str
    file: str = ""
    ordered: Mapping[str, Sequence[str]] = field(default_factory=dict)
    target: str = "ground_truth"

    def load(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return train and test rows, the target among their columns."""
        return self.train(), self.test()

    def train(self) -> pd.DataFrame:
        """Return the training rows without opening the test file."""
        return self._read("train")

    def test(self) -> pd.DataFrame:
        """Return the test rows."""
        return self._read("test")

    @property
    def is_at_hand(self) -> bool:
        """Whether both files stand in a folder and need no download."""
        return all(storage.is_at_hand(f"{part}_{self.file or self.name}") for part in ("train", "test"))

    def _read(self, part: str) -> pd.DataFrame:
        frame = storage.read(f"{part}_{self.file or self.name}")
        unknown = sorted(set(self.signs) - set(frame))
        if unknown:
            raise ValueError(f"Task {self.name!r} signs the columns {unknown}; its table has {list(frame)}.")
        ordered = {name: pd.Categorical(frame[name], levels, ordered=True) for name, levels in self.ordered.items()}
        return frame.assign(**ordered)
