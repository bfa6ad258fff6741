"""The definition once more, in torch float64, for gradients by autograd and for training in plain torch."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as f

from isotone import reference
from isotone.activations import EXP_CEILING, Activation
from isotone.architecture import Architecture, Parameters
from isotone.losses import LOG_SCORE_BOUND, Loss
from isotone.weights import EXP_WEIGHT_CEILING

Tensors = Mapping[str, Tensor]

ACTIVATIONS: dict[str, Callable[..., Tensor]] = {
    "relu": torch.relu,
    "leaky_relu": f.leaky_relu,
    "relu6": f.relu6,
    "elu": f.elu,
    "selu": f.selu,
    "celu": f.celu,
    "gelu": f.gelu,
    "silu": f.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "exp": lambda z: torch.exp(torch.clamp(z, max=EXP_CEILING)),
    "softsign": f.softsign,
    # torch's own softplus is linear beyond its threshold, which costs 1e-9
    "softplus": lambda z: torch.logaddexp(z, torch.zeros_like(z)),
    "logsigmoid": f.logsigmoid,
    "srelu": lambda z, left, slope_left, right, slope_right: torch.where(
        z < left, left + slope_left * (z - left), torch.where(z > right, right + slope_right * (z - right), z)
    ),
    "threshold": lambda z: (z >= 0).to(z) + 0.0 * z,
    "identity": lambda z: z,
}
WEIGHT_MAPS: dict[str, Callable[[Tensor], Tensor]] = {
    "abs": torch.abs,
    "square": torch.square,
    "softplus": ACTIVATIONS["softplus"],
    "exp": lambda w: torch.exp(torch.clamp(w, max=EXP_WEIGHT_CEILING)),
    "clamp": torch.relu,
}


def tensors(parameters: Parameters, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """Return the parameters as leaves that gather gradients."""
    return {name: torch.tensor(array, dtype=dtype).requires_grad_() for name, array in parameters.items()}


def activate(chosen: Activation, z: Tensor) -> Tensor:
    """Return s(z), or -s(-z) if reflected."""
    s = ACTIVATIONS[chosen.name]
    return -s(-z, *chosen.parameters) if chosen.reflected else s(z, *chosen.parameters)


def scores(architecture: Architecture, parameters: Tensors, x: np.ndarray) -> Tensor:
    """Return every member's scores. Shape: ``(n, d)`` -> ``(members, n, m)``."""
    dtype = next(iter(parameters.values())).dtype
    free, constrained = (torch.tensor(part, dtype=dtype) for part in reference.encode(architecture, x))
    return scores_of_components(architecture, parameters, free, constrained)


def scores_of_components(architecture: Architecture, parameters: Tensors, free: Tensor, constrained: Tensor) -> Tensor:
    """Return every member's scores from the components of the columns. Shape: ``(members, n, m)``."""
    joined = constrained.expand(architecture.members, *constrained.shape)
    if architecture.free_components:
        hidden = free.expand(architecture.members, *free.shape)
        for layer in range(len(architecture.free_hidden)):
            weight, bias = _layer(parameters, "free", layer)
            hidden = activate(architecture.free_activation, hidden @ weight.mT + bias)
        joined = torch.cat([joined, hidden], dim=2)
    return _trunk(architecture, parameters, joined)


def losses(architecture: Architecture, parameters: Tensors, x: np.ndarray, y: np.ndarray, loss: Loss) -> Tensor:
    """Return the loss of every member and row. Shape: ``(n, d)``, ``(n,)`` -> ``(members, n)``."""
    given = scores(architecture, parameters, x)
    if architecture.cuts:
        raw = parameters["cuts"]
        steps = torch.cat([raw[:, :1], ACTIVATIONS["softplus"](raw[:, 1:])], dim=1)
        given = given - steps.cumsum(1)[:, None, :]
    targets = torch.tensor((y - architecture.center) / architecture.scale, dtype=given.dtype)
    return row_losses(loss, given, targets)


def row_losses(loss: Loss, z: Tensor, y: Tensor) -> Tensor:
    """Return the loss of scores ``(..., n, m)`` against targets ``(n,)``."""
    gap, bounded = z - y[:, None], torch.clamp(z[..., 0], -LOG_SCORE_BOUND, LOG_SCORE_BOUND)
    p = loss.parameters
    table: dict[str, Callable[[], Tensor]] = {
        "squared_error": lambda: gap.square().sum(-1),
        "absolute_error": lambda: gap.abs().sum(-1),
        "huber": lambda: f.huber_loss(z[..., 0], y.expand(z.shape[:-1]), reduction="none", delta=p[0]),
        "quantile": lambda: torch.maximum(-z.new_tensor(p) * gap, (1 - z.new_tensor(p)) * gap).mean(-1),
        "poisson": lambda: torch.exp(bounded) - y * bounded,
        "gamma": lambda: bounded + y * torch.exp(-bounded),
        "tweedie": lambda: (
            torch.exp((2 - p[0]) * bounded) / (2 - p[0]) - y * torch.exp((1 - p[0]) * bounded) / (1 - p[0])
        ),
        "log_loss": lambda: f.binary_cross_entropy_with_logits(z[..., 0], y.expand(z.shape[:-1]), reduction="none"),
        "softmax": lambda: -torch.log_softmax(z, -1)[..., torch.arange(len(y)), y.long()],
        "ordinal": lambda: _ordinal(z, y.long()),
    }
    return table[loss.name]()


def _ordinal(z: Tensor, rank: Tensor) -> Tensor:
    # log of sigma(a) - sigma(b), which cancels where it is written so; at the ends one of the two is 1 or 0
    rows, top = torch.arange(len(rank)), z.shape[-1]
    a, b = z[..., rows, (rank - 1).clamp(min=0)], z[..., rows, rank.clamp(max=top - 1)]
    below, above = rank > 0, rank < top
    gap = torch.where(below & above, b - a, -torch.ones_like(a))
    between = torch.where(below & above, torch.log(-torch.expm1(gap)), torch.zeros_like(a))
    ends = torch.where(below, f.logsigmoid(a), torch.zeros_like(a)), torch.where(above, f.logsigmoid(-b), 0.0 * b)
    return -(between + ends[0] + ends[1])


def _layer(parameters: Tensors, branch: str, layer: int) -> tuple[Tensor, Tensor]:
    return parameters[f"{branch}.{layer}.weight"], parameters[f"{branch}.{layer}.bias"][:, None, :]


def _trunk(architecture: Architecture, parameters: Tensors, inputs: Tensor) -> Tensor:
    s, g = architecture.layer_activations, WEIGHT_MAPS[architecture.constraint]
    for layer in range(len(s) + 1):
        weight, bias = _layer(parameters, "trunk", layer)
        above, below = torch.relu(weight).mT, -torch.relu(-weight).mT
        if architecture.form == "post" and layer > 0:
            chosen = s[layer - 1]
            inputs = activate(chosen, inputs) @ above + activate(chosen, -inputs) @ below + bias
        elif architecture.form == "pre" and layer < len(s):
            inputs = activate(s[layer], inputs @ above + bias) - activate(s[layer], inputs @ below + bias)
        else:
            inputs = inputs @ (architecture.weight_sign * g(weight)).mT + bias
            if architecture.form == "constrained" and layer < len(s):
                inputs = activate(s[layer], inputs)
    return inputs
