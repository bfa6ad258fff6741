import numpy as np
import pytest
import torch

from benchmarks.peers.min_max import MinMaxNetwork
from benchmarks.peers.training import EPS
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


def test_the_output_is_the_smallest_of_the_groups_largest_planes():
    network = MinMaxNetwork(features=2, increasing=1, groups=2, planes=2)
    with torch.no_grad():
        network.log_slopes[:] = torch.tensor([[1.0, 2.0, 3.0, 4.0]]).log()
        network.slopes[:] = torch.tensor([[-1.0, 1.0, 0.0, 2.0]])
        network.heights[:] = torch.tensor([0.0, 1.0, -1.0, 0.5])
    x = torch.tensor([[1.0, 1.0], [-1.0, 2.0], [0.0, -3.0]])
    planes = [
        [a * u + b * v + c for a, b, c in [(1, -1, 0), (2, 1, 1), (3, 0, -1), (4, 2, 0.5)]] for u, v in x.tolist()
    ]
    expected = [min(max(p[0], p[1]), max(p[2], p[3])) for p in planes]
    np.testing.assert_allclose(network(x).detach(), expected, rtol=8 * EPS)  # exp and log round once each


def test_any_weights_rise_in_constrained_columns_and_only_there():
    torch.manual_seed(0)
    network = shaken(MinMaxNetwork(5, 3, 4, 4))
    assert relative_fall(network, 5, [0, 1, 2]) <= 16 * EPS  # one sum of five rounded terms
    assert relative_fall(network, 5, [3, 4]) > 0.01
