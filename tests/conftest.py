"""What holds for every test: fixed seeds, and pictures without a screen."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest
from hypothesis import settings

os.environ["MPLBACKEND"] = "Agg"

# derandomize: a test that passes today passes tomorrow; deadline: a shared machine is slow at times
settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.load_profile("house")


@pytest.fixture(autouse=True)
def _fixed_seeds() -> None:
    """Seed the global streams, which third-party code may read; our own code takes a seed."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - the legacy stream is the one to fix


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a fresh stream that is the same in every run."""
    return np.random.default_rng(20250713)
