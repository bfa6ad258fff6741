from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from isotone.architecture import Architecture, Numeric
from isotone.theory.composition import compose, composed_direction, negated
from isotone.theory.network import Network
from tests.theory.data import EPS, drawn

ROWS = np.random.default_rng(1).normal(size=(40, 3))


def outer(direction: int, hidden: tuple[int, ...] = (4, 3), **settings: object) -> Network:
    column = Numeric((-0.25, 2.0), direction=direction)
    plan = Architecture((column,), hidden, form="constrained", **settings)
    return Network(plan, plan.initial(7, np.float64))


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)])
def test_the_composition_is_one_network(direction: int, hidden: tuple[int, ...]) -> None:
    last, first = outer(direction, hidden, center=2.0, scale=3.0), drawn(center=-1.0, scale=0.5, constraint="softplus")
    joint = compose(last, first)
    wanted = last(first(ROWS))
    # one product of two matrices in another order, of at most 6 terms, and a scale of 3
    assert np.abs(joint(ROWS) - wanted).max() <= 64 * EPS * (1 + np.abs(wanted).max())
    assert len(joint.architecture.hidden) == 3 + len(hidden)


@pytest.mark.parametrize(("one", "two"), list(product([1, -1], repeat=2)))
def test_directions_multiply(one: int, two: int) -> None:
    plan = Architecture((Numeric(direction=two),), (4,), form="constrained")
    first = Network(plan, plan.initial(3, np.float64))
    joint = compose(outer(one), first)
    assert joint.architecture.columns[0].direction == composed_direction(one, two) == one * two
    steps = np.diff(joint(np.linspace(-3.0, 3.0, 200)[:, None])[:, 0])
    # 8 eps: two values of size about 1, each with a few roundings
    assert (one * two * steps >= -8 * EPS).all()
    assert abs(steps.sum()) > 1e-3


def test_directions_are_read_in_words_and_a_free_one_frees_all() -> None:
    assert composed_direction("decreasing", -1, 1) == 1
    assert composed_direction("free", 1) == composed_direction(-1, 0) == 0
    with pytest.raises(ValueError, match="a direction is -1, 0, 1"):
        composed_direction(2, 0)


def test_the_negative_turns_every_column() -> None:
    network = drawn(center=2.0)
    turned = negated(network)
    assert np.array_equal(turned(ROWS), -network(ROWS))
    assert [c.direction for c in turned.architecture.columns] == [-c.direction for c in network.architecture.columns]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"weight_sign": -1}, "non-negative weights"), ({"link": "exp"}, "the link identity")],
)
def test_what_cannot_be_composed_is_refused(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compose(outer(1), drawn(**settings))


@pytest.mark.parametrize("settings", [{"knots": (0.0, 1.0, 2.0)}, {"knots": (0.0, 1.0), "levels": (0.0, 3.0)}])
def test_an_outer_network_of_another_column_is_refused(settings: dict) -> None:
    plan = Architecture((Numeric(direction=1, **settings),), (3,), form="constrained")
    for last in (Network(plan, plan.initial(0)), drawn()):
        with pytest.raises(ValueError, match="one numeric column of two knots without levels"):
            compose(last, drawn())


@pytest.mark.parametrize(
    ("one", "two"), [({"members": 2}, {"members": 2}), ({}, {"members": 2}), ({"members": 2}, {}), ({}, {"outputs": 2})]
)
def test_a_mean_of_members_and_several_outputs_are_not_composed(one: dict, two: dict) -> None:
    with pytest.raises(ValueError, match="of one member and an inner one of one output; got"):
        compose(outer(1, **one), drawn(**two))
