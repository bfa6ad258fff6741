"""The definition does what the formulas of the paper say, on numbers worked out by hand, and keeps order."""

import numpy as np
import pytest

from isotone import reference
from isotone.activations import Activation, activation
from isotone.architecture import Architecture, Categorical, Numeric, Parameters

EPS = np.finfo(np.float64).eps


def small(form, weights, biases, **settings):
    """Return a one-column network with scalar layers of the given weights and biases."""
    hidden = (1,) * (len(weights) - 1)
    network = Architecture((Numeric(direction=1),), hidden=hidden, form=form, **settings)
    arrays = {}
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        arrays[f"trunk.{layer}.weight"] = np.full((1, 1, 1), float(weight))
        arrays[f"trunk.{layer}.bias"] = np.full((1, 1), float(bias))
    return network, Parameters(arrays).check(network)


def outputs(network, parameters, xs):
    return reference.predict(network, parameters, np.array(xs, dtype=float)[:, None])[:, 0].tolist()


def test_post_switch_by_hand():
    # |−2| x + 1, then -3 relu(-z) + 0.5
    network, parameters = small("post", (-2, -3), (1, 0.5))
    assert outputs(network, parameters, [-2.0, 0.0, 1.0]) == [-3 * 3 + 0.5, 0.5, 0.5]


def test_pre_switch_by_hand():
    # relu(0 x + 1) - relu(-2 x + 1), then |-3| h + 0.5
    network, parameters = small("pre", (-2, -3), (1, 0.5))
    assert outputs(network, parameters, [-2.0, 0.0, 1.0]) == [3 * (1 - 5) + 0.5, 0.5, 3 * 1 + 0.5]


@pytest.mark.parametrize("x", [-2.0, 0.0, 1.5])
def test_positive_weights_by_hand(x):
    # |3| x - 1, then 2 relu(z) + 0.5
    assert outputs(*small("post", (3, 2), (-1, 0.5)), [x]) == [2 * max(3 * x - 1, 0) + 0.5]
    # relu(3 x - 1) - relu(0 x - 1), then 2 h + 0.5
    assert outputs(*small("pre", (3, 2), (-1, 0.5)), [x]) == [2 * max(3 * x - 1, 0) + 0.5]


def test_the_free_branch_by_hand():
    network = Architecture((Numeric(), Numeric(direction=1)), hidden=(), free_hidden=(2, 1), free_activation="tanh")
    arrays = {
        "free.0.weight": [[[2.0], [-1.0]]], "free.0.bias": [[0.5, 0.25]],
        "free.1.weight": [[[1.0, -3.0]]], "free.1.bias": [[0.125]],
        "trunk.0.weight": [[[-4.0, 5.0]]], "trunk.0.bias": [[6.0]],
    }  # fmt: skip
    parameters = Parameters({name: np.array(array) for name, array in arrays.items()}).check(network)
    first, second = np.tanh(2.0 * 0.3 + 0.5), np.tanh(-0.3 + 0.25)
    wanted = 4.0 * 7.0 + 5.0 * np.tanh(first - 3.0 * second + 0.125) + 6.0
    assert reference.predict(network, parameters, [[0.3, 7.0]])[0, 0] == pytest.approx(wanted, rel=8 * EPS)


@pytest.mark.parametrize(
    ("constraint", "effective"),
    [("abs", 2.0), ("square", 4.0), ("clamp", 0.0), ("softplus", np.log1p(np.exp(-2.0))), ("exp", np.exp(-2.0))],
)
def test_constrained_by_hand(constraint, effective):
    network, parameters = small("constrained", (-2, -2), (1, 0), constraint=constraint, reflect=(False,))
    assert outputs(network, parameters, [3.0]) == pytest.approx([effective * (3 * effective + 1)], rel=8 * EPS)


def test_constrained_layers_alternate_reflections():
    # relu, then relu'(z) = min(z, 0): 1 x, relu, 1 h - 2, relu', 1 h
    network, parameters = small("constrained", (1, 1, 1), (0, -2, 0))
    assert outputs(network, parameters, [-5.0, 1.0, 3.0]) == [-2.0, -1.0, 0.0]


def test_an_odd_number_of_non_positive_layers_still_keeps_the_columns_direction():
    network, parameters = small("constrained", (1, 1, 1), (0.5, 0.5, 0), weight_sign=-1)
    ladder = outputs(network, parameters, np.linspace(-3, 3, 61))
    assert network.trunk_direction == -1
    assert (np.diff(ladder) >= 0).all()
    assert ladder[-1] > ladder[0]


def test_expanded_columns_come_as_index_and_fraction_and_continue_linearly():
    network = Architecture((Numeric((0.0, 1.0, 3.0), direction=-1),))
    _, components = reference.encode(network, np.array([[-2.0], [0.5], [2.0], [7.0]]))
    assert (-components).tolist() == [[-2.0, 0.0], [0.5, 0.0], [1.0, 0.5], [1.0, 3.0]]


def test_levels_draw_the_line_through_the_knots():
    network = Architecture((Numeric((0.0, 1.0, 3.0), direction=1, levels=(10.0, 11.0, 15.0)),))
    _, components = reference.encode(network, np.array([[-1.0], [0.5], [2.0], [4.0]]))
    assert components[:, 0].tolist() == [9.0, 10.5, 13.0, 17.0]


def test_free_columns_categories_and_missing_slots_enter_the_free_branch():
    columns = (Numeric(missing=True, direction=1), Categorical(3), Numeric((0.0, 2.0)))
    network = Architecture(columns, free_hidden=(2,))
    free, constrained = reference.encode(network, np.array([[np.nan, 2.0, 1.0], [4.0, 0.0, 2.0]]))
    assert free.tolist() == [[0, 0, 1, 0.5, 1], [1, 0, 0, 1.0, 0]]
    assert constrained.tolist() == [[0.0], [4.0]]


def test_encoded_inputs_are_bounded():
    _, components = reference.encode(Architecture((Numeric(direction=1),)), np.array([[1e300], [-1e300]]))
    assert components[:, 0].tolist() == [2.0**20, -(2.0**20)]


@pytest.mark.parametrize("x", [[1.0, 2.0], [[1.0, 2.0]], 3.0])
def test_rows_of_another_width_are_refused(x):
    with pytest.raises(ValueError, match=r"x has shape \(n, 1\); got \("):
        reference.encode(Architecture((Numeric(direction=1),)), x)


def test_members_are_averaged_before_the_link():
    network = Architecture((Numeric(direction=1),), hidden=(), members=2, link="sigmoid")
    parameters = Parameters({"trunk.0.weight": np.array([[[1.0]], [[3.0]]]), "trunk.0.bias": np.zeros((2, 1))})
    assert outputs(network, parameters, [1.0]) == pytest.approx([1 / (1 + np.exp(-2.0))], rel=4 * EPS)


def test_sorted_outputs_never_cross_and_center_and_scale_apply(rng):
    network = Architecture((Numeric(direction=1),), outputs=3, link="sorted", center=5.0, scale=2.0)
    parameters = network.initial(0)
    x = rng.normal(size=(50, 1))
    scores = reference.member_scores(network, parameters, x)[0]
    predicted = reference.predict(network, parameters, x)
    assert (np.diff(predicted, axis=1) >= 0).all()
    assert (np.diff(scores, axis=1) < 0).any()
    assert np.array_equal(predicted, np.sort(5.0 + 2.0 * scores, axis=1))


def test_cut_points_increase_and_are_the_mean_of_the_members():
    raw = np.array([[0.0, -50.0, 2.0], [1.0, 3.0, -4.0]])
    cuts = reference.cut_points(Parameters({"cuts": raw}))
    single = [reference.cut_points(Parameters({"cuts": row[None]})) for row in raw]
    assert (np.diff(cuts) > 0).all()
    first = [0.0, np.log1p(np.exp(-50.0)), np.log1p(np.exp(-50.0)) + np.log1p(np.exp(2.0))]
    assert single[0] == pytest.approx(first, rel=8 * EPS)
    assert cuts == pytest.approx(np.mean(single, axis=0), rel=4 * EPS)


def test_cumulative_probabilities_fall_over_the_cuts(rng):
    network = Architecture((Numeric(direction=1),), link="cumulative", cuts=3)
    exceed = reference.predict(network, network.initial(1), rng.normal(size=(20, 1)))
    assert exceed.shape == (20, 3)
    assert (np.diff(exceed, axis=1) < 0).all()


def test_softmax_rows_sum_to_one(rng):
    network = Architecture((Numeric(),), free_hidden=(3,), outputs=4, link="softmax")
    total = reference.predict(network, network.initial(1), rng.normal(size=(20, 1))).sum(axis=1)
    assert total == pytest.approx(np.ones(20), abs=8 * EPS)  # four terms


def test_a_switch_layer_with_a_reflected_activation_is_the_layer_of_negated_weights(rng):
    weight, bias, x = rng.normal(size=(3, 4)), rng.normal(size=3), rng.normal(size=(9, 4))
    s = activation("elu")
    plain = reference.post_switch(weight, bias, x, s)
    mirrored = reference.post_switch(-weight, bias, x, s.reflection)
    assert plain == pytest.approx(mirrored, abs=32 * EPS)  # sums of four terms in another order


def test_the_definition_notices_a_missing_switch(rng):
    """Negative control: an ordinary layer is not monotone, and the order check sees it."""
    weight, x = rng.normal(size=(1, 4)), np.linspace(-2, 2, 50)[:, None] * np.ones(4)
    ordinary = Activation("relu").value(x) @ weight.T
    assert (np.diff(ordinary[:, 0]) < 0).any()
    assert (np.diff(reference.post_switch(weight, np.zeros(1), x, Activation("relu"))[:, 0]) >= 0).all()
