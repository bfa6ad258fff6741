import pytest
import torch
from sklearn.isotonic import isotonic_regression

from benchmarks.peers.interface import Kind
from benchmarks.peers.lattice import Calibrators, Embedding, Lattice, Lattices, even_knots, isotonic
from benchmarks.peers.training import EPS
from benchmarks.tests.opposing import SIGNS, fitted, worst_fall
from benchmarks.tests.peers.rising import relative_fall, shaken

pytestmark = pytest.mark.peers


def test_the_projection_onto_rising_rows_is_isotonic_regression():
    torch.manual_seed(0)
    values = torch.randn(50, 12)
    expected = torch.stack([torch.as_tensor(isotonic_regression(row.numpy())) for row in values])
    torch.testing.assert_close(isotonic(values), expected, rtol=0, atol=32 * EPS)  # means of differences of sums
    assert (isotonic(values).diff(dim=1) >= 0).all()


def test_projected_calibrators_rise_and_others_do_not():
    torch.manual_seed(0)
    calibrators = shaken(Calibrators(even_knots(2, -3.0, 8), torch.tensor([True, False])))
    assert relative_fall(calibrators, 2, [0]) > 0.01
    calibrators.project()
    grid = torch.linspace(-4, 2, 200)[:, None].expand(-1, 2)
    steps = calibrators(grid).detach().diff(dim=0)
    assert steps[:, 0].min() >= -8 * EPS  # outputs in [0, 1], a sum of seven rounded shares
    assert steps[:, 1].min() < -0.01


def test_calibrators_meet_their_knots_and_are_flat_beyond():
    calibrators = Calibrators(torch.tensor([[0.0, 1.0, 3.0]]), torch.tensor([True]))
    with torch.no_grad():
        calibrators.values[:] = torch.tensor([[0.1, 0.5, 0.9]])
    x = torch.tensor([[-5.0], [0.0], [0.5], [1.0], [2.0], [3.0], [9.0]])
    assert calibrators(x)[:, 0].tolist() == pytest.approx([0.1, 0.1, 0.3, 0.5, 0.7, 0.9, 0.9])


def test_an_embedding_keeps_signs_and_bounds_after_projection():
    torch.manual_seed(0)
    embedding = shaken(Embedding(torch.tensor([True, True, False]), torch.tensor([True, False])))
    embedding.project()
    weight = embedding.weight.detach()
    assert (weight[0, :2] >= 0).all()
    assert (weight[1, :2] == 0).all()
    assert (weight.abs().sum(dim=1) <= 1 + 4 * EPS).all()


def test_a_lattice_interpolates_its_corners():
    lattices = Lattices(torch.tensor([[2, 0]]), torch.ones(3, dtype=torch.bool))
    with torch.no_grad():
        lattices.values[:] = torch.tensor([[0.0, 0.2, 0.4, 1.0]])  # corners (0,0), (0,1), (1,0), (1,1) of inputs 2, 0
    x = torch.tensor([[0.0, 9.0, 0.0], [1.0, 9.0, 0.0], [0.0, 9.0, 1.0], [1.0, 9.0, 1.0], [0.5, 9.0, 0.5]])
    assert lattices(x)[:, 0].tolist() == pytest.approx([0.0, 0.2, 0.4, 1.0, 0.4])


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_projected_lattices_rise_along_every_constrained_edge(rank):
    torch.manual_seed(0)
    inputs = torch.stack([torch.randperm(6)[:rank] for _ in range(20)])
    rising = torch.tensor([True, True, True, False, True, False])
    lattices = shaken(Lattices(inputs, rising))
    assert worst_edge(lattices) < -0.1
    lattices.project()
    assert worst_edge(lattices) >= 0


def worst_edge(lattices):
    """The smallest difference along a constrained edge: exact, for the last projection only copies values."""
    rank = lattices.inputs.shape[1]
    cube = lattices.values.detach().reshape(-1, *[2] * rank)
    steps = [cube.diff(dim=k + 1).flatten(1)[lattices.rising[:, k]] for k in range(rank)]
    return min(float(step.min()) for step in steps if step.numel())


def test_without_projection_training_falls(monkeypatch):
    monkeypatch.setattr(Lattice, "projection", lambda self, network: None)
    peer, frame = fitted(Lattice(), Kind.REGRESSION, SIGNS)
    assert worst_fall(peer, frame, SIGNS) > 0.05
