from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from isotone.activations import activation
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.initialisation import (
    BIAS_SHARE,
    Group,
    Moments,
    affine_balance,
    entrance_widths,
    free_balance,
    post_balance,
    pre_balance,
    stored_weight,
)
from isotone.reference import encode, member_scores
from isotone.weights import WEIGHT_MAPS, weight_map

SEEDS = 100
UP = tuple(Numeric(direction=1) for _ in range(6))
ROWS = np.random.default_rng(0).normal(size=(150, 6))


def scores(plan: Architecture, rows: np.ndarray, scheme: str) -> np.ndarray:
    """Return the scores of many fresh networks. Shape: ``(seeds, rows)``."""
    many = replace(plan, members=SEEDS)
    return member_scores(many, many.initial(0, np.float64, scheme), rows)[:, :, 0]


def root_mean_square(values: np.ndarray) -> float:
    return float(np.sqrt(np.square(values).mean()))


@pytest.mark.parametrize("form", ["post", "pre"])
@pytest.mark.parametrize("name", ["relu", "celu", "tanh", "softsign"])
@pytest.mark.parametrize("hidden", [(8,) * 4, (64,) * 2, (32,) * 8])
def test_the_output_has_the_variance_one_at_every_depth_and_width(form: str, name: str, hidden: tuple) -> None:
    plan = Architecture(UP, hidden, form=form, activation=activation(name))
    # narrow units are not quite normal, and one seed's rows are not independent: a fifth is what 1 means here
    assert root_mean_square(scores(plan, ROWS, "balanced")) == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("form", ["post", "pre"])
def test_no_seed_collapses_as_under_the_uniform_scheme(form: str) -> None:
    plan = Architecture(UP, (8,) * 4, form=form)
    over_rows = {scheme: scores(plan, ROWS, scheme).std(axis=1) for scheme in ("uniform", "balanced")}
    assert np.quantile(over_rows["balanced"], 0.05) > 0.2
    # the control: PyTorch's default leaves some networks almost constant, and blows wide ones up
    assert np.quantile(over_rows["uniform"], 0.05) < 0.08
    assert root_mean_square(scores(replace(plan, hidden=(64,) * 8), ROWS, "uniform")) > 50.0


@pytest.mark.parametrize("constraint", sorted(WEIGHT_MAPS))
@pytest.mark.parametrize("sign", [1, -1])
def test_constrained_networks_keep_the_scale_under_every_map(constraint: str, sign: int) -> None:
    plan = Architecture(UP, (16,) * 4, form="constrained", constraint=constraint, weight_sign=sign, activation="tanh")
    assert root_mean_square(scores(plan, ROWS, "balanced")) == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("constraint", sorted(WEIGHT_MAPS))
def test_a_stored_weight_is_the_inverse_of_the_map(constraint: str) -> None:
    sizes = np.array([1e-6, 0.3, 2.0])
    # a logarithm and an exponential, each within some eps
    assert weight_map(constraint).value(stored_weight(constraint, sizes)) == pytest.approx(sizes, rel=1e-9)


@pytest.mark.parametrize("form", ["post", "pre"])
def test_expanded_columns_codes_and_slots_count_as_one_column_each(form: str) -> None:
    knots = tuple(float(knot) for knot in range(17))
    columns = tuple(Numeric(knots, direction=sign) for sign in (1, -1, 0))
    columns = (*columns, Categorical(5), Numeric(missing=True))
    plan = Architecture(columns, (16, 16), free_hidden=(16,), form=form)
    stream = np.random.default_rng(1)
    rows = np.column_stack(
        [stream.uniform(0, 16, (200, 3)), stream.integers(0, 5, 200), np.where(stream.random(200) < 0.2, np.nan, 1.0)]
    )
    assert root_mean_square(scores(plan, rows, "balanced")) == pytest.approx(1.0, abs=0.4)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("levels", [None, (-1.0, 0.0, 3.0, 5.0, 7.0)])
def test_the_middle_of_the_data_has_the_biases_own_spread_only(sign: int, levels: tuple | None) -> None:
    plan = Architecture((Numeric((0.0, 1.0, 2.0, 4.0, 9.0), sign, levels),) * 4, (500,))
    # halfway through the segments, or where the map reaches the mean of the levels
    middle = 2.0 if levels is None else 1.0 + 2.8 / 3.0
    parameters = plan.initial(0, np.float64, "balanced")
    sums = encode(plan, np.full((1, 4), middle))[1] @ np.abs(parameters["trunk.0.weight"][0]).T
    at_middle = sums + parameters["trunk.0.bias"][0]
    # uniform biases of deviation d: 500 of them have a mean within 4 d / sqrt(500)
    spread = np.sqrt(BIAS_SHARE)
    assert abs(at_middle.mean()) < 4 * spread / np.sqrt(500)
    assert np.abs(at_middle).max() <= np.sqrt(3.0) * spread + 1e-12
    # the control: without their centre, the biases would leave it far away
    assert np.abs(sums).mean() > spread


@pytest.mark.parametrize("weight_sign", [1, -1])
def test_biases_of_either_sign_of_the_weights_bring_the_middle_to_zero(weight_sign: int) -> None:
    columns = (Numeric((0.0, 1.0, 2.0, 4.0, 9.0), 1),) * 4
    plan = Architecture(columns, (500,), form="constrained", weight_sign=weight_sign)
    parameters = plan.initial(0, np.float64, "balanced")
    sums = weight_sign * encode(plan, np.full((1, 4), 2.0))[1] @ np.abs(parameters["trunk.0.weight"][0]).T
    spread = np.sqrt(BIAS_SHARE)
    # 500 uniform biases of deviation d have a mean within 4 d / sqrt(500)
    assert abs((sums + parameters["trunk.0.bias"][0]).mean()) < 4 * spread / np.sqrt(500)
    # the control: biases of the other sign take it twice as far away
    assert abs((sums - parameters["trunk.0.bias"][0]).mean()) > spread


def test_the_signs_of_a_free_branch_are_not_those_of_the_trunk() -> None:
    columns = (Numeric((0.0, 1.0, 2.0, 4.0, 9.0)), Numeric(direction=1))
    plans = [Architecture(columns, (4,), (500,), form="constrained", weight_sign=sign) for sign in (1, -1)]
    one, other = (plan.initial(0, np.float64, "balanced") for plan in plans)
    assert np.array_equal(one["free.0.bias"], other["free.0.bias"])
    assert not np.array_equal(one["trunk.0.bias"], other["trunk.0.bias"])


def test_every_column_adds_the_same_variance() -> None:
    groups = [Group(), Group.segments(16), Group.levels([-2.0, 0.0, 2.0]), Group.indicators(9)]
    widths, moments = entrance_widths(groups, True, "absolute")
    bounds = np.split(widths, np.cumsum([len(group.middle) for group in groups])[:-1])
    added = [own[0] ** 2 * (g.along / 4 + g.apart / 12) for own, g in zip(bounds, groups, strict=True)]
    assert added == pytest.approx([(1.0 - BIAS_SHARE) / 4] * 4)
    assert 0.0 < moments.product < moments.square == 1.0


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0.0)


def standard_errors(products: np.ndarray, wanted: float) -> float:
    """Return how many standard errors a mean is away from what is wanted."""
    return float(abs(products.mean() - wanted) / (products.std() / np.sqrt(len(products))))


# how a weight acts on an input, given the activation of the input and that of the negated one
ACTS = {
    "affine": lambda w, one, other: np.abs(w) * one,
    "free": lambda w, one, other: w * one,
    "post": lambda w, one, other: np.where(w > 0, w * one, w * other),
    "half of pre": lambda w, one, other: relu(w) * one,
}
BALANCES = {"affine": affine_balance, "free": free_balance, "post": post_balance}
DRAWS, INPUTS = 400_000, 3


def unit_sums(kind: str, s: Callable, width: float, centre: float, moments: Moments) -> np.ndarray:
    """Return the sums of two units over random weights and normal inputs of these moments. Shape: ``(draws, 2)``."""
    stream = np.random.default_rng(11)
    common, own = stream.normal(size=(DRAWS, 1)), stream.normal(size=(DRAWS, INPUTS))
    x = moments.middle + np.sqrt(moments.product) * common + np.sqrt(moments.square - moments.product) * own
    weight = stream.uniform(-width, width, (DRAWS, 2, INPUTS))
    acting = ACTS[kind](weight, (s(x) - centre)[:, None], (s(-x) - centre)[:, None])
    return acting.sum(axis=2)


# a post-switch is balanced for inputs around zero only, as sums are
@pytest.mark.parametrize("moments", [Moments(), Moments(0.8, 0.3), Moments(0.8, 0.3, 0.4)], ids=str)
@pytest.mark.parametrize("s", [relu, np.tanh, lambda x: x], ids=["relu", "tanh", "identity"])
@pytest.mark.parametrize("kind", BALANCES)
def test_a_balance_gives_sums_of_variance_one_and_the_product_it_says(kind: str, s: Callable, moments: Moments) -> None:
    if kind == "post":
        moments = replace(moments, middle=0.0)
    balance = BALANCES[kind](INPUTS, False, s, moments)
    sums = unit_sums(kind, s, balance.width, balance.centre, moments)
    # four standard errors: the seed is fixed, and a kink costs the rule a tenth of one
    assert standard_errors(sums[:, 0] ** 2, 1.0) < 4.0
    assert standard_errors(sums[:, 0] * sums[:, 1], balance.outputs.product) < 4.0
    # the control: weights wider by a fiftieth
    assert standard_errors(1.02**2 * sums[:, 0] ** 2, 1.0) > 4.0


@pytest.mark.parametrize("has_bias", [False, True])
def test_the_sums_inside_a_pre_switch_have_the_variance_one(has_bias: bool) -> None:
    moments = Moments(0.8, 0.3)
    balance = pre_balance(INPUTS, has_bias, lambda x: x, moments)
    halves = unit_sums("half of pre", lambda x: x, balance.width, 0.0, moments)
    assert standard_errors(halves[:, 0] ** 2, 1.0 - balance.bias**2) < 4.0
    assert standard_errors(1.02**2 * halves[:, 0] ** 2, 1.0 - balance.bias**2) > 4.0
    # the block of identities is |W| x, whose moments are those of an affine map
    sizes = unit_sums("affine", lambda x: x, balance.width, 0.0, moments)
    assert standard_errors(sizes[:, 0] ** 2, balance.outputs.square) < 4.0
    assert standard_errors(sizes[:, 0] * sizes[:, 1], balance.outputs.product) < 4.0


@pytest.mark.parametrize("kind", ["absolute", "switch", "free"])
def test_an_entrance_gives_sums_of_variance_one_and_the_product_it_says(kind: str) -> None:
    acts = {"absolute": np.abs, "switch": relu, "free": lambda w: w}
    stream = np.random.default_rng(12)
    levels = np.array([-2.0, 0.0, 2.0])
    widths, moments = entrance_widths([Group(), Group.levels(levels), Group.indicators(3)], False, kind)
    codes = np.eye(3)[stream.integers(0, 3, DRAWS)]
    x = np.hstack([stream.normal(size=(DRAWS, 1)), levels[stream.integers(0, 3, (DRAWS, 1))], codes])
    weight = acts[kind](stream.uniform(-1.0, 1.0, (DRAWS, 2, 5)) * widths)
    sums = (weight * x[:, None]).sum(axis=2)
    assert standard_errors(sums[:, 0] ** 2, 1.0) < 4.0
    assert standard_errors(sums[:, 0] * sums[:, 1], moments.product) < 4.0
    assert standard_errors(1.02**2 * sums[:, 0] ** 2, 1.0) > 4.0


def test_the_moments_of_a_block_are_those_of_samples() -> None:
    balance = pre_balance(64, True, relu, Moments())
    stream = np.random.default_rng(3)
    squares, products = [], []
    for _ in range(60):
        inputs = np.sqrt(0.5) * (stream.normal(size=(300, 1)) + stream.normal(size=(300, 64)))
        weight = stream.uniform(-balance.width, balance.width, (64, 64))
        bias = stream.uniform(-1.0, 1.0, 64) * np.sqrt(3.0) * balance.bias
        out = relu(inputs @ np.maximum(weight, 0).T + bias) - relu(inputs @ np.minimum(weight, 0).T + bias)
        squares.append(np.square(out).mean())
        products.append((out[:, ::2] * out[:, 1::2]).mean())
    # uniform biases are half of the variance, so the sums are not quite normal
    assert np.mean(squares) == pytest.approx(balance.outputs.square, rel=0.07)
    assert np.mean(products) == pytest.approx(balance.outputs.product, rel=0.07)


def test_the_default_scheme_is_the_uniform_one_and_others_are_refused() -> None:
    plan = Architecture(UP, (4,))
    for name, array in plan.initial(5).items():
        assert np.array_equal(array, plan.initial(5, scheme="uniform")[name])
        assert not np.array_equal(array, plan.initial(5, scheme="balanced")[name])
    with pytest.raises(ValueError, match="scheme is one of"):
        plan.initial(0, scheme="xavier")


def test_a_member_depends_on_its_number_only_and_cuts_start_at_zero() -> None:
    few, many = (Architecture(UP, (4,), link="cumulative", cuts=2, members=m) for m in (1, 3))
    one, three = (Parameters(plan.initial(5, scheme="balanced").arrays) for plan in (few, many))
    assert all(np.array_equal(one[name][0], three[name][0]) for name in one)
    assert (one["cuts"] == 0.0).all()
