"""What ``None`` means: every default that is chosen from the size of the data, as pure functions.

``n`` is the number of distinct rows, ``d`` the number of columns, ``task`` one of regression, binary, multiclass,
ordinal and quantiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

# early stopping needs rows to spare
FEWEST_ROWS_TO_HOLD_OUT = 40
# components of all columns together, so that wide tables stay small
MOST_COMPONENTS = 4096
# from here on the data overrule what a choice between settings could add
FEWEST_ROWS_TO_BE_SURE = 100_000


@dataclass(frozen=True)
class Size:
    """The size of a problem.

    >>> Size(n=1000, d=8, task="regression").n
    1000
    """

    n: int
    d: int
    task: str


def members(size: Size) -> int:
    """Return how many networks are averaged.

    >>> members(Size(1000, 8, "regression"))
    8
    """
    return 8 if size.d <= MOST_COMPONENTS else 2


def hidden(size: Size) -> tuple[int, ...]:
    """Return the widths of the trunk's hidden layers.

    >>> hidden(Size(1000, 8, "regression"))
    (32, 32)
    """
    return (32, 32) if size.d <= MOST_COMPONENTS else (16,)


def free_hidden(size: Size, trunk: tuple[int, ...]) -> tuple[int, ...]:
    """Return the widths of the free branch, given those of the trunk.

    >>> free_hidden(Size(1000, 8, "regression"), (32, 32))
    (32,)
    """
    return trunk[:1] or (16,)


def segments(size: Size) -> int:
    """Return how many pieces the map of a numeric column has.

    >>> [segments(Size(n, 8, "regression")) for n in (100, 1000, 100000)]
    [6, 16, 48]
    """
    return max(1, min(int(size.n**0.4 + 0.5), 48, MOST_COMPONENTS // size.d))


def fine_segments(size: Size) -> int:
    """Return how many pieces a map has where much can be said: more where each still holds a hundred rows.

    >>> [fine_segments(Size(n, 8, "regression")) for n in (1000, 6000, 20000)]
    [16, 60, 96]
    """
    return max(segments(size), min(size.n // 100, 96, MOST_COMPONENTS // size.d))


def batch_size(size: Size) -> int:
    """Return how many rows a step reads: a power of two that grows with ``n``.

    >>> [batch_size(Size(n, 8, "regression")) for n in (20, 1000, 5000, 30000, 400000)]
    [16, 32, 64, 128, 1024]
    """
    wanted = min(max(size.n // 64, 32), max(size.n // 256, 128), 1024)
    return 1 << (min(wanted, max(size.n, 1)).bit_length() - 1)


def passes(size: Size, batch: int, steps: int = 3000) -> int:
    """Return how often the data are passed for so many steps, so that even small data have enough of them.

    >>> [passes(Size(n, 8, "regression"), 32) for n in (100, 1000, 400000)]
    [750, 94, 8]
    """
    return max(ceil(steps / max(ceil(size.n / batch), 1)), 8)


def recipes(size: Size) -> tuple[dict[str, Any], ...]:
    """Return the settings that are tried in turn where rows are held out to choose by.

    >>> [recipe["weight_decay"] for recipe in recipes(Size(1000, 8, "regression"))]
    [0.1, 0.01, 1.0, 0.3]
    """
    if size.n >= FEWEST_ROWS_TO_BE_SURE:
        return (_recipe(size, decay=0.01, steps=3_000),)
    return patient(size), bold(size), cautious(size), straight(size)


def patient(size: Size) -> dict[str, Any]:
    """Return the settings for data like most.

    >>> patient(Size(1000, 8, "regression"))["learning_rate_init"]
    0.005
    """
    return _recipe(size, decay=0.1, steps=8_000) | {"learning_rate_init": 0.005, "n_segments": fine_segments(size)}


def bold(size: Size) -> dict[str, Any]:
    """Return the settings for data with little noise and much to say.

    >>> bold(Size(1000, 8, "regression"))["hidden_layer_sizes"]
    (32, 32, 32)
    """
    trunk = hidden(size)
    return _recipe(size, decay=0.01, steps=5_000) | {
        "hidden_layer_sizes": (*trunk, trunk[-1]),
        "n_segments": fine_segments(size),
    }


def cautious(size: Size) -> dict[str, Any]:
    """Return the settings for data that could mislead, and for those where nothing can be held out.

    >>> cautious(Size(20, 8, "regression"))["weight_decay"]
    1.0
    """
    return _recipe(size, decay=1.0, steps=1_000) | {"n_segments": min(segments(size), 8)}


def straight(size: Size) -> dict[str, Any]:
    """Return the settings for data whose columns act along straight lines, or nearly.

    >>> straight(Size(1000, 8, "regression"))["n_segments"]
    1
    """
    return _recipe(size, decay=0.3, steps=1_000) | {"n_segments": 1, "free_hidden_layer_sizes": (8,)}


def _recipe(size: Size, decay: float, steps: int) -> dict[str, Any]:
    return {"weight_decay": decay, "max_iter": passes(size, batch_size(size), steps)}


def learning_rate(size: Size) -> float:
    """Return the highest learning rate of the schedule.

    >>> learning_rate(Size(1000, 8, "regression"))
    0.01
    """
    return 0.01 if size.n < 20_000 else 0.005


def initialisation(size: Size) -> str:
    """Return the scheme that fresh weights are drawn by.

    >>> initialisation(Size(1000, 8, "regression"))
    'balanced'
    """
    return "balanced"


def holds_out(size: Size) -> bool:
    """Say whether members stop early on rows of their own.

    >>> holds_out(Size(10, 8, "regression"))
    False
    """
    return size.n >= FEWEST_ROWS_TO_HOLD_OUT


def shares_fold(size: Size) -> bool:
    """Say whether all members hold out the same rows: with so many, other rows of its own would cost only memory.

    >>> shares_fold(Size(1000, 8, "regression"))
    False
    """
    return size.n >= 100_000


def validation_fraction(size: Size, count: int) -> float:
    """Return the share of rows that each of ``count`` members holds out.

    >>> validation_fraction(Size(1000, 8, "regression"), 8)
    0.125
    """
    return min(max(1.0 / count, 0.1), 0.2)


def patience(size: Size, total: int) -> int:
    """Return after how many of ``total`` passes without a better one training stops.

    >>> patience(Size(1000, 8, "regression"), 94)
    94
    """
    # the schedule ends low, and the best weights are kept: nothing is won by stopping before
    return total
