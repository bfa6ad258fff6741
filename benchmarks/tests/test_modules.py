from dataclasses import replace

import numpy as np
import pytest
import torch

from benchmarks import tasks
from benchmarks.paper import __main__ as command
from benchmarks.paper import loop, modules, native
from benchmarks.paper.protocol import RECIPES, Recipe, score
from isotone import engine
from isotone.nn import to_parameters

SIGNS = [1, 0, -1, 0]
TINY = Recipe("mse", 2, batch=8, test_batch=8, width=4, free_width=3, depth=2, free_depth=2, activation="CELU")


def _rows(count, seed=0):
    x = torch.randn(count, len(SIGNS), generator=torch.Generator().manual_seed(seed))
    return x, x[:, 0] + x[:, 1].sin()


@pytest.fixture
def network():
    torch.manual_seed(0)
    return modules.described(SIGNS, TINY)


@pytest.mark.parametrize("name", RECIPES)
def test_the_modules_describe_the_network_that_the_engine_trains(name):
    signs = [*tasks.TASKS[name].signs.values(), 0, 0]
    architecture, parameters = to_parameters(modules.described(signs, RECIPES[name]))
    ours = native.described(signs, RECIPES[name], members=1)
    assert architecture.shapes == ours.shapes
    assert (architecture.activation, architecture.free_activation) == (ours.activation, ours.free_activation)
    x = np.random.default_rng(0).normal(size=(20, len(signs))).astype(np.float32)
    here, there = (engine.member_scores(each, parameters, x) for each in (architecture, ours))
    assert np.array_equal(here, there)


def test_an_epoch_is_shuffled_and_drops_its_incomplete_batch():
    batches = list(modules.shuffled(_rows(21), 8))
    assert [len(batch) for batch in batches] == [8, 8]
    drawn = torch.cat(batches)
    assert len(set(drawn.tolist())) == 16
    assert drawn.tolist() != sorted(drawn.tolist())
    assert not torch.equal(drawn, torch.cat(list(modules.shuffled(_rows(21), 8))))


def test_a_step_is_that_of_adam_on_the_squared_error(network):
    x, y = _rows(40)
    other = modules.described(SIGNS, TINY)
    other.load_state_dict(network.state_dict())
    optimiser = torch.optim.Adam(other.parameters(), lr=TINY.learning_rate)
    step = modules.Step(network, TINY, (x, y))
    for rows in (torch.arange(8), torch.arange(8, 16)):
        step(rows)
        optimiser.zero_grad()
        ((other(x[rows])[:, 0] - y[rows]) ** 2).mean().backward()
        optimiser.step()
    for mine, theirs in zip(network.parameters(), other.parameters(), strict=True):
        # a mean of eight squares, summed in another order, then divided by its own root
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def test_scores_are_those_of_the_weights_after_each_epoch(network):
    test = _rows(21, seed=1)
    for epoch in modules.train_epochs(network, TINY, _rows(60), test):
        with torch.no_grad():
            output = network(test[0])[:, 0].double().numpy()
        assert epoch.whole == score("mse", test[1].double().numpy(), output)
        # five rows of 21 fill no batch
        assert epoch.batches != epoch.whole


@pytest.mark.data
@pytest.mark.parametrize("module", [loop, modules])
def test_a_seed_decides_a_run(tables, module):
    def scores(seed):
        return module.run("auto", seed, epochs=1)["scores"]

    assert scores(0) == scores(0)
    assert scores(0) != scores(1)


@pytest.mark.data
def test_the_command_keeps_its_lines_apart(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(modules, "RECIPES", {"auto": replace(RECIPES["auto"], epochs=1)})
    command.main(["auto", "--engine", "torch_modules", "--seeds", "2", "--results", str(tmp_path)])
    assert len((tmp_path / "paper-torch_modules.jsonl").read_text().splitlines()) == 2


def test_the_engine_refuses_a_device_that_it_would_ignore():
    with pytest.raises(ValueError, match="--device cuda is for torch_loop and torch_modules"):
        command.main(["auto", "--engine", "engine", "--device", "cuda"])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_recorded_step_is_the_step(network):
    data = tuple(part.cuda() for part in _rows(80))
    recorded, plain = (modules.described(SIGNS, TINY).cuda() for _ in range(2))
    for copied in (recorded, plain):
        copied.load_state_dict(network.state_dict())
    steps = modules.Step(recorded, TINY, data), modules.Step(plain, TINY, data)
    steps[1].graph = None
    for rows in torch.arange(80, device="cuda").split(8):
        for step in steps:
            step(rows)
    for mine, theirs in zip(recorded.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)
