"""The safetensors format, read and written strictly: one text for one content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

# eight bytes of length, the header, the arrays; a header beyond this is no model of ours
LENGTH_BYTES = 8
LARGEST_HEADER = 2**26
METADATA = "__metadata__"
Arrays = Mapping[str, NDArray[np.floating]]


class FileError(ValueError):
    """A file that is not a model, or not a whole one.

    >>> issubclass(FileError, ValueError)
    True
    """


def packed(metadata: Mapping[str, str], arrays: Arrays) -> bytes:
    """Return the bytes of a file that holds float32 arrays and texts.

    >>> len(packed({}, {"b": np.zeros(2)})) % 8
    0
    """
    header: dict[str, Any] = {METADATA: dict(metadata)}
    ends = np.cumsum([0, *(4 * array.size for array in arrays.values())]).tolist()
    for (name, array), (start, end) in zip(arrays.items(), pairwise(ends), strict=True):
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [start, end]}
    text = strict_json(header).encode()
    text += b" " * (-len(text) % LENGTH_BYTES)
    numbers = [np.ascontiguousarray(array, dtype="<f4").tobytes() for array in arrays.values()]
    return b"".join([len(text).to_bytes(LENGTH_BYTES, "little"), text, *numbers])


def read_header(file: BinaryIO, size: int) -> dict[str, Any]:
    """Return the header of a file of ``size`` bytes; nothing larger than the header is read.

    >>> import io
    >>> content = packed({"kind": "none"}, {})
    >>> read_header(io.BytesIO(content), len(content))
    {'__metadata__': {'kind': 'none'}}
    """
    length = int.from_bytes(file.read(LENGTH_BYTES), "little")
    if size < LENGTH_BYTES or length > min(size - LENGTH_BYTES, LARGEST_HEADER):
        raise FileError(f"its header should have {length} bytes, but the file has {size}")
    header = parse_json(file.read(length).decode("utf-8"))
    if not isinstance(header, dict) or not isinstance(header.get(METADATA), dict):
        raise FileError("its header holds no metadata")
    return header


def read_arrays(file: BinaryIO, size: int, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32]]:
    """Return the float32 arrays that follow a header of a file of ``size`` bytes.

    >>> import io
    >>> content = packed({}, {"b": np.ones(2)})
    >>> file = io.BytesIO(content)
    >>> _ = read_header(file, len(content))
    >>> read_arrays(file, len(content), {"b": (2,)})
    {'b': array([1., 1.], dtype=float32)}
    """
    expected = 4 * sum(map(prod, shapes.values()))
    if expected != size - file.tell():
        raise FileError(f"its arrays should have {expected} bytes, but {size - file.tell()} follow the header")
    return {
        # what stands in bytes cannot be changed, which spares each prediction a look at it
        name: np.frombuffer(file.read(4 * prod(shape)), dtype="<f4").astype(np.float32, copy=False).reshape(shape)
        for name, shape in shapes.items()
    }


def strict_json(value: object) -> str:
    """Return JSON without spaces, NaN or infinities.

    >>> strict_json({"a": [1, 0.5]})
    '{"a":[1,0.5]}'
    """
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=True)
    except ValueError as error:
        raise ValueError(f"a file holds finite numbers only: {error}.") from error


def parse_json(text: str) -> Any:
    """Return the value of a JSON text that has no NaN and no infinities.

    >>> parse_json("[1]")
    [1]
    """
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> None:
    raise FileError(f"its header holds {constant}, which is no JSON")
