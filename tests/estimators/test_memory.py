"""How much memory a fit takes beyond the data that it is given."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROWS, COLUMNS = 400_000, 28
DATA = ROWS * COLUMNS * 8
STATUS = Path("/proc/self/status")

# a process of its own; what a first fit loads is no part of the second
FIT = f"""
import sys
import numpy as np, pandas as pd, polars as pl
from isotone import MonotoneRegressor

def most():
    return next(int(line.split()[1]) for line in open("{STATUS}") if line.startswith("VmHWM"))

rng, holder = np.random.default_rng(0), sys.argv[1]
model = MonotoneRegressor(n_estimators=2, hidden_layer_sizes=(4,), max_iter=1, monotonic_cst=1, random_state=0)
x = np.empty(({ROWS}, {COLUMNS}))
for column in x.T:
    column[:] = rng.normal(size={ROWS})
y = x[:, 0].copy()
if holder == "array":
    given = x
elif holder == "polars":
    given, x = pl.from_numpy(x), None
elif holder == "columns":
    apart = [pd.Series(column.copy(), name=str(i)) for i, column in enumerate(x.T)]
    given, x = pd.concat(apart, axis=1, copy=False), None
else:
    given = pd.DataFrame(x, copy=False).rename(columns=str, copy=False)
model.fit(given[:100], y[:100])
before = most()
kept = [given.to_numpy(copy=True) for _ in range(3)] if holder == "copies" else []
model.fit(given, y)
print((most() - before) * 1024)
"""


def taken(holder: str) -> int:
    """Return the bytes that a fit takes at its height, beyond those that were taken before it."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIT, holder], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells how much memory a process had at its height")
@pytest.mark.parametrize("holder", ["array", "frame", "columns", "polars"])
def test_a_fit_takes_no_more_than_200_mb_beyond_its_data(holder: str) -> None:
    assert taken(holder) < 200e6


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells how much memory a process had at its height")
def test_copies_of_the_data_would_show() -> None:
    assert taken("copies") > 200e6
