from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isotone.activations import activation
from isotone.theory.convexity import convex_envelope, convex_floor, network_shape
from isotone.theory.interpolation import interpolate
from isotone.theory.network import Network
from tests.theory.data import EPS, drawn

LINE = np.linspace(0.0, 1.0, 21)[:, None]
# the solver ends at a vertex: a system of some tens of equations of size 1
SOLVED = 2**12 * EPS


def convex(seed: int, **settings: object) -> Network:
    return drawn(hidden=(6, 6, 6), reflect=(False,) * 3, seed=seed, **settings)


@pytest.mark.parametrize("name", ["relu", "softplus", "elu"])
def test_a_network_called_convex_is_convex(name: str) -> None:
    stream = np.random.default_rng(0)
    for seed in range(10):
        network = convex(seed, activation=activation(name))
        assert network_shape(network) == "convex"
        left, right = stream.normal(size=(2, 50, 3)) * 3
        chord = 0.5 * (network(left) + network(right))
        # 64 eps: sums of 6 terms in 4 layers
        assert (network(0.5 * (left + right)) <= chord + 64 * EPS * (1 + np.abs(chord))).all()


def test_alternation_ends_convexity() -> None:
    network = drawn(hidden=(6, 6, 6))
    assert network_shape(network) == "neither"
    left, right = np.random.default_rng(1).normal(size=(2, 200, 3)) * 3
    assert (network(0.5 * (left + right)) > 0.5 * (network(left) + network(right)) + 1e-6).any()


def test_reflections_alone_are_concave_and_other_forms_neither() -> None:
    assert network_shape(drawn(reflect=(True,) * 3)) == "concave"
    assert network_shape(drawn(hidden=(), reflect=())) == "affine"
    assert network_shape(drawn(form="post")) == "neither"
    assert network_shape(drawn(weight_sign=-1, reflect=(False,) * 3)) == "neither"


def test_no_convex_network_comes_below_the_floor_of_a_concave_target() -> None:
    target = np.sqrt(LINE[:, 0])
    floor = convex_floor(LINE, target)
    # half the largest gap between sqrt x and its chord x, at x = 1/4
    assert floor == pytest.approx(0.125, abs=SOLVED)
    for seed in range(20):
        network = convex(seed, columns=1)
        score = network(LINE)[:, 0]
        best = np.polynomial.Polynomial.fit(score, target, 1)
        slope = max(best.convert().coef[-1], 0.0)
        # shifted to its least largest error, the network is still convex
        rest = target - slope * score
        assert 0.5 * np.ptp(rest) >= floor - SOLVED


def test_the_alternating_network_goes_below_that_floor() -> None:
    target = np.sqrt(LINE[:, 0])
    fitted = interpolate(LINE, target)
    assert np.abs(fitted(LINE)[:, 0] - target).max() <= fitted.bound < convex_floor(LINE, target)


def test_a_convex_target_has_no_floor() -> None:
    points = np.random.default_rng(2).normal(size=(30, 2))
    assert convex_floor(points, np.square(points).sum(axis=1)) <= SOLVED


def test_the_envelope_is_below_and_the_raised_envelope_attains_the_floor() -> None:
    stream = np.random.default_rng(3)
    points, values = stream.normal(size=(25, 2)), stream.normal(size=25)
    envelope, floor = convex_envelope(points, values), convex_floor(points, values)
    assert (envelope <= values).all()
    assert np.abs(envelope + floor - values).max() <= floor + SOLVED
    assert convex_floor(points, envelope) <= SOLVED


def test_a_free_branch_is_not_called_convex() -> None:
    from isotone.architecture import Numeric

    plan = replace(convex(0).architecture, columns=(Numeric(direction=1), Numeric()), free_hidden=(3,))
    assert network_shape(Network(plan, plan.initial(0))) == "neither"


def test_data_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"points are \(n, d\) and values \(n,\).*got \(2,\) and \(2,\)"):
        convex_floor([0.0, 1.0], [0.0, 1.0])
