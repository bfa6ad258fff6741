import monotonicnetworks
import pytest
import torch

from benchmarks.peers.expressive import Expressive
from benchmarks.peers.training import EPS
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


def largest_slope(network, features):
    x = torch.randn(512, features, requires_grad=True)
    return float(torch.autograd.grad(network(x).sum(), x)[0].abs().max())


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("lipschitz", [0.5, 2.0, 8.0])
def test_slopes_stay_within_the_product_of_the_layers_constants(layers, lipschitz):
    torch.manual_seed(0)
    bounded = shaken(Expressive(lipschitz=lipschitz, layers=layers).bounded(4), 3.0)
    assert largest_slope(bounded, 4) <= lipschitz * (1 + 64 * EPS)  # products of a few rounded norms
    assert largest_slope(bounded, 4) > 0.01 * lipschitz


def test_any_weights_rise_in_constrained_columns_and_only_there():
    torch.manual_seed(0)
    network = shaken(Expressive().network(torch.randn(20, 5), 3), 3.0)
    assert relative_fall(network, 5, [0, 1, 2]) <= 64 * EPS  # three layers of at most 32 rounded terms
    assert relative_fall(network, 5, [3, 4]) > 1e-3


def test_a_wrapper_told_less_than_the_true_constant_falls():
    bounded = Expressive(lipschitz=8.0).bounded(3)
    with torch.no_grad():  # the steepest descent the constants allow, in the first input
        for layer in bounded:
            if isinstance(layer, monotonicnetworks.LipschitzLinear):
                layer.parametrizations.weight.original.fill_(10.0)
        bounded[0].parametrizations.weight.original[:, 1:] = 0.0
        bounded[-1].parametrizations.weight.original.neg_()
    # three layers of at most 32 rounded terms, of the size of the output's range
    assert relative_fall(monotonicnetworks.MonotonicWrapper(bounded, 8.0, [1.0, 1.0, 1.0]), 3, [0]) <= 64 * EPS
    assert relative_fall(monotonicnetworks.MonotonicWrapper(bounded, 0.5, [1.0, 1.0, 1.0]), 3, [0]) > 0.01
