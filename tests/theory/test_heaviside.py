from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isotone.activations import Activation
from isotone.architecture import Architecture, Numeric
from isotone.theory.heaviside import both_orders, heaviside, naive_relu
from isotone.theory.interpolation import interpolate
from isotone.theory.network import Network
from tests.theory.data import EPS, tangled

LINE = np.linspace(-2.0, 2.0, 4001)


@pytest.mark.parametrize("steepness", [0.5, 3.0, 1e3])
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_step_is_exact_outside_its_band_and_nowhere_inside(steepness: float, side: str) -> None:
    step = heaviside(steepness, side)
    low, high = step.band
    wanted = (LINE >= 0) * 1.0 if side == "right" else (LINE > 0) - 1.0
    error = np.abs(step(LINE[:, None])[:, 0] - wanted)
    inside = (low < LINE) & (high > LINE)
    assert (error[~inside] == 0).all()
    assert inside.any()
    assert (error[inside] > 0).all()
    assert high - low == pytest.approx(1.0 / steepness, rel=4 * EPS)


def test_the_mean_error_is_half_the_width_of_the_band() -> None:
    step = heaviside(2.0)
    error = np.abs(step(LINE[:, None])[:, 0] - (LINE >= 0))
    # the trapezoid rule is exact on a ramp but for the cell at the jump, of width 1e-3 and height 1
    assert np.trapezoid(error, LINE) == pytest.approx(1.0 / (2.0 * 2.0), abs=1e-3)


@pytest.mark.parametrize("steepness", [0.5, 3.0, 1e3])
def test_figure_two_holds_with_its_missing_one(steepness: float) -> None:
    left, right = both_orders(steepness)
    # two roundings near 1
    assert np.abs(left(LINE[:, None]) - right(LINE[:, None])).max() <= 2 * EPS * steepness
    assert np.abs(left(LINE[:, None])[:, 0] - np.clip(steepness * LINE + 0.5, 0.0, 1.0)).max() <= 2 * EPS * steepness
    # the control: as printed, without the one, the sides differ by 1
    printed = Network(replace(right.architecture, center=0.0), right.parameters)
    assert np.abs(left(LINE[:, None]) - printed(LINE[:, None])).min() == pytest.approx(1.0, abs=2 * EPS * steepness)


@pytest.mark.parametrize("first_side", ["left", "right"])
@pytest.mark.parametrize("reflected", [False, True])
def test_the_naive_bound_needs_six_hidden_layers(first_side: str, reflected: bool) -> None:
    points, values = tangled()
    steps = interpolate(points, values, Activation("threshold", reflected=reflected), first_side)
    ramps = naive_relu(steps, points)
    assert len(ramps.architecture.hidden) == 6
    assert ramps.architecture.activation.name == "relu"
    assert np.array_equal(ramps(points), steps(points))


def test_a_row_that_was_not_asked_for_may_fall_into_the_band() -> None:
    steps = interpolate([[0.0], [1.0]], [0.0, 1.0], "threshold")
    ramps, near = naive_relu(steps, [[0.0], [1.0]]), np.array([[0.5 - 2.0**-20]])
    assert ramps(near) != steps(near)
    assert naive_relu(steps, near)(near) == steps(near)


def test_what_has_no_naive_form_is_refused() -> None:
    with pytest.raises(ValueError, match="starts from one member with the activation threshold"):
        naive_relu(interpolate([[0.0], [1.0]], [0.0, 1.0]), [[0.0]])
    with pytest.raises(ValueError, match=r"x\[:, 0\] must be finite.*; got \[nan\]"):
        naive_relu(interpolate([[0.0], [1.0]], [0.0, 1.0], "threshold"), [[np.nan]])
    with pytest.raises(ValueError, match="positive and finite; got 0"):
        heaviside(0.0)
    with pytest.raises(ValueError, match=r"first_side is one of \['left', 'right'\]; got 'top'"):
        heaviside(1.0, "top")
    columns = (Numeric(direction=1), Numeric())
    plan = Architecture(columns, (3,), (2,), form="constrained", activation="threshold")
    with pytest.raises(ValueError, match="a direction for every column"):
        naive_relu(Network(plan, plan.initial(0)), [[0.0, 0.0]])
