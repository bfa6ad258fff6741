"""The network that an ``Architecture`` describes, columns, members and link included."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.architecture import Architecture
from isotone.nn import functional as F
from isotone.nn.layers.input_stage import InputStage
from isotone.nn.networks.branches import Branches, Device
from isotone.nn.networks.numbers import draw_


class Network(nn.Module):
    """The module of an ``Architecture``: what ``isotone.reference`` says, in PyTorch. Shape: ``(*, d)`` -> ``(*, m)``.

    The forward pass returns the prediction, that is the link of the mean of the members' scores; losses that want
    scores take them from ``member_scores``.

    Args:
        architecture: Everything about the network except its numbers.
        initialisation: ``"uniform"`` as ``nn.Linear``; ``"balanced"`` keeps the variance.

    >>> from isotone.architecture import Numeric
    >>> network = Network(Architecture((Numeric(direction=1),), members=3, link="sigmoid"))
    >>> network(torch.zeros(5, 1)).shape, network.member_scores(torch.zeros(5, 1)).shape
    (torch.Size([5, 1]), torch.Size([3, 5, 1]))
    """

    def __init__(
        self,
        architecture: Architecture,
        initialisation: str = "uniform",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.architecture = architecture
        self.input_stage = InputStage(architecture.columns, architecture.trunk_direction, device)
        self.members = nn.ModuleList(Branches(architecture, None, device, dtype) for _ in range(architecture.members))
        draw_(architecture, self.branches, initialisation)
        shape = (architecture.members, architecture.cuts)
        self.cuts = nn.Parameter(torch.zeros(shape, device=device, dtype=dtype)) if architecture.cuts else None

    def member_scores(self, x: Tensor) -> Tensor:
        """Return every member's latent scores. Shape: ``(*, d)`` -> ``(members, *, m)``."""
        free, constrained = self.input_stage(x, self.dtype)
        return torch.stack([member(free, constrained) for member in self.members])

    def forward(self, x: Tensor) -> Tensor:
        """Return the prediction: mean of the members, target transform, link."""
        latent = self.architecture.center + self.architecture.scale * self.member_scores(x).mean(dim=0)
        return F.link(latent, self.architecture.link, self.cuts)

    @property
    def branches(self) -> list[Branches]:
        """The members, as a list of what they are."""
        return [member for member in self.members if isinstance(member, Branches)]

    @property
    def dtype(self) -> torch.dtype:
        """The precision of the weights, to which the encoded inputs are rounded."""
        return next(self.members.parameters()).dtype
