"""The paper's evaluation by the library's PyTorch modules, on a processor or a GPU.

Batches are cut from a permutation where the data are, not collated row by row as in `loop`. On a GPU a step is recorded
once and replayed, for launching the kernels of so small a network one by one takes longer than running them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from benchmarks.paper.loop import tensors
from benchmarks.paper.protocol import RECIPES, Epoch, Recipe, score, summarise
from benchmarks.tasks import TASKS
from isotone.nn import PartialMonotoneMLP

# steps before recording, in which PyTorch sets up what it needs on a GPU; they train like any others
WARM_STEPS = 3
# rows and targets
Rows = tuple[Tensor, Tensor]


def run(task_name: str, seed: int, epochs: int | None = None, device: str = "cpu") -> dict[str, object]:
    """Train one seed and return its three scores and its time."""
    task, recipe = TASKS[task_name], RECIPES[task_name]
    recipe = replace(recipe, epochs=epochs or recipe.epochs)
    frames = task.load()
    torch.manual_seed(seed)
    network = described([task.signs.get(name, 0) for name in frames[0] if name != task.target], recipe).to(device)
    train, test = (tuple(part.to(device) for part in tensors(task, frame).tensors) for frame in frames)
    started = time.perf_counter()
    scores = list(train_epochs(network, recipe, train, test))
    seconds = time.perf_counter() - started
    return {"task": task_name, "seed": seed, "epochs": recipe.epochs, "seconds": seconds} | {
        "scores": summarise(recipe.metric, scores)
    }


def described(signs: Sequence[int], recipe: Recipe) -> PartialMonotoneMLP:
    """Return the paper's network in the words of the library; its bias counts once, as in `native`."""
    return PartialMonotoneMLP(
        signs,
        hidden=(recipe.width,) * (recipe.depth + 1),
        free_hidden=(recipe.free_width,) * recipe.free_depth,
        activation=recipe.activation.lower(),
        free_activation=recipe.free_activation.lower(),
    )


def train_epochs(network: nn.Module, recipe: Recipe, train: Rows, test: Rows) -> Iterator[Epoch]:
    """Train and yield the scores after each epoch."""
    step = Step(network, recipe, train)
    for _ in range(recipe.epochs):
        for rows in shuffled(train, recipe.batch):
            step(rows)
        with torch.no_grad():
            output = network(test[0]).squeeze(1)
        drawn = torch.cat(list(shuffled(test, recipe.test_batch)))
        yield Epoch(_score(recipe, output[drawn], test[1][drawn]), _score(recipe, output, test[1]))


def shuffled(rows: Rows, batch: int) -> Iterator[Tensor]:
    """Yield the rows of each batch of a shuffling loader that drops its incomplete last one."""
    order = torch.randperm(len(rows[1]), device=rows[1].device)
    return iter(order[: len(order) // batch * batch].split(batch))


class Step:
    """One update of the weights by the rows of a batch."""

    def __init__(self, network: nn.Module, recipe: Recipe, data: Rows) -> None:
        on_gpu = data[0].is_cuda
        self.network, self.data = network, data
        self.optimiser = torch.optim.Adam(network.parameters(), lr=recipe.learning_rate, capturable=on_gpu)
        # a recorded step reads its rows from one place
        self.rows = torch.zeros(recipe.batch, dtype=torch.int64, device=data[0].device)
        self.warm = WARM_STEPS if on_gpu else -1
        self.graph = torch.cuda.CUDAGraph() if on_gpu else None

    def __call__(self, rows: Tensor) -> None:
        self.rows.copy_(rows)
        if self.graph is None:
            self.take()
        elif self.warm > 0:
            self._take_aside()
        else:
            self._replay()
        self.warm -= 1

    def take(self) -> None:
        """Take one step."""
        x, y = self.data
        self.optimiser.zero_grad()
        nn.functional.mse_loss(self.network(x[self.rows]).squeeze(1), y[self.rows]).backward()
        self.optimiser.step()

    def _take_aside(self) -> None:
        # recording wants a stream of its own, and so does what comes before it
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            self.take()
        torch.cuda.current_stream().wait_stream(aside)

    def _replay(self) -> None:
        if self.warm == 0:
            self.optimiser.zero_grad()
            with torch.cuda.graph(self.graph):
                self.take()
        self.graph.replay()


def _score(recipe: Recipe, output: Tensor, truth: Tensor) -> float:
    return score(recipe.metric, truth.double().cpu().numpy(), output.double().cpu().numpy())
