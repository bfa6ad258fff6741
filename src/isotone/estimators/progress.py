"""What ``verbose`` shows while a model trains."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any, Self

LINES = 20


class Progress:
    """A bar if tqdm is installed, plain lines otherwise; used as a callback once per pass.

    >>> Progress(total=2, shows=False)(0, None)
    """

    def __init__(self, total: int, shows: bool) -> None:
        self.total, self.done, self.shows = total, 0, shows
        self.bar = _bar(total) if shows and find_spec("tqdm") else None

    def __call__(self, epoch: int, history: Any) -> None:
        """Count one pass."""
        self.done += 1
        if self.bar is not None:
            self.bar.update(1)
        elif self.shows and self.done % max(self.total // LINES, 1) == 0:
            sys.stdout.write(f"pass {self.done} of {self.total}\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.close()


def _bar(total: int) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, unit="pass")
