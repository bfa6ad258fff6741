"""Each member holds out its own fold."""

from __future__ import annotations

import numpy as np
import pytest

from isotone.estimators.folds import held_out


def test_folds_are_disjoint_and_cover_the_rows_when_there_are_as_many_as_members() -> None:
    assert (held_out(8, 100, 1 / 8, seed=0).sum(axis=0) == 1).all()


@pytest.mark.parametrize(("fraction", "share"), [(0.1, 10), (0.2, 20), (0.5, 50)])
def test_a_fold_has_its_share(fraction: float, share: int) -> None:
    assert set(held_out(3, 100, fraction, seed=0).sum(axis=1)) == {share}


def test_classes_are_spread_evenly() -> None:
    strata = np.repeat([0, 1], [90, 10])
    folds = held_out(10, 100, 0.1, seed=0, strata=strata)
    assert (folds[:, strata == 1].sum(axis=1) == 1).all()
    assert not (held_out(10, 100, 0.1, seed=0)[:, strata == 1].sum(axis=1) == 1).all(), "the control: without strata"


def test_the_seed_decides() -> None:
    one, same, other = (held_out(2, 50, 0.2, seed) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_nobody_holds_out_everything() -> None:
    assert (held_out(4, 2, 0.1, seed=0).sum(axis=1) == 1).all()
