"""A measurement of something that computes the wrong thing is worth nothing: the engine's tests come first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check_green(tests: str = "tests/native") -> None:
    """Run the tests and end the program unless they pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", tests]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise SystemExit(f"{tests} is red; no measurement is taken.")
