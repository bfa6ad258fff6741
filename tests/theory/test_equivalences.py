from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from isotone.activations import Activation, activation
from isotone.architecture import Categorical, Numeric, Parameters
from isotone.reference import encode, trunk
from isotone.theory.equivalences import (
    absorb_affine,
    as_post_switch,
    as_pre_switch,
    change_activation,
    flip_signs,
    point_reflection,
    rebased,
)
from isotone.theory.network import Network, constrained_layers, trunk_layers
from tests.theory.data import EPS, Array, drawn

ROWS = np.random.default_rng(0).normal(size=(40, 3))
ACTIVATIONS = ["relu", "elu", "tanh", "softplus", "logsigmoid", "leaky_relu", "srelu"]
DEPTHS = [(), (5,), (5, 4), (5, 4, 6), (3, 5, 4, 2)]
# sums of at most 6 terms of size below 10 in at most 5 layers, each of gain below 10
CLOSE = 64 * EPS


def numbers(**settings: object) -> Network:
    return drawn(members=2, **settings)


def with_a_free_branch(form: str = "constrained") -> tuple[Network, Array]:
    plan = replace(
        drawn(form=form).architecture, columns=(Numeric(direction=1), Numeric(), Categorical(3)), free_hidden=(4,)
    )
    rows = np.column_stack([ROWS[:, :2], np.arange(len(ROWS)) % 3])
    return Network(plan, plan.initial(4, np.float64)), rows


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("hidden", DEPTHS)
@pytest.mark.parametrize("sign", [1, -1])
def test_weights_of_the_other_sign_give_the_same_bits(name: str, hidden: tuple[int, ...], sign: int) -> None:
    network = numbers(hidden=hidden, activation=activation(name), weight_sign=sign)
    flipped = flip_signs(network)
    assert flipped.architecture.weight_sign == -sign
    # negation is exact, and a sum of negated numbers is rounded as the sum is
    assert np.array_equal(flipped(ROWS), network(ROWS))
    assert np.array_equal(flip_signs(flipped)(ROWS), network(ROWS))


def test_a_flip_that_forgets_the_inner_bias_is_caught() -> None:
    network = numbers()
    flipped = flip_signs(network)
    arrays = dict(flipped.parameters) | {"trunk.0.bias": network.parameters["trunk.0.bias"]}
    assert np.abs(Network(flipped.architecture, Parameters(arrays))(ROWS) - network(ROWS)).max() > 1e-3


def test_an_alternating_network_flips_to_one_activation() -> None:
    assert flip_signs(numbers(hidden=(4, 4, 4))).architecture.reflect == (False, False, False)
    assert flip_signs(numbers(hidden=(4, 4))).architecture.reflect == (False, False)
    # the control: without alternation some layer stays reflected
    assert any(flip_signs(numbers(hidden=(4, 4, 4), reflect=(False,) * 3)).architecture.reflect)


@pytest.mark.parametrize("hidden", [(), (4,), (4, 4), (4, 4, 4)])
def test_an_odd_number_of_non_positive_layers_does_not_increase(hidden: tuple[int, ...]) -> None:
    network = drawn(hidden=hidden, weight_sign=-1, columns=1, activation=activation("softplus"))
    direction = -1 if len(hidden) % 2 == 0 else 1
    line = np.linspace(-2.0, 2.0, 100)[:, None]
    layers = [(weight[0], bias[0]) for weight, bias in trunk_layers(network)]
    steps = np.diff(trunk(network.architecture, layers, line)[:, 0])
    assert network.architecture.trunk_direction == direction
    # strictly, so that the other direction would be seen: softplus is nowhere flat, and the line ends before its tails
    assert (direction * steps > 0).all()
    # the definition feeds -x to an odd number of layers, so that the whole network increases
    assert (np.diff(network(line)[:, 0]) > 0).all()


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("constraint", ["abs", "square", "softplus", "exp", "clamp"])
def test_a_constrained_network_is_a_switch_network_of_both_forms(name: str, sign: int, constraint: str) -> None:
    network = numbers(activation=activation(name), weight_sign=sign, constraint=constraint)
    wanted = network(ROWS)
    post, pre = as_post_switch(network), as_pre_switch(network)
    assert (post.architecture.form, pre.architecture.form) == ("post", "pre")
    assert np.array_equal(post(ROWS), wanted)
    # a pre-switch block subtracts a constant that the next bias adds: absolute errors beside all sums
    sizes = sum(np.abs(weight).sum(axis=-1).max() + np.abs(bias).max() for weight, bias in constrained_layers(network))
    assert np.abs(pre(ROWS) - wanted).max() <= CLOSE * sizes**2 * (1 + np.abs(wanted).max())


def test_a_pre_switch_that_forgets_its_constants_is_caught() -> None:
    network = numbers()
    pre = as_pre_switch(network)
    own = {name: array for name, array in pre.parameters.items() if not name.endswith("3.bias")}
    arrays = {name: own.get(name, network.parameters[name]) for name in pre.parameters}
    assert np.abs(Network(pre.architecture, Parameters(arrays))(ROWS) - network(ROWS)).max() > 1e-3


@pytest.mark.parametrize("reflected", [False, True])
def test_one_switch_block_represents_both_activations(reflected: bool) -> None:
    network = numbers(hidden=(4,), reflect=(reflected,), columns=1)
    post, pre = as_post_switch(network), as_pre_switch(network)
    signs = [np.sign(trunk_layers(post)[1][0]), np.sign(trunk_layers(pre)[0][0])]
    assert all((sign == (-1 if reflected else 1)).all() for sign in signs)
    line = np.linspace(-2.0, 2.0, 50)[:, None]
    assert np.array_equal(post(line), network(line))
    assert np.abs(pre(line) - network(line)).max() <= CLOSE


def test_a_free_branch_is_carried_along() -> None:
    network, rows = with_a_free_branch()
    for rewrite in (flip_signs, as_post_switch):
        assert np.array_equal(rewrite(network)(rows), network(rows))
    assert np.abs(as_pre_switch(network)(rows) - network(rows)).max() <= CLOSE
    with pytest.raises(ValueError, match="columns that all have a direction"):
        point_reflection(network)


@pytest.mark.parametrize("head", [{"link": "sigmoid"}, {"link": "exp"}, {"link": "sorted", "outputs": 2}])
def test_a_link_has_no_point_reflection(head: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"needs the link identity; got '{head['link']}'"):
        point_reflection(drawn(**head))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_point_reflection_turns_both_signs(name: str) -> None:
    network = numbers(activation=activation(name), center=3.0, scale=2.0)
    turned = point_reflection(network)
    # the column subtracts another knot, so its values round differently
    assert np.abs(turned(ROWS) + network(-ROWS)).max() <= CLOSE * (1 + np.abs(network(-ROWS)).max())
    assert np.abs(turned(ROWS) - network(ROWS)).max() > 1e-3


@pytest.mark.parametrize("settings", [{"knots": (0.0, 1.0, 2.0)}, {"knots": (0.0, 1.0), "levels": (0.0, 3.0)}])
def test_a_column_of_several_pieces_has_no_point_reflection(settings: dict) -> None:
    plan = replace(drawn(columns=1).architecture, columns=(Numeric(direction=1, **settings),))
    with pytest.raises(ValueError, match="needs columns of two knots without levels"):
        point_reflection(Network(plan, plan.initial(0)))


def test_a_network_may_be_described_by_the_reflection() -> None:
    network = numbers()
    other = rebased(network, network.architecture.activation.reflection)
    assert other.architecture.reflect == (True, False, True)
    assert np.array_equal(other(ROWS), network(ROWS))
    for one, activation_ in ((network, Activation("tanh")), (numbers(form="post"), Activation("relu", reflected=True))):
        with pytest.raises(ValueError, match="or the reflection alike"):
            rebased(one, activation_)


@pytest.mark.parametrize(
    ("old", "new", "a", "b", "c"),
    [
        ("sigmoid", Activation("tanh"), 2.0, -1.0, 2.0),
        ("tanh", Activation("sigmoid"), 0.5, 0.5, 0.5),
        ("elu", Activation("celu", (2.0,)), 2.0, 0.0, 0.5),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_an_affine_image_of_the_activation_gives_the_same_function(
    old: str, new: Activation, a: float, b: float, c: float, sign: int
) -> None:
    network = numbers(activation=activation(old), weight_sign=sign, constraint="softplus")
    changed = change_activation(network, new, a, b, c)
    # a gain of 1/a or 1/c per layer, and formulas that err by some eps
    assert np.abs(changed(ROWS) - network(ROWS)).max() <= 16 * CLOSE * (1 + np.abs(network(ROWS)).max())


def test_another_activation_is_not_taken_for_an_affine_image() -> None:
    with pytest.raises(ValueError, match="they differ by 3"):
        change_activation(numbers(activation="relu6"), Activation("srelu", (-3.0, 0.0, 3.0, 0.0)), 1.0, 0.0)
    # alike on one side of zero only
    for other in (Activation("elu", (1.0,)), Activation("srelu", (0.0, 0.0, 9.0, 2.0))):
        with pytest.raises(ValueError, match="they differ by"):
            change_activation(numbers(activation="relu"), other, 1.0, 0.0)
    for a, c in ((0.0, 1.0), (1.0, -1.0), (np.inf, 1.0)):
        with pytest.raises(ValueError, match="positive, finite factors"):
            absorb_affine(numbers(), a, 0.0, c)


def scores(network: Network, parameters: Parameters, a: float, b: float, c: float) -> Array:
    """Return the first member's scores under ``a s(c z) + b``, which need not be in the table."""
    plan = replace(network.architecture, constraint="clamp")
    layers = [(plan.weight_sign * weight[0], bias[0]) for weight, bias in constrained_layers(Network(plan, parameters))]
    hidden = encode(plan, ROWS)[1]
    for (weight, bias), s in zip(layers[:-1], plan.layer_activations, strict=True):
        own = -b if s.reflected else b
        hidden = a * s.value(c * (hidden @ weight.T + bias)) + own
    return hidden @ layers[-1][0].T + layers[-1][1]


@pytest.mark.parametrize("name", ["relu", "selu", "tanh", "softsign", "srelu"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("a", "c"), [(1.0, 1.0), (3.0, 0.5)])
def test_saturating_elsewhere_than_at_zero_is_no_restriction(name: str, sign: int, a: float, c: float) -> None:
    network = drawn(hidden=(5, 4), activation=activation(name), weight_sign=sign)
    b = -a * activation(name).limits[0]
    # the shift is added and taken off again
    close = CLOSE * (1 + abs(b)) * (1 + np.abs(network(ROWS)).max())
    assert np.abs(scores(network, absorb_affine(network, a, b, c), a, b, c) - network(ROWS)).max() <= close
    # the control: the parameters as they were
    plain = absorb_affine(network, 1.0, 0.0)
    assert (np.abs(scores(network, plain, a, b, c) - network(ROWS)).max() > 1e-3) == ((a, b, c) != (1.0, 0.0, 1.0))


@pytest.mark.parametrize("rewrite", [flip_signs, as_post_switch, as_pre_switch, point_reflection])
def test_a_switch_network_is_refused_in_words(rewrite) -> None:
    with pytest.raises(ValueError, match="starts from form='constrained'; got 'post'"):
        rewrite(drawn(form="post"))
