"""Every elementwise function equals its definition, never decreases, and has the same bits at every level."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from isotone import _native
from isotone.activations import TABLE, Activation, activation
from tests.native.levels import at_level
from tests.native.networks import FREE, MONOTONE

LARGEST_RANK = 0x7F7FFFFF
LINKS = ("sigmoid", "exp")
# each function with its default parameters, and those with a parameter with others
SETTINGS = (
    *(activation(name) for name in MONOTONE),
    Activation("elu", (0.3,)),
    Activation("elu", (2.7,)),
    Activation("celu", (0.37,)),
    Activation("celu", (3.1,)),
    Activation("celu", (1e-42,)),
    Activation("leaky_relu", (0.3,)),
    Activation("leaky_relu", (7.0,)),
    Activation("srelu", (-0.7, 0.3, 1.1, 3.0)),
)
Scan = Callable[[int, int], tuple[int, int]]


def scan_of(function: Activation | str) -> Scan:
    """Return the scan of an activation or a link over ranks of floats: decreases and checksum."""
    if isinstance(function, str):
        return lambda first, last: _native.scan_link(function, first, last)
    return lambda first, last: _native.scan_activation(function, first, last)


def rank(value: float) -> int:
    """Return the rank of a float among all floats; of zero it is 0."""
    bits = int(np.float32(value).view(np.int32))
    return bits if bits >= 0 else -(bits & 0x7FFFFFFF)


def windows(rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return stretches of ranks: around where a formula changes its branch or rounds, and anywhere."""
    special = [0.0, 1e-38, 1e-20, 2.0**-27, 2.0**-24, 1e-4, 0.3466, 0.6931, 1.0, 6.0, 17.0, 36.7, 64.0, 88.0, 104.0]
    places = [rank(sign * value) for value in special for sign in (1, -1)]
    places += rng.integers(-LARGEST_RANK, LARGEST_RANK, 10).tolist()
    places += [rank(value) for value in 3.0 * rng.normal(size=20)]
    return [(max(place - 4096, -LARGEST_RANK), min(place + 4096, LARGEST_RANK)) for place in places]


def points(rng: np.random.Generator) -> np.ndarray:
    """Return numbers of all magnitudes that the functions meet, of both signs, zeros among them."""
    magnitudes = 10.0 ** rng.uniform(-12, 4, 3000)
    return np.concatenate([magnitudes, -magnitudes, [0.0, -0.0, 1.0, -1.0, 6.0, 64.0, -64.0, 700.0, -700.0]])


@pytest.fixture(params=_native.levels())
def level(request):
    with at_level(request.param):
        yield request.param


@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("name", FREE)
def test_value_and_slope_are_those_of_the_table(level, name, reflected, rng):
    chosen, x = activation(name), points(rng)
    chosen = chosen.reflection if reflected else chosen
    for found, true in (
        (_native.activate(chosen, x), chosen.value(x)),
        (_native.slope(chosen, x), chosen.derivative(x)),
    ):
        # a few roundings here and in NumPy, where terms up to |x| may cancel
        slack = 8 * np.finfo(np.float64).eps * np.maximum(np.abs(true), np.minimum(np.abs(x), 1.0))
        assert np.all(np.abs(found - true) <= slack)


@pytest.mark.parametrize("name", FREE)
def test_float32_is_rounded_from_float64(level, name, rng):
    chosen, x = activation(name), points(rng).astype(np.float32)
    found, true = _native.activate(chosen, x), chosen.value(x)
    # one rounding of the value; where a float parameter enters, one of it and one of the product
    slack = 2 * np.finfo(np.float32).eps * np.abs(true) + np.finfo(np.float32).smallest_subnormal
    assert found.dtype == np.float32
    assert np.all(np.abs(found - true) <= slack)


@pytest.mark.parametrize("name", FREE)
def test_both_sides_at_once_have_the_bits_of_each(level, name, rng):
    chosen, x = activation(name), points(rng).astype(np.float32)
    plus, minus = _native.activate_pair(chosen, x)
    assert plus.tobytes() == _native.activate(chosen, x).tobytes()
    assert minus.tobytes() == _native.activate(chosen, -x).tobytes()


@pytest.mark.parametrize("chosen", [activation(name) for name in TABLE if name in FREE], ids=lambda s: s.name)
def test_every_level_has_the_same_bits(chosen, rng):
    x = points(rng).astype(np.float32)
    seen = set()
    for name in _native.levels():
        with at_level(name):
            seen.add(_native.activate(chosen, x).tobytes())
    assert len(seen) == 1


@pytest.mark.parametrize("function", [*SETTINGS, *LINKS], ids=str)
def test_it_never_decreases_in_the_sampled_windows(function, rng):
    scan, ranges = scan_of(function), windows(rng)
    seen = set()
    for name in _native.levels():
        with at_level(name):
            found = [scan(first, last) for first, last in ranges]
        assert sum(decreases for decreases, _ in found) == 0
        seen.add(tuple(checksum for _, checksum in found))
    assert len(seen) == 1


@pytest.mark.slow
@pytest.mark.parametrize("function", [*SETTINGS, *LINKS], ids=str)
def test_it_never_decreases_over_all_floats(function):
    seen = set()
    for name in _native.levels():
        with at_level(name):
            decreases, checksum = scan_of(function)(-LARGEST_RANK, LARGEST_RANK)
        assert decreases == 0
        seen.add(checksum)
    assert len(seen) == 1


@pytest.mark.parametrize("name", ["silu", "gelu"])
def test_a_function_that_decreases_is_caught(level, name):
    decreases, _ = _native.scan_activation(activation(name), rank(-3.0), rank(-2.0))
    assert decreases > 1000


def neighbours(first: float, last: float) -> np.ndarray:
    """Return all floats from one to another, both of one sign."""
    return np.sort(np.arange(*sorted((abs(rank(first)), abs(rank(last)))), dtype=np.int32).view(np.float32)) * np.sign(
        np.float32(last)
    )


def textbook_softsign(x: np.ndarray) -> np.ndarray:
    return x / (np.float32(1.0) + np.abs(x))


def textbook_tanh(x: np.ndarray) -> np.ndarray:
    t = np.expm1(np.float32(2.0) * x)
    return t / (t + np.float32(2.0))


@pytest.mark.parametrize("formula", [textbook_softsign, textbook_tanh])
def test_a_textbook_formula_in_float32_is_caught(formula):
    values = formula(neighbours(0.25, 4.0))
    assert values.dtype == np.float32
    assert np.count_nonzero(np.diff(values) < 0) > 1000


def hard_products(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return factors and addends of all magnitudes, near cancellation, at ties and among subnormal numbers."""
    a, b, c = (10.0 ** rng.uniform(-22, 18, 200_000) * rng.choice([-1, 1], 200_000) for _ in range(3))
    a, b, c = a.astype(np.float32), b.astype(np.float32), c.astype(np.float32)
    near = rng.random(c.size) < 0.4
    ulps = rng.integers(-3, 4, c.size) * np.finfo(np.float32).eps
    c[near] = (-a.astype(np.float64) * b * (1.0 + ulps))[near]
    # a product of two short numbers and an addend half a unit away are a tie, or just beside one
    short = rng.random(c.size) < 0.3
    a[short], b[short] = rng.integers(1, 4096, short.sum()), rng.integers(1, 4096, short.sum()) * np.float32(2.0**-24)
    c[short] = rng.integers(-3, 4, short.sum()) * np.float32(2.0) ** rng.integers(-30, 30, short.sum())
    tiny = rng.random(c.size) < 0.2
    a[tiny], c[tiny] = a[tiny] * np.float32(1e-30), rng.normal(size=tiny.sum()) * 1e-42
    return a, b, c


def test_fused_is_rounded_once(level, rng):
    a, b, c = hard_products(rng)
    found, true = _native.fused(a, b, c), _native.fused_by_library(a, b, c)
    assert np.isfinite(true).mean() > 0.9
    assert found.tobytes() == true.tobytes()


def test_two_roundings_are_caught(rng):
    a, b, c = hard_products(rng)
    rounded_twice = (a.astype(np.float64) * b + c).astype(np.float32)
    wrong = np.count_nonzero(rounded_twice != _native.fused_by_library(a, b, c))
    assert wrong > 0


@pytest.mark.parametrize("ranks", [(0, LARGEST_RANK + 1), (-LARGEST_RANK - 1, 0), (2, 1)])
def test_ranks_beyond_the_floats_are_refused(ranks):
    with pytest.raises(ValueError, match="ranks go from"):
        _native.scan_activation(activation("relu"), *ranks)
