"""Random networks, data and targets for the tests of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from isotone.activations import TABLE, Activation, activation
from isotone.architecture import Architecture, Categorical, Column, Numeric, Parameters
from isotone.losses import Loss
from isotone.weights import WEIGHT_MAPS

MONOTONE = [name for name, row in TABLE.items() if not row.decreases and not row.learnable]
FREE = [name for name, row in TABLE.items() if not row.learnable]
# every kind of column: shift and scale, expanded, levels, codes; free and both directions; with and without missing
MIXED: tuple[Column, ...] = (
    Numeric((-1.0, 0.0, 0.5, 1.5), direction=1),
    Numeric((-1.0, 1.0)),
    Categorical(3),
    Numeric((-1.0, 0.0, 1.0), direction=-1, levels=(-2.0, 0.5, 1.0)),
    Numeric(direction=1, missing=True),
    Numeric((-1.0, 0.3, 1.0), direction=-1, missing=True),
    Numeric((-0.5, 0.0, 0.7), missing=True),
)
LOSSES = [
    Loss("squared_error"),
    Loss("absolute_error"),
    Loss("huber", (0.5,)),
    Loss("quantile", (0.1, 0.5, 0.8)),
    Loss("poisson"),
    Loss("gamma"),
    Loss("tweedie", (1.4,)),
    Loss("log_loss"),
    Loss("softmax"),
    Loss("ordinal"),
]


def draw_rows(rng: np.random.Generator, architecture: Architecture, n: int) -> np.ndarray:
    """Return rows that the columns accept; a quarter of what may be missing is."""
    x = 1.5 * rng.normal(size=(n, len(architecture.columns)))
    for index, column in enumerate(architecture.columns):
        if isinstance(column, Categorical):
            x[:, index] = rng.integers(0, column.size, n)
        elif column.missing:
            x[rng.random(n) < 0.25, index] = np.nan
    return x


def draw_targets(rng: np.random.Generator, architecture: Architecture, loss: Loss, n: int) -> np.ndarray:
    """Return targets in the loss's domain."""
    ranks = {"log_loss": 2, "softmax": architecture.outputs, "ordinal": architecture.cuts + 1}
    if loss.name in ranks:
        return rng.integers(0, ranks[loss.name], n).astype(float)
    positive = loss.name in ("poisson", "gamma", "tweedie")
    return rng.gamma(2.0, size=n) if positive else rng.normal(size=n)


def draw_parameters(rng: np.random.Generator, architecture: Architecture) -> Parameters:
    """Return parameters with spread-out cuts; weights are small enough for deep exponentials."""
    given = architecture.initial(int(rng.integers(2**31)), np.float64)
    return Parameters({name: array + (name == "cuts") * rng.normal(size=array.shape) for name, array in given.items()})


def head(loss: Loss) -> dict[str, object]:
    """Return what an architecture needs for the loss."""
    outputs = {"quantile": len(loss.parameters), "softmax": 3}.get(loss.name, 1)
    return {"link": loss.link, "outputs": outputs, "cuts": 3 if loss.name == "ordinal" else 0}


def network(loss: Loss, **settings: object) -> Architecture:
    """Return a network with every kind of column, free ones only for softmax."""
    columns = tuple(c for c in MIXED if not c.direction) if loss.name == "softmax" else MIXED
    base = {"columns": columns, "hidden": (5, 4), "free_hidden": (4, 3), **head(loss)}
    return Architecture(**(base | settings))


@st.composite
def activations(draw: st.DrawFn) -> Activation:
    """Draw a monotone activation, reflected or not."""
    chosen = activation(draw(st.sampled_from(MONOTONE)))
    return chosen.reflection if draw(st.booleans()) else chosen


@st.composite
def columns(draw: st.DrawFn, directions: tuple[int, ...]) -> Column:
    """Draw a column of any kind."""
    if draw(st.integers(0, 4)) == 0:
        return Categorical(draw(st.integers(1, 5)))
    count = draw(st.sampled_from((2, 2, 3, 4, 9)))
    knots = tuple(np.cumsum([-1.0, *draw(st.lists(st.floats(0.1, 1.0), min_size=count - 1, max_size=count - 1))]))
    levels = tuple(2.0 * knot for knot in knots) if draw(st.booleans()) else None
    return Numeric(knots, draw(st.sampled_from(directions)), levels, draw(st.booleans()))


@st.composite
def architectures(draw: st.DrawFn, directions: tuple[int, ...] = (-1, 0, 1)) -> Architecture:
    """Draw a network for squared error: any columns, form, widths around the sizes of vectors, members."""
    widths = st.lists(st.sampled_from((1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33)), min_size=0, max_size=3).map(tuple)
    chosen = tuple(draw(st.lists(columns(directions), min_size=1, max_size=5)))
    free = any(not c.direction or (isinstance(c, Numeric) and c.missing) for c in chosen)
    form = draw(st.sampled_from(("post", "pre", "constrained")))
    settings: dict[str, object] = {"hidden": draw(widths), "form": form, "activation": draw(activations())}
    if free:
        settings["free_hidden"] = draw(widths.filter(bool))
        settings["free_activation"] = draw(st.sampled_from(FREE))
    if form == "constrained":
        settings["constraint"] = draw(st.sampled_from(sorted(WEIGHT_MAPS)))
        settings["weight_sign"] = draw(st.sampled_from((1, -1)))
    return Architecture(chosen, members=draw(st.integers(1, 3)), outputs=draw(st.integers(1, 3)), **settings)


@st.composite
def learners(draw: st.DrawFn) -> tuple[Architecture, Loss]:
    """Draw a loss, and a network with its head; softmax has no constrained columns."""
    loss = draw(st.sampled_from(LOSSES))
    directions = (0,) if loss.name == "softmax" else (-1, 0, 1)
    return replace(draw(architectures(directions)), **head(loss)), loss
