import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from benchmarks.peers.interface import Kind
from benchmarks.peers.training import Inputs, Schedule, Split, Target, evaluate, train

pytestmark = pytest.mark.peers

FRAME = pd.DataFrame({"free": [1.0, 2.0, 4.0], "down": [5.0, 6.0, 9.0], "name": ["a", "b", "a"], "up": [0.0, 1.0, 1.0]})
SIGNS = {"down": -1, "up": 1}


def line(rows=200, seed=0):
    x = torch.randn(rows, 2, generator=torch.Generator().manual_seed(seed))
    return x, x @ torch.tensor([1.0, -2.0])


def test_constrained_columns_come_first_and_push_up():
    inputs = Inputs.learn(FRAME, SIGNS)
    matrix = inputs.tensor(FRAME)
    assert inputs.increasing == 2
    assert (matrix[:, 0].diff() < 0).all()  # "down", turned
    assert (matrix[:, 1].diff() >= 0).all()  # "up"
    assert matrix.shape == (3, 5)  # and "free" and the two names


def test_boxed_inputs_stay_in_the_box_of_the_training_rows():
    inputs = Inputs.learn(FRAME, SIGNS, boxed=True)
    far = FRAME.assign(down=[-100.0, 0.0, 100.0])
    assert inputs.tensor(far)[:, 0].tolist() == [1.0, 1.0, 0.0]
    assert Inputs.learn(FRAME, SIGNS).tensor(far)[:, 0].abs().max() > 10


def test_a_missing_number_takes_the_mean():
    assert Inputs.learn(FRAME, SIGNS).tensor(FRAME.assign(free=np.nan))[:, 2].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", [Kind.REGRESSION, Kind.ORDINAL])
def test_numbers_are_standardised_and_come_back(kind):
    values = np.array([10.0, 20.0, 60.0])
    target = Target.learn(values, kind)
    encoded = target.encode(values)
    assert abs(float(encoded.mean())) < 1e-6
    # encoded once to float32: one relative eps of the largest value, and as much for the scale
    np.testing.assert_allclose(target.decode(encoded.double().numpy()), values, rtol=4 * np.finfo(np.float32).eps)


def test_a_class_becomes_a_probability():
    target = Target.learn(np.array([0.0, 1.0]), Kind.BINARY)
    assert target.decode(np.array([0.0])) == 0.5
    assert target.loss(torch.tensor([20.0]), torch.tensor([1.0])) < target.loss(
        torch.tensor([20.0]), torch.tensor([0.0])
    )


def test_each_class_is_held_out_in_proportion_and_no_row_is_lost():
    y = torch.tensor([1.0] * 10 + [0.0] * 90)
    split = Split.draw(torch.arange(100.0)[:, None], y, Kind.BINARY, seed=0)
    assert split.y_held.sum() == 2
    assert len(split.y_held) == 20
    assert sorted([*split.x[:, 0].tolist(), *split.x_held[:, 0].tolist()]) == list(range(100))


def test_training_learns_a_line_and_keeps_its_best_epoch():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(2, 1), nn.Flatten(0))
    split = Split.draw(*line(), Kind.REGRESSION, seed=0)
    target = Target(Kind.REGRESSION, 0.0, 1.0)
    best = train(network, split, target, Schedule(learning_rate=0.3, epochs=60))
    assert best < 1e-2
    assert evaluate(network, split, target) == best


def test_training_stops_when_the_held_out_loss_stops_falling():
    x, y = line()
    epochs = []
    split = Split.draw(x, y, Kind.REGRESSION, seed=0)
    hopeless = Split(split.x, split.y, split.x_held, -split.y_held)  # what it learns is wrong there
    network = nn.Sequential(nn.Linear(2, 1), nn.Flatten(0))
    schedule = Schedule(epochs=100, patience=5, batch_size=200)
    train(network, hopeless, Target(Kind.REGRESSION, 0.0, 1.0), schedule, project=lambda: epochs.append(1))
    assert len(epochs) < 20


def test_a_seed_decides_the_weights():
    def weights(seed):
        torch.manual_seed(seed)
        network = nn.Sequential(nn.Linear(2, 1), nn.Flatten(0))
        train(
            network, Split.draw(*line(), Kind.REGRESSION, seed), Target(Kind.REGRESSION, 0.0, 1.0), Schedule(epochs=3)
        )
        return network[0].weight.tolist()

    assert weights(1) == weights(1)
    assert weights(1) != weights(2)


@pytest.mark.parametrize(("rows", "size"), [(10, 10), (1000, 32), (100_000, 1000)])
def test_large_tables_get_larger_batches(rows, size):
    assert Schedule().batch(rows) == size
