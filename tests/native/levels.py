"""Running at a chosen instruction level."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from isotone import _native


@contextmanager
def at_level(name: str) -> Iterator[None]:
    """Use an instruction level inside the block, and the one before it afterwards."""
    before = _native.level()
    _native.use_level(name)
    try:
        yield
    finally:
        _native.use_level(before)
