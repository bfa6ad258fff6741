"""Each loss with its link, its domain, its best constant, and what a sign means under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.activations import log_logistic, log_softmax, logistic

Array = NDArray[np.float64]
# scores of the losses with a log link are read as within this, so that exp stays finite
LOG_SCORE_BOUND = 30.0


@dataclass(frozen=True)
class Loss:
    """A loss of latent scores ``(n, m)`` against targets ``(n,)``, one value per row.

    ``parameters`` are huber's delta, pinball's quantile levels, or tweedie's power. The targets of softmax and
    ordinal are ranks ``0 .. k - 1``; ordinal's scores are ``latent - cuts``, one per cut.

    >>> Loss("huber", (1.0,)).link
    'identity'
    """

    name: str
    parameters: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in LOSSES:
            raise ValueError(f"loss is one of {sorted(LOSSES)}; got {self.name!r}.")
        LOSSES[self.name].check(self.parameters)

    @property
    def link(self) -> str:
        """The link from latent score to prediction that belongs to the loss.

        >>> Loss("poisson").link
        'exp'
        """
        return LOSSES[self.name].link

    @property
    def meaning(self) -> str:
        """What a column's sign promises under this loss.

        >>> Loss("log_loss").meaning
        'the probability of the positive class keeps order'
        """
        return LOSSES[self.name].meaning

    def value(self, scores: ArrayLike, targets: ArrayLike) -> Array:
        """Return the loss of each row. Shape: ``(n, m)``, ``(n,)`` -> ``(n,)``.

        >>> Loss("squared_error").value([[1.0]], [3.0])
        array([4.])
        """
        return LOSSES[self.name].value(np.asarray(scores, float), np.asarray(targets, float), self.parameters)

    def gradient(self, scores: ArrayLike, targets: ArrayLike) -> Array:
        """Return the derivative of each row's loss by its scores. Shape: ``(n, m)``, ``(n,)`` -> ``(n, m)``.

        >>> Loss("squared_error").gradient([[1.0]], [3.0])
        array([[-4.]])
        """
        return LOSSES[self.name].gradient(np.asarray(scores, float), np.asarray(targets, float), self.parameters)

    def check_targets(self, targets: ArrayLike) -> None:
        """Raise unless every target is finite and in the loss's domain.

        >>> Loss("poisson").check_targets([0.0, 2.0])
        """
        given = np.asarray(targets, dtype=np.float64)
        row = LOSSES[self.name]
        wrong = given[~(np.isfinite(given) & row.allowed(given, self.parameters))]
        if wrong.size:
            raise ValueError(f"{self.name} needs targets that are {row.domain}; got {wrong[:5].tolist()}.")


@dataclass(frozen=True)
class LossRow:
    """The definition of one loss.

    >>> LOSSES["gamma"].domain
    'positive'
    """

    link: str
    meaning: str
    value: Callable[[Array, Array, tuple[float, ...]], Array]
    gradient: Callable[[Array, Array, tuple[float, ...]], Array]
    domain: str = "finite"
    allowed: Callable[[Array, tuple[float, ...]], NDArray[np.bool_]] = lambda y, _: np.isfinite(y)
    check: Callable[[tuple[float, ...]], None] = lambda parameters: _check_parameters(parameters, 0, "none", True)


def _check_parameters(parameters: tuple[float, ...], count: int, what: str, fine: bool) -> None:
    """Raise unless there are ``count`` parameters and they are fine."""
    if len(parameters) != count or not fine:
        raise ValueError(f"this loss's parameters are {what}; got {parameters}.")


def _check_levels(levels: tuple[float, ...]) -> None:
    fine = len(levels) > 0 and all(0 < q < 1 for q in levels) and list(levels) == sorted(set(levels))
    _check_parameters(levels, len(levels), "strictly increasing quantile levels within (0, 1)", fine)


def _residual(scores: Array, y: Array) -> Array:
    return scores - y[:, None]


def _huber(scores: Array, y: Array, p: tuple[float, ...]) -> Array:
    gap = np.abs(_residual(scores, y))[:, 0]
    return np.where(gap <= p[0], 0.5 * gap**2, p[0] * (gap - 0.5 * p[0]))


def _pinball(scores: Array, y: Array, levels: tuple[float, ...]) -> Array:
    gap, q = -_residual(scores, y), np.array(levels)
    value: Array = np.maximum(q * gap, (q - 1.0) * gap).mean(axis=1)
    return value


def _pinball_gradient(scores: Array, y: Array, levels: tuple[float, ...]) -> Array:
    gap, q = -_residual(scores, y), np.array(levels)
    return np.where(gap > 0, -q, np.where(gap < 0, 1.0 - q, 0.0)) / len(levels)


def _bounded(scores: Array) -> Array:
    return np.clip(scores, -LOG_SCORE_BOUND, LOG_SCORE_BOUND)


def _inside(scores: Array) -> Array:
    return np.where(np.abs(scores) < LOG_SCORE_BOUND, 1.0, 0.0)


def _tweedie(scores: Array, y: Array, p: tuple[float, ...]) -> Array:
    z, power = _bounded(scores)[:, 0], p[0]
    return np.exp((2.0 - power) * z) / (2.0 - power) - y * np.exp((1.0 - power) * z) / (1.0 - power)


def _tweedie_gradient(scores: Array, y: Array, p: tuple[float, ...]) -> Array:
    z, power = _bounded(scores), p[0]
    return (np.exp((2.0 - power) * z) - y[:, None] * np.exp((1.0 - power) * z)) * _inside(scores)


def _ordinal_margins(scores: Array, y: Array) -> tuple[Array, Array]:
    """Return the scores at the cut below and above each row's rank; plus and minus infinity at the ends."""
    ends = np.pad(scores, ((0, 0), (1, 1)), constant_values=((0, 0), (np.inf, -np.inf)))
    rank = y.astype(int)[:, None]
    return np.take_along_axis(ends, rank, 1)[:, 0], np.take_along_axis(ends, rank + 1, 1)[:, 0]


def _ordinal(scores: Array, y: Array, _: tuple[float, ...]) -> Array:
    # P(y = k) = sigma(a) - sigma(b) = sigma(a) sigma(-b) (1 - e^(b - a)), which does not cancel
    below, above = _ordinal_margins(scores, y)
    value: Array = -(log_logistic(below) + log_logistic(-above) + np.log(-np.expm1(above - below)))
    return value


def _ordinal_gradient(scores: Array, y: Array, _: tuple[float, ...]) -> Array:
    below, above = _ordinal_margins(scores, y)
    ratio = 1.0 / np.expm1(below - above)
    rank, ends = y.astype(int), np.zeros((len(y), scores.shape[1] + 2))
    np.add.at(ends, (np.arange(len(y)), rank), -(logistic(-below) + ratio))
    np.add.at(ends, (np.arange(len(y)), rank + 1), logistic(above) + ratio)
    inner: Array = ends[:, 1:-1]
    return inner


def _one_hot(y: Array, columns: int) -> Array:
    return np.where(y[:, None] == np.arange(columns), 1.0, 0.0)


def _is_rank(y: Array, _: tuple[float, ...]) -> NDArray[np.bool_]:
    return np.equal(y, np.maximum(np.floor(y), 0.0))


_MEAN = "the predicted mean keeps order"
LOSSES: dict[str, LossRow] = {
    "squared_error": LossRow("identity", _MEAN, lambda z, y, _: np.square(_residual(z, y)).sum(axis=1),
        lambda z, y, _: 2.0 * _residual(z, y)),
    "absolute_error": LossRow("identity", "the predicted median keeps order",
        lambda z, y, _: np.abs(_residual(z, y)).sum(axis=1), lambda z, y, _: np.sign(_residual(z, y))),
    "huber": LossRow("identity", "the predicted centre keeps order", _huber,
        lambda z, y, p: np.clip(_residual(z, y), -p[0], p[0]),
        check=lambda p: _check_parameters(p, 1, "one positive delta", bool(p) and p[0] > 0)),
    "quantile": LossRow("sorted", "every predicted quantile keeps order, and they never cross", _pinball,
        _pinball_gradient, check=_check_levels),
    "poisson": LossRow("exp", _MEAN, lambda z, y, _: np.exp(_bounded(z))[:, 0] - y * _bounded(z)[:, 0],
        lambda z, y, _: (np.exp(_bounded(z)) - y[:, None]) * _inside(z), "not negative", lambda y, _: y >= 0),
    "gamma": LossRow("exp", _MEAN, lambda z, y, _: _bounded(z)[:, 0] + y * np.exp(-_bounded(z))[:, 0],
        lambda z, y, _: (1.0 - y[:, None] * np.exp(-_bounded(z))) * _inside(z), "positive", lambda y, _: y > 0),
    "tweedie": LossRow("exp", _MEAN, _tweedie, _tweedie_gradient, "not negative", lambda y, _: y >= 0,
        lambda p: _check_parameters(p, 1, "one power within (1, 2)", bool(p) and 1 < p[0] < 2)),
    "log_loss": LossRow("sigmoid", "the probability of the positive class keeps order",
        lambda z, y, _: -log_logistic(np.where(y > 0, z[:, 0], -z[:, 0])), lambda z, y, _: logistic(z) - y[:, None],
        "0 or 1", lambda y, _: (y == 0) | (y == 1)),
    "softmax": LossRow("softmax", "no column may have a sign",
        lambda z, y, _: -np.take_along_axis(log_softmax(z), y.astype(int)[:, None], 1)[:, 0],
        lambda z, y, _: np.exp(log_softmax(z)) - _one_hot(y, z.shape[1]), "ranks 0, 1, 2, ...", _is_rank),
    "ordinal": LossRow("cumulative", "the probability of exceeding each class keeps order", _ordinal,
        _ordinal_gradient, "ranks 0, 1, 2, ...", _is_rank),
}  # fmt: skip
