"""How far outputs fall against the signs: the one measurement that every order test asserts on."""

from __future__ import annotations

import numpy as np

from tests.cases import Subject


def ladders(rng: np.random.Generator, subject: Subject, column: int, count: int = 20, rungs: int = 40) -> np.ndarray:
    """Return ``count`` rows, each repeated with increasing values in one column. Shape: ``(count, rungs, d)``."""
    rows = np.repeat(subject.draw(rng, count)[:, None, :], rungs, axis=1)
    rows[:, :, column] = np.sort(4.0 * rng.normal(size=(count, rungs)), axis=1)
    return rows


def largest_fall(subject: Subject, rows: np.ndarray, column: int) -> float:
    """Return the largest step against the column's direction, relative to the largest output of the call."""
    count, rungs, d = rows.shape
    outputs = subject.outputs(rows.reshape(count * rungs, d)).reshape(count, rungs, -1)
    steps = np.diff(outputs, axis=1) * subject.signs[column]
    return float(np.max(-steps) / max(np.abs(outputs).max(), np.finfo(np.float64).tiny))
