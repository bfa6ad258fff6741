"""A measurement of something that computes the wrong thing is worth nothing: the engine's tests come first.

``python -m benchmarks.speed.green`` runs them alone. What has passed is remembered by its content, so that several
measurements of one engine need the tests once.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from isotone import _native

ROOT = Path(__file__).resolve().parents[2]
TESTS = "tests/native"


def content() -> str:
    """Return a digest of the compiled engine, of the package and of the tests."""
    files = [
        Path(_native.__file__),
        *sorted((ROOT / "src" / "isotone").rglob("*.py")),
        *sorted((ROOT / TESTS).glob("*.py")),
    ]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def check_green() -> None:
    """Run the tests unless they passed before with the same content, and end the program unless they pass."""
    passed = ROOT / "build" / "green" / content()
    if passed.exists():
        return
    if subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", TESTS], cwd=ROOT, check=False).returncode:
        raise SystemExit(f"{TESTS} is red; no measurement is taken.")
    passed.parent.mkdir(parents=True, exist_ok=True)
    passed.touch()


if __name__ == "__main__":
    check_green()
