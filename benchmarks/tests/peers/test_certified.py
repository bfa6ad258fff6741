import time

import numpy as np
import pytest
import torch

from benchmarks.peers.certified import Certified, Pair, refutable
from benchmarks.peers.interface import Budget, Kind
from benchmarks.tests.opposing import SIGNS, fitted, table, worst_fall

pytestmark = pytest.mark.peers


def pair(inner, bias, outer, rising):
    """A pair with the given weights and one output."""
    module = Pair(len(inner[0]), rising, len(inner), 1)
    with torch.no_grad():
        module.inner.weight[:] = torch.tensor(inner)
        module.inner.bias[:] = torch.tensor(bias)
        module.outer.weight[:] = torch.tensor([outer])
    return module


def soon():
    return time.process_time() + 60


def test_a_pair_that_falls_in_a_corner_is_refutable():
    # 2 x - 3 relu(x + y - 1.9): only where x + y > 1.9
    falling = pair([[1.0, 0.0], [1.0, 1.0]], [0.0, -1.9], [2.0, -3.0], rising=1)
    assert refutable(falling, soon())


def test_a_pair_that_no_interval_proves_is_proved():
    # relu(2 x) - relu(x - 0.5): the second unit is on only where the first is
    rising = pair([[2.0], [1.0]], [-0.2, -0.5], [1.0, -1.9], rising=1)
    assert not refutable(rising, soon())
    assert refutable(pair([[2.0], [1.0]], [-0.2, -0.5], [1.0, -2.1], rising=1), soon())


def test_free_inputs_may_fall():
    assert not refutable(pair([[1.0, -1.0]], [0.0], [1.0], rising=1), soon())
    assert refutable(pair([[1.0, -1.0]], [0.0], [1.0], rising=2), soon())


def test_no_time_is_no_proof():
    rising = pair([[2.0], [1.0]], [-0.2, -0.5], [1.0, -1.9], rising=1)
    assert refutable(rising, time.process_time() - 1)


def test_slopes_are_the_derivatives():
    torch.manual_seed(0)
    module = Pair(4, 2, 8, 3)
    x = torch.rand(6, 4, requires_grad=True)
    expected = torch.stack([torch.autograd.grad(module(x)[:, o].sum(), x)[0][:, :2] for o in range(3)], dim=1)
    torch.testing.assert_close(module.slopes(x), expected)


def test_the_penalty_grows_until_the_network_is_certified():
    peer, frame = fitted(Certified(), Kind.REGRESSION, SIGNS)
    assert peer.strength >= 1
    assert worst_fall(peer, frame, SIGNS) <= peer.slack


def test_a_network_that_is_never_certified_is_a_failure():
    frame, target = table(Kind.REGRESSION)
    # a margin far below zero asks for nothing, so the network follows the data
    careless = Certified(margin=-1e6, rounds=2)
    with pytest.raises(RuntimeError, match=r"not certified monotone: last penalty 10"):
        careless.fit(frame, target, SIGNS, kind=Kind.REGRESSION, seed=0, budget=Budget())
    assert worst_fall(careless, frame, SIGNS) > 0.05


def test_predictions_beyond_the_box_are_those_on_its_face():
    peer, frame = fitted(Certified(), Kind.BINARY, SIGNS)
    face = frame.assign(rises=frame["rises"].max())
    np.testing.assert_array_equal(peer.predict(face.assign(rises=1e6)), peer.predict(face))
