import numpy as np
import pandas as pd
import pytest

from benchmarks import tasks
from benchmarks.search import seeds, seeds_report
from benchmarks.search.seeds import STARTS, Part, Start
from isotone.architecture import Architecture, Numeric
from isotone.engine import member_scores, predict
from isotone.estimators import tasks as heads
from isotone.losses import Loss

# a table of two columns, as `swd` has its own: three rows are held out
ROWS = pd.DataFrame({"rises": np.arange(60.0), "free": np.arange(60.0) % 7, "ground_truth": np.arange(60.0) % 4 + 1})
CONSTANT = 3.0


def part(kind="ordinal"):
    target = ROWS["ground_truth"] if kind == "ordinal" else (ROWS["ground_truth"] > 2) * 1.0
    rows = ROWS.assign(ground_truth=target)
    task = tasks.Task("small", {"rises": 1}, seeds.Kind(kind), "rmse" if kind == "ordinal" else "log_loss", "ours")
    return Part(task, rows[3:].reset_index(drop=True), rows[:3].reset_index(drop=True))


def table(**losses):
    """Return a table whose starts all have the same losses, those of one replaced."""
    normal = {"learned": [1.0] * 10, "alone": [1.0] * 10, "together": [1.0], "turned": 0.25}
    inside = {
        "cut": {"start": [], "end": []},
        "asleep": {"start": 0.5, "end": 0.25},
        "dead": {"start": 0.0, "end": 0.75},
    }
    starts = dict.fromkeys(STARTS, normal | inside)
    return {
        "constant": {"learned": CONSTANT, "held_out": CONSTANT},
        "starts": starts | {"balanced": starts["balanced"] | losses},
    }


def record(**losses):
    settings = {"members": 10, "together": 8, "folds": 3, "steps": 3000, "weight_decay": 0.01}
    about = {"commit": "abc", "threads": 1, "hardware": "a machine"}
    return settings | {"found": {"swd": table(**losses), "pima": table()}, "provenance": about}


def test_half_way_is_between_the_lowest_median_and_the_constant():
    assert seeds_report.half_way(CONSTANT, [[1.0, 1.0, 9.0], [2.0, 2.0, 2.0]]) == 2.0


@pytest.mark.parametrize(("loss", "counted"), [(2.0, 0), (np.nextafter(2.0, 3.0), 1), (CONSTANT, 1), (np.nan, 1)])
def test_a_network_collapses_beyond_half_way_and_not_before(loss, counted):
    assert seeds_report.counts(table(learned=[1.0] * 9 + [loss]), "balanced")["collapsed"] == counted


def test_rows_that_are_learned_and_lost_again_are_no_collapse():
    counted = seeds_report.counts(table(alone=[1.0] * 9 + [5.0], together=[5.0]), "balanced")
    assert counted == {"collapsed": 0, "cut before training": 0, "cut": 0, "far off": 1, "means far off": 1}


def test_a_start_that_fails_as_a_whole_is_measured_by_the_others():
    counted = seeds_report.counts(table(learned=[CONSTANT] * 10), "balanced")
    assert counted["collapsed"] == 10
    assert seeds_report.counts(table(learned=[CONSTANT] * 10), "uniform")["collapsed"] == 0


def test_the_page_says_what_was_counted():
    page = seeds_report.text(record(learned=[1.0] * 8 + [9.0] * 2, cut={"start": [1], "end": [1, 2]}))
    assert "| balanced | 2 | 1 | 2 | 0 | 0 | 50 % → 25 % | 0 % → 75 % | 25 % |" in page
    assert "| uniform | 0 | 0 | 0 | 0 | 0 | 50 % → 25 % | 0 % → 75 % | 25 % |" in page
    assert "| swd, rmse | balanced | 3 | 1 | 1 | 1 | 1 | 1 | 0 | 2 | 2 |" in page
    assert "| pima, log_loss | balanced | 3 | 1 | 1 | 1 | 1 | 1 | 0 | 0 | 0 |" in page
    assert all(said in page for said in ("2 tables", "20 networks", "2 means of 8"))


def test_narrow_networks_are_not_measured_by_wide_ones():
    narrow = {name: {"learned": [2.5] * 10} for name, start in STARTS.items() if start.hidden}
    found = table()
    found["starts"] |= {name: found["starts"][name] | worse for name, worse in narrow.items()}
    assert {seeds_report.counts(found, name)["collapsed"] for name in STARTS} == {0}


def test_units_that_a_table_lacks_have_no_say():
    lacking = table()["starts"]["uniform"] | {"dead": {"start": None, "end": None}}
    page = record()
    page["found"]["pima"]["starts"] = dict.fromkeys(STARTS, lacking)
    assert "0 % → 75 %" in seeds_report.summary_table(page)


def test_only_whole_eights_are_averaged():
    assert [(each.start, each.stop) for each in seeds.eights(20)] == [(0, 8), (8, 16)]


def test_all_members_together_predict_what_the_model_predicts():
    network = Architecture((Numeric(direction=1),), hidden=(4, 4), members=3, center=2.0, scale=5.0)
    parameters, x = network.initial(0), np.linspace(-1.0, 1.0, 9)[:, None]
    latent = member_scores(network, parameters, x)
    # the engine sums the members in float32
    expected = pytest.approx(predict(network, parameters, x)[:, 0], rel=8 * float(np.finfo(np.float32).eps))
    assert seeds.predictions(network, latent) == expected
    assert seeds.predictions(network, latent[:1]) != expected


@pytest.mark.parametrize("kind", ["ordinal", "binary"])
def test_what_is_measured_is_told_for_every_member(kind):
    found = seeds.measured(part(kind), STARTS["balanced"], members=17, steps=20)
    assert [len(found[name]) for name in ("learned", "alone", "together")] == [17, 17, 2]
    assert np.isfinite(found["learned"] + found["alone"] + found["together"]).all()
    assert len(set(found["alone"])) > 1
    assert set(found["asleep"]) == set(found["cut"]) == set(found["dead"]) == {"start", "end"}


@pytest.mark.parametrize("stops", [True, False])
def test_a_model_stops_early_only_where_it_is_told_to(stops):
    model = seeds.fitted(part(), STARTS["balanced"], 9, 20, stops)
    assert bool(model.validation_curve_) is stops
    assert (model.architecture_.members, model.architecture_.hidden) == (9, (32, 32))


def test_a_start_may_be_narrow():
    assert seeds.fitted(part(), STARTS["3 wide, balanced"], 8, 1, stops=False).architecture_.hidden == (3, 3, 3)


def test_an_output_as_drawn_knows_nothing_of_the_targets():
    drawn, told = (seeds.fitted(part(), Start("uniform", fitted), 8, 4, stops=True) for fitted in (False, True))
    assert (drawn.architecture_.center, drawn.architecture_.scale) == (0.0, 1.0)
    assert told.architecture_.center == pytest.approx(ROWS["ground_truth"][3:].mean())
    # and the rule is given back
    assert heads.regression(Loss("squared_error"), np.array([1.0, 3.0]), np.ones(2)).center == 2.0


def test_both_schemes_are_drawn():
    first = {scheme: seeds.fitted(part(), Start(scheme, True), 8, 1, stops=False) for scheme in ("uniform", "balanced")}
    weights = [np.abs(model.parameters_["trunk.1.weight"]).max() for model in first.values()]
    assert weights[0] != pytest.approx(weights[1], rel=0.01)


def test_a_unit_of_the_free_branch_is_dead_if_no_row_moves_it():
    network = Architecture((Numeric(), Numeric(direction=1)), hidden=(4,), free_hidden=(4,), members=2)
    parameters, x = network.initial(0), np.random.default_rng(0).normal(size=(50, 2))
    parameters["free.0.bias"][...] = 10.0
    assert seeds.dead(network, parameters, x) == 0.0
    parameters["free.0.bias"][0] = -100.0
    assert seeds.dead(network, parameters, x) == 0.5


def test_a_network_without_a_free_branch_has_no_dead_units():
    network = Architecture((Numeric(direction=1),), hidden=(4,))
    assert seeds.dead(network, network.initial(0), np.zeros((1, 1))) is None


def test_a_record_is_read_as_it_was_written(tmp_path):
    seeds.write({"swd": table()}, tmp_path / "seeds.json")
    assert seeds.read(tmp_path / "seeds.json")["found"] == {"swd": table()}
