from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from isotone.activations import Activation
from isotone.architecture import Parameters
from isotone.theory.heaviside import heaviside
from isotone.theory.interpolation import interpolate
from isotone.theory.leaky import derivative_bounds, leaky_floor, one_layer_floor, slope_range, steepness_ratio
from isotone.theory.network import Network
from tests.theory.data import EPS, drawn

LEAKY = [Activation("leaky_relu", (0.1,)), Activation("leaky_relu", (3.0,)), Activation("srelu", (-1.0, 0.2, 1.0, 0.5))]
LINE = np.linspace(0.0, 1.0, 33)
STEP = (LINE > 0.5) * 1.0
# the solver ends at a vertex: a system of some tens of equations whose sizes differ by 1e4 at most
SOLVED = 2**16 * EPS


@pytest.mark.parametrize("form", ["constrained", "post", "pre"])
@pytest.mark.parametrize("s", LEAKY, ids=str)
def test_secants_stay_between_the_bounds(form: str, s: Activation) -> None:
    network = drawn(hidden=(5, 4, 6), form=form, activation=s, columns=1)
    low, high = (float(bound[0, 0, 0]) for bound in derivative_bounds(network))
    places = np.sort(np.random.default_rng(0).normal(size=400)) * 20
    # the column has the unit 1.5
    secants = np.diff(network(places[:, None])[:, 0]) / np.diff(places) * 1.5
    # a secant over a gap g of values of size v errs by a few eps v / g
    slack = 64 * EPS * np.abs(network(places[:, None])).max() / np.diff(places).min()
    assert low - slack <= secants.min()
    assert secants.max() <= high + slack
    # the control: with one layer less, the bounds would be wrong
    assert secants.max() / secants.min() > 1.5


@pytest.mark.parametrize(("form", "signs"), [("constrained", (1, 1, 1)), ("post", (1, -1, 1)), ("pre", (-1, 1, 1))])
def test_the_bounds_by_hand(form: str, signs: tuple[int, ...]) -> None:
    network = drawn(hidden=(2, 2), form=form, activation=LEAKY[0], columns=2)
    weights = [[[2.0, 0.5], [4.0, 8.0]], [[1.0, 3.0], [5.0, 0.25]], [[6.0, 0.5]]]
    arrays = {f"trunk.{i}.weight": sign * np.array([w]) for i, (w, sign) in enumerate(zip(weights, signs, strict=True))}
    low, high = derivative_bounds(Network(network.architecture, Parameters(dict(network.parameters) | arrays)))
    # over both units of the first layer: (2 + 3 * 4, 0.5 + 3 * 8) and (5 * 2 + 4 / 4, 5 * 0.5 + 8 / 4), then 6 and 1/2
    paths = np.array([[[6 * 14.0 + 0.5 * 11.0, 6 * 24.5 + 0.5 * 4.5]]])
    assert high == pytest.approx(paths, rel=4 * EPS)
    assert low == pytest.approx(0.01 * paths, rel=4 * EPS)


def test_saturating_activations_have_no_bound() -> None:
    for s in (Activation("relu"), Activation("tanh"), Activation("leaky_relu", (0.0,))):
        with pytest.raises(ValueError, match="come down to zero"):
            slope_range(s)
    assert slope_range(Activation("identity")) == (1.0, 1.0)


def test_the_floor_of_a_step_is_that_of_the_two_slopes() -> None:
    places, values = [0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0]
    for ratio in (1.0, 10.0, 1e4):
        # with the error e, a flat piece rises by 2e at most, so p <= 2e; the step rises by 1 - 2e, so r p >= 1 - 2e
        assert leaky_floor(places, values, ratio) == pytest.approx(1.0 / (2.0 * (ratio + 1.0)), abs=SOLVED)


def test_the_floor_falls_with_depth_but_never_to_zero() -> None:
    s = Activation("leaky_relu", (0.1,))
    floors = [leaky_floor(LINE, STEP, steepness_ratio(s, layers)) for layers in range(4)]
    # the longer flat side has 16 gaps, the step one: 16 p <= 2e and r p >= 1 - 2e
    assert floors == pytest.approx([0.5 / (1.0 + 10.0**layers / 16.0) for layers in range(4)], abs=SOLVED)
    assert all(above > below > 0 for above, below in pairwise(floors))


@pytest.mark.parametrize("layers", [1, 2])
def test_no_network_of_that_depth_comes_below_the_floor(layers: int) -> None:
    s = Activation("leaky_relu", (0.3,))
    floor = leaky_floor(LINE, STEP, steepness_ratio(s, layers))
    for seed in range(30):
        network = drawn(hidden=(8,) * layers, activation=s, columns=1, seed=seed)
        score = network(LINE[:, None])[:, 0]
        for gain in (0.3, 1.0, 1.0 / np.ptp(score), 3.0 / np.ptp(score)):
            # shifted to its least largest error
            assert 0.5 * np.ptp(STEP - gain * score) >= floor - SOLVED


@pytest.mark.parametrize("slope", [0.0, 0.1, 0.5, 1.0, 3.0])
def test_one_layer_bends_both_ways_at_the_price_of_both_sides(slope: float) -> None:
    s = Activation("leaky_relu", (slope,))
    a = min(slope, 1.0 / slope) if slope else 0.0
    # steep units rise by v before the step's gap and by v behind it: v (1 + a) = 2e on either side, 2v = 1 - 2e between
    found = one_layer_floor([0.0, 1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0], s)
    assert found == pytest.approx((1.0 + a) / (2.0 * (3.0 + a)), abs=SOLVED)


def test_a_hinge_bends_once_so_that_both_floors_agree() -> None:
    hinge = np.maximum(2.0 * LINE - 1.0, 0.0)
    for s in LEAKY[:2]:
        assert one_layer_floor(LINE, hinge, s) == pytest.approx(
            leaky_floor(LINE, hinge, steepness_ratio(s, 1)), abs=SOLVED
        )
    assert one_layer_floor(LINE, hinge, "relu") <= SOLVED


def least_errors(hidden: tuple[int, ...], form: str, s: Activation) -> list[float]:
    """Return how near random networks come to the step, each shifted and multiplied as is best for it."""
    found = []
    for seed in range(20):
        network = drawn(hidden=hidden, form=form, activation=s, columns=1, seed=seed)
        score = network(LINE[:, None] * 8.0 - 4.0)[:, 0]
        found += [0.5 * np.ptp(STEP - gain * score / np.ptp(score)) for gain in np.linspace(0.0, 1.5, 31)]
    return found


@pytest.mark.parametrize("form", ["constrained", "post", "pre"])
@pytest.mark.parametrize("slope", [0.0, 0.1])
def test_no_network_of_one_layer_comes_below_its_floor(form: str, slope: float) -> None:
    s = Activation("leaky_relu", (slope,))
    floor = one_layer_floor(LINE, STEP, s)
    assert min(least_errors((8,), form, s)) >= floor - SOLVED
    assert floor > leaky_floor(LINE, STEP, 10.0) if slope else floor > 0.4


def test_two_layers_come_below_the_floor_of_one() -> None:
    """Control: a ramp that saturates on both sides is a step between two places."""
    ramp = heaviside(64.0)
    error = np.abs(ramp(LINE[:, None] - 33.0 / 64.0)[:, 0] - STEP).max()
    assert error < one_layer_floor(LINE, STEP, "relu")


def test_an_activation_of_more_slopes_has_no_floor_of_one_layer_here() -> None:
    with pytest.raises(ValueError, match="is known for two slopes"):
        one_layer_floor(LINE, STEP, "tanh")


def test_a_saturating_network_goes_below_that_floor() -> None:
    fitted = interpolate(LINE[:, None], STEP, "relu")
    assert np.abs(fitted(LINE[:, None])[:, 0] - STEP).max() <= fitted.bound
    assert fitted.bound < leaky_floor(LINE, STEP, steepness_ratio(Activation("leaky_relu", (0.01,)), 3))


def test_places_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="positions increase"):
        leaky_floor([0.0, 0.0], [0.0, 1.0], 2.0)
    with pytest.raises(ValueError, match="ratio is at least 1"):
        leaky_floor([0.0, 1.0], [0.0, 1.0], 0.5)
    with pytest.raises(ValueError, match="positions and values are finite"):
        leaky_floor([0.0, 1.0], [0.0, np.nan], 2.0)
    for layers in (-1, 1.5):
        with pytest.raises(ValueError, match=f"a whole number, none or more; got {layers}"):
            steepness_ratio(LEAKY[0], layers)
    with pytest.raises(ValueError, match=r"one value per position; got \(1,\) for \(2,\)"):
        leaky_floor([0.0, 1.0], [0.0], 2.0)
