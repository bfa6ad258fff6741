"""A fitted model without the machinery that fitted it: numpy and the engine are all it needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone import engine
from isotone.architecture import Architecture, Parameters
from isotone.constraints import Direction, listed
from isotone.encoding import Encoder, Table, read_table
from isotone.files.modes import mode_thresholds
from isotone.files.origin import Origin, restorer
from isotone.reference import cut_points

Array = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Predictor:
    """Everything that a prediction needs, and nothing else.

    ``classes`` are sorted, ``ranks`` gives the position in them of each rank of an ordinal model, ``levels`` are the
    levels of a quantile model; ``named`` tells whether the columns had names at fit.

    >>> from isotone.architecture import Numeric
    >>> from isotone.encoding import Field
    >>> network = Architecture((Numeric(direction=1),), hidden=(2,))
    >>> model = Predictor(network, network.initial(0), Encoder((Field("x0", Numeric(direction=1)),)))
    >>> model.predict(np.array([[1.0], [2.0]])).shape
    (2,)
    """

    architecture: Architecture
    parameters: Parameters
    encoder: Encoder
    named: bool = False
    classes: NDArray[Any] | None = None
    ranks: tuple[int, ...] = ()
    levels: tuple[float, ...] = ()
    origin: Origin = field(default_factory=Origin)

    def __repr__(self) -> str:
        signs = {name: int(direction) for name, direction in self.signs.items()}
        return f"<Predictor of {self.origin.kind or 'no estimator'}: {len(self.encoder.fields)} columns, signs {signs}>"

    @property
    def signs(self) -> dict[Any, Direction]:
        """The direction of each column that has one.

        >>> from isotone.architecture import Numeric
        >>> from isotone.encoding import Field
        >>> network = Architecture((Numeric(direction=-1),), hidden=(2,))
        >>> Predictor(network, network.initial(0), Encoder((Field("age", network.columns[0]),))).signs
        {'age': <Direction.DECREASING: -1>}
        """
        return {one.name: one.column.direction for one in self.encoder.fields if one.column.direction}

    def predict(self, X: Any, threads: int | None = None) -> NDArray[Any]:
        """Return the mean, the class, or the middle quantile of each row. Shape: ``(n, d)`` -> ``(n,)``."""
        match self.architecture.link:
            case "sigmoid":
                return self._named(self.outputs(X, threads)[:, 0] > 0.5)
            case "softmax":
                return self._named(self.outputs(X, threads).argmax(axis=1))
            case "cumulative":
                return self.labels(self.rank(X, threads))
            case "sorted":
                return self.outputs(X, threads)[:, len(self.levels) // 2]
        return self.outputs(X, threads)[:, 0]

    def rank(self, X: Any, threads: int | None = None) -> NDArray[np.intp]:
        """Return the most probable rank, by thresholds on the latent score. Shape: ``(n, d)`` -> ``(n,)``."""
        self._check_link("an order of classes", "cumulative")
        return np.searchsorted(self._thresholds, self.latent(X, threads)[:, 0], side="right")

    def median_rank(self, X: Any, threads: int | None = None) -> NDArray[np.intp]:
        """Return how many cut points the latent score exceeds: the median rank. Shape: ``(n, d)`` -> ``(n,)``."""
        self._check_link("an order of classes", "cumulative")
        ranks: NDArray[np.intp] = np.count_nonzero(self.outputs(X, threads) > 0.5, axis=1)
        return ranks

    def labels(self, ranks: NDArray[np.intp]) -> NDArray[Any]:
        """Return the classes of ranks. Shape: ``(n,)`` -> ``(n,)``."""
        return self._named(np.array(self.ranks)[ranks])

    def predict_proba(self, X: Any, threads: int | None = None) -> Array:
        """Return the probability of each class, in the order of ``classes``. Shape: ``(n, d)`` -> ``(n, k)``."""
        self._check_link("classes", "sigmoid", "softmax", "cumulative")
        outputs = self.outputs(X, threads)
        if self.architecture.link == "softmax":
            return np.asarray(outputs / outputs.sum(axis=1, keepdims=True))
        if self.architecture.link == "sigmoid":
            return np.hstack([1.0 - outputs, outputs])
        # multiples of 2^-50 within [0, 1]: every difference here and every sum of these is exact
        exceeding = np.pad(outputs, ((0, 0), (1, 1)), constant_values=((0, 0), (1.0, 0.0)))
        probability = np.empty((len(outputs), len(self.ranks)))
        probability[:, self.ranks] = exceeding[:, :-1] - exceeding[:, 1:]
        return probability

    def predict_quantiles(self, X: Any, threads: int | None = None) -> Array:
        """Return all quantiles in rising order. Shape: ``(n, d)`` -> ``(n, len(levels))``."""
        self._check_link("quantiles", "sorted")
        return self.outputs(X, threads)

    def latent(self, X: Any, threads: int | None = None) -> Array:
        """Return the mean score of the members, before the link. Shape: ``(n, d)`` -> ``(n, m)``."""
        architecture, parameters = self._unlinked
        return np.asarray(engine.predict(architecture, parameters, self.encode(X), threads=threads), dtype=np.float64)

    def outputs(self, X: Any, threads: int | None = None) -> Array:
        """Return what the network gives, after the link. Shape: ``(n, d)`` -> ``(n, m)``."""
        given = engine.predict(self.architecture, self.parameters, self.encode(X), threads=threads)
        return np.asarray(given, dtype=np.float64)

    def input_gradient(self, X: Any, threads: int | None = None) -> Array:
        """Return the derivative of the prediction by each column. Shape: ``(n, d)`` -> ``(n, d)``, or ``(n, m, d)``."""
        gradient = engine.input_gradient(self.architecture, self.parameters, self.encode(X), threads=threads)
        return np.asarray(gradient, dtype=np.float64)

    def encode(self, X: Any) -> NDArray[np.floating]:
        """Return the rows as numbers and codes, or raise if the columns are not those of the fit."""
        if type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind == "f" and self._fits(X):
            return X
        table = read_table(X)
        self.check_columns(table)
        return self.encoder.encode(table)

    def check_columns(self, table: Table) -> None:
        """Raise unless the table has the columns of the fit, in the same order."""
        expected = self.encoder.names
        if table.named and self.named and table.names != expected:
            raise ValueError(_difference(table.names, expected))
        if len(table.names) != len(expected):
            raise ValueError(
                f"X has {len(table.names)} features, but {self.origin.kind or 'the model'} is expecting "
                f"{len(expected)} features as input: {listed(expected)}."
            )

    def to_estimator(self) -> Any:
        """Return the scikit-learn estimator that was saved; it can be fitted again."""
        restore = restorer(self.origin.kind)
        try:
            return restore(self)
        except (TypeError, KeyError, ValueError) as error:
            raise ValueError(f"what this model tells of its fit makes no {self.origin.kind}: {error}") from error

    def _fits(self, X: NDArray[Any]) -> bool:
        return bool(X.shape[1] == len(self.encoder.fields) and self.encoder.plain and np.isfinite(X).all())

    @cached_property
    def _unlinked(self) -> tuple[Architecture, Parameters]:
        link = "identity" if self.architecture.link != "sorted" else "sorted"
        arrays = {name: array for name, array in self.parameters.items() if name != "cuts"}
        return replace(self.architecture, link=link, cuts=0), Parameters(arrays)

    def _check_link(self, what: str, *links: str) -> None:
        if self.architecture.link not in links:
            raise TypeError(f"a {self.origin.kind or 'model'} has no {what}; use predict.")

    @cached_property
    def _thresholds(self) -> Array:
        return mode_thresholds(cut_points(self.parameters))

    def _named(self, positions: NDArray[Any]) -> NDArray[Any]:
        if self.classes is None:
            raise ValueError("a model of classes needs their names; this one has none.")
        return self.classes[positions.astype(np.intp)]


def _difference(names: tuple[Any, ...], expected: tuple[Any, ...]) -> str:
    """Say how two lists of names differ, in scikit-learn's words."""
    given, known = set(names), set(expected)
    unseen = [name for name in names if name not in known]
    absent = [name for name in expected if name not in given]
    if not unseen and not absent:
        return f"Feature names must be in the same order as they were in fit: {listed(expected)}; got {listed(names)}."
    message = "The feature names should match those that were passed during fit."
    message += f" Feature names unseen at fit time: {listed(unseen)}." if unseen else ""
    return message + (f" Feature names seen at fit time, yet now missing: {listed(absent)}." if absent else "")
