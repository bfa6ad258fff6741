"""Training and gradients by the native engine: numpy in, numpy out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isotone import _native
from isotone.architecture import Architecture, Parameters
from isotone.columns import Columns, check_columns
from isotone.engine.prediction import check_kinds, thread_count
from isotone.engine.settings import PROGRESS, History, Interrupted, Settings, State, check_weights, checked_order
from isotone.losses import Loss

Array = NDArray[np.float64]
Validation = ArrayLike | tuple[ArrayLike, ...]
Callback = Callable[[int, History], bool | None]
Watch = Callable[[int, Parameters], object]
KINDS = ("weights", "first", "second", "best")


def train(
    architecture: Architecture,
    x: ArrayLike | Columns,
    y: ArrayLike,
    loss: Loss,
    settings: Settings,
    sample_weight: ArrayLike | None = None,
    validation: Validation | None = None,
    start: Parameters | State | None = None,
    seed: int = 0,
    threads: int | None = None,
    callback: Callback | None = None,
    watch: Watch | None = None,
    rows: ArrayLike | None = None,
) -> tuple[Parameters, State, History]:
    """Train all members and return their parameters, the state to go on from, and the history.

    A member depends on the seed, its own index, rows and weights only: not on threads, nor on other members.

    Args:
        architecture: the network; its link must belong to the loss.
        x: numbers and codes, NaN where a column may be missing. Shape ``(n, d)``, or `isotone.columns.Columns`.
        y: targets in the units of ``predict``. Shape ``(n,)``.
        loss: what to minimise.
        settings: how to train.
        sample_weight: shape ``(n,)`` or ``(members, n)``. A row of weight zero is absent.
        validation: a boolean mask of held-out rows, ``(n,)`` or ``(members, n)``; or other rows: ``(x, y)`` or
            ``(x, y, weight)``.
        start: parameters to begin with, or a state to resume. None draws them by the seed.
        seed: of the initial parameters and the order of rows; a resumed state keeps its own.
        threads: how many; None for one per CPU. The result does not depend on it.
        callback: called as ``callback(epoch, history)`` after each epoch; training stops if it returns True.
        watch: called as ``watch(epoch, parameters)`` before that, with the weights that the epoch ended with.
        rows: the positions in x of the rows to read, in this order, so that nobody has to copy them; targets, weights
            and masks are those of these rows. None reads all rows of x.

    Raises:
        Interrupted: on Ctrl-C, after the step it came in, with parameters, state and history so far.
        FloatingPointError: if a loss or a weight became infinite or NaN.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network, x = Architecture((Numeric(direction=1),), hidden=(4,)), np.linspace(0, 1, 32)[:, None]
    >>> parameters, state, history = train(network, x, x[:, 0], Loss("squared_error"), Settings(epochs=5))
    >>> history.loss.shape
    (5, 1)
    """
    check_kinds(architecture=(architecture, Architecture), settings=(settings, Settings))
    check_loss(architecture, loss)
    seed = start.seed if isinstance(start, State) else _checked_seed(seed)
    examples = _read_examples(architecture, x, y, loss, "x", rows)
    settings = settings.for_rows(len(examples.y))
    examples, weights, trials, trial_weights = _divide_rows(architecture, examples, loss, sample_weight, validation)
    _check_shares(settings, weights, trial_weights)
    trainer = _make_trainer(architecture, examples, trials, loss, settings, seed, weights, trial_weights)
    _begin(trainer, architecture, start, seed, settings.dtype)
    session = _Session(trainer, architecture, settings, seed, threads=thread_count(threads))
    session.run(callback, watch)
    return session.result()


def value_and_grad(
    architecture: Architecture,
    parameters: Parameters,
    x: ArrayLike,
    y: ArrayLike,
    loss: Loss,
    sample_weight: ArrayLike | None = None,
    threads: int | None = 1,
) -> tuple[Array, Parameters]:
    """Return each member's mean loss and its gradient by the parameters, in the precision of the parameters.

    >>> from isotone.architecture import Architecture, Numeric
    >>> network, x = Architecture((Numeric(direction=1),), hidden=(4,)), np.linspace(0, 1, 32)[:, None]
    >>> values, gradient = value_and_grad(network, network.initial(0), x, x[:, 0], Loss("squared_error"))
    >>> values.shape, gradient["trunk.0.weight"].shape
    ((1,), (1, 4, 1))
    """
    check_kinds(architecture=(architecture, Architecture), parameters=(parameters, Parameters))
    check_loss(architecture, loss)
    parameters.check(architecture)
    dtypes = {array.dtype for array in parameters.values()}
    if len(dtypes) != 1 or str(*dtypes) not in ("float32", "float64"):
        raise TypeError(f"parameters are all float32 or all float64; got {sorted(map(str, dtypes))}.")
    examples = _read_examples(architecture, x, y, loss, "x")
    settings = Settings(batch_size=len(examples.y), dtype=str(*dtypes))
    weights = _train_weights(examples, architecture.members, sample_weight)
    trainer = _make_trainer(architecture, examples, None, loss, settings, 0, weights, None)
    _set_parameters(trainer, architecture, "weights", parameters, settings.dtype)
    values, gradients = trainer.value_and_gradient(thread_count(threads))
    return np.array(values), _shaped(architecture, gradients)


def batch_order(seed: int, member: int, epoch: int, rows: ArrayLike) -> NDArray[np.int32]:
    """Return the order in which a member sees its rows in an epoch; batches are consecutive parts of it.

    >>> sorted(batch_order(seed=0, member=1, epoch=2, rows=[3, 5, 8]).tolist())
    [3, 5, 8]
    """
    given = np.require(rows, np.int32, ["C", "A"])
    order: NDArray[np.int32] = _native.batch_order(seed, member, epoch, given)[0]
    return order


def check_loss(architecture: Architecture, loss: Loss) -> None:
    """Raise unless the loss fits the network's link and outputs.

    >>> from isotone.architecture import Numeric
    >>> check_loss(Architecture((Numeric(direction=1),)), Loss("squared_error"))
    """
    check_kinds(loss=(loss, Loss))
    plain = ("identity", "sorted")
    if architecture.link != loss.link and not (architecture.link in plain and loss.link in plain):
        raise ValueError(f"{loss.name} belongs to the link {loss.link!r}; the architecture has {architecture.link!r}.")
    several = ("squared_error", "absolute_error", "softmax")
    wanted = len(loss.parameters) if loss.name == "quantile" else 1
    if loss.name not in several and architecture.outputs != wanted:
        raise ValueError(f"{loss.name} here needs {wanted} outputs; the architecture has {architecture.outputs}.")


@dataclass(frozen=True)
class _Examples:
    """Checked columns and targets, in float64: target ``i`` belongs to row ``order[i]`` of each column of ``x``."""

    x: tuple[Array, ...]
    y: Array
    order: NDArray[np.int64]

    def __getitem__(self, chosen: Any) -> _Examples:
        return _Examples(self.x, self.y[chosen], self.order[chosen])


class _Session:
    """One call of ``train``: runs the native trainer and reads what it reached."""

    def __init__(self, trainer: Any, architecture: Architecture, settings: Settings, seed: int, threads: int) -> None:
        self.trainer = trainer
        self.architecture = architecture
        self.settings = settings
        self.seed = seed
        self.threads = threads
        self.started = self.progress("epoch").astype(int)

    def run(self, callback: Callback | None, watch: Watch | None) -> None:
        """Train to the end, epoch by epoch if somebody wants to hear of each."""
        try:
            if callback is None and watch is None:
                self.trainer.run(self.settings.epochs, self.threads)
            else:
                self._run_by_epoch(callback, watch)
        except KeyboardInterrupt as interrupt:
            raise Interrupted(*self.result()) from interrupt
        _check_finite(self.history())
        _check_finite_weights(_shaped(self.architecture, self.trainer.arrays("weights")))

    def _run_by_epoch(self, callback: Callback | None, watch: Watch | None) -> None:
        waiting = self.progress("epoch")[self.progress("stopped") == 0]
        for epoch in range(int(waiting.min(initial=self.settings.epochs)), self.settings.epochs):
            self.trainer.run(epoch + 1, self.threads)
            if watch is not None:
                watch(epoch, _shaped(self.architecture, self.trainer.arrays("weights")))
            stops = callback is not None and callback(epoch, self.history())
            if stops or self.progress("stopped").all():
                return

    def progress(self, name: str) -> Array:
        """Return one column of the table of progress."""
        table: Array = self.trainer.progress()
        return table[:, PROGRESS.index(name)]

    def history(self) -> History:
        """Return the history of this call so far, from the first epoch of the member that was furthest behind."""
        tables = [self.trainer.history(member) for member in range(self.architecture.members)]
        begins = self.started - self.started.min()
        columns = np.full(
            (3, max(b + len(table) for b, table in zip(begins, tables, strict=True)), len(tables)), np.nan
        )
        for member, (begin, table) in enumerate(zip(begins, tables, strict=True)):
            columns[:, begin : begin + len(table), member] = table.T
        losses, validation, rates = columns
        best = tuple(int(epoch) if epoch >= 0 else None for epoch in self.progress("best_epoch"))
        return History(losses, validation, rates, best, tuple(bool(stopped) for stopped in self.progress("stopped")))

    def result(self) -> tuple[Parameters, State, History]:
        """Return parameters (the best ones under early stopping), state and history."""
        arrays: dict[str, NDArray[np.generic]] = {}
        for kind in KINDS:
            named = _shaped(self.architecture, self.trainer.arrays(kind))
            arrays |= {f"{kind}.{name}": array for name, array in named.items()}
        state = State(arrays | {"progress": self.trainer.progress(), "seed": np.array(self.seed, dtype=np.uint64)})
        judged = self.settings.patience is not None and bool((self.progress("best_epoch") >= 0).all())
        return state.part("best" if judged else "weights"), state, self.history()


def _begin(trainer: Any, architecture: Architecture, start: Parameters | State | None, seed: int, dtype: str) -> None:
    """Give the trainer its first weights, or all of a state."""
    if isinstance(start, State):
        for kind in KINDS:
            _check_precision(start.part(kind), dtype)
            _set_parameters(trainer, architecture, kind, start.part(kind), dtype)
        trainer.set_progress(start.progress(architecture.members))
        return
    given = architecture.initial(seed, dtype) if start is None else start
    check_kinds(start=(given, Parameters))
    _set_parameters(trainer, architecture, "weights", given, dtype)


def _check_precision(part: Parameters, dtype: str) -> None:
    """Raise if a state has more or fewer digits than the training that is to go on from it."""
    found = {str(array.dtype) for array in part.values()}
    if found - {dtype}:
        raise ValueError(f"the state holds {sorted(found)}, so it goes on with that dtype; settings have {dtype!r}.")


def _set_parameters(trainer: Any, architecture: Architecture, kind: str, parameters: Parameters, dtype: str) -> None:
    parameters.check(architecture)
    flat = [np.require(parameters[name], dtype, ["C", "A"]) for name in architecture.shapes]
    trainer.set_arrays(kind, [array.reshape(architecture.members, -1) for array in flat])


def _shaped(architecture: Architecture, flat: list[NDArray[Any]]) -> Parameters:
    shapes = architecture.shapes.items()
    return Parameters({name: array.reshape(shape) for (name, shape), array in zip(shapes, flat, strict=True)})


def _make_trainer(
    architecture: Architecture,
    examples: _Examples,
    trials: _Examples | None,
    loss: Loss,
    settings: Settings,
    seed: int,
    weights: Array,
    trial_weights: Array | None,
) -> Any:
    """Return a native trainer with its members, each with its rows."""
    make = _native.trainer32 if settings.dtype == "float32" else _native.trainer64
    other = trials or examples[:0]
    read = (examples.x, examples.order, examples.y, other.x, other.order, other.y)
    trainer = make(architecture, *read, loss, settings, seed)
    lines = max(len(weights), 1 if trial_weights is None else len(trial_weights))
    for line in range(lines):
        trial = None if trial_weights is None else trial_weights[line % len(trial_weights)]
        trainer.add_members(architecture.members // lines, weights[line % len(weights)], trial)
    return trainer


def _read_examples(
    architecture: Architecture,
    x: ArrayLike | Columns,
    y: ArrayLike,
    loss: Loss,
    what: str,
    rows: ArrayLike | None = None,
) -> _Examples:
    """Return rows and targets as the engine reads them, targets in the units of the latent score; or raise."""
    table, targets = check_columns(architecture.columns, x, what), np.asarray(y)
    order = np.arange(len(table[0])) if rows is None else checked_order(rows, len(table[0]))
    if targets.shape != order.shape:
        raise ValueError(f"y has one target per row, shape {order.shape}; got {targets.shape}.")
    if targets.dtype.kind not in "fiub":
        raise TypeError(f"y holds numbers; got dtype {targets.dtype}.")
    loss.check_targets(targets)
    _check_ranks(architecture, loss, targets)
    scaled = np.ascontiguousarray((targets.astype(np.float64) - architecture.center) / architecture.scale)
    return _Examples(table, scaled, order)


def _check_ranks(architecture: Architecture, loss: Loss, targets: NDArray[Any]) -> None:
    """Raise if a rank is beyond the outputs or the cuts."""
    tops = {"softmax": architecture.outputs - 1, "ordinal": architecture.cuts}
    if loss.name in tops and targets.max() > tops[loss.name]:
        raise ValueError(f"{loss.name} here has ranks 0 to {tops[loss.name]}; got {targets.max()}.")


def _train_weights(examples: _Examples, members: int, sample_weight: ArrayLike | None) -> Array:
    if sample_weight is None:
        return np.ones((1, len(examples.y)))
    return check_weights("sample_weight", sample_weight, len(examples.y), members)


def _divide_rows(
    architecture: Architecture,
    examples: _Examples,
    loss: Loss,
    sample_weight: ArrayLike | None,
    validation: Validation | None,
) -> tuple[_Examples, Array, _Examples | None, Array | None]:
    """Return the rows to train on and their weights, the rows to validate on and theirs."""
    weights = _train_weights(examples, architecture.members, sample_weight)
    if validation is None:
        return examples, weights, None, None
    if isinstance(validation, tuple):
        if len(validation) not in (2, 3):
            raise ValueError(f"validation is a mask, (x, y) or (x, y, weight); got a tuple of {len(validation)}.")
        trials = _read_examples(architecture, validation[0], validation[1], loss, "validation x")
        return examples, weights, trials, _train_weights(trials, architecture.members, *validation[2:] or (None,))
    mask = np.asarray(validation)
    if mask.dtype != np.bool_:
        raise TypeError(f"a validation mask is boolean, True for held-out rows; got dtype {mask.dtype}.")
    held = check_weights("validation", mask, len(examples.y), architecture.members)
    if mask.ndim == 1 and mask.any() and not mask.all():
        # what all members hold out is read once, not beside the rest
        return examples[~mask], weights[:, ~mask].copy(), examples[mask], weights[:, mask].copy()
    return examples, weights * (1.0 - held), examples, weights * held


def _check_shares(settings: Settings, weights: Array, trial_weights: Array | None) -> None:
    """Raise unless every member has rows to train on, a full batch if only those count, and rows to be judged by."""
    rows = int((weights > 0).sum(axis=1).min())
    if rows == 0:
        raise ValueError("every member needs rows to train on; one has none of positive weight.")
    if settings.drop_last and rows < (settings.batch_size or 1):
        raise ValueError(
            f"with drop_last a batch of {settings.batch_size} needs as many rows; a member has only {rows}."
        )
    if trial_weights is not None and not (trial_weights > 0).any(axis=1).all():
        raise ValueError("every member needs rows to validate on; one has none of positive weight.")
    if settings.patience is not None and trial_weights is None:
        raise ValueError(f"patience={settings.patience} needs validation rows; got validation=None.")


def _check_finite(history: History) -> None:
    """Raise if a member's loss became infinite or NaN."""
    ran = ~np.isnan(history.learning_rate)
    epochs, members = np.nonzero(ran & ~np.isfinite(history.loss))
    if len(epochs):
        raise FloatingPointError(
            f"training diverged: the loss of member {members[0]} is {history.loss[epochs[0], members[0]]} in epoch "
            f"{epochs[0]}; a smaller learning_rate or a clip_norm would help."
        )


def _check_finite_weights(parameters: Parameters) -> None:
    """Raise if the very last step, after which no loss is formed, led to infinity or NaN."""
    lost = [name for name, array in parameters.items() if not np.isfinite(array).all()]
    if lost:
        raise FloatingPointError(
            f"training diverged: {lost} are not finite after the last step; a smaller learning_rate or a clip_norm "
            "would help, or targets of ordinary size."
        )


def _checked_seed(seed: int) -> int:
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise ValueError(f"seed is an integer of at least 0 and below 2**63; got {seed!r}.")
    return int(seed)
