import pytest

from benchmarks.peers.interface import Kind
from benchmarks.peers.unconstrained import Unconstrained
from benchmarks.tests.opposing import SIGNS, fitted, worst_fall

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("kind", list(Kind))
def test_without_a_constraint_predictions_follow_the_data_against_the_signs(kind):
    peer, frame = fitted(Unconstrained(), kind, SIGNS)
    assert worst_fall(peer, frame, SIGNS) > 0.05
