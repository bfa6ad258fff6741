"""The one interface of every peer: settings in the constructor, `fit` on a frame, `predict` one number per row."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.apart.workshop import environment

Vector = NDArray[np.float64]
Setting = float | int | str | bool


class Kind(StrEnum):
    """What is predicted, and so what `predict` returns."""

    REGRESSION = "regression"  # predict: the mean
    BINARY = "binary"  # target 0 or 1; predict: the probability of 1
    ORDINAL = "ordinal"  # target: increasing levels as numbers; predict: a score on the scale of the target


@dataclass(frozen=True)
class Budget:
    """What one fit may use: processor seconds of each thread. The harness ends the process; no peer watches a clock."""

    seconds: float = 300.0
    threads: int = 1


@dataclass(frozen=True)
class Choice:
    """A setting that takes one of the given values."""

    values: Sequence[Setting]

    def draw(self, random: np.random.Generator) -> Setting:
        return self.values[int(random.integers(len(self.values)))]


@dataclass(frozen=True)
class Uniform:
    """A setting drawn uniformly from an interval."""

    low: float
    high: float

    def draw(self, random: np.random.Generator) -> Setting:
        return float(random.uniform(self.low, self.high))


@dataclass(frozen=True)
class LogUniform:
    """A setting whose logarithm is drawn uniformly; rounded when it is a count."""

    low: float
    high: float
    whole: bool = False

    def draw(self, random: np.random.Generator) -> Setting:
        value = math.exp(random.uniform(math.log(self.low), math.log(self.high)))
        return round(value) if self.whole else value


Range = Choice | Uniform | LogUniform
Space = Mapping[str, Range]


class Peer(ABC):
    """A method under comparison.

    A subclass is a dataclass whose fields are its settings; their defaults are the method's own defaults, or those
    its authors recommend. The frame has numbers, ordered categoricals and strings (`columns.Columns` reads them all).
    `signs` names the constrained columns only, each -1 or +1; a peer that cannot keep signs ignores them and declares
    `monotone = False`.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool]
    # what `tuned` draws from; every name is a field of the subclass
    space: ClassVar[Space] = {}
    # how much two predictions in one call may fall against a sign: 0 for trees, a multiple of eps for float32 networks
    slack: ClassVar[float] = 0.0
    # distributions whose versions stand beside each result
    packages: ClassVar[Sequence[str]] = ()
    # the environment of its own, a name in `apart/`, of a peer whose package cannot share this one
    apart: ClassVar[str] = ""

    @classmethod
    def prepare(cls) -> None:
        """Make the environment of its own, if it has one; commands call this before any clock runs."""
        if cls.apart:
            environment(cls.apart)

    @abstractmethod
    def fit(
        self, frame: pd.DataFrame, target: Vector, signs: Mapping[str, int], *, kind: Kind, seed: int, budget: Budget
    ) -> Self:
        """Learn from all rows given; any early stopping splits these rows itself, by `seed`."""

    @abstractmethod
    def predict(self, frame: pd.DataFrame) -> Vector:
        """Return one number per row, shape ``(n,)``: mean, probability of 1, or score."""


def draw_settings(space: Space, random: np.random.Generator) -> dict[str, Setting]:
    """Draw one value for each setting, in the order of the space."""
    return {name: range_.draw(random) for name, range_ in space.items()}
