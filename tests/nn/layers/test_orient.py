"""Free columns on one side, constrained ones on the other, all turned to increase."""

from __future__ import annotations

import pytest
import torch

from isotone.constraints import Signs
from isotone.nn.layers import Orient


def test_columns_keep_their_order_and_get_their_signs() -> None:
    free, constrained = Orient(["decreasing", 0, 1, "free", -1])(torch.arange(1.0, 6.0))
    assert free.tolist() == [2.0, 4.0]
    assert constrained.tolist() == [-1.0, 3.0, -5.0]


def test_a_decreasing_trunk_turns_every_sign() -> None:
    assert Orient([1, -1], trunk_direction=-1)(torch.ones(2))[1].tolist() == [-1.0, 1.0]


def test_signs_of_a_table_are_taken_as_they_are() -> None:
    signs = Signs.parse({"b": -1}, ["a", "b"])
    assert Orient(list(signs)).directions == (0, -1)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64], ids=str)
def test_moving_to_another_precision_leaves_the_signs(dtype: torch.dtype) -> None:
    assert Orient([1, -1]).to(dtype)(torch.ones(2, dtype=dtype))[1].dtype == dtype


def test_another_number_of_columns_is_named() -> None:
    with pytest.raises(ValueError, match=r"there are 2 signs, so x has shape \(\*, 2\); got \(3, 4\)"):
        Orient([1, 0])(torch.ones(3, 4))


def test_an_unknown_direction_is_named() -> None:
    with pytest.raises(ValueError, match="got 'upwards'"):
        Orient(["upwards"])
