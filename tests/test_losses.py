"""Each loss: its gradient is its slope, its domain is kept, and it is what its name says."""

import numpy as np
import pytest

from isotone.losses import LOSSES, Loss

STEP = 1e-6
DRAWS = {
    "squared_error": ((), 1, lambda rng, n: rng.normal(size=n)),
    "absolute_error": ((), 1, lambda rng, n: rng.normal(size=n)),
    "huber": ((0.7,), 1, lambda rng, n: 2 * rng.normal(size=n)),
    "quantile": ((0.1, 0.5, 0.9), 3, lambda rng, n: rng.normal(size=n)),
    "poisson": ((), 1, lambda rng, n: rng.poisson(3.0, n)),
    "gamma": ((), 1, lambda rng, n: rng.gamma(2.0, size=n)),
    "tweedie": ((1.4,), 1, lambda rng, n: rng.poisson(1.0, n)),
    "log_loss": ((), 1, lambda rng, n: rng.integers(0, 2, n)),
    "softmax": ((), 4, lambda rng, n: rng.integers(0, 4, n)),
    "ordinal": ((), 3, lambda rng, n: rng.integers(0, 4, n)),
}


def draw(name, rng, rows=40):
    parameters, outputs, targets = DRAWS[name]
    scores = rng.normal(size=(rows, outputs))
    if name == "ordinal":
        scores = -np.sort(-scores, axis=1)  # latent - cuts, with cuts increasing
    return Loss(name, parameters), scores, targets(rng, rows).astype(float)


def slope_error(loss, scores, targets, gradient):
    """Return the largest gap between a gradient and central differences, relative to the largest slope."""
    shifts = STEP * np.eye(scores.shape[1])
    slopes = [(loss.value(scores + h, targets) - loss.value(scores - h, targets)) / (2 * STEP) for h in shifts]
    return np.abs(np.stack(slopes, axis=1) - gradient).max() / np.abs(gradient).max()


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_the_gradient_is_the_slope(name, rng):
    loss, scores, targets = draw(name, rng)
    # central differences: two values of a few eps over 2 STEP, and STEP^2 of curvature
    slack = STEP**2 + 16 * np.finfo(np.float64).eps / STEP
    assert slope_error(loss, scores, targets, loss.gradient(scores, targets)) <= slack


def test_a_gradient_of_the_wrong_sign_is_caught(rng):
    loss, scores, targets = draw("huber", rng)
    assert slope_error(loss, scores, targets, -loss.gradient(scores, targets)) > 0.1


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_every_loss_says_what_a_sign_means(name):
    assert Loss(name, DRAWS[name][0]).meaning
    assert set(DRAWS) == set(LOSSES)


@pytest.mark.parametrize("name", ["poisson", "gamma", "tweedie", "log_loss"])
def test_extreme_scores_stay_finite(name):
    loss = Loss(name, DRAWS[name][0])
    scores = np.array([[-1e6], [1e6]])
    assert np.isfinite(loss.value(scores, [1.0, 1.0])).all()
    assert np.isfinite(loss.gradient(scores, [1.0, 1.0])).all()


@pytest.mark.parametrize(
    ("name", "targets", "said"),
    [
        ("poisson", [1.0, -2.0], r"not negative; got \[-2.0\]"),
        ("gamma", [0.0], "positive"),
        ("tweedie", [-1.0], "not negative"),
        ("log_loss", [0.0, 0.5], "0 or 1"),
        ("ordinal", [0.5], "ranks"),
        ("softmax", [-1.0], "ranks"),
        ("squared_error", [np.inf], "finite"),
        ("quantile", [np.nan], "nan"),
    ],
)
def test_targets_outside_the_domain_are_named(name, targets, said):
    with pytest.raises(ValueError, match=said):
        Loss(name, DRAWS[name][0]).check_targets(targets)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("huber", ()), ("huber", (0.0,)), ("huber", (-1.0,)), ("tweedie", (1.0,)), ("tweedie", (2.0,)),
        ("quantile", ()),
        ("quantile", (0.5, 0.5)), ("quantile", (0.9, 0.1)), ("quantile", (0.0,)), ("squared_error", (1.0,)),
    ],
)  # fmt: skip
def test_bad_parameters_are_refused(name, parameters):
    with pytest.raises(ValueError, match="parameters are"):
        Loss(name, parameters)


def test_an_unknown_loss_lists_what_exists():
    with pytest.raises(ValueError, match=r"'squared_error'.*got 'mse'"):
        Loss("mse")


def test_the_median_minimises_the_middle_pinball_loss(rng):
    targets = rng.normal(size=101)
    levels = np.linspace(-1, 1, 2001)
    losses = [Loss("quantile", (0.5,)).value(np.full((101, 1), c), targets).mean() for c in levels]
    assert levels[int(np.argmin(losses))] == pytest.approx(np.median(targets), abs=1e-3)  # the grid's step


def test_ordinal_probabilities_sum_to_one(rng):
    loss, scores, _ = draw("ordinal", rng)
    total = sum(np.exp(-loss.value(scores, np.full(len(scores), k))) for k in range(4))
    assert total == pytest.approx(np.ones(len(scores)), abs=64 * np.finfo(float).eps)  # four terms of a few ulp each
