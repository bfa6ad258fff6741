"""Batch normalisation keeps order row by row in evaluation mode, and only there."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from isotone.nn import MonotoneBatchNorm1d


def trained() -> MonotoneBatchNorm1d:
    """Return a layer that has seen some batches and whose scale was pulled below zero."""
    torch.manual_seed(0)
    layer = MonotoneBatchNorm1d(2)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.3)
    for _ in range(60):
        optimiser.zero_grad()
        x = 3.0 * torch.randn(16, 2) + 1.0
        ((layer(x) + x) ** 2).mean().backward()
        optimiser.step()
    return layer


def test_the_scale_stays_positive_where_the_data_ask_for_a_negative_one() -> None:
    layer = trained()
    assert bool((layer.weight < 0).all()), "the raw number fell below zero"
    x = torch.sort(torch.randn(100, 2), dim=0).values
    assert bool((torch.diff(layer.eval()(x), dim=0) >= 0).all())


def test_batch_normalisation_of_torch_turns_the_order_round() -> None:
    """Negative control: with a free scale the same data end in a negative one."""
    layer = nn.BatchNorm1d(1).eval()
    nn.init.constant_(layer.weight, -1.0)
    assert bool((torch.diff(layer(torch.linspace(0, 1, 5)[:, None]), dim=0) < 0).any())


def test_in_training_mode_a_raised_row_may_fall() -> None:
    """What the docstring says: the statistics are the batch's, so order across batches is not kept."""
    layer = MonotoneBatchNorm1d(1).train()
    before, after = torch.tensor([[0.0], [1.0], [2.0]]), torch.tensor([[0.0], [1.5], [30.0]])
    assert float((layer(after) - layer(before))[1].detach()) < -0.1
    layer.eval()
    assert bool((layer(after) - layer(before) >= 0).all())


def test_it_begins_as_plain_standardisation() -> None:
    x = torch.randn(64, 3, dtype=torch.float64)
    ours, plain = MonotoneBatchNorm1d(3, dtype=torch.float64), nn.BatchNorm1d(3, dtype=torch.float64)
    # the scale is softplus(log(e - 1)), one up to its rounding
    assert float((ours(x) - plain(x)).abs().max().detach()) <= 16 * torch.finfo(torch.float64).eps
    # the same kernel over the same rows
    assert torch.equal(ours.running_mean, plain.running_mean)
    assert torch.equal(ours.running_var, plain.running_var)


def test_statistics_are_of_all_leading_dimensions_together() -> None:
    x = torch.randn(4, 5, 3)
    one, other = MonotoneBatchNorm1d(3), MonotoneBatchNorm1d(3)
    assert torch.equal(one(x).reshape(20, 3), other(x.reshape(20, 3)))
    assert torch.equal(one.running_mean, other.running_mean)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"features": -1}, "sizes of a layer are whole numbers.*; got {'features': -1}"),
        ({"eps": -1.0}, "eps is not negative and momentum lies between 0 and 1; got -1.0 and 0.1"),
        ({"eps": float("nan")}, "got nan and 0.1"),
        ({"momentum": 1.5}, "got 1e-05 and 1.5"),
        ({"momentum": None}, "got 1e-05 and None"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        MonotoneBatchNorm1d(**({"features": 2} | settings))
