import pytest
import torch

from benchmarks.peers.mononet_switch import MononetSwitch
from benchmarks.peers.training import EPS
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("activation", ["elu", "relu", "softplus"])
def test_any_weights_rise_in_constrained_columns_and_only_there(activation):
    torch.manual_seed(0)
    network = shaken(MononetSwitch(activation=activation).network(torch.randn(20, 5), 3))
    assert relative_fall(network, 5, [0, 1, 2]) <= 64 * EPS  # three layers of at most 32 rounded terms
    assert relative_fall(network, 5, [3, 4]) > 0.01


def test_hidden_layers_switch_and_the_last_keeps_its_bias():
    trunk = MononetSwitch(layers=2).trunk(4)
    assert [layer.mode for layer in trunk] == ["switch", "switch", "absolute"]
    before = trunk(torch.zeros(1, 4))
    with torch.no_grad():
        trunk[-1].bias += 1
    assert float((trunk(torch.zeros(1, 4)) - before).detach()) == pytest.approx(1.0)
