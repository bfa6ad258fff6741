from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isotone.activations import Activation
from isotone.architecture import Parameters
from isotone.theory import equivalences, interpolation
from isotone.theory.data_sets import Cuts, MonotoneData
from isotone.theory.interpolation import FORMS, PROMISE, Interpolation, interpolate, interpolate_by_unions
from isotone.theory.network import Network, constrained_layers, trunk_layers
from tests.theory.data import EPS, NAMED, USABLE, Array, monotone_values, tangled

CONSTRUCTORS = [interpolate, interpolate_by_unions]
CASES = [(side, form) for side in ("left", "right") for form in FORMS]


def largest_error(network: Network, points: Array, values: Array) -> float:
    return float(np.abs(network(points)[:, 0] - values).max())


@pytest.mark.parametrize("construct", CONSTRUCTORS)
@pytest.mark.parametrize("s", USABLE, ids=str)
def test_every_activation_goes_through_tangled_data_in_every_form(s: Activation, construct) -> None:
    points, values = tangled()
    plain, flat = points + 0.5 * np.arange(3), np.ptp(values)
    for side, form in CASES:
        # measured from the least value, as a pre-switch network does, neighbouring floats may become one
        data = np.round(plain * 4) / 4 if form == "pre" else plain
        wanted = monotone_values(data, values)
        network = construct(data, wanted, s, side, form)
        assert largest_error(network, data, wanted) <= network.bound <= PROMISE * flat


numbers = st.one_of(
    st.sampled_from([0.0, 1.0, 1.0 + EPS, 1.0 - EPS / 2, -1.0, 2.0, 1e-30, -1e-30, 1e30]),
    st.floats(-1e30, 1e30, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-30),
)


@settings(max_examples=500)
@given(st.data())
def test_hostile_coordinates_and_values_do_not_break_the_bound(data: st.DataObject) -> None:
    rows, columns = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 3))
    points = np.array(data.draw(st.lists(numbers, min_size=rows * columns, max_size=rows * columns)))
    points = points.reshape(rows, columns)
    # a part of the range of the values must be a normal number: how small one may be is another test
    finite = st.floats(-1e300, 1e300, allow_subnormal=False).filter(lambda y: y == 0 or abs(y) > 1e-280)
    values = monotone_values(points, np.array(data.draw(st.lists(finite, min_size=rows, max_size=rows))))
    side, form = data.draw(st.sampled_from([case for case in CASES if case[1] != "pre"]))
    network = data.draw(st.sampled_from(CONSTRUCTORS))(points, values, data.draw(st.sampled_from(USABLE)), side, form)
    assert largest_error(network, points, values) <= network.bound
    assert network.bound <= PROMISE * np.ptp(values)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("value", [0.0, 5e-324, -5e-324, 1e300])
def test_one_value_is_met_exactly(value: float, side: str) -> None:
    for s in USABLE:
        network = interpolate([[0.0], [1.0]], [value, value], s, side)
        assert (network([[0.0], [1.0], [7.0]]) == value).all()
        assert network.bound == 0.0


def test_a_range_of_which_a_part_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no scaling in float64 keeps the error below"):
        interpolate([[0.0], [1.0]], [0.0, 5e-324], "tanh")
    # the control: one of which a part is
    assert interpolate([[0.0], [1.0]], [0.0, 1e-290], "tanh").bound <= PROMISE * 1e-290


def five_hundred() -> tuple[Array, Array]:
    stream = np.random.default_rng(1)
    points = stream.normal(size=(500, 10))
    return points, monotone_values(points, np.linspace(0.0, 1.0, 500)[stream.permutation(500)])


# every activation once, and by turns both constructors, both sides and all forms
@pytest.mark.parametrize(("turn", "s"), list(enumerate(s for s in NAMED if s.usable)), ids=str)
def test_five_hundred_points_in_ten_columns_keep_the_bound(turn: int, s: Activation) -> None:
    points, values = five_hundred()
    side, form = CASES[turn % len(CASES)]
    network = CONSTRUCTORS[turn % 3 == 0](points, values, s, side, form)
    assert largest_error(network, points, values) <= network.bound <= PROMISE
    first, second, third = network.architecture.hidden
    assert (first <= 5000, second <= 500, third <= 500) == (True, True, True)


@pytest.mark.slow
@pytest.mark.parametrize("construct", CONSTRUCTORS)
@pytest.mark.parametrize("s", [s for s in NAMED if s.usable], ids=str)
def test_five_hundred_points_in_ten_columns_keep_the_bound_with_every_activation(s: Activation, construct) -> None:
    points, values = five_hundred()
    for side, form in CASES:
        network = construct(points, values, s, side, form)
        assert largest_error(network, points, values) <= network.bound <= PROMISE


@pytest.mark.parametrize("construct", CONSTRUCTORS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_the_signs_are_those_of_the_form(construct, side: str) -> None:
    points, values = tangled()
    networks = {form: construct(np.round(points), monotone_values(np.round(points), values), "relu", side, form)
                for form in FORMS}  # fmt: skip
    assert all((weight >= 0).all() for weight, _ in trunk_layers(networks["non_negative"]))
    assert networks["non_positive"].architecture.weight_sign == -1
    assert not any(networks["non_positive"].architecture.reflect)
    assert {networks[form].architecture.form for form in ("post", "pre")} == {"post", "pre"}
    assert all((weight <= 0).all() or (weight >= 0).all() for weight, _ in trunk_layers(networks["post"]))


def test_layers_saturate_alternately_beginning_on_the_side_asked_for() -> None:
    for side, flags in (("left", (False, True, False)), ("right", (True, False, True))):
        assert interpolate([[0.0], [1.0]], [0.0, 1.0], "relu", side).architecture.reflect == flags


def test_the_function_keeps_order_between_its_points() -> None:
    points, values = tangled()
    network = interpolate(points, values, "tanh")
    grid = np.linspace(-4.0, 4.0, 200)
    for base in points[:4]:
        line = base + grid[:, None] * np.array([1.0, 0.5, 0.0])
        # 2^10 eps: sums of some tens of terms, each as large as the range
        assert (np.diff(network(line)[:, 0]) >= -1024 * EPS * np.ptp(values)).all()


def test_the_two_proofs_give_functions_that_differ_between_the_points() -> None:
    points = np.array([[0.0, 0.0], [1.0, 9.0]])
    mains = interpolate(points, [0.0, 1.0], "threshold", "right")
    unions = interpolate_by_unions(points, [0.0, 1.0], "threshold", "right")
    between = np.array([[0.2, 9.0]])
    assert (mains(between).round(6).item(), unions(between).round(6).item()) == (0.0, 1.0)


def printed_half_spaces(data: MonotoneData, cuts: Cuts) -> np.ndarray:
    """The sets of the alternative proof as printed: only points above in every column are parted."""
    points, values = data.lower
    chosen = np.zeros((len(points), len(cuts.column)), dtype=bool)
    for unit, (point, value) in enumerate(zip(points, values, strict=True)):
        for other in data.points[(data.values > value) & (data.points >= point).all(axis=1)]:
            column = int(np.argmax(other - point))
            chosen[unit, cuts.first[column] + cuts.ranks(point[None])[0, column]] = True
    return chosen


def test_the_printed_alternative_proof_is_rejected_at_its_counterexample() -> None:
    points, values = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 3.0]]), np.array([0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="no scaling in float64"):
        interpolation._interpolate(points, values, "relu", "left", "non_negative", printed_half_spaces)
    repaired = interpolate_by_unions(points, values)
    assert largest_error(repaired, points, values) <= repaired.bound


@pytest.mark.parametrize("layer", range(4))
def test_a_network_with_one_changed_bias_breaks_the_bound(layer: int) -> None:
    points, values = tangled()
    network = interpolate(points, values, "relu")
    arrays = dict(network.parameters)
    # the bias of layer 2 must move by its rest to matter; the others by their own size
    arrays[f"trunk.{layer}.bias"] = arrays[f"trunk.{layer}.bias"] + 8.0 * (1 + np.abs(arrays[f"trunk.{layer}.bias"]))
    broken = Interpolation(network.architecture, Parameters(arrays), network.bound, network.scaling)
    assert largest_error(broken, points, values) > broken.bound


def test_data_that_are_not_monotone_name_the_pair() -> None:
    with pytest.raises(ValueError, match=r"row 2 at \[0.0, 3.0\] is nowhere above row 0 .* 7.0 exceeds 5.0"):
        interpolate([[1.0, 3.0], [2.0, 0.0], [0.0, 3.0]], [5.0, 6.0, 7.0])
    with pytest.raises(ValueError, match=r"row 0 .* is nowhere above row 1"):
        interpolate([[1.0], [1.0]], [5.0, 4.0])


@pytest.mark.parametrize(
    ("points", "values", "settings_", "message"),
    [
        ([[np.nan]], [0.0], {}, r"rows \[0\]"),
        ([0.0, 1.0], [0.0, 1.0], {}, r"got \(2,\)"),
        ([[0.0]], [0.0], {"activation": "gelu"}, "gelu cannot interpolate: it decreases"),
        ([[0.0]], [0.0], {"activation": "leaky_relu"}, "saturates on neither side"),
        ([[0.0]], [0.0], {"activation": Activation("srelu", (1.0, 0.0, 1.0, 0.0))}, "not constant"),
        ([[0.0]], [0.0], {"first_side": "top"}, "first_side is one of"),
        ([[0.0]], [0.0], {"form": "abs"}, "form one of"),
        ([[0.0]], [0.0], {"form": ["pre"]}, r"form one of .*\['pre'\]"),
        ([[0.0], [5e-324], [1e300]], [0.0, 1.0, 2.0], {}, "less than float64 can tell"),
        ([[0.0], [1e-290], [1.0]], [0.0, 1.0, 2.0], {}, "column 0 has values too close"),
    ],
)
def test_what_cannot_be_built_is_refused_in_words(points, values, settings_, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        interpolate(points, values, **settings_)


@pytest.mark.parametrize("x", [[[np.nan]], [[np.inf]], [[1.0, 2.0]], [1.0], np.zeros((0, 1)), [["a"]]])
def test_a_network_is_not_asked_what_it_cannot_read(x) -> None:
    network = interpolate([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises((ValueError, TypeError), match=r"^x(\[:, 0\] must be finite| has shape| holds numbers)"):
        network(x)


def test_one_level_is_a_constant_without_error() -> None:
    for form in FORMS:
        network = interpolate([[0.0, 5.0], [3.0, 1.0]], [2.5, 2.5], form=form)
        assert (network.bound, largest_error(network, np.zeros((1, 2)), np.array([2.5]))) == (0.0, 0.0)


def test_close_values_of_large_size_come_back_exactly() -> None:
    values = np.array([1e8, 1e8 + 2e-8, 1e8 + 1e-6])
    network = interpolate([[0.0], [1.0], [2.0]], values, "elu")
    assert network([[0.0], [1.0], [2.0]])[:, 0].tolist() == values.tolist()


def test_the_threshold_needs_no_limit() -> None:
    points, values = tangled()
    network = interpolate(points, values, "threshold")
    # a telescope of at most 9 steps, each summand rounded once, and the last sum
    assert largest_error(network, points, values) <= 10 * EPS * np.ptp(values)


def test_the_non_positive_network_is_the_same_function_bit_for_bit() -> None:
    points, values = tangled()
    own, flipped = (interpolate(points, values, "elu", form=form) for form in ("non_negative", "non_positive"))
    elsewhere = np.random.default_rng(3).normal(size=(50, 3)) * 2 + [0.0, 0.0, 7.0]
    assert np.array_equal(own(elsewhere), flipped(elsewhere))
    back = equivalences.flip_signs(flipped)
    assert all(
        np.array_equal(a[0], b[0]) for a, b in zip(constrained_layers(own), constrained_layers(back), strict=True)
    )
