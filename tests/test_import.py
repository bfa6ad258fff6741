"""What `import isotone` loads and offers."""

from __future__ import annotations

import ast
import importlib.machinery
import subprocess
import sys
from pathlib import Path

import pytest

import isotone
from isotone import _native

HEAVY = ("torch", "sklearn", "scipy", "pandas", "polars", "pyarrow", "narwhals", "onnx", "matplotlib", "safetensors")
LOADED = "import sys; print(sorted(sys.modules))"


def run_python(code: str) -> str:
    """Run ``code`` in a fresh interpreter and return what it printed."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def loaded_modules(code: str) -> set[str]:
    """Return the modules that a fresh interpreter holds after ``code``."""
    return set(ast.literal_eval(run_python(f"{code}\n{LOADED}")))


def test_importing_isotone_loads_nothing_heavier_than_numpy() -> None:
    assert loaded_modules("import isotone") & set(HEAVY) == set()


def test_a_heavy_import_would_be_seen() -> None:
    assert "scipy" in loaded_modules("import isotone, scipy.special")


def test_the_engine_is_a_compiled_module() -> None:
    assert Path(str(_native.__file__)).name.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES))


def test_every_offered_name_exists() -> None:
    missing = [name for name in isotone.__all__ if not hasattr(isotone, name)]
    assert missing == []
    assert set(isotone.__all__) <= set(dir(isotone))


def test_an_unknown_name_is_refused_in_the_usual_words() -> None:
    with pytest.raises(AttributeError, match="module 'isotone' has no attribute 'MonotoneRegresor'"):
        _ = isotone.MonotoneRegresor  # type: ignore[attr-defined]


def test_a_name_loaded_on_first_use_is_not_loaded_before() -> None:
    before, after = loaded_modules("import isotone"), loaded_modules("import isotone; isotone.Loss")
    assert "isotone.losses" in after - before
