"""What two environments say to each other: named arrays and settings, as one ``.npz`` with its length before it.

Both sides read this file, whatever their versions of NumPy, and it needs nothing else.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import numpy as np

Arrays = dict[str, np.ndarray]
Settings = dict[str, Any]
Act = Callable[[Settings, Arrays], tuple[Settings, Arrays]]

SETTINGS = "settings"
LENGTH_BYTES = 8


def send(stream: BinaryIO, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write one message."""
    buffer = io.BytesIO()
    np.savez(buffer, **{SETTINGS: np.frombuffer(json.dumps(settings).encode(), np.uint8)}, **arrays)
    content = buffer.getvalue()
    stream.write(len(content).to_bytes(LENGTH_BYTES, "little") + content)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[Settings, Arrays] | None:
    """Return the next message, or None if the other side has ended."""
    length = int.from_bytes(stream.read(LENGTH_BYTES), "little")
    content = stream.read(length)
    if length == 0 or len(content) < length:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        arrays = dict(found)
    return json.loads(arrays.pop(SETTINGS).tobytes()), arrays


def serve(acts: Mapping[str, Act]) -> None:
    """Answer messages until there are none: the setting ``act`` names what is asked, ``seconds`` says what it took."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # whatever a package prints must not get among the answers
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while (message := receive(sys.stdin.buffer)) is not None:
        settings, arrays = message
        begin = time.process_time()
        said, found = acts[settings["act"]](settings, arrays)
        send(answers, said | {"seconds": time.process_time() - begin}, found)
