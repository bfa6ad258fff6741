"""The layer of the paper: the sign of a weight chooses the side on which the activation saturates."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.activations import Activation
from isotone.initialisation import Moments, post_balance, pre_balance
from isotone.nn import functional as F
from isotone.nn.layers.activation import activation_module, table_activation
from isotone.nn.layers.initialisation import balanced_, check_initialisation, uniform_


class SwitchLinear(nn.Module):
    """A linear layer with its activation that never decreases, whatever its weights. Shape: ``(*, d)`` -> ``(*, m)``.

    With ``form="post"`` the activation comes first, ``W+ s(x) + W- s(-x) + b``, so a stack of them begins with an
    affine layer; with ``form="pre"`` it comes last, ``s(W+ x + b) - s(W- x + b)``, and the stack ends with one.
    ``ConstrainedLinear`` is that affine layer.

    Args:
        in_features: ``d``.
        out_features: ``m``.
        activation: A name of the table, an ``Activation`` or a module of one; it may not decrease.
        form: ``"post"`` or ``"pre"``.
        bias: Whether there is one.
        initialisation: ``"uniform"`` as ``nn.Linear``, or ``"balanced"``, which keeps the variance; see ``balance_``.

    >>> SwitchLinear(3, 4, "celu")(torch.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        activation: str | Activation | nn.Module = "relu",
        form: str = "post",
        bias: bool = True,
        initialisation: str = "uniform",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        F.check_sizes(in_features=in_features, out_features=out_features)
        self.in_features, self.out_features = in_features, out_features
        self.form = F.check_switch_form(form)
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
        """Draw weight and bias so that, for such inputs, every sum has the variance one; return the outputs' moments.

        The sums are the outputs of the form post, and the arguments of the activation of the form pre.
        """
        s = table_activation(self.activation).value
        balance = post_balance if self.form == "post" else pre_balance
        return balanced_(self.weight, self.bias, balance(self.in_features, self.bias is not None, s, inputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's outputs."""
        return F.switch_linear(x, self.weight, self.bias, self.activation, self.form)

    def extra_repr(self) -> str:
        """Return the sizes, the form and whether there is a bias."""
        return f"{self.in_features}, {self.out_features}, form={self.form!r}, bias={self.bias is not None}"
