import pytest
import torch
from torch.nn import functional

from benchmarks.peers.scalable import ExponentiatedLinear, ScalableNetwork, clipped
from benchmarks.peers.training import EPS
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_any_weights_rise_in_constrained_columns_and_only_there(layers):
    torch.manual_seed(0)
    network = shaken(ScalableNetwork(3, 2, 16, layers))
    assert relative_fall(network, 5, [0, 1, 2]) <= 64 * EPS  # four layers of at most 32 rounded terms
    assert relative_fall(network, 5, [3, 4]) > 0.01


def test_weights_without_the_exponential_fall(monkeypatch):
    torch.manual_seed(0)
    network = shaken(ScalableNetwork(3, 0, 16, 2))
    plain = functional.linear
    monkeypatch.setattr(ExponentiatedLinear, "forward", lambda self, x: plain(x, self.log_weight + 2, self.bias))
    assert relative_fall(network, 3, [0, 1, 2]) > 0.01


def test_relu_units_see_free_columns_only():
    torch.manual_seed(0)
    layer = ScalableNetwork(2, 3, 8, 1).layers[0]
    rising, free = layer(torch.randn(5, 2), torch.ones(5, 3))
    assert torch.equal(free, free[:1].expand(5, -1))
    assert torch.equal(rising[:, 8:], rising[:1, 8:].expand(5, -1))
    assert not torch.equal(rising[:, :8], rising[:1, :8].expand(5, -1))


def test_the_clip_leaks():
    assert clipped(torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0])).tolist() == pytest.approx([-0.01, 0.0, 0.5, 1.0, 1.01])
