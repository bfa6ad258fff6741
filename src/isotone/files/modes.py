"""Where on the latent scale the most probable of several ordered classes changes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isotone.activations import log_logistic

Array = NDArray[np.float64]
# halvings of an interval: more than the bits of a float64
HALVINGS = 80
# this far beyond the outermost cuts the outer classes are all there is
BEYOND = 50.0


def mode_thresholds(cuts: Array) -> Array:
    """Return the rising latent scores from which on the most probable class is at least 1, 2, ... Shape: ``(k,)``.

    Logistic intervals have a monotone likelihood ratio, so the most probable class rises with the latent score. A
    class that is nowhere the most probable has the threshold of the next.

    >>> mode_thresholds(np.array([-1.0, 1.0])).round(2)
    array([-0.68,  0.68])
    """
    classes = np.arange(1, len(cuts) + 1)
    low, high = np.full(len(cuts), cuts[0] - BEYOND), np.full(len(cuts), cuts[-1] + BEYOND)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        reached = most_probable(middle, cuts) >= classes
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    return np.maximum.accumulate(high)


def most_probable(latent: Array, cuts: Array) -> NDArray[np.intp]:
    """Return the most probable rank at each latent score. Shape: ``(n,)``, ``(k,)`` -> ``(n,)``.

    >>> most_probable(np.array([-9.0, 0.0, 9.0]), np.array([-1.0, 1.0]))
    array([0, 1, 2])
    """
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    below, above = latent[:, None] - ends[:-1], latent[:, None] - ends[1:]
    # P(k) = sigma(a) sigma(-b) (1 - e^(b - a)), which does not cancel; equal cuts leave nothing between them
    with np.errstate(divide="ignore"):
        share = np.log(-np.expm1(ends[:-1] - ends[1:]))
    scores: NDArray[np.intp] = np.argmax(log_logistic(below) + log_logistic(-above) + share, axis=1)
    return scores
