"""The training loop of the paper's notebooks: data loaders, Adam, squared error, a score after every epoch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.paper.network import PaperNetwork
from benchmarks.paper.protocol import RECIPES, Epoch, Recipe, score, summarise
from benchmarks.tasks import TASKS, Task


def run(task_name: str, seed: int, epochs: int | None = None, device: str = "cpu") -> dict[str, object]:
    """Train one seed and return its three scores and its time; `epochs` shortens the run to time it."""
    task, recipe = TASKS[task_name], RECIPES[task_name]
    recipe = replace(recipe, epochs=epochs or recipe.epochs)
    frames = task.load()
    torch.manual_seed(seed)
    network = PaperNetwork([task.signs.get(name, 0) for name in frames[0] if name != task.target], recipe).to(device)
    started = time.perf_counter()
    scores = list(train_epochs(network, recipe, *(tensors(task, frame) for frame in frames)))
    seconds = time.perf_counter() - started
    return {"task": task_name, "seed": seed, "epochs": recipe.epochs, "seconds": seconds} | {
        "scores": summarise(recipe.metric, scores)
    }


def train_epochs(network: PaperNetwork, recipe: Recipe, train: TensorDataset, test: TensorDataset) -> Iterator[Epoch]:
    """Train and yield the scores after each epoch."""
    # NOTE[PAPER]: the incomplete last batch is dropped in both, so each epoch scores another part of the test rows
    training = DataLoader(train, batch_size=recipe.batch, shuffle=True, drop_last=True)
    testing = DataLoader(test, batch_size=recipe.test_batch, shuffle=True, drop_last=True)
    optimiser = torch.optim.Adam(network.parameters(), lr=recipe.learning_rate)
    device = network.signs.device
    for _ in range(recipe.epochs):
        for x, y in training:
            optimiser.zero_grad()
            torch.nn.functional.mse_loss(network(x.to(device)), y.to(device)).backward()
            optimiser.step()
        yield Epoch(_score(network, recipe, testing), _score(network, recipe, [test.tensors]))


def _score(network: PaperNetwork, recipe: Recipe, batches: DataLoader | list[tuple[Tensor, ...]]) -> float:
    with torch.no_grad():
        pairs = [(network(x.to(network.signs.device)).cpu(), y) for x, y in batches]
    output, truth = (torch.cat(parts).double().numpy() for parts in zip(*pairs, strict=True))
    return score(recipe.metric, truth, output)


def tensors(task: Task, frame: pd.DataFrame) -> TensorDataset:
    """Return rows and targets of a frame."""
    x = frame.drop(columns=task.target).to_numpy(np.float32)
    return TensorDataset(torch.from_numpy(x), torch.from_numpy(frame[task.target].to_numpy(np.float32)))
