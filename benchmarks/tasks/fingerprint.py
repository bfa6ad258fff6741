"""Fingerprints of tables that do not depend on how their floats are printed."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

COMMITTED = Path(__file__).with_name("fingerprints.json")
# printing moves a number by an ulp, 2e-16 of its size, and the sum of them all by no more than that share of the mass;
# 1e-12 leaves room for the order of summation and still sees one changed cell of a million
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Fingerprint:
    """Shape, names, and two weighted sums over all cells: a moved row or cell changes them, a last digit does not."""

    rows: int
    columns: int
    names: int
    mass: float
    sums: tuple[float, float]

    def agrees(self, other: Fingerprint) -> bool:
        """Say whether both are fingerprints of the same content."""
        same_shape = (self.rows, self.columns, self.names) == (other.rows, other.columns, other.names)
        mine, theirs = (self.mass, *self.sums), (other.mass, *other.sums)
        return same_shape and all(abs(a - b) <= TOLERANCE * self.mass for a, b in zip(mine, theirs, strict=True))


def fingerprint(frame: pd.DataFrame) -> Fingerprint:
    """Return the fingerprint of a table; text counts by its checksum."""
    rows, columns = _weights(len(frame), 2654435761), _weights(frame.shape[1], 2246822519)
    values = np.column_stack([_numbers(frame[name]) for name in frame])
    by_row = values @ columns
    names = zlib.crc32(",".join(map(str, frame)).encode())
    mass = float(np.abs(values).sum())
    return Fingerprint(len(frame), frame.shape[1], names, mass, (float(rows @ by_row), float(rows**2 @ by_row)))


def committed() -> Mapping[str, Fingerprint]:
    """Return the fingerprints that the loaders insist on, by stem of the file."""
    return _committed()


def check_fingerprint(stem: str, frame: pd.DataFrame) -> None:
    """Raise unless a table has the content committed under its name; a table without an entry passes."""
    expected = committed().get(stem)
    if expected is None:
        return
    found = fingerprint(frame)
    if not found.agrees(expected):
        raise ValueError(f"{stem}.csv has other content than the table of that name: {found} instead of {expected}.")


@cache
def _committed() -> dict[str, Fingerprint]:
    entries = json.loads(COMMITTED.read_text())
    return {stem: Fingerprint(**{**entry, "sums": tuple(entry["sums"])}) for stem, entry in entries.items()}


def _weights(count: int, multiplier: int) -> NDArray[np.float64]:
    # multiplicative hashing: the same numbers on every machine and in every version of numpy
    hashed = (np.arange(1, count + 1, dtype=np.uint64) * np.uint64(multiplier)) % np.uint64(2**32)
    return hashed.astype(float) / 2**32


def _numbers(column: pd.Series) -> NDArray[np.float64]:
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(dtype=float)
    return np.array([zlib.crc32(str(cell).encode()) / 2**32 for cell in column])


def write_fingerprints(frames: Mapping[str, pd.DataFrame]) -> None:
    """Write the fingerprints of all given tables to the committed file, one line each."""
    lines = [f"{json.dumps(stem)}: {json.dumps(asdict(fingerprint(frame)))}" for stem, frame in sorted(frames.items())]
    COMMITTED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
