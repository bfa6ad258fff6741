"""Two fast readings of one definition, the engine and PyTorch, have the same gradients, at knots and zeros too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from isotone import engine
from isotone.activations import activation
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.losses import Loss
from isotone.nn import from_parameters
from isotone.nn.networks.numbers import tensors
from tests.native.networks import draw_rows

BASE = Architecture(
    (
        Numeric((-1.0, 0.0, 0.5, 1.5), direction=1, missing=True),
        Numeric((-1.0, 0.0, 1.0), direction=-1, levels=(-2.0, 0.5, 1.0)),
        Numeric(),
        Categorical(3),
    ),
    hidden=(5, 4),
    free_hidden=(4,),
    activation=activation("celu"),
)
# on knots, between them, beyond them, and missing
ROWS = np.array(
    [[0.0, 0.0, 0.3, 1.0], [0.5, 0.2, 0.0, 0.0], [1.2, -1.0, 1.0, 2.0], [np.nan, 0.3, -2.0, 1.0], [-3.0, 4.0, 5.0, 0.0]]
)
TARGETS = np.array([1.0, -2.0, 0.5, 3.0, 0.0])
FORMS = ("post", "pre", "constrained")
# sums of some ten terms in another order, through four layers and back
SLACK = 64 * np.finfo(np.float64).eps


def numbers(network: Architecture, zero: float | None = None) -> Parameters:
    """Return drawn parameters, the first weight of each layer replaced if a zero is given."""
    drawn = {name: array.copy() for name, array in network.initial(0, np.float64).items()}
    for name, array in drawn.items():
        if zero is not None and name.endswith("weight"):
            array[0, 0, 0] = zero
    return Parameters(drawn)


def largest_gap(network: Architecture, parameters: Parameters, shift: float = 0.0) -> float:
    """Return how far the two gradients of a squared error are apart, relative to the largest entry."""
    _, gradient = engine.value_and_grad(network, parameters, ROWS, TARGETS, Loss("squared_error"))
    module = from_parameters(network, parameters)
    target = torch.tensor(TARGETS + shift)
    (module.member_scores(torch.tensor(ROWS))[0, :, 0] - target).square().mean().backward()
    pairs = [(gradient[name], held[0].grad.numpy()) for name, held in tensors(module.branches)]
    return max(float(np.abs(a[0] - b).max()) for a, b in pairs) / max(float(np.abs(a).max()) for a, _ in pairs)


# of a weight -0.0, which learns from either side with equal right, the engine takes the left one
@pytest.mark.parametrize("zero", [None, 0.0])
@pytest.mark.parametrize("form", FORMS)
def test_gradients_by_parameters_are_the_same(form: str, zero: float | None) -> None:
    network = replace(BASE, form=form)
    assert largest_gap(network, numbers(network, zero)) <= SLACK


def test_other_targets_have_other_gradients() -> None:
    """Negative control: targets that differ by a millionth are told apart."""
    assert largest_gap(BASE, numbers(BASE), shift=1e-6) > 1e-8


@pytest.mark.parametrize("form", FORMS)
def test_gradients_by_inputs_are_the_same(form: str) -> None:
    network = replace(BASE, form=form)
    parameters, x = numbers(network), torch.tensor(ROWS, requires_grad=True)
    (found,) = torch.autograd.grad(from_parameters(network, parameters)(x).sum(), x)
    truth = engine.input_gradient(network, parameters, ROWS)
    assert float(np.abs(found.numpy() - truth).max()) <= SLACK * float(np.abs(truth).max())


def module_losses(rate: float, dtype: torch.dtype, seed: int = 5) -> np.ndarray:
    """Return the loss of each of 200 steps of PyTorch's Adam from the engine's weights, on the engine's batches."""
    x, y = forty_rows()
    rows, targets = torch.tensor(x, dtype=dtype), torch.tensor(y, dtype=dtype)
    module = from_parameters(BASE, BASE.initial(seed, str(dtype).removeprefix("torch.")))
    optimiser, losses = torch.optim.Adam(module.parameters(), lr=rate), []
    for epoch in range(40):
        for batch in np.split(engine.batch_order(seed, 0, epoch, np.arange(40)), 5):
            optimiser.zero_grad()
            loss = torch.nn.functional.mse_loss(module(rows[batch])[:, 0], targets[batch])
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
    return np.array(losses)


def forty_rows() -> tuple[np.ndarray, np.ndarray]:
    """Return rows of BASE's columns and targets."""
    rng = np.random.default_rng(0)
    return draw_rows(rng, BASE, 40), rng.normal(size=40)


def curve_gap(dtype: torch.dtype, rate: float = 1e-2) -> float:
    """Return how far the engine's loss curve is from the module's, epoch by epoch, relative to the module's."""
    name = str(dtype).removeprefix("torch.")
    settings = engine.Settings(epochs=40, batch_size=8, learning_rate=1e-2, dtype=name)
    _, _, history = engine.train(BASE, *forty_rows(), Loss("squared_error"), settings, seed=5, threads=1)
    expected = module_losses(rate, dtype).reshape(40, 5).mean(axis=1)
    return float(np.abs(history.loss[:, 0] / expected - 1.0).max())


# 200 steps multiply the rounding of one by a few thousand; a wrong step size shows in the first digits
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-9), (torch.float32, 1e-3)], ids=str)
def test_two_hundred_steps_follow_the_module(dtype: torch.dtype, tolerance: float) -> None:
    assert curve_gap(dtype) < tolerance


def test_another_rate_is_another_curve() -> None:
    """Negative control: steps longer by a hundredth are seen."""
    assert curve_gap(torch.float64, rate=1.01e-2) > 1e-3
