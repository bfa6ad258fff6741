import pytest
import torch
from torch.nn import functional

from benchmarks.peers.non_negative import NonNegative, NonNegativeLinear
from benchmarks.peers.training import EPS
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


def test_any_weights_rise_in_constrained_columns_and_only_there():
    torch.manual_seed(0)
    network = shaken(NonNegative().network(torch.randn(20, 5), 3))
    assert relative_fall(network, 5, [0, 1, 2]) <= 64 * EPS  # three layers of at most 32 rounded terms
    assert relative_fall(network, 5, [3, 4]) > 0.01


def test_weights_without_the_absolute_value_fall(monkeypatch):
    torch.manual_seed(0)
    network = shaken(NonNegative().network(torch.randn(20, 3), 3))
    monkeypatch.setattr(NonNegativeLinear, "forward", lambda self, x: functional.linear(x, self.weight, self.bias))
    assert relative_fall(network, 3, [0, 1, 2]) > 0.01


def test_units_start_where_their_sigmoids_are_steep():
    torch.manual_seed(0)
    layer = NonNegativeLinear(64, 32)
    units = layer(torch.rand(100, 64)).sigmoid().detach()
    assert ((units > 0.05) & (units < 0.95)).float().mean() > 0.9
