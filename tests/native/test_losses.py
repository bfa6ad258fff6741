"""The engine's losses against `isotone.losses`, score by score, through a network that is one line."""

from __future__ import annotations

import numpy as np
import pytest

from isotone import engine
from isotone.architecture import Architecture, Numeric, Parameters
from isotone.losses import LOG_SCORE_BOUND, Loss
from tests.native.networks import LOSSES, head

# both sides are double and a few operations long
TOLERANCE = 1e-12
SCORES = (-40.0, -LOG_SCORE_BOUND, -29.0, -3.0, -0.5, -1e-9, 0.0, 0.25, 0.5, 2.0, 29.0, LOG_SCORE_BOUND, 40.0)


def scored(loss, score, target):
    """Return the engine's loss of one row, and its derivative by every score; and the definition's."""
    # without hidden layers and at x = 0 the scores are the biases
    columns = (Numeric(direction=0 if loss.name == "softmax" else 1),)
    free = (1,) if loss.name == "softmax" else ()
    architecture = Architecture(columns, hidden=(), free_hidden=free, **head(loss))
    arrays = {name: np.zeros(shape) for name, shape in architecture.shapes.items()}
    bias = score + 0.1 * np.arange(architecture.outputs)
    arrays["trunk.0.bias"][0] = bias
    scores = bias
    if architecture.cuts:
        arrays["cuts"][0] = (-1.0, 0.5, 0.25)
        scores = bias - np.cumsum([-1.0, np.logaddexp(0, 0.5), np.logaddexp(0, 0.25)])
    value, gradient = engine.value_and_grad(architecture, Parameters(arrays), [[0.0]], [target], loss)
    expected = loss.value(scores[None], [target])[0], loss.gradient(scores[None], [target])[0]
    if architecture.cuts:
        expected = expected[0], expected[1].sum(keepdims=True)
    return (value[0], gradient["trunk.0.bias"][0]), expected


def targets(loss):
    """Return targets of every kind that the loss knows; some equal a score, where it has its kink."""
    ranks = {"log_loss": (0, 1), "softmax": (0, 1, 2), "ordinal": (0, 1, 2, 3)}
    positive = loss.name in ("poisson", "gamma", "tweedie")
    return ranks.get(loss.name, (0.5, 3.0, 1e-3) if positive else (-2.0, 0.0, 0.25, 0.5))


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
def test_value_and_derivative_are_the_definitions(loss):
    for score in SCORES:
        for target in targets(loss):
            found, expected = scored(loss, score, target)
            size = max(1.0, abs(expected[0]), np.abs(expected[1]).max())
            assert abs(found[0] - expected[0]) <= TOLERANCE * size, (score, target)
            assert np.abs(found[1] - expected[1]).max() <= TOLERANCE * size, (score, target)


def test_the_comparison_sees_another_parameter():
    (value, _), _ = scored(Loss("huber", (0.5,)), 2.0, 0.0)
    _, (expected, _) = scored(Loss("huber", (0.500001,)), 2.0, 0.0)
    assert abs(value - expected) > TOLERANCE


def test_the_derivative_by_the_cut_points_sums_to_minus_that_by_the_score():
    architecture = Architecture((Numeric(direction=1),), hidden=(), **head(Loss("ordinal")))
    parameters = Parameters(dict(architecture.initial(0, np.float64)) | {"cuts": np.array([[-1.0, 0.3, 0.2]])})
    _, gradient = engine.value_and_grad(architecture, parameters, [[0.1], [0.7]], [1.0, 3.0], Loss("ordinal"))
    # the first free number moves all cut points together
    assert abs(gradient["cuts"][0, 0] + gradient["trunk.0.bias"][0, 0]) < TOLERANCE
