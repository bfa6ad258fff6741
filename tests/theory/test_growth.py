from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isotone.activations import activation
from isotone.architecture import Architecture, Numeric
from isotone.reference import member_scores
from isotone.theory.growth import PARAMETRISATIONS, Inputs, absolute_sums, growth, switched_block
from tests.theory.data import EPS, Array

ROW = [1.0, -0.5, 2.0, 0.3]
DRAWS = 4000
# standard errors; a seed is fixed, so this says which deviation the seed may show
SIGMAS = 4.0


def outputs(parametrisation: str, name: str, widths: tuple[int, ...], seed: int = 0) -> Array:
    """Return the output of fresh networks at one row, drawn by the library where it has the parametrisation."""
    s = activation(name)
    if parametrisation == "unconstrained":
        return unconstrained(s.value, widths, np.random.default_rng(seed))
    plan = Architecture(
        tuple(Numeric(direction=1) for _ in ROW), widths, form=parametrisation, activation=s, members=DRAWS
    )
    if parametrisation == "constrained":
        plan = replace(plan, reflect=(False,) * len(widths))
    return member_scores(plan, plan.initial(seed, np.float64), [ROW])[:, 0, 0]


def unconstrained(value, widths: tuple[int, ...], stream: np.random.Generator) -> Array:
    hidden = np.broadcast_to(np.array(ROW), (DRAWS, len(ROW)))
    for width in (*widths, 1):
        bound = 1.0 / np.sqrt(hidden.shape[1])
        weight = stream.uniform(-bound, bound, (DRAWS, width, hidden.shape[1]))
        sums = np.einsum("noi,ni->no", weight, hidden) + stream.uniform(-bound, bound, (DRAWS, width))
        hidden = value(sums)
    return sums[:, 0]


def deviations(sample: Array, mean: float, variance: float) -> tuple[float, float]:
    """Return how many standard errors the sample's mean and variance are away."""
    squares = np.square(sample - sample.mean())
    errors = sample.std() / np.sqrt(len(sample)), squares.std() / np.sqrt(len(sample))
    return abs(sample.mean() - mean) / errors[0], abs(sample.var() - variance) / errors[1]


@pytest.mark.parametrize("widths", [(8, 8), (24, 24, 24)])
@pytest.mark.parametrize("parametrisation", ["unconstrained", "post"])
def test_mean_and_variance_are_exact_where_the_derivation_is(parametrisation: str, widths: tuple[int, ...]) -> None:
    found = growth(parametrisation, "relu", widths, ROW)[-1]
    sample = outputs(parametrisation, "relu", widths)
    # unconstrained sums are symmetric, so that half of a square is that of the ReLU
    assert max(deviations(sample, found.mean, found.variance)) < SIGMAS
    # the control: one hidden layer more
    other = growth(parametrisation, "relu", (*widths, widths[-1]), ROW)[-1]
    assert max(deviations(sample, other.mean, other.variance)) > SIGMAS


@pytest.mark.parametrize("name", ["relu", "celu", "tanh"])
@pytest.mark.parametrize("parametrisation", PARAMETRISATIONS)
def test_normal_units_describe_every_parametrisation(parametrisation: str, name: str) -> None:
    found = growth(parametrisation, name, (24, 24, 24), ROW)[-1]
    sample = outputs(parametrisation, name, (24, 24, 24))
    mean_off, variance_off = abs(sample.mean() - found.mean), abs(sample.var() / found.variance - 1.0)
    # units of 4 inputs and of width 24 are normal up to terms of order 1 / width
    assert mean_off < SIGMAS * sample.std() / np.sqrt(DRAWS) + found.mean / 24
    assert variance_off < SIGMAS * np.sqrt(2.0 / DRAWS) + 1.0 / 24


@pytest.mark.parametrize("inputs", [Inputs.of_row(ROW), Inputs.of_units(24, 0.7, 1.9, 0.8)], ids=["row", "units"])
def test_a_block_of_identities_is_an_affine_map_of_sizes(inputs: Inputs) -> None:
    """``(W+ x + b) - (W- x + b)`` is ``|W| x``: the affine sums without their bias, exactly."""
    block, affine = switched_block(lambda x: x, inputs), absolute_sums(inputs)
    wanted = (affine.mean, affine.square - 1.0 / (3.0 * inputs.count), affine.product)
    # what the rule leaves out: a square beyond 8 deviations, 64 exp(-32) of it
    assert (block.mean, block.square, block.product) == pytest.approx(wanted, rel=2**12 * EPS)


@pytest.mark.parametrize(("parametrisation", "gain"), [("post", 0.25), ("pre", 0.25), ("constrained", 0.5)])
def test_the_mean_grows_with_the_root_of_the_width(parametrisation: str, gain: float) -> None:
    for width in (16, 64, 256):
        spreads = growth(parametrisation, "relu", (width,) * 6, [3.0, 3.0])[:6]
        ratio = spreads[-1].mean / spreads[-2].mean
        # constrained sums become so large that a ReLU no longer bends; 1e-3 is the trapezoid rule at a kink
        assert ratio == pytest.approx(gain * np.sqrt(width), rel=1e-3 if width > 16 else 0.02)


def test_the_unconstrained_output_has_no_mean_at_any_width() -> None:
    assert {growth("unconstrained", "relu", (width,) * 4, ROW)[-1].mean for width in (4, 64)} == {0.0}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("abs", "relu", (4,), ROW), "a parametrisation is one of .*; got 'abs'"),
        (("post", "relu", (0,), ROW), r"widths are whole numbers of at least 1; got \(0,\)"),
        (("post", "relu", (4.5,), ROW), r"got \(4.5,\)"),
        (("post", "relu", (4,), []), r"a row is a list of finite numbers, at least one; got \[\]"),
        (("post", "relu", (4,), [np.nan]), r"got \[nan\]"),
        (("post", "relu", (4,), [[1.0]]), r"got \[\[1.0\]\]"),
    ],
)
def test_what_has_no_growth_is_refused(given: tuple, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        growth(*given)
