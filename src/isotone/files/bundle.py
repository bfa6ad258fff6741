"""Writing a model whole or not at all, and reading it back or saying in one sentence why not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from isotone import engine
from isotone.architecture import Parameters
from isotone.files.description import describe, parse_predictor
from isotone.files.predictor import Predictor
from isotone.files.tensors import METADATA, FileError, packed, parse_json, read_arrays, read_header, strict_json

VERSION = 1
# what a malformed description can raise on its way through the constructors
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError, MemoryError)


class Saveable(Protocol):
    """What ``save`` takes: a predictor, or an estimator that can give its own.

    >>> hasattr(Saveable, "to_predictor")
    True
    """

    def to_predictor(self) -> Predictor:
        """Return the fitted model as a predictor."""
        ...


def save(model: Saveable | Predictor, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to one file, whole or not at all.

    The file takes its place in one step after its bytes have reached the disk; an older file of that name stays whole
    until then.

    >>> from isotone.architecture import Architecture, Numeric
    >>> from isotone.encoding import Encoder, Field
    >>> network = Architecture((Numeric(direction=1),), hidden=(2,))
    >>> fields = Encoder((Field("age", network.columns[0]),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Predictor(network, network.initial(0), fields), Path(folder) / "model.isotone")
    ...     load(Path(folder) / "model.isotone").encoder.names
    ('age',)
    """
    if not isinstance(model, Predictor) and not hasattr(model, "to_predictor"):
        raise TypeError(f"save takes a fitted estimator of isotone, or a Predictor; got {model!r}.")
    content = encoded(model if isinstance(model, Predictor) else model.to_predictor())
    # what could not be read again is refused before anything is replaced
    _read(BytesIO(content), len(content))
    _write_atomically(Path(path), content)


def load(path: str | os.PathLike[str]) -> Predictor:
    """Read a model; the predictor gives the same bits as the estimator that was saved.

    Raises FileError, a ValueError, if the file is not a whole and unaltered model. Nothing in it is executed.

    >>> load("nowhere.isotone")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.isotone'
    """
    with Path(path).open("rb") as file:
        try:
            return _read(file, os.fstat(file.fileno()).st_size)
        except MALFORMED as error:
            raise FileError(f"{os.fspath(path)} is not an isotone model, or not a whole one: {error}.") from error


def encoded(predictor: Predictor) -> bytes:
    """Return the bytes of a predictor's file; the same predictor has the same bytes.

    >>> from isotone.architecture import Architecture, Numeric
    >>> from isotone.encoding import Encoder, Field
    >>> network = Architecture((Numeric(direction=1),), hidden=(2,))
    >>> fields = Encoder((Field("age", network.columns[0]),))
    >>> len(encoded(Predictor(network, network.initial(0), fields))) % 4
    0
    """
    arrays = {name: predictor.parameters[name] for name in predictor.architecture.shapes}
    text = strict_json({"version": VERSION, **describe(predictor)})
    unsigned = packed({"isotone": text, "sha256": "0" * 64}, arrays)
    return packed({"isotone": text, "sha256": sha256(unsigned).hexdigest()}, arrays)


def _read(file: BinaryIO, size: int) -> Predictor:
    header = read_header(file, size)
    description = parse_json(header[METADATA]["isotone"])
    _check_version(description)
    bare = parse_predictor(description)
    shapes = bare.architecture.shapes
    if [name for name in header if name != METADATA] != list(shapes):
        raise FileError(f"its arrays are not those of its network, {list(shapes)}")
    parameters = Parameters(read_arrays(file, size, shapes)).check(bare.architecture)
    predictor = replace(bare, parameters=parameters)
    # one content has one file: whatever was added, reordered or altered shows here
    file.seek(0)
    if file.read() != encoded(predictor):
        raise FileError("its bytes are not those that were written")
    # the engine refuses weights whose sums could overflow
    engine.compiled(predictor.architecture, predictor.parameters)
    return predictor


def _check_version(description: Mapping[str, Any]) -> None:
    version = description["version"]
    if version != VERSION:
        raise FileError(f"it has the format {version!r}, and this isotone reads format {VERSION}")


def _write_atomically(path: Path, content: bytes) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(path.parent)!r} to save {path.name!r} in.")
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_mask())
        Path(temporary).replace(path)
    finally:
        # absent if it has taken its place
        Path(temporary).unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Let the new name reach the disk too, where a folder can be opened."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
