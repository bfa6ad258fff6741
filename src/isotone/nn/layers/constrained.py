"""The classical layer: every effective weight has one sign, by a map of a free weight."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.activations import Activation
from isotone.initialisation import Moments, affine_balance
from isotone.nn import functional as F
from isotone.nn.layers.activation import activation_module, table_activation
from isotone.nn.layers.initialisation import balanced_, check_initialisation, uniform_


class ConstrainedLinear(nn.Module):
    """The layer ``s(sign * g(W) x + b)``, whose effective weights all have one sign. Shape: ``(*, d)`` -> ``(*, m)``.

    It increases for the sign 1 and decreases for -1. Without an activation it is the affine layer at the end of a
    stack of switches.

    Args:
        in_features: ``d``.
        out_features: ``m``.
        activation: A name of the table, an ``Activation`` or a module of one; it may not decrease.
        constraint: The map ``g``: abs, square, softplus, exp or clamp.
        weight_sign: 1 or -1.
        bias: Whether there is one.
        initialisation: ``"uniform"`` as ``nn.Linear``; ``"balanced"`` only for the affine layer of a stack of switches.

    >>> ConstrainedLinear(3, 4, constraint="square")(torch.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        activation: str | Activation | nn.Module = "identity",
        constraint: str = "abs",
        weight_sign: int = 1,
        bias: bool = True,
        initialisation: str = "uniform",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        F.check_sizes(in_features=in_features, out_features=out_features)
        self.in_features, self.out_features = in_features, out_features
        self.constraint, self.weight_sign = F.check_constraint(constraint, weight_sign)
        self.activation = activation_module(activation).to(device=device, dtype=dtype)
        self.weight = nn.Parameter(torch.empty(out_features, in_features, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(out_features, device=device, dtype=dtype)) if bias else None
        self.initialisation = check_initialisation(initialisation)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
        if self.initialisation == "balanced":
            self.balance_(Moments())
        else:
            uniform_(self.weight, self.bias)

    def balance_(self, inputs: Moments) -> Moments:
        """Draw weight and bias so that, for such inputs, every output has the variance one; return its moments."""
        kind = (table_activation(self.activation).name, self.constraint, self.weight_sign)
        if kind != ("identity", "abs", 1):
            raise ValueError(
                "initialisation 'balanced' is for switches and their affine layer, activation 'identity', constraint "
                f"'abs' and weight_sign 1; got {kind}."
            )
        return balanced_(self.weight, self.bias, affine_balance(self.in_features, self.bias is not None, None, inputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's outputs."""
        return F.constrained_linear(x, self.weight, self.bias, self.activation, self.constraint, self.weight_sign)

    def extra_repr(self) -> str:
        """Return the sizes, the map, the sign and whether there is a bias."""
        return (
            f"{self.in_features}, {self.out_features}, constraint={self.constraint!r}, "
            f"weight_sign={self.weight_sign}, bias={self.bias is not None}"
        )
