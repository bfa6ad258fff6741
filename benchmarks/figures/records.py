"""The results that the figures are drawn from: one JSON file per figure, with where its numbers are from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.results import FOLDER as RESULTS
from benchmarks.results import provenance

FOLDER = RESULTS / "figures"
Record = dict[str, Any]


def store(name: str, record: Record) -> None:
    """Write the numbers of a figure, rounded to what can be seen."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    whole = shortened(record) | {"provenance": provenance(("isotone", "torch"), threads=1)}
    (FOLDER / f"{name}.json").write_text(json.dumps(whole, separators=(",", ":")) + "\n")


def load(name: str, folder: Path = FOLDER) -> Record:
    record: Record = json.loads((folder / f"{name}.json").read_text())
    return record


def shortened(value: Any) -> Any:
    """Return the same with every float at six significant digits."""
    if isinstance(value, dict):
        return {str(key): shortened(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value
