import numpy as np
import pytest

from benchmarks import cells, peers
from benchmarks.cells import Fit
from benchmarks.peers.interface import Kind


def test_honest_cells_hold_every_seed_and_no_fold():
    planned = list(cells.honest(["auto", "heart"], ["linear"], range(10)))
    assert [len(cell) for cell in planned] == [10, 10]
    assert {fit.fold for cell in planned for fit in cell} == {None}


def test_development_cells_hold_the_folds_of_a_seed():
    planned = list(cells.development(["swd"], ["linear"], range(4), 3))
    assert [[fit.fold for fit in cell] for cell in planned] == [[0, 1, 2]] * 4


def test_a_search_tries_the_defaults_first_and_is_the_same_every_time():
    search = cells.tuning("swd", "linear")
    assert len(search) == cells.TRIALS * cells.TUNING_FOLDS
    assert [dict(fit.settings) for fit in search[:3]] == [{}] * 3
    assert len({fit.settings["penalty"] for fit in search[3:]}) == cells.TRIALS - 1
    assert search == cells.tuning("swd", "linear")
    assert set(search[-1].settings) == set(peers.find("linear").space)


def test_keys_tell_fits_apart():
    fits = [
        Fit("development", "swd", "linear", 0, 0, 3),
        Fit("development", "swd", "linear", 1, 0, 3),
        Fit("development", "swd", "linear", 0, 1, 3),
        Fit("development", "swd", "linear", 0, 0, 5),
        Fit("development", "swd", "linear", 0, 0, 3, settings={"penalty": 2.0}),
        Fit("honest", "swd", "linear", 0, 0, 3),
    ]
    assert len({fit.key for fit in fits}) == len(fits)


@pytest.mark.parametrize("kind", list(Kind))
def test_folds_part_the_rows_and_seeds_part_them_differently(kind):
    target = (np.arange(30) % 3 == 0).astype(float)
    held_out = [cells.split(kind, target, 0, 3, fold)[1] for fold in range(3)]
    assert sorted(np.concatenate(held_out)) == list(range(30))
    learn, scored = cells.split(kind, target, 0, 3, 1)
    assert set(learn) == set(range(30)) - set(scored)
    assert set(cells.split(kind, target, 1, 3, 1)[1]) != set(scored)


def test_folds_keep_the_share_of_a_class():
    target = (np.arange(60) % 4 == 0).astype(float)
    assert [target[cells.split(Kind.BINARY, target, 0, 3, fold)[1]].sum() for fold in range(3)] == [5, 5, 5]
