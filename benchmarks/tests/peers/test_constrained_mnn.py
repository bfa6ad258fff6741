import pytest
import torch

from benchmarks.peers.constrained_mnn import ConstrainedMNN
from benchmarks.peers.training import EPS
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("activation", ["elu", "relu", "softplus"])
def test_any_weights_rise_in_constrained_columns_and_only_there(activation):
    torch.manual_seed(0)
    network = shaken(ConstrainedMNN(activation=activation).network(torch.randn(20, 5), 3))
    assert relative_fall(network, 5, [0, 1, 2]) <= 64 * EPS  # three layers of at most 32 rounded terms
    assert relative_fall(network, 5, [3, 4]) > 0.01


def test_without_free_columns_there_is_no_branch():
    network = ConstrainedMNN().network(torch.randn(20, 3), 3)
    assert network.branch is None
    assert network(torch.randn(7, 3)).shape == (7,)


def test_all_modes_are_the_packages_absolute_one():
    assert {layer.mode for layer in ConstrainedMNN().trunk(4)} == {"absolute"}
