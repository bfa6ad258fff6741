"""A peer at its defaults is what a user of the package gets: naming a default can change what a package chooses."""

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.peers.interface import Budget, Kind
from benchmarks.tests.opposing import SIGNS, table

pytestmark = pytest.mark.peers

FRAME, TARGET = table(Kind.REGRESSION)
NUMBERS = FRAME.drop(columns="name")
IN_ORDER = [SIGNS.get(name, 0) for name in NUMBERS]


def _xgboost():
    import xgboost

    return xgboost.XGBRegressor(monotone_constraints=SIGNS, random_state=3)


def _lightgbm():
    import lightgbm

    advanced = {"monotone_constraints": IN_ORDER, "monotone_constraints_method": "advanced"}
    return lightgbm.LGBMRegressor(**advanced, random_state=3, verbose=-1)


def _catboost():
    import catboost

    return catboost.CatBoostRegressor(
        monotone_constraints=SIGNS, random_seed=3, verbose=False, allow_writing_files=False
    )


def _hist_gradient_boosting():
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(monotonic_cst=SIGNS, random_state=3)


def _ebm():
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(monotone_constraints=IN_ORDER, random_state=3, n_jobs=1)


def _isotone():
    from isotone import MonotoneRegressor

    return MonotoneRegressor(monotonic_cst=SIGNS, random_state=3)


LIBRARY = {
    "isotone": _isotone,
    "xgboost": _xgboost,
    "lightgbm": _lightgbm,
    "catboost": _catboost,
    "hist_gradient_boosting": _hist_gradient_boosting,
    "ebm": _ebm,
}


def _gap(name, **settings):
    peer = peers.find(name)(**settings)
    peer.fit(NUMBERS, TARGET, SIGNS, kind=Kind.REGRESSION, seed=3, budget=Budget(threads=1))
    theirs = LIBRARY[name]().fit(NUMBERS, TARGET).predict(NUMBERS)
    return float(np.abs(peer.predict(NUMBERS) - theirs).max())


@pytest.mark.parametrize("name", sorted(set(LIBRARY) - {"catboost"}))
def test_a_peer_at_its_defaults_is_the_package_at_its_own(name):
    assert _gap(name) == 0


def test_catboost_is_the_package_at_its_own_defaults_but_for_the_centre():
    assert _gap("catboost", centre=False) == 0


def test_naming_a_default_of_catboost_makes_it_another_method():
    assert _gap("catboost", centre=False, l2_leaf_reg=3.0) > 0.01


@pytest.mark.parametrize("setting", [{"width": 8}, {"depth": 1}, {"free_width": 8}, {"activation": "celu"}])
def test_a_setting_of_ours_reaches_the_estimator(setting):
    assert _gap("isotone", **setting) > 0.001
