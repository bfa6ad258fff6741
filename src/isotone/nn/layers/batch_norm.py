"""Batch normalisation that does not turn an order round: the paper's proposal, which it leaves to others to try."""

from __future__ import annotations

from math import e, log

import torch
from torch import Tensor, nn

from isotone.nn import functional as F


class MonotoneBatchNorm1d(nn.Module):
    """Standardise every feature, then scale it by ``softplus(weight)`` and shift it. Shape: ``(*, d)`` -> ``(*, d)``.

    Order holds for each row **in evaluation mode only**. In training mode the mean and the variance are those of the
    batch, so a row that is raised moves the others, and may itself fall in one feature against another batch.
    The scale begins at 1 and cannot become negative.

    Args:
        features: ``d``, the size of the last dimension, as in the layers of this package.
        eps: Added to the variance.
        momentum: How far the running statistics move towards those of a batch.

    >>> MonotoneBatchNorm1d(2, eps=0.0).eval()(torch.ones(3, 2))[0]
    tensor([1., 1.], grad_fn=<SelectBackward0>)
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(
        self,
        features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        F.check_sizes(features=features)
        if not (eps >= 0 and momentum is not None and 0 <= momentum <= 1):
            raise ValueError(f"eps is not negative and momentum lies between 0 and 1; got {eps!r} and {momentum!r}.")
        self.features, self.eps, self.momentum = features, eps, momentum
        self.weight = nn.Parameter(torch.empty(features, device=device, dtype=dtype))
        self.bias = nn.Parameter(torch.empty(features, device=device, dtype=dtype))
        self.register_buffer("running_mean", torch.empty(features, device=device, dtype=dtype))
        self.register_buffer("running_var", torch.empty(features, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set scale and variance to one, shift and mean to zero."""
        nn.init.constant_(self.weight, log(e - 1))
        nn.init.zeros_(self.bias)
        self.running_mean.zero_()
        self.running_var.fill_(1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised features; in training mode, also move the running statistics."""
        return F.monotone_batch_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, self.training, self.momentum, self.eps
        )

    def extra_repr(self) -> str:
        """Return the number of features and the constants."""
        return f"{self.features}, eps={self.eps}, momentum={self.momentum}"
