import numpy as np
import pytest

from benchmarks.search import __main__ as search
from benchmarks.search import report
from benchmarks.search.candidates import CANDIDATES
from isotone.estimators import defaults
from isotone.estimators.defaults import Size

SIZE = Size(1000, 8, "regression")
TABLES = ("swd", "pima", "oj")
# losses of three candidates: the library is best on two tables of three
LOSSES = {"library": (1.0, 1.0, 3.0), "plain": (2.0, 2.0, 2.0), "deep": (4.0, 4.0, 1.0), "no-signs": (2.0, 0.5, 3.0)}


def lines():
    for name, losses in LOSSES.items():
        for task, loss in zip(TABLES, losses, strict=True):
            metric = "rmse" if task == "swd" else "log_loss"
            yield {
                "candidate": name, "task": task, "seed": 0,
                "scores": [{metric: loss}] * 3, "fit_cpu_seconds": [1.0, 2.0, 9.0],
            }  # fmt: skip


def test_means_are_those_of_the_lines():
    tables, names, losses, seconds = report.means(lines())
    assert (tuple(tables), tuple(names)) == (TABLES, tuple(LOSSES))
    assert np.array_equal(losses.T, list(LOSSES.values()))
    assert (seconds == 2.0).all()


def test_a_candidate_without_every_table_is_left_out():
    kept = [line for line in lines() if (line["candidate"], line["task"]) != ("deep", "oj")]
    assert "deep" not in report.means(kept)[1]


def test_a_table_left_out_has_no_say_in_what_is_chosen():
    found = report.means(line for line in lines() if line["candidate"] != "no-signs")
    rows = {row.split(" | ")[0].strip("| "): row for row in report.left_out_table(found).splitlines()[2:]}
    assert "| library | 1.000 |" in rows["oj"]
    # without swd and with it, the deep one and the library tie on ranks: the first of them is named
    assert "| library |" in rows["swd"]


def test_the_cost_of_a_promise_is_a_ratio_of_losses():
    assert f"| {np.cbrt(1 / 2 * 1 / 0.5 * 1):.3f} | 1 of 3 |" in report.costs_table(report.means(lines()))


def test_the_page_holds_all_three_tables():
    page = report.text(list(lines())).splitlines()
    assert sum(line.startswith("| ---") for line in page) == 3


@pytest.mark.data
def test_a_candidate_replaces_the_rules_it_names_and_gives_them_back(monkeypatch):
    seen = {}
    monkeypatch.setattr(search, "_fit", lambda *_: (seen.update(tried=len(defaults.recipes(SIZE))), ({}, 0.0, []))[1])
    before = len(defaults.recipes(SIZE))
    search.fits("plain", "swd", 0)
    assert (seen["tried"], len(defaults.recipes(SIZE))) == (1, before)
    assert before > 1


def test_every_candidate_names_rules_that_exist():
    for candidate in CANDIDATES.values():
        assert all(hasattr(defaults, rule) for rule in candidate.rules)
