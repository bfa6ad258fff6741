"""`architecture.py`: a description says everything about a network but its numbers, and refuses what cannot be."""

import dataclasses

import numpy as np
import pytest

from isotone.activations import activation
from isotone.architecture import Architecture, Categorical, Numeric, Parameters

UP = (Numeric(direction=1),)


def test_shapes_name_every_parameter_of_both_branches():
    columns = (Numeric((0.0, 1.0, 2.0), direction=1), Numeric(missing=True), Categorical(3))
    network = Architecture(columns, hidden=(8, 4), free_hidden=(6, 5), outputs=2, members=3)
    assert network.shapes == {
        "free.0.weight": (3, 6, 5), "free.0.bias": (3, 6), "free.1.weight": (3, 5, 6), "free.1.bias": (3, 5),
        "trunk.0.weight": (3, 8, 7), "trunk.0.bias": (3, 8), "trunk.1.weight": (3, 4, 8), "trunk.1.bias": (3, 4),
        "trunk.2.weight": (3, 2, 4), "trunk.2.bias": (3, 2),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "free", "parameters"),
    [
        ((3, 4), (8, 8, 8), 505),
        ((2, 11), (16, 16, 16), 1873),
        ((4, 9), (16, 16, 16), 1873),
        ((5, 23), (16, 16, 16), 2113),
    ],
)
def test_the_papers_networks_have_the_papers_number_of_parameters(columns, free, parameters):
    constrained, others = columns
    widths = (free[0],) * 4
    network = Architecture((*UP * constrained, *(Numeric(),) * others), hidden=widths, free_hidden=free)
    assert sum(int(np.prod(shape)) for shape in network.shapes.values()) == parameters


@pytest.mark.parametrize(
    ("hidden", "weight_sign", "flags", "direction"),
    [
        ((2, 2, 2), 1, (False, True, False), 1),
        ((2, 2, 2), -1, (False, False, False), 1),
        ((2, 2), -1, (False, False), -1),
        ((2, 2), 1, (False, True), 1),
        ((), -1, (), -1),
    ],
)
def test_non_negative_weights_alternate_and_an_odd_number_of_non_positive_ones_decreases(
    hidden, weight_sign, flags, direction
):
    network = Architecture(UP, hidden, form="constrained", weight_sign=weight_sign)
    assert network.reflect == flags
    assert tuple(s.reflected for s in network.layer_activations) == flags
    assert network.trunk_direction == direction


def test_an_architecture_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Architecture(UP).members = 2


def test_equal_descriptions_are_equal_and_hash_alike():
    one, two = Architecture(UP, activation="celu"), Architecture(UP, activation=activation("celu"))
    assert one == two
    assert hash(one) == hash(two)


def test_a_member_depends_on_the_seed_and_its_index_only():
    few, many = Architecture(UP, members=2).initial(7), Architecture(UP, members=5).initial(7)
    assert all(np.array_equal(few[name], many[name][:2]) for name in few)
    assert not np.array_equal(many["trunk.0.weight"][0], many["trunk.0.weight"][1])
    assert not np.array_equal(few["trunk.0.weight"], Architecture(UP, members=2).initial(8)["trunk.0.weight"])


def test_initial_parameters_fit_and_are_float32():
    network = Architecture(UP, link="cumulative", cuts=2)
    parameters = network.initial(0).check(network)
    assert {array.dtype.name for array in parameters.values()} == {"float32"}
    assert parameters.names == tuple(network.shapes)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"columns": ()}, r"at least one; got \(\)"),
        ({"columns": (1,)}, r"Numeric or Categorical, at least one; got \(1,\)"),
        ({"hidden": (0,)}, r"hidden\[0\]': 0"),
        ({"members": 0}, "'members': 0"),
        ({"hidden": (2.5,)}, "2.5"),
        ({"hidden": (True,)}, "True"),
        ({"link": "cumulative", "cuts": 1.5}, "'cuts': 1.5"),
        ({"cuts": -1}, "'cuts': -1"),
        ({"free_hidden": (4,)}, r"got \(4,\) with 0 free"),
        ({"columns": (Numeric(),)}, r"got \(\) with 1 free"),
        ({"form": "both"}, "'both'"),
        ({"activation": "silu"}, "decreases for x < -1.2785"),
        ({"activation": "prelu"}, "leaky_relu"),
        ({"constraint": "cube", "form": "constrained"}, "'cube'"),
        ({"constraint": "square"}, "belong to form='constrained'"),
        ({"weight_sign": -1}, "belong to form='constrained'"),
        ({"reflect": (True, True)}, "belong to form='constrained'"),
        ({"form": "constrained", "reflect": (True,)}, "True or False for each hidden layer"),
        ({"form": "constrained", "reflect": (2, 0)}, r"True or False for each hidden layer; got \(2, 0\)"),
        ({"weight_sign": 0, "form": "constrained"}, "weight_sign is one of"),
        ({"weight_sign": True, "form": "constrained"}, "weight_sign is one of .*; got True"),
        ({"weight_sign": 1.0, "form": "constrained"}, "weight_sign is one of .*; got 1.0"),
        ({"activation": ["relu"]}, r"activation is one of .*; got \['relu'\]"),
        ({"constraint": ["abs"], "form": "constrained"}, r"constraint is one of .*; got \['abs'\]"),
        ({"link": "probit"}, "'probit'"),
        ({"link": "exp", "scale": 2.0}, "identity and sorted"),
        ({"scale": 0.0}, "scale positive"),
        ({"center": float("nan")}, "center is finite"),
        ({"link": "cumulative"}, "at least one cut"),
        ({"cuts": 2}, "other links none"),
        ({"link": "cumulative", "cuts": 2, "outputs": 2}, "one output"),
        ({"link": "softmax", "outputs": 3}, "softmax cannot keep order"),
    ],
)
def test_what_cannot_be_is_refused_in_words(settings, said):
    with pytest.raises(ValueError, match=said):
        Architecture(**{"columns": UP} | settings)


@pytest.mark.parametrize("make", [lambda: Architecture(UP, hidden=8), lambda: Architecture(UP[0])])
def test_one_thing_where_several_are_asked_for_is_refused(make):
    with pytest.raises(TypeError, match=r"(hidden|columns) is a sequence; got"):
        make()


def test_lists_and_arrays_are_sequences_too():
    plain = Architecture((Numeric((0.0, 1.0), 1),), (8, 4), form="constrained", reflect=(False, True))
    column = Numeric(np.array([0, 1]), 1)
    flags, one = np.array([False, True]), np.int64(1)
    numbers = {"outputs": one, "members": one, "weight_sign": one, "cuts": np.int64(0)}
    other = Architecture([column], np.array([8, 4]), form="constrained", reflect=flags, **numbers)
    assert {type(getattr(other, name)) for name in numbers} == {int}
    assert other == plain
    assert hash(other) == hash(plain)


@pytest.mark.parametrize("dtype", [np.int64, bool, np.complex128, object])
def test_numbers_of_another_kind_are_refused(dtype: type) -> None:
    network = Architecture(UP, hidden=(2,))
    with pytest.raises(ValueError, match="dtype is a floating-point one; got"):
        network.initial(0, dtype)
    with pytest.raises(TypeError, match=r"arrays of a floating-point dtype; got {'trunk\.0\.weight': "):
        Parameters({name: np.zeros(shape, dtype) for name, shape in network.shapes.items()}).check(network)


@pytest.mark.parametrize("damage", ["shape", "absent", "unknown", "infinite"])
def test_parameters_that_do_not_fit_are_refused_by_name(damage):
    network = Architecture(UP, hidden=(2,))
    arrays = dict(network.initial(0).arrays)
    broken = {
        "shape": arrays | {"trunk.0.bias": np.zeros((1, 3))},
        "absent": {name: array for name, array in arrays.items() if name != "trunk.0.bias"},
        "unknown": arrays | {"trunk.9.bias": np.zeros(1)},
        "infinite": arrays | {"trunk.0.bias": np.full((1, 2), np.nan)},
    }[damage]
    with pytest.raises(ValueError, match=r"trunk\.[09]\.bias"):
        Parameters(broken).check(network)
