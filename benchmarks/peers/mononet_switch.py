"""The activation switch as the package `mononet` has it: its author's reading of the paper this library is built on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from benchmarks.peers.constrained_mnn import SPACE, ConstrainedMNN


@dataclass
class MononetSwitch(ConstrainedMNN):
    """Units s(W+ x + b) - s(W- x + b), free columns as in `ConstrainedMNN`.

    NOTE[PAPER]: the package has the pre-activation switch; the paper's experiments use the post-activation switch.
    """

    name = "mononet_switch"
    mode = "switch"
    space: ClassVar = SPACE
