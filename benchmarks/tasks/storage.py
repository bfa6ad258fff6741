"""Where tables come from: the folder `ISOTONE_DATA`, then the user's cache, then the public record.

`ISOTONE_DATA` may name a folder of plain files, or one that has the folders ``table1/`` and ``dev/<name>/``, or that
``table1`` folder itself. Whatever the place, the content must have the committed fingerprint.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd

from benchmarks.tasks import packages, upstream
from benchmarks.tasks.download import fetch
from benchmarks.tasks.fingerprint import check_fingerprint

RECORD = "https://zenodo.org/records/7968969/files"
# the tables that stand in the record under their own names
PUBLISHED = frozenset({"auto", "heart", "compas", "blog", "loan"})


def cache_folder() -> Path:
    """Return the folder of downloaded tables, under ``XDG_CACHE_HOME`` or ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isotone-benchmarks"


def read(stem: str) -> pd.DataFrame:
    """Return the table ``<stem>.csv`` from the first place that has it, its content checked."""
    path = find(stem)
    frame = pd.read_csv(path)
    try:
        check_fingerprint(stem, frame)
    except ValueError as error:
        raise ValueError(f"{path} cannot be used: {error}") from error
    return frame


def is_at_hand(stem: str) -> bool:
    """Say whether a folder has a table, so that nothing is downloaded for it."""
    return any(path.is_file() for path in _places(stem))


def find(stem: str) -> Path:
    """Return the file of a table, downloading or building it into the cache if no folder has it."""
    for path in _places(stem):
        if path.is_file():
            return path
    name = _name(stem)
    if name not in PUBLISHED and name not in packages.BUILDERS:
        given = os.environ.get("ISOTONE_DATA") or "not set"
        raise FileNotFoundError(
            f"{stem}.csv is in neither ISOTONE_DATA ({given}) nor {cache_folder()}, "
            "and no public record has it with this split; set ISOTONE_DATA to a folder that holds it."
        )
    return _download(stem) if name in PUBLISHED else _store(packages.build(name, cache_folder()), stem)


def _download(stem: str) -> Path:
    address = f"{RECORD}/{stem}.csv?download=1"
    try:
        return _kept(stem, fetch(address, cache_folder() / f"{stem}.csv"), address)
    except ConnectionError as error:
        if _name(stem) not in upstream.BUILDERS:
            raise
        try:
            # nothing weaker: what is built has the same fingerprint as what is published
            return _store(upstream.build(_name(stem), cache_folder()), stem)
        except ConnectionError:
            # the folder is to hold the table, not the file that it is built from
            raise error from None


def _kept(stem: str, path: Path, address: str) -> Path:
    """Return a fresh download, or remove it and raise if it is not the table: the cache holds nothing else."""
    try:
        check_fingerprint(stem, pd.read_csv(path))
    except ValueError as error:  # pandas' own, of what is no table at all, among them
        path.unlink()
        raise ValueError(f"{address} gave something else than the table {stem}: {error}") from error
    return path


def _store(tables: Sequence[pd.DataFrame], stem: str) -> Path:
    for part, table in zip(("train", "test"), tables, strict=True):
        path = cache_folder() / f"{part}_{_name(stem)}.csv"
        unfinished = path.with_name(path.name + ".part")
        table.to_csv(unfinished, index=False)
        unfinished.replace(path)
    return cache_folder() / f"{stem}.csv"


def _name(stem: str) -> str:
    return stem.split("_", 1)[1]


def _places(stem: str) -> Iterator[Path]:
    name = _name(stem)
    given = os.environ.get("ISOTONE_DATA")
    roots = [Path(given)] if given else []
    if given and not roots[0].is_dir():
        raise NotADirectoryError(f"ISOTONE_DATA names {given}, which is no folder; name one that has {stem}.csv.")
    folders = [
        place for root in roots for place in (root, root / "table1", root / "dev" / name, root.parent / "dev" / name)
    ]
    for folder in [*folders, cache_folder()]:
        yield folder / f"{stem}.csv"
        yield folder / f"{stem}.csv.gz"
