"""The demonstration finds no violation, and would find one."""

from __future__ import annotations

import re
import runpy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from isotone import MonotoneRegressor

DEMO = Path(__file__).parents[1] / "examples" / "demo.py"
SIGNS = [0, 0, 1, 1, 0, 0, 0, 0, 1, 0]
COLUMNS = [2, 3, 8]


@pytest.fixture(scope="module")
def demo() -> dict[str, Any]:
    """Return the names of the demonstration, which counts fewer pairs here."""
    names = runpy.run_path(str(DEMO))
    names["violations"].__globals__["PAIRS"] = 20_000
    return names


def fitted(**settings: Any) -> tuple[MonotoneRegressor, np.ndarray]:
    x, y = load_diabetes(return_X_y=True)
    return MonotoneRegressor(max_iter=30, n_estimators=2, random_state=0, **settings).fit(x, y), x


def test_pairs_of_neighbours_keep_order(demo: dict[str, Any]) -> None:
    assert demo["violations"](*fitted(monotonic_cst=SIGNS), COLUMNS) == 0


def test_without_signs_pairs_are_found_that_do_not(demo: dict[str, Any]) -> None:
    """Negative control: the count can be something else than nought."""
    assert demo["violations"](*fitted(), COLUMNS) > 10


def test_it_tells_scores_a_curve_and_no_violation(
    demo: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(
        demo["main"].__globals__, "MonotoneRegressor", partial(MonotoneRegressor, max_iter=5, n_estimators=2)
    )
    demo["main"]()
    told = capsys.readouterr().out
    for name in ("isotone, with signs", "isotone, without", "boosted trees, with signs", "boosted trees, without"):
        assert re.search(rf"{name} +\d+\.\d\d  \+- \d+\.\d\d over the folds\n", told), name
    assert "One person's predicted progression as bmi grows" in told
    assert told.endswith("20,000 pairs of neighbouring numbers, scored in varying batches: 0\n")


def test_a_person_is_drawn(
    demo: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    model, x = fitted(monotonic_cst=SIGNS)
    demo["draw"](model, x[0], np.linspace(-0.1, 0.2, 61), COLUMNS[0])
    bars = [line.count("#") for line in capsys.readouterr().out.splitlines() if "#" in line]
    assert len(bars) == 13
    assert bars == sorted(bars)
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")
