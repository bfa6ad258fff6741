"""How a network is trained: the settings, checked once, and what a training leaves behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone.architecture import Parameters

Array = NDArray[np.float64]

OPTIMIZERS = ("adam", "adamw")
SCHEDULES = ("constant", "cosine", "one_cycle")
DTYPES = ("float32", "float64")
DEFAULT_BATCH = 64
# PyTorch's share of rising steps in a one-cycle schedule
ONE_CYCLE_WARM_UP = 0.3
# a weight without a gradient divides zero by epsilon
_SMALLEST_EPSILON = 1e-30
# the columns of State's table of progress, one line per member
PROGRESS = ("epoch", "step", "batch", "waited", "best_epoch", "stopped", "loss_sum", "weight_sum", "best_loss")


@dataclass(frozen=True)
class Settings:
    """How to train: epochs, batches, optimiser, schedule, and when to stop early.

    Args:
        epochs: how many in all, those of a resumed state included.
        batch_size: rows per step, at most as many as there are; None is 64, or all rows where there are fewer. A member
            that trains on fewer takes all of its rows.
        drop_last: leave out an epoch's last batch if it is not full.
        learning_rate: of the optimiser, at the peak of the schedule.
        optimizer: ``adam`` adds weight decay to the gradient, ``adamw`` shrinks the weights themselves.
        weight_decay: never breaks a sign, for signs hold whatever the weights are.
        betas: how much of both moments a step keeps.
        epsilon: what the optimiser adds to the root of the second moment; at least 1e-30, which float32 can divide by.
        schedule: ``constant``, ``cosine`` (to zero) or ``one_cycle`` (up from a 25th, down to a 250000th).
        warm_up: share of the steps in which the rate rises; None is 0.3 for ``one_cycle``, else 0.
        clip_norm: the longest gradient, over all of a member's parameters; None for no limit.
        patience: epochs without improvement on the validation rows before a member stops; with it the best weights
            are returned. None trains to the end and returns the last weights.
        tolerance: by how much a validation loss must fall to count as an improvement.
        shuffle: draw a new order of rows for each epoch.
        dtype: ``float32``, or ``float64`` for studies of the training itself.

    >>> Settings(epochs=3, schedule="one_cycle").warm_up_share
    0.3
    """

    epochs: int = 100
    batch_size: int | None = None
    drop_last: bool = False
    learning_rate: float = 1e-3
    optimizer: str = "adam"
    weight_decay: float = 0.0
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = 1e-8
    schedule: str = "constant"
    warm_up: float | None = None
    clip_norm: float | None = None
    patience: int | None = None
    tolerance: float = 0.0
    shuffle: bool = True
    dtype: str = "float32"

    def __post_init__(self) -> None:
        _check_counts(self)
        _check_choices(self)
        _check_numbers(self)

    @property
    def warm_up_share(self) -> float:
        """The share of the steps in which the rate rises.

        >>> Settings().warm_up_share
        0.0
        """
        if self.warm_up is not None:
            return self.warm_up
        return ONE_CYCLE_WARM_UP if self.schedule == "one_cycle" else 0.0

    def for_rows(self, rows: int) -> Settings:
        """Return the settings with a batch size for so many rows, or raise if the one given is larger.

        >>> Settings().for_rows(20).batch_size
        20
        """
        if self.batch_size is not None and self.batch_size > rows:
            raise ValueError(f"batch_size is at most the number of rows, which is {rows}; got {self.batch_size}.")
        return self if self.batch_size is not None else replace(self, batch_size=min(DEFAULT_BATCH, rows))


@dataclass(frozen=True)
class History:
    """What each epoch of one call of ``train`` brought; one column per member, NaN after a member has stopped.

    ``loss`` is the mean over the rows an epoch saw, while the weights changed; ``validation_loss`` the mean over the
    held-out rows at its end (NaN without any); ``learning_rate`` that of its last step. Shapes: ``(epochs, members)``.

    >>> History.empty(members=2).epochs
    0
    """

    loss: Array
    validation_loss: Array
    learning_rate: Array
    best_epoch: tuple[int | None, ...]
    stopped_early: tuple[bool, ...]

    @property
    def epochs(self) -> int:
        """How many epochs ran in this call, for the member that ran longest.

        >>> History.empty(members=1).epochs
        0
        """
        return len(self.loss)

    @classmethod
    def empty(cls, members: int) -> History:
        """Return the history of no epochs.

        >>> History.empty(members=3).loss.shape
        (0, 3)
        """
        none = np.zeros((0, members))
        return cls(none, none, none, (None,) * members, (False,) * members)


@dataclass(frozen=True)
class State:
    """Where a training stands, as plain arrays: save them, load them, and go on bit for bit.

    Names are ``weights.*``, ``first.*``, ``second.*`` and ``best.*`` (the parameters, Adam's moments, the best
    parameters), ``progress`` (one line per member) and ``seed``. With the seed, the epoch and the batch in
    ``progress`` are the random stream.

    >>> State({"progress": np.zeros((1, 9)), "seed": np.array(7)}).seed
    7
    """

    arrays: Mapping[str, NDArray[np.generic]]

    @property
    def seed(self) -> int:
        """The seed that the order of the rows comes from.

        >>> State({"seed": np.array(3)}).seed
        3
        """
        return int(self.arrays["seed"])

    @property
    def epoch(self) -> int:
        """How many epochs are complete, for the member that has come furthest.

        >>> State({"progress": np.full((2, 9), 4.0)}).epoch
        4
        """
        return int(np.max(self.arrays["progress"][:, 0]))

    def progress(self, members: int) -> Array:
        """Return the table of progress, or raise if it is not one of as many members. Shape: ``(members, 9)``.

        >>> State({"progress": np.zeros((2, 9))}).progress(members=2).shape
        (2, 9)
        """
        table = np.require(self.arrays["progress"], np.float64, ["C", "A"])
        if table.shape != (members, len(PROGRESS)):
            raise ValueError(f"a state's progress has shape ({members}, {len(PROGRESS)}) here; got {table.shape}.")
        counts = table[:, : PROGRESS.index("loss_sum")]
        if not (np.isfinite(counts).all() and (counts >= -1).all() and (counts < 2**53).all()):
            raise ValueError(f"a state's progress holds counts; got {counts.tolist()}.")
        return table

    def part(self, which: str) -> Parameters:
        """Return the arrays of one kind: ``weights``, ``first``, ``second`` or ``best``.

        >>> State({"weights.cuts": np.zeros((1, 2))}).part("weights").names
        ('cuts',)
        """
        start = which + "."
        return Parameters({k.removeprefix(start): v for k, v in self.arrays.items() if k.startswith(start)})  # type: ignore[misc]

    @property
    def parameters(self) -> Parameters:
        """The parameters as the last step left them.

        >>> State({"weights.cuts": np.zeros((1, 2))}).parameters["cuts"].shape
        (1, 2)
        """
        return self.part("weights")


class Interrupted(KeyboardInterrupt):
    """A training that Ctrl-C ended: raised after the step it was in, with everything reached so far.

    >>> Interrupted(Parameters({}), State({}), History.empty(1)).history.epochs
    0
    """

    def __init__(self, parameters: Parameters, state: State, history: History) -> None:
        super().__init__("training was interrupted; .parameters, .state and .history hold what was reached.")
        self.parameters = parameters
        self.state = state
        self.history = history


def check_weights(what: str, weights: ArrayLike, rows: int, members: int) -> Array:
    """Return the weights with one line for all members or one line each, or raise. Shape: ``(1 or members, n)``.

    >>> check_weights("sample_weight", [1, 2], rows=2, members=3).shape
    (1, 2)
    """
    listed = np.asarray(weights)
    if listed.dtype.kind not in "fiub":
        raise TypeError(f"{what} holds numbers; got dtype {listed.dtype}.")
    given = np.require(listed, np.float64, ["C", "A"])
    if given.shape not in ((rows,), (members, rows)):
        raise ValueError(f"{what} has shape ({rows},) or ({members}, {rows}), members first; got {given.shape}.")
    wrong = given[~(np.isfinite(given) & (given >= 0))]
    if wrong.size:
        raise ValueError(f"{what} must be finite and not negative; got {wrong[:5].tolist()}.")
    return given.reshape(-1, rows)


def checked_order(rows: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return positions among ``count`` rows, or raise.

    >>> checked_order([1, 0, 1], 2)
    array([1, 0, 1])
    """
    order = np.asarray(rows)
    if order.ndim != 1 or order.dtype.kind not in "iu" or not len(order):
        raise TypeError(f"rows are positions, shape (n,) with n at least 1; got {order.dtype} of shape {order.shape}.")
    if order.min() < 0 or order.max() >= count:
        raise ValueError(f"rows are positions 0 to {count - 1} in x; got {order.min()} to {order.max()}.")
    return np.require(order, np.int64, ["C", "A"])


def _check_counts(settings: Settings) -> None:
    """Raise unless the counts are integers of at least one."""
    counts = {"epochs": settings.epochs}
    optional = {"batch_size": settings.batch_size, "patience": settings.patience}
    counts |= {name: count for name, count in optional.items() if count is not None}
    wrong = {n: v for n, v in counts.items() if not isinstance(v, (int, np.integer)) or isinstance(v, bool) or v < 1}
    if wrong:
        raise ValueError(f"epochs, batch_size and patience are integers of at least 1; got {wrong}.")


def _check_choices(settings: Settings) -> None:
    """Raise unless every word is known and every switch a bool."""
    known: dict[str, tuple[object, ...]] = {"optimizer": OPTIMIZERS, "schedule": SCHEDULES, "dtype": DTYPES}
    known |= {"drop_last": (False, True), "shuffle": (False, True)}
    for name, choices in known.items():
        if getattr(settings, name) not in choices:
            raise ValueError(f"{name} is one of {list(choices)}; got {getattr(settings, name)!r}.")


def _check_numbers(settings: Settings) -> None:
    """Raise unless every number is finite and in its range."""
    if not isinstance(settings.betas, Sequence) or len(settings.betas) != 2:
        raise ValueError(f"betas are two numbers; got {settings.betas}.")
    ranges = {
        "learning_rate": (settings.learning_rate, 0.0, np.inf, "positive"),
        "weight_decay": (settings.weight_decay, -1e-300, np.inf, "not negative"),
        "betas[0]": (settings.betas[0], -1e-300, 1.0, "within [0, 1)"),
        "betas[1]": (settings.betas[1], -1e-300, 1.0, "within [0, 1)"),
        "epsilon": (settings.epsilon, np.nextafter(_SMALLEST_EPSILON, 0.0), np.inf, "at least 1e-30"),
        "warm_up": (settings.warm_up_share, -1e-300, 1.0, "within [0, 1)"),
        "clip_norm": (1.0 if settings.clip_norm is None else settings.clip_norm, 0.0, np.inf, "positive or None"),
        "tolerance": (settings.tolerance, -1e-300, np.inf, "not negative"),
    }
    for name, (value, above, below, what) in ranges.items():
        _check_real(name, value)
        if not (isfinite(value) and above < value < below):
            raise ValueError(f"{name} is {what}; got {value}.")


def _check_real(name: str, value: object) -> None:
    """Raise unless the value is a number."""
    if not isinstance(value, Real):
        raise TypeError(f"{name} is a number; got {value!r}.")
