"""The timed networks are the same network, and nothing is timed while the engine's tests are red."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.speed import green
from benchmarks.speed.training import ROUNDING, SHAPES, Eager, disagreement


@pytest.mark.parametrize("name", SHAPES)
def test_both_sides_compute_the_same_loss_and_gradient(name):
    assert disagreement(SHAPES[name]) < ROUNDING


def test_the_comparison_sees_a_missing_side(monkeypatch):
    whole = Eager.scores
    monkeypatch.setattr(Eager, "scores", lambda self, x: whole(self, x.clamp(min=0)))
    assert disagreement(SHAPES["auto"]) > ROUNDING


def test_red_tests_stop_the_measurement_each_time(tmp_path: Path, monkeypatch):
    (tmp_path / "test_red.py").write_text("def test_red():\n    assert False\n")
    monkeypatch.setattr(green, "TESTS", str(tmp_path))
    for _ in range(2):
        with pytest.raises(SystemExit, match="no measurement is taken"):
            green.check_green()


def test_another_test_asks_for_another_run(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(green, "TESTS", str(tmp_path))
    before = green.content()
    (tmp_path / "test_more.py").write_text("def test_more():\n    pass\n")
    assert green.content() != before


def test_the_paper_networks_have_the_papers_sizes():
    assert {name: SHAPES[name].parameters for name in ("auto", "heart", "compas", "loan")} == {
        "auto": 505,
        "heart": 1873,
        "compas": 1873,
        "loan": 2113,
    }
