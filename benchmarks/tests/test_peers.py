import inspect
from dataclasses import fields

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.peers.interface import Budget, Kind, draw_settings
from benchmarks.tests.opposing import SIGNS, fitted, spread, table, worst_fall

pytestmark = pytest.mark.peers

CLASSES = {name: peers.find(name) for name in peers.REGISTRY}
KEEPERS = [name for name, peer in CLASSES.items() if peer.monotone]
# peers whose structure cannot do without signs fall outside the control below; none of the trees do
TREES = ["xgboost", "lightgbm", "catboost", "hist_gradient_boosting", "ebm"]


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("name", KEEPERS)
def test_signs_overrule_data_that_oppose_them(name, kind):
    peer, frame = fitted(CLASSES[name](), kind, SIGNS)
    assert worst_fall(peer, frame, SIGNS) <= peer.slack
    assert spread(peer, frame) > 0.01


@pytest.mark.parametrize("name", TREES)
def test_the_same_peer_without_signs_falls_against_them(name):
    peer, frame = fitted(CLASSES[name](), Kind.REGRESSION, {})
    assert worst_fall(peer, frame, SIGNS) > 0.1


@pytest.mark.parametrize("name", sorted(set(CLASSES) - set(KEEPERS)))
def test_a_peer_that_claims_nothing_falls_against_signs(name):
    peer, frame = fitted(CLASSES[name](), Kind.REGRESSION, SIGNS)
    assert worst_fall(peer, frame, SIGNS) > 0.01


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_binary_prediction_is_a_probability(name):
    peer, frame = fitted(CLASSES[name](), Kind.BINARY, SIGNS)
    prediction = peer.predict(frame)
    assert prediction.shape == (len(frame),)
    assert ((prediction >= 0) & (prediction <= 1)).all()


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_every_tuned_setting_is_a_setting(name):
    peer = CLASSES[name]
    drawn = draw_settings(peer.space, np.random.default_rng(0))
    assert set(drawn) <= {field.name for field in fields(peer)}
    assert peer(**drawn) == peer(**drawn)


@pytest.mark.parametrize("name", TREES)
def test_the_ends_of_the_tuning_space_fit(name):
    frame, target = table(Kind.REGRESSION)
    peer = CLASSES[name](**draw_settings(CLASSES[name].space, np.random.default_rng(1)))
    prediction = peer.fit(frame, target, SIGNS, kind=Kind.REGRESSION, seed=1, budget=Budget()).predict(frame)
    assert np.isfinite(prediction).all()


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_a_peer_fits_in_one_short_file(name):
    lines = inspect.getsource(inspect.getmodule(CLASSES[name])).count("\n")
    assert lines <= 200


def test_an_unknown_peer_is_named():
    with pytest.raises(ValueError, match=r"no peer 'xgb'.*xgboost"):
        peers.find("xgb")
