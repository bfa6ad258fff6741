"""From columns to the inputs of a network: piecewise-linear maps, one-hot codes and missing slots, all at once."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from isotone.architecture import Categorical, Column, Numeric
from isotone.nn import functional as F
from isotone.reference import INPUT_BOUND

# how many numbers an entry of each kind has, beside the column it reads and the component it adds to
KINDS = {"segments": 5, "levels": 1, "codes": 1, "slots": 0}
Entry = tuple[float, ...]


class InputStage(nn.Module):
    """Turn rows into the inputs of the free branch and of the trunk. Shape: ``(*, d)`` -> ``(*, f)``, ``(*, c)``.

    It says what ``isotone.reference.encode`` says, for all columns at once: a segment between knots, a first level, a
    code and a missing slot are entries, each of which reads one column and adds to one component. It computes in
    float64 and rounds once, whatever the precision of the network behind it.

    Args:
        columns: The columns of an ``Architecture``.
        trunk_direction: -1 if the trunk decreases, so that all signs are turned.

    >>> InputStage([Numeric((0.0, 1.0, 3.0), direction=1)])(torch.tensor([[2.0]]))[1]
    tensor([[1.0000, 0.5000]])
    """

    components: Tensor
    signs: Tensor

    def __init__(
        self, columns: Sequence[Column], trunk_direction: int = 1, device: torch.device | str | None = None
    ) -> None:
        super().__init__()
        self.columns = tuple(columns)
        first, slots, widths = _layout(self.columns)
        self.free_components = sum(widths[0:2])
        tables = _tables(self.columns, first, slots)
        for kind, table in tables.items():
            self.register_buffer(f"{kind}_read", table[0].long().to(device), persistent=False)
            # as bits: buffers of whole numbers are left alone when the module moves to another precision
            self.register_buffer(
                f"{kind}_numbers", table[2:].contiguous().view(torch.int64).to(device), persistent=False
            )
        owners = torch.cat([table[1] for table in tables.values()]).long()
        self.register_buffer("components", owners.to(device), persistent=False)
        turned = [
            column.direction * trunk_direction
            for column in self.columns
            for _ in range(column.components)
            if column.direction
        ]
        signs = torch.tensor([1] * self.free_components + turned, dtype=torch.int64)
        self.register_buffer("signs", signs.to(device), persistent=False)

    def forward(self, x: Tensor, dtype: torch.dtype | None = None) -> tuple[Tensor, Tensor]:
        """Return both inputs in ``dtype``, or in that of ``x``."""
        expected = len(self.columns)
        if x.shape[-1] != expected:
            raise ValueError(f"there are {expected} columns, so x has shape (*, {expected}); got {tuple(x.shape)}.")
        dtype = dtype or x.dtype
        entries = self._entries(x.to(torch.float64))
        joined = entries.new_zeros(*x.shape[:-1], self.signs.shape[0]).index_add(-1, self.components, entries)
        bound = min(INPUT_BOUND, torch.finfo(dtype).max)
        oriented = (joined.clamp(-bound, bound) * self.signs).to(dtype)
        return oriented[..., : self.free_components], oriented[..., self.free_components :]

    def _entries(self, values: Tensor) -> Tensor:
        """Return what every entry adds. Shape: ``(*, d)`` -> ``(*, entries)``."""
        here, (start, width, lower, upper, step) = self._read(values, "segments")
        present, (level,) = self._read(values, "levels")
        code, (own,) = self._read(values, "codes")
        slot, _ = self._read(values, "slots")
        added = (
            F.progress(here, start, width, lower, upper) * step,
            torch.where(present.isnan(), 0.0, level),
            (code == own).to(values.dtype),
            slot.isnan().to(values.dtype),
        )
        return torch.cat(added, dim=-1)

    def _read(self, values: Tensor, kind: str) -> tuple[Tensor, Tensor]:
        """Return the values that the entries of a kind read, and their numbers."""
        read, bits = getattr(self, f"{kind}_read"), getattr(self, f"{kind}_numbers")
        return values.index_select(-1, read), bits.view(torch.float64)

    def extra_repr(self) -> str:
        """Return the number of columns and of components."""
        return f"{len(self.columns)} columns, {self.signs.shape[0]} components, {self.free_components} of them free"


def _layout(columns: Sequence[Column]) -> tuple[dict[int, int], dict[int, int], tuple[int, int, int]]:
    """Return each column's first component, each missing slot's, and the widths of free, slots and constrained."""
    free = [i for i, column in enumerate(columns) if not column.direction]
    slots = [i for i, column in enumerate(columns) if isinstance(column, Numeric) and column.missing]
    constrained = [i for i, column in enumerate(columns) if column.direction]
    first, slot, place = {}, {}, 0
    for i in free:
        first[i], place = place, place + columns[i].components
    wide = place
    for i in slots:
        slot[i], place = place, place + 1
    for i in constrained:
        first[i], place = place, place + columns[i].components
    return first, slot, (wide, len(slots), place - wide - len(slots))


def _tables(columns: Sequence[Column], first: dict[int, int], slots: dict[int, int]) -> dict[str, Tensor]:
    """Return, for each kind, its entries as columns: column read, component added to, numbers."""
    found: dict[str, list[Entry]] = {kind: [] for kind in KINDS}
    for i, column in enumerate(columns):
        if isinstance(column, Categorical):
            found["codes"] += [(i, first[i] + code, code) for code in range(column.size)]
        else:
            found["segments"] += _segments(i, first[i], column)
            found["levels"] += [(i, first[i], column.levels[0])] if column.levels else []
    found["slots"] = list(slots.items())
    return {
        kind: torch.tensor(entries, dtype=torch.float64).reshape(len(entries), 2 + KINDS[kind]).T
        for kind, entries in found.items()
    }


def _segments(index: int, first: int, column: Numeric) -> list[Entry]:
    """Return the entries of a numeric column: start, width, bounds and step of each segment."""
    knots, levels, last = column.knots, column.levels, len(column.knots) - 2
    return [
        (
            index,
            first if levels else first + segment,
            knots[segment],
            knots[segment + 1] - knots[segment],
            0.0 if segment else -INPUT_BOUND,
            1.0 if segment < last else INPUT_BOUND,
            levels[segment + 1] - levels[segment] if levels else 1.0,
        )
        for segment in range(last + 1)
    ]
