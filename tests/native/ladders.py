"""Ladders: rows that differ in one column only, by a few units in the last place from each to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from isotone import engine, reference
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.losses import Loss
from tests.native.networks import MIXED, draw_rows

Predict = Callable[[np.ndarray], np.ndarray]
RANKS = {np.dtype(np.float32): np.int32, np.dtype(np.float64): np.int64}
LINKS = ("identity", "sigmoid", "exp", "cumulative", "sorted")
LOSS_OF_LINK = {
    "identity": Loss("squared_error"),
    "sigmoid": Loss("log_loss"),
    "exp": Loss("poisson"),
    "cumulative": Loss("ordinal"),
    "sorted": Loss("quantile", (0.1, 0.5, 0.9)),
}


def climb(start: np.ndarray, rungs: int, rng: np.random.Generator) -> np.ndarray:
    """Return ``rungs`` rising numbers from ``start`` on, up to 1, 8 or 64 units in the last place apart."""
    rank_type = RANKS[start.dtype]
    lowest = np.iinfo(rank_type).min
    bits = int(start.view(rank_type))
    ranks = (bits if bits >= 0 else lowest - bits) + np.cumsum(rng.integers(1, rng.choice((1, 8, 64)) + 1, rungs))
    return np.where(ranks >= 0, ranks, lowest - ranks).astype(rank_type).view(start.dtype)


def starts(column: Numeric, rng: np.random.Generator) -> list[float]:
    """Return where ladders begin: anywhere, astride zero, astride a knot, and where the input is clamped."""
    knot, width = rng.choice(column.knots), column.knots[1] - column.knots[0]
    clamped = column.knots[0] - 2.0**20 * width
    return [rng.normal(), -1e-44, 1e-7 * rng.normal(), np.nextafter(knot, -9.0), clamped, column.knots[-1] + 1e30]


def ladders(architecture: Architecture, rungs: int, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, int]]:
    """Yield ladders and the direction of their column, for every constrained column, in float32 and float64."""
    for index, column in enumerate(architecture.columns):
        if isinstance(column, Categorical) or not column.direction:
            continue
        for start in starts(column, rng):
            for dtype in (np.float32, np.float64):
                row = draw_rows(rng, architecture, 1).astype(dtype)
                rows = np.repeat(row, rungs, axis=0)
                # a rung below a float is a float
                rows[:, index] = climb(np.array(start, dtype)[()], rungs, rng)
                yield rows, int(column.direction)


def falls(predict: Predict, rows: np.ndarray, direction: int) -> int:
    """Return how many neighbours of a ladder are predicted in the wrong order, or as no number."""
    steps = np.diff(predict(rows), axis=0) * direction
    return int(np.count_nonzero(~(steps >= 0.0)))


def subject(form: str, activation: str, seed: int) -> tuple[Architecture, np.random.Generator]:
    """Return a network with every kind of column; weight maps, signs, members and links go round with the seed."""
    rng = np.random.default_rng(seed)
    link = LINKS[seed % len(LINKS)]
    settings: dict[str, object] = {"link": link, "members": 1 + seed % 3, "cuts": 3 if link == "cumulative" else 0}
    if link in ("identity", "sorted"):
        settings |= {"center": rng.normal(), "scale": rng.uniform(0.1, 10.0)}
    if link == "sorted":
        settings["outputs"] = 3
    if form == "constrained":
        constraint = ("abs", "square", "softplus", "exp", "clamp")[seed // 2 % 5]
        settings |= {"constraint": constraint, "weight_sign": (1, -1)[seed % 2]}
    widths: dict[str, tuple[int, ...]] = {"hidden": (5, 4), "free_hidden": (4, 3)}
    return Architecture(MIXED, form=form, activation=activation, **widths, **settings), rng


def hostile(architecture: Architecture, seed: int, rng: np.random.Generator) -> Parameters:
    """Return parameters by turns: as initialised; of all magnitudes; or with sums that cancel at a row of data."""
    parameters = architecture.initial(seed)
    if seed % 3 == 1:
        magnitude = {name: 10.0 ** rng.uniform(-5.0, 2.0, array.shape) for name, array in parameters.items()}
        return Parameters({name: np.float32(array * magnitude[name]) for name, array in parameters.items()})
    if seed % 3 == 2:
        _, constrained = reference.encode(architecture, draw_rows(rng, architecture, 1))
        weight, bias = parameters["trunk.0.weight"], parameters["trunk.0.bias"]
        sums = np.abs(weight[:, :, : constrained.shape[1]]) @ constrained[0]
        return Parameters(dict(parameters) | {"trunk.0.bias": np.float32(bias * 1e-6 - sums)})
    return parameters


def trained(architecture: Architecture, seed: int, rng: np.random.Generator) -> Parameters:
    """Return what a short training leaves, of targets that fall where a column should rise."""
    x, loss = draw_rows(rng, architecture, 64), LOSS_OF_LINK[architecture.link]
    signs = np.array([-int(column.direction) for column in architecture.columns])
    score = np.nan_to_num(x) @ signs
    y = {"sigmoid": score > 0, "cumulative": np.digitize(score, (-1.0, 0.0, 1.0)), "exp": np.exp(score / 3.0)}
    settings = engine.Settings(epochs=5, batch_size=16, learning_rate=1e-2, clip_norm=1.0)
    targets = y.get(architecture.link, architecture.center + architecture.scale * score)
    return engine.train(architecture, x, targets, loss, settings, seed=seed, threads=1)[0]


def predictor(architecture: Architecture, parameters: Parameters, threads: int = 1) -> Predict:
    """Return the engine's prediction as a function of rows."""
    ready = engine.Compiled(architecture, parameters)
    return lambda rows: ready.predict(rows, threads)
