"""Environments of their own, made when they are first needed, and a process in each that is asked for things."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.apart.messages import Arrays, Settings, receive, send

HERE = Path(__file__).parent
BENCHMARKS = HERE.parent

_spent = [0.0]


def processor_seconds() -> float:
    """Return the processor seconds of this process and of what others have done for it."""
    return time.process_time() + _spent[0]


def packages(name: str) -> dict[str, str]:
    """Return the versions that an environment has, by package."""
    return dict(line.split("==") for line in (HERE / f"{name}.txt").read_text().split())


def environment(name: str) -> Path:
    """Return the Python of an environment, which is made unless it is complete and of this list of packages."""
    folder, wanted = BENCHMARKS / f".venv-{name}", HERE / f"{name}.txt"
    python, complete = folder / "bin" / "python", folder / "complete"
    if not complete.is_file() or complete.read_text() != wanted.read_text():
        _make(name, folder, python, wanted)
        complete.write_text(wanted.read_text())
    return python


def _make(name: str, folder: Path, python: Path, wanted: Path) -> None:
    commands = [sys.executable, "-m", "venv", "--clear", folder], [python, "-m", "pip", "install", "-q", "-r", wanted]
    for command in commands:
        if subprocess.run(command, check=False).returncode:
            raise RuntimeError(f"The environment of {name} could not be made; leave {name} out, or connect: {command}.")


class Workshop:
    """A process in an environment of its own; it ends with the object, and by the limits of this process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [environment(name), "-m", f"benchmarks.apart.{name}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=BENCHMARKS.parent,
        )
        weakref.finalize(self, _end, self._process)

    def ask(self, settings: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> tuple[Settings, Arrays]:
        """Return what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            send(self._process.stdin, settings, arrays)
            answer = receive(self._process.stdout)
        except BrokenPipeError:
            answer = None
        if answer is None:
            raise self._ended()
        _spent[0] += answer[0]["seconds"]
        return answer

    def _ended(self) -> RuntimeError:
        code = self._process.wait()
        if code == -signal.SIGXCPU:
            # the limit was that of the caller, who counts it as a timeout
            signal.raise_signal(signal.SIGXCPU)
        return RuntimeError(f"The environment of {self.name} ended with code {code}; its error stands above.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@cache
def workshop(name: str) -> Workshop:
    """Return the one process of an environment that works for this one."""
    return Workshop(name)
