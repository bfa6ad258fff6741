"""Free columns on one side; on the other the constrained ones, all turned to increase."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from isotone.constraints import Direction


class Orient(nn.Module):
    """Part the free columns from the constrained ones, and negate the decreasing. Shape: ``(*, d)`` -> two ``(*, ·)``.

    Args:
        signs: The direction of each column: -1, 0, 1 or a word.
        trunk_direction: -1 if what follows decreases, so that all signs are turned.

    >>> Orient([0, 1, -1])(torch.tensor([5.0, 6.0, 7.0]))
    (tensor([5.]), tensor([ 6., -7.]))
    """

    free: Tensor
    constrained: Tensor
    signs: Tensor

    def __init__(
        self,
        signs: Sequence[int | str | Direction],
        trunk_direction: int = 1,
        device: torch.device | str | None = None,
    ) -> None:
        super().__init__()
        self.directions = tuple(Direction.parse(sign) for sign in signs)
        turned = [sign * trunk_direction for sign in self.directions]
        free = [column for column, sign in enumerate(turned) if not sign]
        constrained = [column for column, sign in enumerate(turned) if sign]
        values = {"free": free, "constrained": constrained, "signs": [turned[column] for column in constrained]}
        for name, listed in values.items():
            # whole numbers are left alone when the module moves to another precision
            self.register_buffer(name, torch.tensor(listed, dtype=torch.int64, device=device), persistent=False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the free columns, and the constrained columns times their signs."""
        expected = len(self.directions)
        if x.shape[-1] != expected:
            raise ValueError(f"there are {expected} signs, so x has shape (*, {expected}); got {tuple(x.shape)}.")
        return x.index_select(-1, self.free), x.index_select(-1, self.constrained) * self.signs

    def extra_repr(self) -> str:
        """Return the signs."""
        return f"signs={[int(sign) for sign in self.directions]}"
