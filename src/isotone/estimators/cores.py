"""How many threads a fit or a prediction may take."""

from __future__ import annotations

import os
from typing import Any

import numpy as np


def threads_for(n_jobs: Any) -> int:
    """Return a number of threads; ``None`` means all that this process may use, and one inside a parallel worker.

    >>> threads_for(3)
    3
    """
    if n_jobs is None:
        return _fair_share()
    if not isinstance(n_jobs, int | np.integer) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs is a whole number other than 0, or None; got {n_jobs!r}.")
    return int(n_jobs) if n_jobs > 0 else max(_cores() + 1 + int(n_jobs), 1)


def _fair_share() -> int:
    from joblib.parallel import get_active_backend

    # joblib sets this for its own workers, so that all of them together do not take more than there is
    limit = os.environ.get("OMP_NUM_THREADS", "")
    nested = bool(get_active_backend()[0].nesting_level)
    return min(_cores(), int(limit)) if limit.isdigit() and int(limit) > 0 else 1 if nested else _cores()


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
