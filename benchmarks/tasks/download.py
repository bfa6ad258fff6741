"""Downloads that resume where they stopped and appear under their name only when complete."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

TIMEOUT_SECONDS = 60.0
ALREADY_COMPLETE = 416  # "range not satisfiable": nothing is left to send


def fetch(address: str, path: Path) -> Path:
    """Download `address` to `path`, continuing an earlier part; the name appears in one step at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    try:
        _continue(address, part)
    except (URLError, TimeoutError, ConnectionError) as error:
        raise ConnectionError(
            f"{address} could not be reached ({error}); connect, or set ISOTONE_DATA to a folder that has {path.name}."
        ) from error
    return part.replace(path)


def _continue(address: str, part: Path) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = Request(address, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            # a server that ignores the range sends the whole file again
            with part.open("ab" if answer.status == 206 else "wb") as file:
                shutil.copyfileobj(answer, file)
            _check_complete(part, answer.headers, have if answer.status == 206 else 0)
    except HTTPError as error:
        if error.code != ALREADY_COMPLETE:
            raise


def _check_complete(part: Path, headers: object, start: int) -> None:
    length = headers.get("Content-Length")  # type: ignore[attr-defined]
    if length is not None and part.stat().st_size != start + int(length):
        raise ConnectionError(f"the connection ended after {part.stat().st_size} of {start + int(length)} bytes")
