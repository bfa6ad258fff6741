"""What all network peers share: oriented inputs, a target with its loss, and one honest training loop."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from scipy.special import expit
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.peers.columns import Columns
from benchmarks.peers.interface import Budget, Kind, Peer, Vector

EPS = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Inputs:
    """A frame as a float32 matrix: constrained columns first, each turned so that it pushes the answer up."""

    columns: Columns
    order: NDArray[np.int64]
    increasing: int
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    boxed: bool

    @classmethod
    def learn(cls, frame: pd.DataFrame, signs: Mapping[str, int], *, boxed: bool = False) -> Self:
        """Learn scales from the training rows; `boxed` inputs are clipped to the unit box these rows span."""
        columns = Columns.learn(frame, signs, standardise=True)
        order = np.argsort(columns.signs == 0, kind="stable")
        turned = _turn(columns, order, frame)
        increasing = int((columns.signs != 0).sum())
        return cls(columns, order, increasing, turned.min(axis=0), turned.max(axis=0), boxed)

    def tensor(self, frame: pd.DataFrame) -> Tensor:
        """Return the rows, shape ``(n, d)``; a missing number takes the training mean."""
        values = _turn(self.columns, self.order, frame)
        if self.boxed:
            spread = np.where(self.high > self.low, self.high - self.low, 1.0)
            values = np.clip((values - self.low) / spread, 0.0, 1.0)
        return torch.as_tensor(values, dtype=torch.float32)


def _turn(columns: Columns, order: NDArray[np.int64], frame: pd.DataFrame) -> NDArray[np.float64]:
    direction = np.where(columns.signs < 0, -1.0, 1.0)
    # zero is the mean of a standardised column
    turned: NDArray[np.float64] = (np.nan_to_num(columns.matrix(frame)) * direction)[:, order]
    return turned


@dataclass(frozen=True)
class Target:
    """A target as the networks see it: standardised numbers under squared error, or 0/1 under log loss."""

    kind: Kind
    centre: float
    scale: float

    @classmethod
    def learn(cls, target: Vector, kind: Kind) -> Self:
        if kind is Kind.BINARY:
            return cls(kind, 0.0, 1.0)
        return cls(kind, float(np.mean(target)), float(np.std(target)) or 1.0)

    def encode(self, target: Vector) -> Tensor:
        return torch.as_tensor((np.asarray(target, dtype=float) - self.centre) / self.scale, dtype=torch.float32)

    def loss(self, output: Tensor, target: Tensor) -> Tensor:
        if self.kind is Kind.BINARY:
            return functional.binary_cross_entropy_with_logits(output, target)
        return functional.mse_loss(output, target)

    def decode(self, output: NDArray[np.float64]) -> Vector:
        """Return the mean, the probability of 1, or the score, in the units of the target."""
        decoded: Vector = expit(output) if self.kind is Kind.BINARY else output * self.scale + self.centre
        return decoded


@dataclass(frozen=True)
class Split:
    """The rows a network learns from and the rows that say when to stop."""

    x: Tensor
    y: Tensor
    x_held: Tensor
    y_held: Tensor

    @classmethod
    def draw(cls, x: Tensor, y: Tensor, kind: Kind, seed: int, fraction: float = 0.2) -> Self:
        """Hold out a fraction of the training rows, of each class when there are two."""
        random = np.random.default_rng(seed)
        classes = y.numpy() if kind is Kind.BINARY else np.zeros(len(y))
        groups = [np.flatnonzero(classes == label) for label in np.unique(classes)]
        held = np.concatenate([random.permutation(rows)[: math.ceil(fraction * len(rows))] for rows in groups])
        kept = np.setdiff1d(np.arange(len(y)), held)
        return cls(x[kept], y[kept], x[held], y[held])


@dataclass(frozen=True)
class Schedule:
    """How a network is trained: Adam on mini-batches, stopped by the held-out loss."""

    learning_rate: float = 3e-3
    batch_size: int = 32
    weight_decay: float = 0.0
    epochs: int = 500
    patience: int = 50
    updates: int = 20_000

    def batch(self, rows: int) -> int:
        """Return the batch size; large tables get larger batches, so that an epoch has at most 100 steps."""
        return min(rows, max(self.batch_size, math.ceil(rows / 100)))


def train(
    network: nn.Module,
    split: Split,
    target: Target,
    schedule: Schedule,
    *,
    penalty: Callable[[], Tensor] | None = None,
    project: Callable[[], None] | None = None,
) -> float:
    """Train in place, keep the weights of the best epoch, and return their held-out loss.

    `penalty` is added to the loss of every batch and of the held-out rows; `project` is called after every step.
    """
    optimiser = torch.optim.Adam(
        network.parameters(), lr=schedule.learning_rate, weight_decay=schedule.weight_decay, fused=True
    )
    size = schedule.batch(len(split.x))
    best, best_weights, waited = math.inf, copy.deepcopy(network.state_dict()), 0
    for _ in range(min(schedule.epochs, math.ceil(schedule.updates * size / len(split.x)))):
        for rows in torch.randperm(len(split.x)).split(size):
            loss = target.loss(network(split.x[rows]), split.y[rows])
            _step(optimiser, loss if penalty is None else loss + penalty())
            if project is not None:
                project()
        held = evaluate(network, split, target) + (0.0 if penalty is None else float(penalty().detach()))
        waited = 0 if held < best else waited + 1
        if held < best:
            best, best_weights = held, copy.deepcopy(network.state_dict())
        if waited >= schedule.patience:
            break
    network.load_state_dict(best_weights)
    return best


def _step(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


@torch.no_grad()
def evaluate(network: nn.Module, split: Split, target: Target) -> float:
    """Return the loss on the held-out rows."""
    return float(target.loss(network(split.x_held), split.y_held))


@dataclass
class TorchPeer(Peer):
    """A peer that is one network; a subclass says which."""

    learning_rate: float = 3e-3
    batch_size: int = 32

    monotone = True
    # sums of a few hundred float32 terms, each rounded once, against the range of the answers
    slack = 256 * EPS
    packages = ("torch",)

    @abstractmethod
    def network(self, x: Tensor, increasing: int) -> nn.Module:
        """Return a module from ``(n, d)`` to ``(n,)`` that may only rise in its first `increasing` inputs.

        It is given the training rows `x` because some methods place knots by them.
        """

    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        x, y = self.begin(frame, target, signs, kind, seed, budget)
        self.model = self.network(x, self.inputs.increasing)
        train(self.model, Split.draw(x, y, kind, seed), self.target, self.schedule, project=self.projection(self.model))
        return self

    def begin(
        self,
        frame: pd.DataFrame,
        target: Vector,
        signs: Mapping[str, int],
        kind: Kind,
        seed: int,
        budget: Budget,
        *,
        boxed: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Set seed and threads, learn inputs and target, and return the training rows as tensors."""
        torch.set_num_threads(budget.threads)
        torch.manual_seed(seed)
        self.inputs = Inputs.learn(frame, signs, boxed=boxed)
        self.target = Target.learn(target, kind)
        return self.inputs.tensor(frame), self.target.encode(target)

    @property
    def schedule(self) -> Schedule:
        """What `train` follows; a peer with other habits overrides it."""
        return Schedule(self.learning_rate, self.batch_size)

    def projection(self, network: nn.Module) -> Callable[[], None] | None:
        """Return what makes the weights feasible again after a step, or None when they always are."""
        return None

    @torch.no_grad()
    def predict(self, frame: pd.DataFrame) -> Vector:
        return self.target.decode(self.model(self.inputs.tensor(frame)).double().numpy())


def free_branch(features: int, width: int, layers: int) -> nn.Sequential:
    """Return an unconstrained ReLU network for the free columns, shape ``(n, features)`` -> ``(n, width)``."""
    sizes = [features, *[width] * layers]
    pairs = [(nn.Linear(before, after), nn.ReLU()) for before, after in pairwise(sizes)]
    return nn.Sequential(*[module for pair in pairs for module in pair])


class Partial(nn.Module):
    """Constrained columns go into the trunk as they are, free columns through an unconstrained branch."""

    def __init__(self, increasing: int, branch: nn.Module | None, trunk: nn.Module) -> None:
        super().__init__()
        self.increasing = increasing
        self.branch = branch
        self.trunk = trunk

    def forward(self, x: Tensor) -> Tensor:
        constrained, free = x[:, : self.increasing], x[:, self.increasing :]
        inputs = constrained if self.branch is None else torch.cat([constrained, self.branch(free)], dim=1)
        output: Tensor = self.trunk(inputs)
        return output.squeeze(1)


def partial(x: Tensor, increasing: int, width: int, layers: int, trunk: Callable[[int], nn.Module]) -> Partial:
    """Build a `Partial`; `trunk` is called with the number of its inputs."""
    free = x.shape[1] - increasing
    branch = free_branch(free, width, layers) if free else None
    return Partial(increasing, branch, trunk(increasing + (width if free else 0)))
