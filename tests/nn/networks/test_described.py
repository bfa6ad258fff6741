"""The module of an Architecture agrees with the definition, for all that an Architecture can say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from isotone import reference
from isotone.activations import TABLE, activation
from isotone.architecture import Architecture, Categorical, Numeric, Parameters
from isotone.losses import Loss
from isotone.nn import from_parameters
from isotone.weights import WEIGHT_MAPS

EPS = np.finfo(np.float64).eps
COLUMNS = (
    Numeric((-1.0, 0.0, 0.5, 1.5), direction=1, missing=True),
    Numeric((-1.0, 1.0), missing=True),
    Categorical(3),
    Numeric((-1.0, 0.0, 1.0), direction=-1, levels=(-2.0, 0.5, 1.0), missing=True),
    Numeric((0.0, 1.0, 2.0), levels=(3.0, 4.0, 6.0)),
    Numeric(direction=1),
)
BASE = Architecture(COLUMNS, hidden=(6, 5, 4), free_hidden=(4, 3))
FIXED = [name for name, row in TABLE.items() if not row.decreases and not row.learnable]


def kinds() -> dict[str, Architecture]:
    """Return one architecture per form, activation, map, sign, link and shape."""
    forms = {f"{form}-{name}": {"form": form, "activation": activation(name)}
             for form in ("post", "pre", "constrained") for name in FIXED}  # fmt: skip
    maps = {f"{g}{s:+d}-{len(hidden)}": {"form": "constrained", "constraint": g, "weight_sign": s, "hidden": hidden}
            for g in WEIGHT_MAPS for s in (1, -1) for hidden in ((5,), (5, 4))}  # fmt: skip
    others = {
        "reflected": {"form": "constrained", "reflect": (True, True, False)},
        "no-hidden": {"hidden": ()},
        "gelu": {"free_activation": activation("gelu")},
        "members": {"members": 3, "outputs": 2},
        "sigmoid": {"link": "sigmoid", "members": 2},
        "exp": {"link": "exp"},
        "sorted": {"link": "sorted", "outputs": 3, "center": 3.0, "scale": 2.5},
        "cumulative": {"link": "cumulative", "cuts": 3, "members": 2},
        "constrained-only": {"columns": (Numeric(direction=-1),), "free_hidden": ()},
    }
    free = {"columns": (Numeric(), Categorical(2)), "link": "softmax", "outputs": 3}
    return {name: replace(BASE, **kind) for name, kind in (forms | maps | others | {"softmax": free}).items()}


KINDS = kinds()


def rows(network: Architecture, rng: np.random.Generator) -> np.ndarray:
    """Return rows with codes where they belong, and missing entries where they may be."""
    x = 1.5 * rng.normal(size=(40, len(network.columns)))
    for index, column in enumerate(network.columns):
        if isinstance(column, Categorical):
            x[:, index] = rng.integers(0, column.size, 40)
        elif column.missing:
            x[rng.random(40) < 0.2, index] = np.nan
    return x


def numbers(network: Architecture, rng: np.random.Generator) -> Parameters:
    """Return random parameters in float64, cuts included."""
    drawn = network.initial(1, np.float64)
    return Parameters({name: rng.normal(size=a.shape) if name == "cuts" else a for name, a in drawn.items()})


def distance(found: torch.Tensor, truth: np.ndarray) -> float:
    """Return the largest difference, relative to the largest entry."""
    return float(np.abs(found.detach().numpy() - truth).max() / np.abs(truth).max())


@pytest.mark.parametrize("name", KINDS)
def test_scores_and_predictions_are_those_of_the_definition(name: str, rng: np.random.Generator) -> None:
    network = KINDS[name]
    x, parameters = rows(network, rng), numbers(network, rng)
    module = from_parameters(network, parameters)
    # sums of ten terms through four layers; exp multiplies the rounding of its argument by its size
    slack = (1024 if "exp" in name else 16) * EPS
    assert distance(module.member_scores(torch.tensor(x)), reference.member_scores(network, parameters, x)) <= slack
    assert distance(module(torch.tensor(x)), reference.predict(network, parameters, x)) <= slack


def test_another_number_in_one_place_is_noticed(rng: np.random.Generator) -> None:
    """Negative control: a change of one weight by a millionth is far outside the slack."""
    x, parameters = rows(BASE, rng), numbers(BASE, rng)
    module = from_parameters(BASE, parameters)
    with torch.no_grad():
        module.branches[0].trunk[0].weight[0, 0] *= 1 + 1e-6
    assert distance(module(torch.tensor(x)), reference.predict(BASE, parameters, x)) > 1e-10


@pytest.mark.parametrize(
    "loss", [Loss("squared_error"), Loss("poisson"), Loss("huber", (1.0,))], ids=lambda loss: loss.name
)
def test_gradients_agree_with_differences_of_the_definition(loss: Loss, rng: np.random.Generator) -> None:
    network = replace(BASE, members=2, activation=activation("celu"))
    x, parameters = rows(network, rng), numbers(network, rng)
    y = rng.gamma(2.0, size=len(x))
    module = from_parameters(network, parameters)
    scores = module.member_scores(torch.tensor(x))
    cotangent = np.stack([loss.gradient(one, y) for one in scores.detach().numpy()])
    scores.backward(torch.tensor(cotangent))

    def total(step: float, direction: dict[str, np.ndarray]) -> float:
        moved = Parameters({name: parameters[name] + step * direction[name] for name in parameters.names})
        return float(sum(loss.value(one, y).sum() for one in reference.member_scores(network, moved, x)))

    direction = {name: rng.normal(size=array.shape) for name, array in parameters.items()}
    step = 2.0**-17
    expected = (total(step, direction) - total(-step, direction)) / (2 * step)
    found = sum(float((gradient_of(module, name) * direction[name]).sum()) for name in parameters.names)
    # a central difference errs by the square of the step and by eps over the step, times what a sum of 20 losses is
    # larger than its slope
    assert found == pytest.approx(expected, rel=2**10 * (step**2 + EPS / step))


def gradient_of(module: torch.nn.Module, name: str) -> np.ndarray:
    """Return the gradient of one array of Parameters."""
    branch, index, part = name.split(".")
    stacks = [getattr(member, branch) for member in module.members]
    layers = [[layer for layer in stack if hasattr(layer, "weight")][int(index)] for stack in stacks]
    return np.stack([getattr(layer, part).grad.numpy() for layer in layers])


def test_the_target_transform_is_in_the_prediction_only(rng: np.random.Generator) -> None:
    network = replace(BASE, center=10.0, scale=2.0)
    x, parameters = rows(network, rng), numbers(network, rng)
    module = from_parameters(network, parameters)
    latent = reference.member_scores(network, parameters, x).mean(axis=0)
    assert distance(module.member_scores(torch.tensor(x)).mean(dim=0), latent) <= 16 * EPS
    assert distance(module(torch.tensor(x)), 10.0 + 2.0 * latent) <= 16 * EPS
