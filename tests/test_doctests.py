"""Every example in a docstring of the package runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from types import ModuleType

import pytest

import isotone

MODULES = sorted(["isotone", *(found.name for found in pkgutil.walk_packages(isotone.__path__, "isotone."))])


def failures(module: ModuleType) -> int:
    """Return how many examples of ``module`` print something else."""
    return doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_run(name: str) -> None:
    assert failures(importlib.import_module(name)) == 0


def test_a_wrong_example_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    module = ModuleType("wrong", ">>> 1 + 1\n3\n")
    assert failures(module) == 1
    assert "Expected:\n    3\nGot:\n    2" in capsys.readouterr().out
