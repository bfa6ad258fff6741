"""Training starts from the best constant."""

from __future__ import annotations

import numpy as np
import pytest

from isotone import Architecture, Loss, Numeric, reference
from isotone.estimators import tasks
from isotone.estimators.tasks import Task

EPS = float(np.finfo(np.float64).eps)


def constant(task: Task) -> np.ndarray:
    """Return what a network without any influence of its column predicts at the start of this task."""
    network = Architecture(
        (Numeric(direction=1 if task.name != "multiclass" else 0),),
        hidden=(),
        free_hidden=(1,) if task.name == "multiclass" else (),
        outputs=len(task.start),
        link=task.loss.link,
        cuts=len(task.cuts),
        center=task.center,
        scale=task.scale,
    )
    start = dict(task.initial(network, seed=0))
    start["trunk.0.weight"][...] = 0.0
    start["trunk.0.bias"] = start["trunk.0.bias"] - network.initial(0)["trunk.0.bias"]
    prediction: np.ndarray = reference.predict(network, type(network.initial(0))(start), [[0.0]])[0]
    return prediction


def weighted() -> tuple[np.ndarray, np.ndarray]:
    return np.array([1.0, 2.0, 6.0]), np.array([1.0, 2.0, 1.0])


# float32 parameters: a start is rounded on its way in, and again when the random bias comes and goes
@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (Loss("squared_error"), 2.75),
        (Loss("huber", (1.0,)), 2.75),
        (Loss("absolute_error"), 2.0),
        (Loss("quantile", (0.9,)), 6.0),
        (Loss("poisson"), 2.75),
        (Loss("gamma"), 2.75),
        (Loss("tweedie", (1.5,)), 2.75),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_regression_starts_at_the_mean_or_the_quantile(loss: Loss, expected: float) -> None:
    y, weight = weighted()
    np.testing.assert_allclose(constant(tasks.regression(loss, y, weight)), [expected], rtol=2**-20)


def test_quantiles_start_at_the_quantiles() -> None:
    y, weight = weighted()
    np.testing.assert_allclose(constant(tasks.quantiles((0.1, 0.5, 0.9), y, weight)), [1.0, 2.0, 6.0], rtol=2**-20)


def test_probabilities_start_at_the_rates() -> None:
    y, weight = np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 1.0])
    np.testing.assert_allclose(constant(tasks.binary(y, weight)), [0.75], rtol=2**-20)
    np.testing.assert_allclose(
        constant(tasks.multiclass(np.array([0.0, 1.0, 2.0]), weight, 3)), [0.25, 0.5, 0.25], rtol=2**-20
    )


def test_an_ordinal_start_has_the_rates_and_half_a_row_more_in_each_class() -> None:
    y, weight = np.array([0.0, 1.0, 3.0, 3.0]), np.ones(4)
    exceeding = constant(tasks.ordinal(y, weight, 4))
    np.testing.assert_allclose(exceeding, [1 - 1.5 / 6, 1 - 3 / 6, 1 - 3.5 / 6], rtol=2**-20)


def test_a_constant_target_has_no_scale() -> None:
    task = tasks.regression(Loss("squared_error"), np.full(3, 1e9 / 3), np.ones(3))
    assert (task.center, task.scale) == (1e9 / 3, 1.0)
    zeros, tiny = (tasks.regression(Loss("squared_error"), np.full(3, value), np.ones(3)) for value in (0.0, 1e-90))
    assert (zeros.center, zeros.scale) == (0.0, 1.0)
    assert tiny.center == tiny.scale == 1e-90


@pytest.mark.parametrize("size", [2.0**-900, 1.0, 2.0**900])
def test_center_and_scale_go_with_the_size_of_the_target(size: float) -> None:
    y, weight = weighted()
    plain, sized = (tasks.regression(Loss("squared_error"), y * factor, weight) for factor in (1.0, size))
    assert (sized.center, sized.scale) == (plain.center * size, plain.scale * size)


def test_a_target_outside_the_domain_is_refused() -> None:
    with pytest.raises(ValueError, match="gamma needs targets that are positive"):
        tasks.regression(Loss("gamma"), np.array([0.0, 1.0]), np.ones(2))
    with pytest.raises(ValueError, match="poisson needs a positive target somewhere; all 2 are 0"):
        tasks.regression(Loss("poisson"), np.zeros(2), np.ones(2))


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1.0, 1e30, 1e150])
def test_targets_of_any_size_are_scaled(size: float) -> None:
    task = tasks.regression(Loss("squared_error"), size * np.array([1.0, 3.0]), np.ones(2))
    assert np.isfinite([task.center, task.scale]).all()
    assert task.scale > 0
