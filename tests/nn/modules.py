"""Every way to build a public module of ``isotone.nn``, listed once: the promises of this folder run over all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from torch import nn

from isotone.activations import TABLE
from isotone.architecture import Architecture, Categorical, Numeric
from isotone.nn import (
    ConstrainedLinear,
    MonotoneBatchNorm1d,
    MonotoneMLP,
    Network,
    PartialMonotoneMLP,
    Pointwise,
    PReLU,
    Reflect,
    SReLU,
    SwitchLinear,
)
from isotone.nn.layers import InputStage, Orient
from isotone.nn.networks import Branches
from isotone.weights import WEIGHT_MAPS

Rows = Callable[[np.random.Generator, int], np.ndarray]
MONOTONE = [name for name, row in TABLE.items() if not row.decreases]


@dataclass(frozen=True)
class ModuleCase:
    """A module, the direction of each of its inputs, and rows that it accepts."""

    public: str
    label: str
    make: Callable[[], nn.Module]
    signs: tuple[int, ...]
    rows: Rows = field(default=lambda rng, n: rng.normal(size=(n, 3)))

    def __str__(self) -> str:
        return f"{self.public}-{self.label}"

    def build(self, seed: int = 0, dtype: torch.dtype = torch.float64) -> nn.Module:
        """Return the module with the numbers that a seed gives, in evaluation mode."""
        torch.manual_seed(seed)
        return self.make().to(dtype).eval()

    def draw(self, n: int, seed: int = 0) -> torch.Tensor:
        """Return rows in float64."""
        return torch.tensor(self.rows(np.random.default_rng(seed), n))


def described_rows(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw rows for COLUMNS: normal numbers, and codes in column 2."""
    rows = 1.5 * rng.normal(size=(n, len(COLUMNS)))
    rows[:, 2] = rng.integers(0, 3, n)
    return rows


COLUMNS = (
    Numeric((-1.0, 0.0, 0.5, 1.5), direction=1, missing=True),
    Numeric((-1.0, 1.0), missing=True),
    Categorical(3),
    Numeric((-1.0, 0.0, 1.0), direction=-1, levels=(-2.0, 0.5, 1.0)),
    Numeric((0.0, 1.0, 2.0), levels=(3.0, 4.0, 6.0)),
    Numeric(direction=1),
)
SMALL = {"hidden": (4, 3), "activation": "celu"}
WIDE = {"hidden": (6, 5, 4), "activation": "celu"}
DIRECTIONS = tuple(int(column.direction) for column in COLUMNS)


def _normed() -> nn.Module:
    """Return batch normalisation whose numbers are not those of a fresh one."""
    layer = MonotoneBatchNorm1d(3)
    for tensor in (layer.weight, layer.bias, layer.running_mean):
        nn.init.normal_(tensor)
    nn.init.uniform_(layer.running_var, 0.5, 2.0)
    return layer


class Joined(nn.Module):
    """Join the two outputs of a module: its free ones, which have no direction, and its constrained ones."""

    def __init__(self, parted: nn.Module) -> None:
        super().__init__()
        self.parted = parted

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat(self.parted(x), dim=-1)


class Parted(nn.Module):
    """Give a module of two inputs the first column as its free one, the others as its constrained ones."""

    def __init__(self, joining: nn.Module) -> None:
        super().__init__()
        self.joining = joining

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.joining(x[..., :1], x[..., 1:])


UP = (1, 1, 1)
SIGNS = (0, 1, -1, 0)


def _switches() -> Iterator[ModuleCase]:
    """Yield one case per activation and form, one per initialisation, and one without bias."""
    for form in ("post", "pre"):
        for name in MONOTONE:
            yield ModuleCase("SwitchLinear", f"{form}-{name}", partial(SwitchLinear, 3, 4, name, form), UP)
        balanced = partial(SwitchLinear, 3, 4, "celu", form, initialisation="balanced")
        yield ModuleCase("SwitchLinear", f"balanced-{form}", balanced, UP)
    yield ModuleCase("SwitchLinear", "no-bias", lambda: SwitchLinear(3, 4, Reflect("softplus"), bias=False), UP)


def _constrained() -> Iterator[ModuleCase]:
    """Yield one case per map and sign."""
    for g in WEIGHT_MAPS:
        for sign in (1, -1):
            signs = tuple(sign * one for one in UP)
            yield ModuleCase(
                "ConstrainedLinear", f"{g}{sign:+d}", partial(ConstrainedLinear, 3, 4, "celu", g, sign), signs
            )


def _other_layers() -> Iterator[ModuleCase]:
    """Yield the modules of activations, batch normalisation, and what turns columns to increase."""
    for name in ("relu", "celu", "exp"):
        yield ModuleCase("Pointwise", name, partial(Pointwise, name), UP)
    yield ModuleCase("Reflect", "relu6", lambda: Reflect("relu6"), UP)
    yield ModuleCase("Reflect", "prelu", lambda: Reflect(PReLU(3)), UP)
    yield ModuleCase("PReLU", "per-feature", lambda: PReLU(3), UP)
    yield ModuleCase("SReLU", "wide", lambda: SReLU(-2.0, 0.5, 2.0, 0.0), UP)
    yield ModuleCase("MonotoneBatchNorm1d", "random", _normed, UP)
    yield ModuleCase("layers.Orient", "joined", lambda: Joined(Orient((0, 1, -1))), (0, 1, -1))
    yield ModuleCase("layers.InputStage", "joined", lambda: Joined(InputStage(COLUMNS)), DIRECTIONS, described_rows)


def _branches() -> nn.Module:
    """Return the two stacks of a network, without what turns and joins its columns."""
    columns = (Numeric(), Numeric(direction=1), Numeric(direction=1))
    return Parted(Branches(Architecture(columns, free_hidden=(3,), **SMALL)))


def _networks() -> Iterator[ModuleCase]:
    """Yield one case per form and per way in which a network may turn its inputs."""
    falling = {"form": "constrained", "weight_sign": -1, "hidden": (5, 4)}
    for label, kind in {
        "post": {},
        "pre": {"form": "pre"},
        "constrained": {"form": "constrained"},
        "balanced": {"initialisation": "balanced"},
        "prelu": {"activation": "prelu"},
        "non-positive": {"form": "constrained", "weight_sign": -1},
        "odd-non-positive": falling,
    }.items():
        yield ModuleCase("MonotoneMLP", label, partial(MonotoneMLP, 3, **(WIDE | kind)), UP)
    for label, kind in {
        "post": {},
        "pre": {"form": "pre", "activation": "tanh"},
        "gelu": {"free_activation": "gelu"},
        "odd-non-positive": falling,
    }.items():
        make = partial(PartialMonotoneMLP, SIGNS, free_hidden=(4, 3), **(WIDE | kind))
        yield ModuleCase("PartialMonotoneMLP", label, make, SIGNS, lambda rng, n: rng.normal(size=(n, 4)))
    yield ModuleCase("networks.Branches", "parted", _branches, (0, 1, 1))


def _described() -> Iterator[ModuleCase]:
    """Yield one case per form and link of what an Architecture describes."""
    for label, kind in {
        "post": {},
        "pre": {"form": "pre"},
        "constrained": {"form": "constrained", "weight_sign": -1, "constraint": "square"},
        "members": {"members": 2, "link": "sigmoid"},
        "sorted": {"link": "sorted", "outputs": 3, "center": 2.0, "scale": 3.0},
        "cumulative": {"link": "cumulative", "cuts": 3, "members": 2},
        "exp": {"link": "exp"},
    }.items():
        network = Architecture(**(SMALL | {"columns": COLUMNS, "free_hidden": (3, 2)} | kind))
        yield ModuleCase("Network", label, partial(Network, network), DIRECTIONS, described_rows)


MODULES = [*_switches(), *_constrained(), *_other_layers(), *_networks(), *_described()]
# one of each kind of forward pass, for what takes long
FEW_LABELS = {
    "SwitchLinear-post-celu",
    "SwitchLinear-pre-prelu",
    "ConstrainedLinear-softplus-1",
    "MonotoneBatchNorm1d-random",
    "MonotoneMLP-odd-non-positive",
    "PartialMonotoneMLP-post",
    "Network-cumulative",
}
FEW = [case for case in MODULES if str(case) in FEW_LABELS]
