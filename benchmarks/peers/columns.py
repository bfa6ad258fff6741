"""Columns of a frame for methods that read matrices: numbers, ordered levels and strings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def is_ordered(column: pd.Series) -> bool:
    """Say whether a column is a categorical with an order, such as Bad < Medium < Good."""
    return isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)


def is_nominal(column: pd.Series) -> bool:
    """Say whether a column holds names without an order."""
    return not is_ordered(column) and not pd.api.types.is_numeric_dtype(column)


def with_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace ordered levels by their rank 0, 1, ..., so that a sign has a meaning to every method."""
    ranks = {name: frame[name].cat.codes.astype(float) for name in frame if is_ordered(frame[name])}
    return frame.assign(**ranks)


@dataclass(frozen=True)
class Levels:
    """The levels of the nominal columns as seen in training; others become missing."""

    levels: Mapping[str, Sequence[str]]

    @classmethod
    def learn(cls, frame: pd.DataFrame) -> Self:
        nominal = [name for name in frame if is_nominal(frame[name])]
        return cls({name: sorted(frame[name].astype(str).unique()) for name in nominal})

    def frame(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return numbers and pandas categoricals, for methods with native categories."""
        coded = with_codes(frame)
        return coded.assign(**{name: _category(coded[name], levels) for name, levels in self.levels.items()})


@dataclass(frozen=True)
class Columns:
    """A matrix view of a frame: numbers (standardised on request), ranks of ordered levels, one-hot names.

    `signs` has one entry per column of the matrix: -1, 0 or +1.
    """

    levels: Levels
    names: Sequence[str]
    signs: NDArray[np.int64]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def learn(cls, frame: pd.DataFrame, signs: Mapping[str, int], *, standardise: bool) -> Self:
        levels = Levels.learn(frame)
        wide = _one_hot(levels, frame)
        names = list(wide.columns)
        values = wide.to_numpy(dtype=float)
        spread = values.std(axis=0)
        centre = values.mean(axis=0) if standardise else np.zeros(len(names))
        scale = np.where(spread > 0, spread, 1.0) if standardise else np.ones(len(names))
        return cls(levels, names, np.array([signs.get(name, 0) for name in names]), centre, scale)

    def matrix(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return the frame as numbers, shape ``(n, len(names))``."""
        return (_one_hot(self.levels, frame).to_numpy(dtype=float) - self.centre) / self.scale


def _category(column: pd.Series, levels: Sequence[str]) -> pd.Categorical:
    text = column.astype(str)
    return pd.Categorical(text.where(text.isin(levels)), levels)


def _one_hot(levels: Levels, frame: pd.DataFrame) -> pd.DataFrame:
    # a constrained column is never nominal, so its name survives the widening
    return pd.get_dummies(levels.frame(frame), columns=list(levels.levels), dtype=float)
