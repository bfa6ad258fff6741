"""Where tables come from: the folder `ISOTONE_DATA`, then the user's cache, then the public record.

`ISOTONE_DATA` may name a folder of plain files, or one that has the folders ``table1/`` and ``dev/<name>/``, or that
``table1`` folder itself. Whatever the place, the content must have the committed fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.tasks import upstream
from benchmarks.tasks.download import fetch
from benchmarks.tasks.fingerprint import check_fingerprint

RECORD = "https://zenodo.org/records/7968969/files"
# the tables that stand in the record under their own names
PUBLISHED = frozenset(
    f"{part}_{name}" for part in ("train", "test") for name in ("auto", "heart", "compas", "blog", "loan")
)


def cache_folder() -> Path:
    """Return the folder of downloaded tables, under ``XDG_CACHE_HOME`` or ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isotone-benchmarks"


def read(stem: str) -> pd.DataFrame:
    """Return the table ``<stem>.csv`` from the first place that has it, its content checked."""
    frame = pd.read_csv(find(stem))
    check_fingerprint(stem, frame)
    return frame


def find(stem: str) -> Path:
    """Return the file of a table, downloading or building it into the cache if no folder has it."""
    for path in _places(stem):
        if path.is_file():
            return path
    if stem in PUBLISHED:
        return _download(stem)
    raise FileNotFoundError(
        f"{stem}.csv is in neither ISOTONE_DATA ({os.environ.get('ISOTONE_DATA') or 'not set'}) nor {cache_folder()}, "
        "and no public record has it with this split; set ISOTONE_DATA to a folder that holds it."
    )


def _download(stem: str) -> Path:
    try:
        return fetch(f"{RECORD}/{stem}.csv?download=1", cache_folder() / f"{stem}.csv")
    except ConnectionError:
        if stem not in upstream.BUILT:
            raise
        # nothing weaker: what is built has the same fingerprint as what is published
        return upstream.build(stem, cache_folder())


def _places(stem: str) -> Iterator[Path]:
    name = stem.split("_", 1)[1]
    given = os.environ.get("ISOTONE_DATA")
    roots = [Path(given)] if given else []
    folders = [
        place for root in roots for place in (root, root / "table1", root / "dev" / name, root.parent / "dev" / name)
    ]
    for folder in [*folders, cache_folder()]:
        yield folder / f"{stem}.csv"
        yield folder / f"{stem}.csv.gz"
