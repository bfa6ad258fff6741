from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import tasks
from benchmarks.paper import __main__ as command
from benchmarks.paper import native
from benchmarks.paper.network import PaperNetwork
from benchmarks.paper.protocol import RECIPES, Recipe, score
from isotone import engine
from isotone.architecture import Parameters
from isotone.losses import Loss

SIGNS = [1, 0, -1, 0]
TINY = Recipe("mse", 3, batch=8, test_batch=8, width=4, free_width=3, depth=2, free_depth=2, activation="CELU")
PARAMETERS = {"auto": (7, 505), "heart": (13, 1873), "compas": (13, 1873), "loan": (28, 2113), "blog": (276, 605)}


def _rows(count, seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(count, len(SIGNS))).astype(np.float32)
    return x, (x[:, 0] + np.sin(x[:, 1])).astype(np.float32)


@pytest.fixture
def network():
    return native.described(SIGNS, TINY, members=3)


def test_every_epoch_is_told(network):
    told = []
    native.train_members(network, TINY, _rows(40), _rows(21, seed=1), tell=lambda: told.append(1))
    assert len(told) == TINY.epochs


@pytest.mark.parametrize("name", PARAMETERS)
def test_networks_have_the_papers_number_of_parameters(name):
    columns, count = PARAMETERS[name]
    constrained = list(tasks.TASKS[name].signs.values())
    shapes = native.described(constrained + [0] * (columns - len(constrained)), RECIPES[name], 1).shapes
    assert sum(int(np.prod(shape)) for shape in shapes.values()) == count


def _in_the_authors_network(parameters: Parameters, recipe, bias_share):
    """Return the authors' network with our weights, each bias of the trunk times a share."""
    theirs = PaperNetwork(SIGNS, recipe)
    layers = {f"free.{i}": layer for i, layer in enumerate(list(theirs.free)[::2])}
    layers |= {f"trunk.{i}": layer for i, layer in enumerate(theirs.trunk)}
    with torch.no_grad():
        for name, layer in layers.items():
            share = bias_share if name.startswith("trunk") else 1.0
            layer.weight.copy_(torch.from_numpy(parameters[f"{name}.weight"][0]))
            layer.bias.copy_(share * torch.from_numpy(parameters[f"{name}.bias"][0]))
    return theirs


@pytest.mark.parametrize("activations", [("CELU", "SiLU"), ("ReLU", "ReLU")])
def test_it_is_the_authors_network_but_for_the_second_bias(activations):
    recipe = replace(TINY, activation=activations[0], free_activation=activations[1])
    ours = native.described(SIGNS, recipe, members=1)
    parameters, x = ours.initial(seed=0), _rows(50)[0]
    output = engine.member_scores(ours, parameters, x)[0, :, 0]

    def gap(bias_share):
        with torch.no_grad():
            theirs = _in_the_authors_network(parameters, recipe, bias_share)(torch.from_numpy(x)).numpy()
        return float(np.abs(theirs - output).max())

    # six layers of sums of a few numbers below 10
    assert gap(0.5) <= 64 * np.finfo(np.float32).eps
    assert gap(1.0) > 0.01


def test_an_epoch_draws_whole_batches_of_other_rows():
    drawn = native.drawn_rows(member=0, epoch=0, rows=78, batch=8)
    assert len(set(drawn)) == 72
    assert set(drawn) < set(range(78))
    assert np.array_equal(drawn, native.drawn_rows(0, 0, 78, 8))
    others = [native.drawn_rows(1, 0, 78, 8), native.drawn_rows(0, 1, 78, 8)]
    assert all(set(drawn) != set(other) for other in others)


def test_the_last_epoch_is_scored_with_the_weights_that_training_returns(network):
    train, test = _rows(60), _rows(21, seed=1)
    scores = native.train_members(network, TINY, train, test)
    settings = engine.Settings(epochs=3, batch_size=8, drop_last=True)
    parameters = engine.train(network, *train, Loss("squared_error"), settings)[0]
    outputs = engine.member_scores(network, parameters, test[0])[:, :, 0].astype(float)
    assert [len(epochs) for epochs in scores] == [3, 3, 3]
    assert [epochs[-1].whole for epochs in scores] == [score("mse", test[1].astype(float), one) for one in outputs]
    # five rows of 21 fill no batch
    assert all(epochs[-1].batches != epochs[-1].whole for epochs in scores)
    assert len({epochs[-1].whole for epochs in scores}) == 3


def test_without_an_incomplete_batch_both_scores_are_one(network):
    scores = native.train_members(network, TINY, _rows(60), _rows(24, seed=1))
    for epochs in scores:
        for epoch in epochs:
            # the same 24 numbers, summed in another order
            assert epoch.batches == pytest.approx(epoch.whole, rel=24 * np.finfo(float).eps)


def test_a_seed_does_not_depend_on_how_many_there_are(network):
    three = native.train_members(network, TINY, _rows(60), _rows(21, seed=1))
    alone = native.train_members(replace(network, members=1), TINY, _rows(60), _rows(21, seed=1), threads=2)
    assert three[0] == alone[0]
    assert three[1] != alone[0]


@pytest.mark.data
def test_a_short_run_learns(tables):
    first, second = native.run("auto", 2, epochs=4)
    assert first["scores"] != second["scores"]
    assert (first["seed"], second["seed"], first["epochs"]) == (0, 1, 4)
    targets = tables["auto"].test()["ground_truth"]
    # before training the outputs are near 0
    assert first["scores"]["best_whole"] < (targets**2).mean() / 2


@pytest.mark.data
def test_the_command_adds_the_missing_seeds(tables, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(native, "RECIPES", {"auto": replace(RECIPES["auto"], epochs=1)})
    for seeds in ("1", "3"):
        command.main(["auto", "--engine", "engine", "--seeds", seeds, "--results", str(tmp_path)])
    lines = (tmp_path / "paper-engine.jsonl").read_text().splitlines()
    assert len(lines) == 3
    assert "| auto | engine | 3 |" in capsys.readouterr().out
