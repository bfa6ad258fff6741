"""Data that are hard to interpolate: neighbouring floats, scales far apart, lattices, values that nearly agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from isotone.activations import Activation
from isotone.theory.interpolation import FORMS, PROMISE, interpolate, interpolate_by_unions
from tests.theory.data import EPS, NAMED, USABLE, Array, monotone_values

CASES = [(side, form) for side in ("left", "right") for form in FORMS]
Draw = Callable[[np.random.Generator, int, int], Array]
Wish = Callable[[np.random.Generator, int], Array]


def antichain(stream: np.random.Generator, n: int, d: int) -> Array:
    """Return rows of which no two are in order."""
    places = stream.permutation(n).astype(np.float64)
    return np.stack([(-1.0) ** column * places for column in range(d)], axis=1)


def scales(stream: np.random.Generator, d: int) -> Array:
    return 10.0 ** stream.uniform(-6.0, 6.0, d)


POINTS: dict[str, Draw] = {
    "normal at scales from 1e-6 to 1e6": lambda g, n, d: g.normal(size=(n, d)) * scales(g, d),
    "neighbouring floats": lambda g, n, d: scales(g, d) * (1.0 + EPS * g.integers(0, 2 * n, (n, d))),
    "a lattice": lambda g, n, d: 1e-6 * g.integers(0, 3, (n, d)),
    "repeated rows": lambda g, n, d: g.normal(size=(n // 5 + 1, d))[g.integers(0, n // 5 + 1, n)],
    "a chain": lambda g, n, d: np.sort(g.normal(size=(n, 1)), axis=0) * scales(g, d),
    "an antichain": antichain,
    "one column": lambda g, n, d: g.integers(-n, n, (n, 1)) * 1e-3,
    "constant columns": lambda g, n, d: np.hstack([g.normal(size=(n, 1)), np.full((n, d - 1), -1e6)]),
}
WISHES: dict[str, Wish] = {
    "ranks": lambda g, n: g.permutation(n) * 1.0,
    "two values": lambda g, n: g.integers(0, 2, n) * 1e6,
    "values a trillionth apart": lambda g, n: 1.0 + 1e-12 * g.integers(0, 20, n),
    "values of all sizes": lambda g, n: 10.0 ** g.uniform(-12.0, 6.0, n),
    "one value": lambda g, n: np.full(n, -3.0),
}


def excess(stream: np.random.Generator, points: Array, values: Array, activations: Sequence[Activation]) -> float:
    """Return by how much a network of a drawn kind errs beyond its bound, or its bound beyond what is promised."""
    side, form = CASES[stream.integers(len(CASES))]
    construct = (interpolate, interpolate_by_unions)[stream.integers(2)]
    network = construct(points, values, activations[stream.integers(len(activations))], side, form)
    error = np.abs(network(points)[:, 0] - values).max()
    return float(max(error - network.bound, network.bound - PROMISE * np.ptp(values)))


def largest_excess(draw: Draw, wish: Wish, size: tuple[int, int], activations: Sequence[Activation]) -> float:
    """Return the largest excess over sixteen data sets, each with a network of another kind."""
    found, seed = [], [[*POINTS.values()].index(draw), [*WISHES.values()].index(wish)]
    for turn in range(16):
        stream = np.random.default_rng([*seed, turn])
        points = draw(stream, *size)
        found.append(excess(stream, points, monotone_values(points, wish(stream, size[0])), activations))
    return max(found)


hard_points = pytest.mark.parametrize("draw", POINTS.values(), ids=POINTS)
hard_values = pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)


@hard_values
@hard_points
def test_hard_data_keep_the_bound(draw: Draw, wish: Wish) -> None:
    assert largest_excess(draw, wish, (100, 5), USABLE) <= 0.0


@pytest.mark.slow
@hard_values
@hard_points
def test_hard_data_of_full_size_keep_the_bound(draw: Draw, wish: Wish) -> None:
    assert largest_excess(draw, wish, (500, 10), [s for s in NAMED if s.usable]) <= 0.0


@hard_points
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_few_rows_are_enough(draw: Draw, rows: int) -> None:
    assert largest_excess(draw, WISHES["ranks"], (rows, 10), USABLE) <= 0.0


def test_a_bound_that_is_too_small_would_be_noticed() -> None:
    """Control: values that are not those of the network exceed its bound by their distance."""
    points = POINTS["a lattice"](np.random.default_rng(0), 100, 5)
    values = monotone_values(points, WISHES["ranks"](np.random.default_rng(0), 100))
    network = interpolate(points, values)
    assert np.abs(network(points)[:, 0] - values - 1e-6).max() > network.bound
