"""Tests and summaries over repeated measurements: losses only, smaller is better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from scipy.stats import t as student

Vector = NDArray[np.float64]
SIGNIFICANT = 0.05


def corrected_t_test(differences: Sequence[float] | Vector, scored_share: float) -> tuple[float, float]:
    r"""Return t and two-sided p of the corrected resampled t-test of Nadeau and Bengio (2003).

    Resamples share training rows, so their differences are not independent; the variance of the mean is taken as

    .. math:: \left(\frac1J + \frac{n_\mathrm{scored}}{n_\mathrm{train}}\right) \hat\sigma^2

    Args:
        differences: one per resample, J in all.
        scored_share: scored rows divided by training rows; 0 gives the ordinary paired t-test.
    """
    values = np.asarray(differences, dtype=float)
    mean, count = float(values.mean()), len(values)
    if count < 2:
        raise ValueError(f"A paired test needs at least 2 resamples; it was given {count}.")
    error = math.sqrt((1 / count + scored_share) * float(values.var(ddof=1)))
    if error == 0:
        return (0.0, 1.0) if mean == 0 else (math.copysign(math.inf, mean), 0.0)
    statistic = mean / error
    return statistic, float(2 * student.sf(abs(statistic), count - 1))


def mean_ranks(losses: Vector) -> Vector:
    """Return each column's mean rank over the rows, 1 the best; a NaN ranks last, ties share their ranks."""
    return rankdata(np.nan_to_num(losses, nan=np.inf), axis=1).mean(axis=0)


def leave_one_out(losses: Vector) -> tuple[Vector, Vector]:
    """Return each column's smallest and largest mean rank when any one row is left out."""
    without = np.array([mean_ranks(np.delete(losses, row, axis=0)) for row in range(len(losses))])
    return without.min(axis=0), without.max(axis=0)


def chosen_without(losses: Vector) -> NDArray[np.int64]:
    """Return, for each row, the column with the best mean rank on all other rows: how stable a choice is."""
    return np.array([int(np.argmin(mean_ranks(np.delete(losses, row, axis=0)))) for row in range(len(losses))])


def against_best(losses: Mapping[str, Vector], scored_share: float) -> tuple[str, Mapping[str, float]]:
    """Return the name with the smallest mean loss, and every name's two-sided p against it (1 for itself)."""
    best = min(losses, key=lambda name: float(losses[name].mean()))
    return best, {name: corrected_t_test(values - losses[best], scored_share)[1] for name, values in losses.items()}
