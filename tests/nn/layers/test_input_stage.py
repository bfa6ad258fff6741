"""The input stage says what the definition's encoding says, in value, gradient and precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from isotone import reference
from isotone.architecture import Architecture, Categorical, Column, Numeric
from isotone.nn.layers import InputStage

COLUMNS: tuple[Column, ...] = (
    Numeric((-1.0, 0.0, 0.5, 1.5), direction=1, missing=True),
    Numeric((-1.0, 1.0), missing=True),
    Categorical(3),
    Numeric((-1.0, 0.0, 1.0), direction=-1, levels=(-2.0, 0.5, 1.0), missing=True),
    Numeric((0.0, 1.0, 2.0), levels=(3.0, 4.0, 6.0), missing=True),
    Numeric((0.0, 1.0, 2.0)),
)


def rows(rng: np.random.Generator) -> np.ndarray:
    """Return rows with values on knots, beyond all bounds, unknown codes and missing entries."""
    x = 1.5 * rng.normal(size=(200, len(COLUMNS)))
    x[:, 2] = rng.integers(0, 5, 200)
    x[:20] = np.round(x[:20])
    x[20:30, [0, 1, 3, 4, 5]] *= 1e9
    for column in (0, 1, 2, 3, 4, 5):
        x[rng.random(200) < 0.2, column] = np.nan
    return x


def worst(columns: tuple[Column, ...], x: np.ndarray, direction: int = 1) -> float:
    """Return the largest distance from the definition, relative to the larger of one and the entry."""
    settings = {"weight_sign": direction, "form": "constrained", "hidden": (4, 3)}
    network = Architecture(columns, free_hidden=(2,), **settings)
    pairs = zip(InputStage(columns, direction)(torch.tensor(x)), reference.encode(network, x), strict=True)
    return max(float((np.abs(a.numpy() - b) / np.maximum(np.abs(b), 1.0)).max()) for a, b in pairs)


@pytest.mark.parametrize("direction", [1, -1])
def test_it_agrees_with_the_definition(direction: int, rng: np.random.Generator) -> None:
    # a share of a segment, times a step, added to at most two others
    assert worst(COLUMNS, rows(rng), direction) <= 8 * np.finfo(np.float64).eps


def test_another_knot_is_noticed(rng: np.random.Generator) -> None:
    """Negative control: a stage whose last knot differs by a millionth does not agree."""
    x = rows(rng)
    moved = (*COLUMNS[:-1], Numeric((0.0, 1.0, 2.0 + 2e-6)))
    stage = InputStage(moved)(torch.tensor(x))[0].numpy()
    network = Architecture(COLUMNS, free_hidden=(2,))
    assert float(np.abs(stage - reference.encode(network, x)[0]).max()) > 1e-9


def test_half_precision_of_the_network_does_not_reach_the_knots() -> None:
    column = Numeric((1.7e9, 1.7e9 + 3600.0), direction=1)
    stage = InputStage([column]).half()
    x = torch.tensor([[1.7e9 + 900.0]], dtype=torch.float64)
    assert stage(x, torch.float16)[1].item() == 0.25
    assert stage(x, torch.float16)[1].dtype == torch.float16


def test_what_is_missing_and_far_away_stays_finite_in_half_precision() -> None:
    stage = InputStage([Numeric(direction=1, missing=True)])
    free, constrained = stage(torch.tensor([[1e30], [-1e30], [float("nan")]], dtype=torch.float64), torch.float16)
    assert free.flatten().tolist() == [0.0, 0.0, 1.0]
    assert bool(constrained.isfinite().all())


def test_gradients_are_the_slopes_of_the_segments() -> None:
    columns = (Numeric((0.0, 1.0, 5.0), direction=1), Numeric((0.0, 2.0), direction=-1, levels=(1.0, 4.0)))
    x = torch.tensor(
        [[3.0, 1.0], [1.0, 0.0], [-2.0, 9.0], [float("nan"), 1.0]], dtype=torch.float64, requires_grad=True
    )
    _, constrained = InputStage(columns)(x)
    (gradient,) = torch.autograd.grad(constrained.sum(), x)
    # at an inner knot the slope of the segment on the right; nothing where a value is missing
    assert gradient.tolist() == [[0.25, -1.5], [0.25, -1.5], [1.0, -1.5], [0.0, -1.5]]


def test_another_number_of_columns_is_named() -> None:
    with pytest.raises(ValueError, match=r"there are 6 columns, so x has shape \(\*, 6\); got \(5,\)"):
        InputStage(COLUMNS)(torch.ones(5))
