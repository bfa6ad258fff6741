"""A progress bar with the time left: tqdm's where it is installed, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from typing import Protocol


class Progress(Protocol):
    """What a run tells its reader."""

    def advance(self, steps: int, note: str) -> None:
        """Count finished steps and say what they were."""


class Lines:
    """A line now and then, with the time that the rest would take at the pace so far."""

    def __init__(self, total: int, every_seconds: float = 10.0) -> None:
        self._total, self._done, self._every = total, 0, every_seconds
        self._start = self._said = time.monotonic()

    def advance(self, steps: int, note: str) -> None:
        self._done += steps
        now = time.monotonic()
        if now - self._said >= self._every or self._done == self._total:
            self._said = now
            # beside what the command prints, which may go to a file
            print(self.line(note, now - self._start), file=sys.stderr, flush=True)

    def line(self, note: str, seconds: float) -> str:
        """Return the line for a given time since the start."""
        left = seconds / max(self._done, 1) * (self._total - self._done)
        return f"{self._done}/{self._total}  {note}  {left / 60:.1f} minutes left"


class Bar:
    """The bar of tqdm."""

    def __init__(self, total: int) -> None:
        from tqdm import tqdm

        self._bar = tqdm(total=total, dynamic_ncols=True)

    def advance(self, steps: int, note: str) -> None:
        self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(steps)


def progress(total: int) -> Progress:
    """Return a progress display for a number of steps."""
    return Bar(total) if find_spec("tqdm") else Lines(total)
