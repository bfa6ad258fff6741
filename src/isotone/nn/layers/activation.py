"""Activations as modules: those of the table, the one with a learned slope, and the point reflection of any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from isotone.activations import TABLE, Activation, check_monotone
from isotone.activations import activation as find_activation
from isotone.nn import functional as F


class Pointwise(nn.Module):
    """Apply an activation of the table, with fixed parameters, to every entry. Shape: ``(*)`` -> ``(*)``.

    >>> Pointwise("leaky_relu")
    Pointwise(leaky_relu, alpha=0.01)
    """

    def __init__(self, activation: str | Activation = "relu") -> None:
        super().__init__()
        self.activation = find_activation(activation)

    def forward(self, x: Tensor) -> Tensor:
        """Return the activation at every entry."""
        return F.activate(x, self.activation)

    def extra_repr(self) -> str:
        """Return the name, the parameters, and whether it is reflected."""
        names = [name for name, _ in self.activation.row.parameters]
        given = [f"{name}={value!r}" for name, value in zip(names, self.activation.parameters, strict=True)]
        return ", ".join([self.activation.name, *given, *(["reflected"] if self.activation.reflected else [])])


class SReLU(Pointwise):
    """Apply the identity between two thresholds, with other slopes beyond them. Shape: ``(*)`` -> ``(*)``.

    >>> SReLU(left=0.0, right=6.0, slope_right=0.0)(torch.tensor([-1.0, 3.0, 9.0]))
    tensor([0., 3., 6.])
    """

    def __init__(
        self, left: float = -1.0, slope_left: float = 0.0, right: float = 1.0, slope_right: float = 0.25
    ) -> None:
        super().__init__(Activation("srelu", (left, slope_left, right, slope_right)))


class PReLU(nn.Module):
    """Keep what is not negative and multiply the rest by a learned slope. Shape: ``(*, d)`` -> ``(*, d)``.

    The slope is the absolute value of the parameter, so no step of an optimiser makes it negative. With ``features``
    there is one slope per feature, else one for all.

    >>> PReLU(initial=0.5)(torch.tensor([-2.0, 3.0]))
    tensor([-1.,  3.], grad_fn=<WhereBackward0>)
    """

    def __init__(
        self,
        features: int = 1,
        initial: float = 0.25,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        F.check_sizes(features=features)
        self.initial = Activation("prelu", (initial,)).parameters[0]
        self.weight = nn.Parameter(torch.empty(features, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set every slope to its initial value."""
        nn.init.constant_(self.weight, self.initial)

    @property
    def slope(self) -> Tensor:
        """The slopes, never negative. Shape: ``(features,)``."""
        return self.weight.abs()

    def forward(self, x: Tensor) -> Tensor:
        """Return the activation at every entry."""
        return F.leaky_relu(x, self.slope)

    def extra_repr(self) -> str:
        """Return the number of slopes."""
        return f"features={self.weight.shape[0]}"


class Reflect(nn.Module):
    """Apply the point reflection ``-s(-x)`` of an activation: as monotone, saturating on the other side.

    Shape: ``(*)`` -> ``(*)``.

    >>> Reflect("relu")(torch.tensor([-2.0, 3.0]))
    tensor([-2., -0.])
    """

    def __init__(self, activation: str | Activation | nn.Module) -> None:
        super().__init__()
        self.activation = activation_module(activation, monotone=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the reflected activation at every entry."""
        return F.reflect(x, self.activation)


def activation_module(spec: str | Activation | nn.Module, monotone: bool = True) -> nn.Module:
    """Return the module of an activation; refuse one that decreases, or that nothing is known of.

    A module of ``torch.nn`` that the table has is replaced by that of the table.

    >>> activation_module(nn.ELU(0.5))
    Pointwise(elu, alpha=0.5)
    """
    if isinstance(spec, nn.Module) and type(spec) in _FROM_TORCH:
        spec = _FROM_TORCH[type(spec)](spec)
    if isinstance(spec, (Pointwise, Reflect, PReLU)):
        if monotone:
            check_monotone(table_activation(spec))
        return spec
    if not isinstance(spec, (str, Activation)):
        raise TypeError(
            f"activation is one of {sorted(TABLE)}, an isotone Activation, or a module of isotone.nn or torch.nn that "
            f"stands for one of them; got {spec!r}, of whose order nothing is known."
        )
    chosen = find_activation(spec)
    if monotone:
        check_monotone(chosen)
    if chosen.row.learnable:
        learned = PReLU(initial=chosen.parameters[0])
        return Reflect(learned) if chosen.reflected else learned
    return Pointwise(chosen)


def table_activation(module: nn.Module) -> Activation:
    """Return what a module of this file applies, a learned slope at its initial value.

    >>> table_activation(Reflect(Reflect(Reflect("relu")))).reflected
    True
    """
    if isinstance(module, Reflect):
        return table_activation(module.activation).reflection
    if isinstance(module, PReLU):
        return Activation("prelu", (module.initial,))
    if isinstance(module, Pointwise):
        return module.activation
    raise TypeError(f"the table has no activation for {module!r}; use one of isotone.nn.")


def _named(name: str, *attributes: str) -> Callable[[Any], Activation]:
    """Return a reader of a torch module's parameters."""
    return lambda module: Activation(name, tuple(float(getattr(module, each)) for each in attributes))


def _plain_softplus(module: Any) -> Activation:
    if module.beta != 1:
        raise ValueError(f"softplus is taken with beta = 1; got {module!r}.")
    return Activation("softplus")


_FROM_TORCH: dict[type[nn.Module], Callable[[Any], Activation]] = {
    nn.ReLU: _named("relu"),
    nn.ReLU6: _named("relu6"),
    nn.LeakyReLU: _named("leaky_relu", "negative_slope"),
    nn.ELU: _named("elu", "alpha"),
    nn.CELU: _named("celu", "alpha"),
    nn.SELU: _named("selu"),
    nn.GELU: _named("gelu"),
    nn.SiLU: _named("silu"),
    nn.Sigmoid: _named("sigmoid"),
    nn.Tanh: _named("tanh"),
    nn.Softsign: _named("softsign"),
    nn.Softplus: _plain_softplus,
    nn.LogSigmoid: _named("logsigmoid"),
    nn.Identity: _named("identity"),
}
