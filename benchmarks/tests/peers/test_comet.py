import itertools

import numpy as np
import pytest
import torch
from torch import nn

from benchmarks.peers.comet import Comet, Exact
from benchmarks.peers.interface import Kind
from benchmarks.peers.training import Split
from benchmarks.tests.opposing import SIGNS, fitted

pytestmark = pytest.mark.peers


def exact_network(seed, effort=10**9, width=8, features=3):
    torch.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter))
    return Exact.of(network, 2, effort)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("seed", range(5))
def test_an_extreme_is_attained_and_no_point_of_a_fine_grid_exceeds_it(seed, side):
    exact = exact_network(seed)
    row = np.array([0.75, 0.5, 0.25])
    value, point = exact.extreme(row, side)
    ends = [(0.0, row[k]) if side > 0 else (row[k], 1.0) for k in range(2)]
    grid = [[u, v, row[2]] for u, v in itertools.product(*(np.linspace(*end, 65) for end in ends))]
    assert (side * exact(np.array(grid))).max() <= side * value
    # the point is a fraction rounded to float64 inputs and sums: a few places of values of order ten
    assert exact(point[None])[0] == pytest.approx(value, rel=1e-12)
    assert point[2] == row[2]
    assert (side * (row - point) >= 0).all()


def test_sums_do_not_depend_on_the_order_of_terms():
    exact = exact_network(0)
    rows = np.round(np.random.default_rng(0).uniform(size=(200, 3)) * 1024) / 1024
    one_by_one = np.array([exact(row[None])[0] for row in rows])
    np.testing.assert_array_equal(exact(rows), one_by_one)


def test_the_envelope_rises_bit_for_bit_where_the_network_falls():
    exact = exact_network(3)
    rows = np.stack([np.linspace(0, 1, 33), np.full(33, 0.5), np.full(33, 0.25)], axis=1)
    assert np.diff(exact(rows)).min() < 0
    for side in (1, -1):
        assert np.diff([exact.extreme(row, side)[0] for row in rows]).min() >= 0


def test_counterexamples_share_the_label_of_their_row():
    peer, frame = fitted(Comet(rounds=0), Kind.REGRESSION, SIGNS)
    x, y = peer.inputs.tensor(frame), torch.zeros(len(frame))
    augmented = peer.with_counterexamples(Split(x, y, x, y), x[:8])
    assert len(augmented.x) > len(x)
    assert len(augmented.x) == len(augmented.y)
    added = augmented.y[len(x) :]
    assert len(added.unique()) <= 8


def test_a_query_that_runs_out_of_effort_is_a_failure():
    peer, frame = fitted(Comet(rounds=0), Kind.REGRESSION, SIGNS)
    assert np.isfinite(peer.predict(frame.iloc[:3])).all()
    # a network with thousands of cases, and the effort of a few
    peer.effort = 1000
    peer.exact = exact_network(0, effort=1000, width=40, features=peer.inputs.tensor(frame).shape[1])
    with pytest.raises(RuntimeError, match=r"z3 found no envelope for 3 of 3 rows, effort 1000 each"):
        peer.predict(frame.iloc[:3])
