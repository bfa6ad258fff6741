"""Result lines: one per fit, appended as they come, with all that is needed to know where a figure is from."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.apart import workshop
from benchmarks.cells import Fit

FOLDER = Path(__file__).with_name("results")
ALWAYS = ("numpy", "scikit-learn")

Record = Mapping[str, Any]


def path_of(fit: Fit, folder: Path) -> Path:
    """Return the file that holds the lines of a fit: one per protocol and peer, so that runs do not meet."""
    return folder / f"{fit.protocol}-{fit.peer}.jsonl"


def append(record: Record, path: Path) -> None:
    """Add one line to a file of results, in the place of a last line that an interrupted run has cut short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not (text := path.read_bytes()).endswith(b"\n"):
        os.truncate(path, text.rfind(b"\n") + 1)
    with path.open("a") as file:
        file.write(json.dumps(_short(record)) + "\n")


def read(paths: Iterable[Path]) -> Iterator[Record]:
    """Yield the lines of several files; a last line cut short by an interrupted run is left out."""
    for path in paths:
        for line in path.read_text().splitlines(keepends=True) if path.exists() else ():
            if line.endswith("\n"):
                yield json.loads(line)


def key_of(record: Record) -> str:
    """Return the key of the fit that a line reports."""
    return Fit(**{name: record[name] for name in Fit.__dataclass_fields__}).key


def provenance(packages: Sequence[str], threads: int, apart: str = "") -> dict[str, object]:
    """Return where and with what a fit ran; `apart` names an environment of its own."""
    own = workshop.packages(apart) if apart else {}
    return {
        "commit": _commit("../src" if "isotone" in packages else "."),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in (*ALWAYS, *packages)}
        | own,
        "hardware": _hardware(),
        "threads": threads,
        # above the number of cores, others were using the machine and wall times say little
        "load": round(os.getloadavg()[0], 2),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _short(value: object) -> object:
    # eight digits are more than any figure of a benchmark means
    if isinstance(value, float):
        return float(f"{value:.8g}")
    if isinstance(value, Mapping):
        # settings are kept whole: they are the key of a line and are fitted again
        return {name: inner if name == "settings" else _short(inner) for name, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, list) else value


@cache
def _commit(sources: str) -> str:
    here = Path(__file__).parent
    head = _git("rev-parse", "--short=12", "HEAD", cwd=here)
    # lines that a run appends change nothing that it does
    read = (".", sources, ":(exclude)results")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *read, cwd=here)
    return head + ("+changes" if changed else "")


def _git(*arguments: str, cwd: Path) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=True).stdout.strip()


@cache
def _hardware() -> str:
    return f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    listing = Path("/proc/cpuinfo")
    lines = listing.read_text().splitlines() if listing.exists() else []
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )
