"""Each claim of the activation table is checked by numbers, and a false claim is caught."""

import re

import numpy as np
import pytest
from scipy.special import ndtr

from isotone.activations import EXP_CEILING, TABLE, Activation, activation, check_monotone, monotone_names
from tests.formulas import computed

EPS = np.finfo(np.float64).eps
GRID = np.unique(np.concatenate([np.linspace(-40.0, 40.0, 200_001), np.geomspace(1e-12, 40.0, 2001)]))
CASES = [activation(name) for name in TABLE] + [
    Activation("leaky_relu", (0.0,)),
    Activation("leaky_relu", (1.0,)),
    Activation("leaky_relu", (3.0,)),
    Activation("elu", (0.3,)),
    Activation("elu", (2.5,)),
    Activation("celu", (0.2,)),
    Activation("celu", (4.0,)),
    Activation("srelu", (-2.0, 0.5, 0.5, 0.0)),
    Activation("srelu", (0.0, 0.25, 0.0, 2.0)),
]
BOTH = CASES + [s.reflection for s in CASES]


def name_of(s):
    return f"{s.name}{s.parameters}{'-reflected' * s.reflected}"


def largest_fall(s, grid=GRID):
    """Return the largest decrease between neighbours on the grid, relative to the value's size."""
    values = s.value(grid)
    return float(np.max((values[:-1] - values[1:]) / np.maximum(np.abs(values[1:]), 1e-300)))


def shape_of(s):
    """Return the shape that chords on an even grid show; EXP's ceiling is within its grid."""
    grid = np.arange(-70 * 64, 70 * 64 + 1) / 64.0  # binary fractions, so that the grid itself has no rounding
    values = s.value(grid)
    bend = values[2:] - 2 * values[1:-1] + values[:-2]
    # rounding of three values and their sum
    noise = 8 * EPS * (np.abs(values[2:]) + np.abs(values[1:-1]) + np.abs(values[:-2]))
    rises, falls = bool((bend > noise).any()), bool((bend < -noise).any())
    return {(False, False): "affine", (True, False): "convex", (False, True): "concave"}.get((rises, falls), "neither")


@pytest.mark.parametrize("s", BOTH, ids=name_of)
def test_monotone_or_not_is_what_the_grid_shows(s):
    # float64 library functions err by up to 4 ulp, so neighbours may seem to fall by that much and no more
    assert (largest_fall(s) <= 8 * EPS) == s.monotone


def limit_error(s, limits):
    """Return how far the values far out are from the limits, in units of what softsign, the slowest, may be away."""
    far = np.array([1e3, 1e6, 1e9])
    errors = []
    for limit, toward in zip(limits, (s.value(-far), s.value(far)), strict=True):
        if np.isfinite(limit):
            errors.append(
                np.max(np.abs(toward - limit) / (1.001 * max(1.0, 1e-3 * abs(limit)) / far + 4 * EPS * abs(limit)))
            )
        else:
            is_diverging = (np.sign(limit) * np.diff(toward) > 0).all() and abs(toward[-1]) > 1e6
            errors.append(0.0 if is_diverging else np.inf)
    return max(errors)


@pytest.mark.parametrize("s", BOTH, ids=name_of)
def test_limits_are_approached_at_both_sides(s):
    assert limit_error(s, s.limits) <= 1.0


def slope_error(s, derivative):
    """Return how far a claimed derivative is from central differences, relative to the largest slope."""
    grid = np.linspace(-9.0, 9.0, 3001) + 1.234e-4  # between the kinks, which lie at round numbers
    step = 1e-5
    slope = (s.value(grid + step) - s.value(grid - step)) / (2 * step)
    return np.abs(slope - derivative(grid)).max() / max(1.0, np.abs(derivative(grid)).max())


def formula_error(s, tex, function):
    """Return how far a printed formula is from what is computed, relative to the size of the value, or to one."""
    x = 2.0 * GRID  # as far as the ceiling of exp and beyond
    with np.errstate(over="ignore"):
        return np.max(np.abs(computed(tex, s)(x) - function(x)) / np.maximum(1.0, np.abs(function(x))))


@pytest.mark.parametrize("s", CASES, ids=name_of)
def test_the_printed_formulas_are_what_is_computed(s):
    # a few roundings there, where 1 + e^x may cancel, and here
    assert formula_error(s, s.row.formula, s.value) <= 64 * EPS
    assert formula_error(s, s.row.gradient, s.derivative) <= 64 * EPS


@pytest.mark.parametrize("s", [s for s in CASES if s.name not in ("identity", "threshold")], ids=name_of)
def test_a_printed_formula_of_another_is_caught(s):
    """Negative control: a formula of the derivative is none of the value, and the other way round."""
    assert formula_error(s, s.row.gradient, s.value) > 1e-2
    assert formula_error(s, s.row.formula, s.derivative) > 1e-2


@pytest.mark.parametrize("s", BOTH, ids=name_of)
def test_the_derivative_is_the_slope(s):
    # central differences: h^2 f''' / 6 plus eps |f| / h
    assert slope_error(s, s.derivative) <= 1e-8


@pytest.mark.parametrize("s", BOTH, ids=name_of)
def test_the_shape_is_what_chords_show(s):
    assert shape_of(s) == s.shape


@pytest.mark.parametrize("s", CASES, ids=name_of)
def test_reflection_is_the_point_reflection(s):
    assert np.array_equal(s.reflection.value(GRID), 0.0 - s.value(-GRID))
    assert s.reflection.reflection == s
    assert (s.reflection.saturates_left, s.reflection.saturates_right) == (s.saturates_right, s.saturates_left)


def test_usable_means_monotone_and_saturating_on_a_side():
    usable = {s.name for s in map(activation, TABLE) if s.usable}
    assert usable == set(TABLE) - {"leaky_relu", "prelu", "gelu", "silu", "identity"}


@pytest.mark.parametrize("s", CASES, ids=name_of)
def test_the_reason_why_not_is_given_exactly_when_not_usable(s):
    assert bool(s.why_not) != s.usable


def test_every_activation_of_the_papers_table_is_here():
    assert {name for name, row in TABLE.items() if row.in_paper} == {
        "relu", "leaky_relu", "prelu", "relu6", "elu", "selu", "celu", "gelu", "silu", "sigmoid", "tanh", "exp",
        "softsign", "softplus", "logsigmoid",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "lowest"), [("gelu", -0.7518), ("silu", -1.2785)])
def test_gelu_and_silu_are_refused_with_where_they_decrease(name, lowest):
    with pytest.raises(ValueError, match=f"{name} cannot keep order: it decreases for x < {lowest}"):
        check_monotone(activation(name))
    s = activation(name)
    left, right = np.linspace(lowest - 5, lowest - 1e-3, 999), np.linspace(lowest + 1e-3, 5, 999)
    assert (np.diff(s.value(left)) < 0).all()
    assert (np.diff(s.value(right)) > 0).all()


def test_leaky_relu_is_allowed_but_not_covered_by_the_theorem():
    s = check_monotone(activation("leaky_relu"))
    assert "the theorem does not cover it" in s.why_not


def test_exp_is_finite_and_constant_beyond_its_ceiling():
    s = activation("exp")
    assert s.value(EXP_CEILING) == s.value(1e300) == s.limits[1] < np.inf


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("swish", (), "'swish'"),
        ("relu", (1.0,), r"takes the parameters \[\]"),
        ("celu", (), r"takes the parameters \['alpha'\]"),
        ("leaky_relu", (-0.1,), "-0.1"),
        ("celu", (0.0,), "alpha > 0"),
        ("elu", (float("nan"),), "nan"),
        ("srelu", (1.0, 0.0, -1.0, 0.0), "left <= right"),
    ],
)
def test_bad_parameters_are_named(name, parameters, said):
    with pytest.raises(ValueError, match=said):
        Activation(name, parameters)


@pytest.mark.parametrize("spec", ["swish", ["relu"], None, 3])
def test_unknown_names_list_what_exists(spec):
    with pytest.raises(ValueError, match=rf"'relu'.*got {re.escape(repr(spec))}"):
        activation(spec)
    assert "relu" in monotone_names()


def test_parameters_may_be_any_sequence_and_must_be_one():
    assert hash(Activation("celu", [2.0])) == hash(Activation("celu", (2.0,)))
    with pytest.raises(TypeError, match=r"parameters of celu are a sequence of numbers; got 2.0"):
        Activation("celu", 2.0)


def test_a_false_claim_is_caught():
    silu, relu = activation("silu"), activation("relu")
    assert largest_fall(silu) > 1e9 * EPS
    assert shape_of(relu) != "concave"
    assert limit_error(relu, (0.0, 1e9)) > 1.0
    assert limit_error(activation("softsign"), (-1.0, np.inf)) > 1.0
    assert limit_error(activation("relu6"), (0.0, 6.1)) > 1.0


def test_the_derivatives_that_the_paper_prints_are_caught():
    celu, gelu = Activation("celu", (4.0,)), activation("gelu")
    assert slope_error(celu, lambda x: np.where(x >= 0, 1.0, np.exp(np.minimum(x, 0.0)) / 4.0)) > 0.1
    assert slope_error(gelu, lambda x: ndtr(x) * np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)) > 0.1
