"""The mathematics of every layer in PyTorch: one call per layer, shapes checked here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isotone.activations import EXP_CEILING, TABLE, Activation, check_monotone
from isotone.activations import activation as find_activation
from isotone.weights import EXP_WEIGHT_CEILING, weight_map

SWITCH_FORMS = ("post", "pre")
Function = Callable[[Tensor], Tensor]

# beyond it F.softplus is the identity: its own 20 errs by 2e-9 there, 40 by less than half an ulp of float64
SOFTPLUS_THRESHOLD = 40.0


def softplus(x: Tensor) -> Tensor:
    """Return ``log(1 + exp(x))`` to the precision of ``x``. Shape: ``(*)`` -> ``(*)``.

    >>> softplus(torch.zeros(1))
    tensor([0.6931])
    """
    return F.softplus(x, threshold=SOFTPLUS_THRESHOLD)


def leaky_relu(x: Tensor, slope: Tensor | float) -> Tensor:
    """Return ``x`` where it is not negative and ``slope * x`` elsewhere. Shape: ``(*)`` -> ``(*)``.

    A slope per feature has the shape ``(d,)``, and then ``x`` has the shape ``(*, d)``.

    >>> leaky_relu(torch.tensor([-2.0, 3.0]), torch.tensor(0.5))
    tensor([-1.,  3.])
    """
    if isinstance(slope, Tensor) and slope.numel() > 1 and x.shape[-1:] != slope.shape:
        raise ValueError(f"{slope.numel()} slopes need x of shape (*, {slope.numel()}); got {tuple(x.shape)}.")
    return torch.where(x >= 0, x, slope * x)


def srelu(x: Tensor, left: float, slope_left: float, right: float, slope_right: float) -> Tensor:
    """Return the identity between ``left`` and ``right``, with other slopes beyond them. Shape: ``(*)`` -> ``(*)``.

    >>> srelu(torch.tensor([-3.0, 0.5, 2.0]), -1.0, 0.0, 1.0, 0.25)
    tensor([-1.0000,  0.5000,  1.2500])
    """
    below, above = (x - left).clamp(max=0), (x - right).clamp(min=0)
    return slope_left * below + x.clamp(left, right) + slope_right * above


def _exp(x: Tensor) -> Tensor:
    # float16 overflows before the ceiling of the table
    return torch.exp(x.clamp(max=min(EXP_CEILING, log(torch.finfo(x.dtype).max) - 1e-2)))


def _celu(x: Tensor, alpha: float) -> Tensor:
    # F.celu rounds alpha to float32 in its backward pass, even for float64: its derivative errs by 1e-9 at alpha = 0.2
    value: Tensor = torch.ops.aten.elu(x, alpha, 1.0, 1.0 / alpha)
    return value


_FORMULAS: dict[str, Callable[..., Tensor]] = {
    "relu": torch.relu,
    "leaky_relu": leaky_relu,
    "prelu": leaky_relu,
    "relu6": F.relu6,
    "elu": F.elu,
    "selu": F.selu,
    "celu": _celu,
    "gelu": F.gelu,
    "silu": F.silu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "exp": _exp,
    "softsign": F.softsign,
    "softplus": softplus,
    "logsigmoid": lambda x: -softplus(-x),
    "srelu": srelu,
    "threshold": lambda x: torch.ge(x, 0).to(x.dtype),
    "identity": lambda x: x,
}


def activate(x: Tensor, activation: str | Activation) -> Tensor:
    """Return an activation of the table at every entry, reflected if it says so. Shape: ``(*)`` -> ``(*)``.

    >>> activate(torch.tensor([-2.0, 3.0]), Activation("relu", reflected=True))
    tensor([-2., -0.])
    """
    chosen = find_activation(activation)
    formula = partial(_apply, chosen.name, chosen.parameters)
    return reflect(x, formula) if chosen.reflected else formula(x)


def reflect(x: Tensor, activation: Function) -> Tensor:
    """Return the point reflection ``-s(-x)`` of an activation at every entry. Shape: ``(*)`` -> ``(*)``.

    >>> reflect(torch.tensor([-2.0, 3.0]), torch.relu)
    tensor([-2., -0.])
    """
    return -activation(-x)


def monotone(activation: str | Activation | Function) -> Function:
    """Return an activation as a function of tensors, or raise if it is known to decrease somewhere.

    A function or module that the table does not know is returned as it is: the caller answers for its order.

    >>> monotone("tanh")(torch.zeros(1))
    tensor([0.])
    """
    if isinstance(activation, str) and activation in _MONOTONE:
        return _MONOTONE[activation]
    if isinstance(activation, (str, Activation)):
        return partial(activate, activation=check_monotone(find_activation(activation)))
    if not callable(activation):
        raise TypeError(f"activation is a name of the table, an Activation or a function; got {activation!r}.")
    _check_known(activation)
    return activation


def split_signs(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Return the positive and the negative part of a weight, which add up to it exactly. Shape: ``(*)`` -> two ``(*)``.

    A zero belongs to the positive part, so its derivative is the one from the right.

    >>> split_signs(torch.tensor([2.0, -3.0]))
    (tensor([2., 0.]), tensor([ 0., -3.]))
    """
    # clamp passes the gradient of an entry at its bound; relu would stop it, and a weight of zero could not learn
    positive = weight.clamp(min=0)
    return positive, weight - positive


_WEIGHT_MAPS: dict[str, Function] = {
    "abs": torch.abs,
    "square": torch.square,
    "softplus": softplus,
    "exp": lambda weight: torch.exp(weight.clamp(max=EXP_WEIGHT_CEILING)),
    "clamp": torch.relu,
}


def signed(weight: Tensor, constraint: str = "abs", weight_sign: int = 1) -> Tensor:
    """Return ``sign * g(weight)``, whose entries all have the sign. Shape: ``(*)`` -> ``(*)``.

    >>> signed(torch.tensor([2.0, -3.0]), "square", -1)
    tensor([-4., -9.])
    """
    if not isinstance(constraint, str) or constraint not in _WEIGHT_MAPS or weight_sign not in (1, -1):
        check_constraint(constraint, weight_sign)
    free = _WEIGHT_MAPS[constraint](weight)
    return free if weight_sign == 1 else -free


def switch_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str | Activation | Function = "relu",
    form: str = "post",
) -> Tensor:
    r"""Return a layer that never decreases, whatever its weights. Shape: ``(*, d)`` -> ``(*, m)``.

    The sign of a weight chooses the side on which the activation saturates:

    .. math::
        \text{post: } W^+ s(x) + W^- s(-x) + b \qquad \text{pre: } s(W^+ x + b) - s(W^- x + b)

    Args:
        x: Inputs, ``(*, d)``.
        weight: Any real numbers, ``(m, d)``.
        bias: ``(m,)``, or None.
        activation: A name of the table, an ``Activation``, or a function that never decreases.
        form: ``"post"`` or ``"pre"``.

    >>> switch_linear(torch.tensor([[-3.0]]), torch.tensor([[-2.0]]), torch.zeros(1))
    tensor([[-6.]])
    """
    _check_linear("switch_linear", x, weight, bias)
    # NOTE[PAPER]: Algorithm 1 has W in R^(d x d') and yet multiplies it from the left; W is (m, d) here, as in torch
    s, (positive, negative) = monotone(activation), split_signs(weight)
    # NOTE[PAPER]: "we did not observe any overhead"; benchmarks/speed/switch_gemm.py does, more than twice the time of
    # a linear layer. One product over concatenated halves is slower forward on a CPU, and faster only where a GPU waits
    # for its next kernel
    if form == "post":
        return F.linear(s(x), positive, bias) + F.linear(s(-x), negative)
    check_switch_form(form)
    return s(F.linear(x, positive, bias)) - s(F.linear(x, negative, bias))


def constrained_linear(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    activation: str | Activation | Function = "identity",
    constraint: str = "abs",
    weight_sign: int = 1,
) -> Tensor:
    r"""Return ``s(sign * g(W) x + b)``: increasing for the sign 1, decreasing for -1. Shape: ``(*, d)`` -> ``(*, m)``.

    Args:
        x: Inputs, ``(*, d)``.
        weight: Any real numbers, ``(m, d)``.
        bias: ``(m,)``, or None.
        activation: A name of the table, an ``Activation``, or a function that never decreases.
        constraint: The map ``g`` onto the non-negative numbers: abs, square, softplus, exp or clamp.
        weight_sign: The sign of every effective weight.

    >>> constrained_linear(torch.tensor([[3.0]]), torch.tensor([[-2.0]]), torch.ones(1))
    tensor([[7.]])
    """
    _check_linear("constrained_linear", x, weight, bias)
    return monotone(activation)(F.linear(x, signed(weight, constraint, weight_sign), bias))


def monotone_batch_norm(
    x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor,
    bias: Tensor,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    r"""Return features standardised, scaled by ``softplus(weight)`` and shifted. Shape: ``(*, d)`` -> ``(*, d)``.

    Order holds row by row only without ``training``: with it the statistics are those of the batch, so raising an
    entry of one row moves all rows.

    >>> monotone_batch_norm(torch.ones(2, 1), torch.zeros(1), torch.ones(1), torch.zeros(1), torch.zeros(1), eps=0.0)
    tensor([[0.6931],
            [0.6931]])
    """
    if x.shape[-1] != weight.shape[0]:
        raise ValueError(
            f"batch normalisation of {weight.shape[0]} features needs x of shape (*, {weight.shape[0]}); "
            f"got {tuple(x.shape)}."
        )
    rows = x.reshape(-1, x.shape[-1])
    normed = F.batch_norm(rows, running_mean, running_var, softplus(weight), bias, training, momentum, eps)
    return normed.reshape(x.shape)


def progress(x: Tensor, start: Tensor, width: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Return how far ``x`` is through each segment, within bounds; 0 if missing. Shape: ``(*, k)`` -> ``(*, k)``.

    >>> one = torch.ones(1)
    >>> progress(torch.tensor([3.0]), one, 4 * one, 0 * one, one)
    tensor([0.5000])
    """
    share = (torch.where(x.isnan(), start, x) - start) / width
    # not clamp, which passes the gradient at both bounds: at an inner knot the slopes of two segments would add up
    return torch.where(share < lower, lower, torch.where(share < upper, share, upper))


def cut_points(cuts: Tensor) -> Tensor:
    """Return the shared, never decreasing cut points: the mean of the members'. Shape: ``(members, k)`` -> ``(k,)``.

    >>> cut_points(torch.zeros(1, 2))
    tensor([0.0000, 0.6931])
    """
    return torch.cat([cuts[:, :1], softplus(cuts[:, 1:])], dim=1).cumsum(dim=1).mean(dim=0)


def link(latent: Tensor, name: str, cuts: Tensor | None = None) -> Tensor:
    """Return the prediction that belongs to a latent score. Shape: ``(*, m)`` -> ``(*, m)``, or ``(*, k)`` with cuts.

    >>> link(torch.zeros(1, 1), "cumulative", torch.zeros(1, 1))
    tensor([[0.5000]])
    """
    if cuts is not None:
        return torch.sigmoid(latent - cut_points(cuts))
    if name not in _LINKS:
        raise ValueError(f"link is one of {sorted(_LINKS)}, or cumulative with cuts; got {name!r}.")
    return _LINKS[name](latent)


_LINKS: dict[str, Function] = {
    "identity": lambda latent: latent,
    "exp": torch.exp,
    "sigmoid": torch.sigmoid,
    "softmax": lambda latent: torch.softmax(latent, dim=-1),
    "sorted": lambda latent: torch.sort(latent, dim=-1).values,
}


def check_sizes(**sizes: int) -> None:
    """Raise unless every size of a layer is a whole number, which may be none at all.

    >>> check_sizes(in_features=3, out_features=0)
    """
    wrong = {name: size for name, size in sizes.items() if not _counts(size)}
    if wrong:
        raise ValueError(f"sizes of a layer are whole numbers, none of them negative; got {wrong}.")


def check_switch_form(form: str) -> str:
    """Return the form, or raise unless it is one of a switch.

    >>> check_switch_form("post")
    'post'
    """
    if form not in SWITCH_FORMS:
        raise ValueError(f"form of a switch is one of {list(SWITCH_FORMS)}; got {form!r}.")
    return form


def check_constraint(constraint: str, weight_sign: int) -> tuple[str, int]:
    """Return map and sign, or raise unless both exist.

    >>> check_constraint("abs", -1)
    ('abs', -1)
    """
    if isinstance(weight_sign, bool) or weight_sign not in (1, -1):
        raise ValueError(f"weight_sign is 1 or -1; got {weight_sign!r}.")
    return weight_map(constraint).name, weight_sign


def _counts(size: object) -> bool:
    return isinstance(size, int) and not isinstance(size, bool) and size >= 0


def _apply(name: str, parameters: tuple[float, ...], x: Tensor) -> Tensor:
    return _FORMULAS[name](x, *parameters)


def _check_known(activation: Function) -> None:
    """Raise if this is what PyTorch calls an activation that decreases, or a module that holds one."""
    held = getattr(activation, "activation", None)
    if isinstance(held, Activation):
        check_monotone(held)
    elif isinstance(held, nn.Module):
        _check_known(held)
    for name, (function, module) in _DECREASING.items():
        if activation is function or isinstance(activation, module):
            check_monotone(find_activation(name))


_DECREASING: dict[str, tuple[Function, type[nn.Module]]] = {"gelu": (F.gelu, nn.GELU), "silu": (F.silu, nn.SiLU)}


def _check_linear(what: str, x: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Raise unless the shapes are those of ``F.linear``."""
    if weight.ndim != 2:
        raise ValueError(f"{what} needs a weight of shape (m, d); got {tuple(weight.shape)}.")
    outputs, inputs = weight.shape
    if x.ndim < 1 or x.shape[-1] != inputs:
        raise ValueError(
            f"{what} needs x of shape (*, {inputs}) for a weight {(outputs, inputs)}; got {tuple(x.shape)}."
        )
    if bias is not None and bias.shape != (outputs,):
        raise ValueError(
            f"{what} needs a bias of shape ({outputs},) for a weight {(outputs, inputs)}; got {tuple(bias.shape)}."
        )


# with their default parameters, so that a compiled function looks a name up instead of checking it again
_MONOTONE: dict[str, Function] = {
    name: partial(_apply, name, find_activation(name).parameters) for name, row in TABLE.items() if not row.decreases
}
