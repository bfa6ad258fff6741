"""The rows that each member holds out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def held_out(
    count: int, rows: int, fraction: float, seed: int, strata: NDArray[np.generic] | None = None
) -> NDArray[np.bool_]:
    """Return which rows each of ``count`` members holds out: its own fold. Shape: ``(count, rows)``.

    The folds are about ``1 / fraction`` many, disjoint, and of nearly equal size; with ``strata``, each class is
    spread evenly over them.

    >>> held_out(2, 4, 0.5, seed=0).sum(axis=0)
    array([1, 1, 1, 1])
    """
    folds = min(max(round(1.0 / fraction), 2), rows)
    order = np.random.default_rng((seed, folds)).permutation(rows)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    fold = np.empty(rows, dtype=np.intp)
    fold[order] = np.arange(rows) % folds
    chosen: NDArray[np.bool_] = fold == (np.arange(count) % folds)[:, None]
    return chosen
