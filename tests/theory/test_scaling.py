from __future__ import annotations

import numpy as np
import pytest

from isotone.activations import Activation
from isotone.theory.scaling import AIM, resting_point, rise, scaling, tail
from tests.theory.data import EPS, USABLE

LEFT = [s for s in USABLE if s.saturates_left]


@pytest.mark.parametrize("s", LEFT, ids=str)
def test_within_the_leeway_the_height_stays_and_after_the_drop_nothing_is_left(s: Activation) -> None:
    u = rise(s)
    rest, drop, leeway = resting_point(u)
    height = u(np.array([rest]))[0]
    near = u(rest + leeway * np.linspace(-1.0, 1.0, 21))
    # 4 eps: the heights themselves are rounded
    assert np.abs(near / height - 1.0).max() <= 0.25 * AIM + 4 * EPS
    assert u(np.array([rest - drop]))[0] <= 0.25 * AIM * height
    # the control: a fourth of the drop leaves something
    assert u(np.array([rest - 0.25 * min(drop, rest)]))[0] > AIM * height


@pytest.mark.parametrize("s", LEFT, ids=str)
def test_each_layer_meets_the_next_ones_need(s: Activation) -> None:
    inputs, units, u = 10, 499, rise(s)
    used = scaling(s, inputs, units, is_tight=True)
    _, drop, leeway = resting_point(u)

    def at(z: float) -> float:
        return float(u(np.array([z]))[0])

    lifted, step = at(used.lift), min(at(used.lift), at(0.0) or at(used.lift))
    inside = -used.second_rest + inputs * used.second * at(-used.tail)
    outside = -used.second_rest + used.second * step
    assert at(-inside) >= lifted
    assert used.third * lifted >= drop + leeway
    assert units * used.third * at(-outside) <= 0.5 * leeway


def test_a_tail_is_where_the_activation_says() -> None:
    assert tail(rise(Activation("relu")), 1e-300) == 0.0
    assert tail(rise(Activation("softsign")), 1e-3) == 1024.0
    # the control: half as far is not yet there
    assert rise(Activation("softsign"))(np.array([-512.0]))[0] > 1e-3


@pytest.mark.parametrize("parameters", [(1e30, 0.0, 2e30, 1.0), (1.0, 0.0, 1.0, 0.0)])
def test_an_activation_that_does_nothing_near_zero_is_refused(parameters: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="neither rises nor saturates"):
        scaling(Activation("srelu", parameters), 1, 1, is_tight=False)
