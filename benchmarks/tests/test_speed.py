"""What the tables of speed say is what was timed, and exponents are those of the times."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import peers as registry
from benchmarks.speed import growth, limits, peers, tables, turns

QUICK = ["--turns", "2", "--seconds", "0"]


def clock_of(costs):
    """Return a clock that a fake run moves on, and that run: what it costs is told, not taken."""
    now = [0.0]

    def run(name):
        def act():
            now[0] += costs[name].pop(0)

        return act

    return (lambda: now[0]), run


def test_each_turn_does_every_thing_once():
    clock, run = clock_of({"a": [1.0, 2.0, 4.0], "b": [10.0, 30.0, 20.0]})
    taken = turns.once_each({"a": run("a"), "b": run("b")}, 3, clock)
    assert taken == {"a": [1e6, 2e6, 4e6], "b": [1e7, 3e7, 2e7]}


def test_a_ratio_is_taken_turn_by_turn():
    # the machine is ten times as slow in the last turn: no ratio sees it
    taken = {"isotone": [1.0, 2.0, 10.0], "other": [3.0, 6.0, 30.0]}
    found = peers.compared(taken, {"isotone": 1.0, "other": 1.0})
    assert found["other"] == {"median": 6.0, "spread": 4.5, "ratio": 3.0, "ratio_spread": 0.0}
    assert found["isotone"]["ratio"] == 1.0


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0])
def test_an_exponent_is_the_power_of_the_size(power):
    sizes = (8, 16, 64)
    assert growth.exponent(sizes, [3.0 * size**power for size in sizes]) == pytest.approx(power)


def test_a_cost_of_every_call_shows_in_the_whole_exponent_and_less_at_the_end():
    axis = growth.Axis("rows", (1, 10, 100, 1000))
    found = growth.record("a fit", axis, {str(size): [100.0 + size] * 2 for size in axis.sizes})
    assert found["exponent"] < found["at_the_end"] < 1.0


def test_a_size_changes_only_what_grows():
    small, wide = growth.Size(), growth.Size(width=64)
    assert (len(wide.architecture().columns), wide.rows) == (small.columns, small.rows)
    assert wide.architecture().hidden == (64, 64, 64)
    assert len(growth.Size(depth=5).architecture().hidden) == 5
    assert sum(column.direction != 0 for column in small.architecture().columns) == 8


def test_the_engine_is_timed_along_every_axis():
    options = growth.read_options([*QUICK, "--largest", "16"])
    for axis in growth.shortened(growth.AXES[1:], options.largest):
        found = growth.of_engine(axis, options)
        assert [line["grows"] for line in found] == [axis.name] * 2
        assert all(np.greater(line["us"], 0).all() and len(line["us"]) == len(line["sizes"]) for line in found)


def test_whole_fits_are_timed_along_rows_and_columns():
    options = growth.read_options(["--fits", "2"])
    for axis in (growth.Axis("rows", (20, 40)), growth.Axis("columns", (6, 7))):
        lines = growth.of_fits(axis, ["linear"], options)
        assert [len(line["us"]) for line in lines] == [2]


def measured(names):
    options = peers.read_options([*QUICK, "--rows", "40", "--held-out", "20"])
    return peers.measure(names, options)


def test_peers_are_timed_and_scored_on_the_same_rows():
    found = measured(["isotone", "linear"])
    assert [one["peer"] for one in found["records"]] == ["isotone", "linear"]
    assert all(one["predicted_rows"] == 20 and one["error"] > 0 for one in found["records"])
    assert (found["rows"], found["failed"]) == (40, {})


def test_who_fails_is_named_and_the_others_are_timed(monkeypatch):
    monkeypatch.setitem(registry.REGISTRY, "absent", ("no_such_file", "Absent"))
    found = measured(["absent", "isotone"])
    assert [one["peer"] for one in found["records"]] == ["isotone"]
    assert list(found["failed"]) == ["absent"]
    assert "no_such_file" in found["failed"]["absent"]
    assert "absent failed" in tables.peers(found | {"machine": turns.machine(), "note": ""})


def test_a_slow_peer_predicts_few_rows(monkeypatch):
    monkeypatch.setattr(peers, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(peers, "FEW", 5)
    assert [one["predicted_rows"] for one in measured(["isotone"])["records"]] == [5]


@pytest.mark.parametrize("name", tables.TABLES)
def test_a_committed_table_is_that_of_its_results(name):
    assert (tables.FOLDER / f"{name}.md").read_text() == tables.rendered(name)


def test_what_is_not_measured_says_so(tmp_path):
    assert tables.rendered("growth", tmp_path) == tables.ABSENT + "\n"


def test_a_table_follows_its_results(tmp_path):
    options = growth.read_options([*QUICK, "--largest", "16"])
    lines = growth.of_engine(growth.Axis("depth", (1, 2)), options)
    found = {"machine": turns.machine(), "note": "a test", "base": vars(growth.Size()), "fitted_rows": 5,
             "fitted_columns": 6, "engine": lines, "fits": []}  # fmt: skip
    (tmp_path / "growth.json").write_text(json.dumps(found))
    before = tables.rendered("growth", tmp_path)
    assert f"| {lines[0]['exponent']:.2f} |" in before
    lines[0]["exponent"] = 7.25
    (tmp_path / "growth.json").write_text(json.dumps(found))
    assert "| 7.25 |" in tables.rendered("growth", tmp_path)


PEAK = {"peak": 2.8e11, "clock_lanes_4": 2.81e11, "gain_of_two_threads": 1.7}


def timed_steps(ratio, threads, share):
    """Return a record of steps: one promise of a ratio, one of threads, one of a share of the peak."""
    ceilings = {"multiply_adds": 12120, "us_at_peak": 0.08, "optimiser_bytes": 14140, "optimiser_us_at_least": 0.02}
    step = {"parameters": 505, "batch": 8, "members": 16, "torch_us": 400.0, "engine_us": 2.0, **ceilings}
    return {
        "machine": turns.machine() | {"peak": PEAK}, "note": "", "promised_share": 0.35,
        "steps": [
            {**step, "network": "auto", "ratio": ratio, "promised": 200, "share_of_peak": 0.04},
            {**step, "network": "wide", "ratio": 1.0, "promised": None, "share_of_peak": share},
        ],
        "threads": [{"network": "auto", "one_us": 2.0, "two_us": 1.1, "ratio": threads, "promised": 1.9}],
    }  # fmt: skip


def test_a_promise_of_a_step_that_is_kept_needs_no_word():
    assert limits.training(timed_steps(200.0, 1.9, 0.35)) == []


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ((199.9, 1.9, 0.35), ("199.9x of 200x", "12,120 multiply-adds take 0.08 us", "1.90 us go to neither")),
        ((200.0, 1.8, 0.35), ("1.8x of 1.9x", "reach 1.7x")),
        ((200.0, 1.9, 0.34), ("Width 64", "34% of what was measured")),
    ],
)
def test_a_promise_of_a_step_that_is_not_kept_says_what_limits_it(found, words):
    sentence, *others = limits.training(timed_steps(*found))
    assert not others
    assert all(word in sentence for word in words)
    assert sentence in tables.training(timed_steps(*found))


def timed_predictions(share, ratio, micros):
    """Return a record of predictions with three promises."""
    rows = {"network": "heart", "columns": 13, "rows": 400_000, "trees_ms": 900.0, "engine_ms": 60.0,
            "multiply_adds": 704_000_000, "ms_at_peak": 4.7, "bytes": 20_800_000, "ms_at_bandwidth": 0.5}  # fmt: skip
    return {
        "machine": turns.machine() | {"peak": PEAK}, "note": "",
        "wide": {"rows": 256, "multiply_adds": 7, "us_at_peak": 52.0, "share_of_peak": share, "promised": 0.6},
        "trees": [{**rows, "ratio": ratio, "promised": 12.0}],
        "one_row": {"parameters": 1873, "us_at_peak": 0.2, "promised_us": 6.0,
                    "us": {"engine.predict": micros, "engine.Compiled.predict": 3.0}},
    }  # fmt: skip


def test_a_promise_of_a_prediction_that_is_kept_needs_no_word():
    assert limits.prediction(timed_predictions(0.6, 12.0, 6.0)) == []


@pytest.mark.parametrize(
    ("found", "word"),
    [((0.59, 12.0, 6.0), "59%"), ((0.6, 11.9, 6.0), "11.9x of 12.0x"), ((0.6, 12.0, 6.5), "6.5 us of 6 us")],
)
def test_a_promise_of_a_prediction_that_is_not_kept_says_what_limits_it(found, word):
    sentence, *others = limits.prediction(timed_predictions(*found))
    assert not others
    assert word in sentence
    assert sentence in tables.prediction(timed_predictions(*found))
