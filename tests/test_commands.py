"""What make says on a machine that lacks something."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# a Python that says it is of another version, and whose environments are empty folders
PRETENDER = """#!/bin/sh
if [ "$1" = -m ]; then mkdir -p "$3/bin" && touch "$3/bin/python"; exit; fi
exec {python} -c "import sys; sys.version_info = {version}; exec(sys.argv[1])" "$2"
"""


def make_environment(folder: Path, version: tuple[int, int, int]) -> subprocess.CompletedProcess[str]:
    """Ask make for an environment of a Python of this version."""
    python = folder / "python3"
    python.write_text(PRETENDER.format(python=sys.executable, version=version))
    python.chmod(0o755)
    asked = ["make", f"{folder}/venv/bin/python", f"VENV={folder}/venv", f"PYTHON={python}"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize(("version", "is_made"), [((3, 10, 14), False), ((3, 11, 0), True), ((3, 14, 1), True)])
def test_an_older_python_is_named_before_anything_is_made(
    tmp_path: Path, version: tuple[int, int, int], is_made: bool
) -> None:
    done = make_environment(tmp_path, version)
    assert (tmp_path / "venv").exists() == is_made
    assert (done.returncode == 0) == is_made
    said = "isotone needs Python 3.11 or newer, and this is 3.10; name one, as in: make PYTHON=python3.11"
    assert (said in done.stderr) != is_made
