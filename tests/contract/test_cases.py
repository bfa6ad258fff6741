"""Nothing public is left out of the contract."""

from __future__ import annotations

import importlib
import importlib.util
import inspect

import pytest

from tests.cases import CASES

# packages whose public classes are layers, networks or estimators
PROMISING = ("isotone.nn", "isotone.theory", "isotone.estimators")


def public_classes(package: str) -> set[str]:
    """Return the dotted names of the classes that a package makes public, or none if it does not exist yet."""
    if importlib.util.find_spec(package) is None:
        return set()
    module = importlib.import_module(package)
    return {f"{package}.{name}" for name in module.__all__ if inspect.isclass(getattr(module, name))}


def without_case(public: set[str], covered: set[str]) -> list[str]:
    """Return the public names that no case stands for."""
    return sorted(public - covered)


@pytest.mark.parametrize("package", PROMISING)
def test_every_public_class_has_a_case(package):
    assert without_case(public_classes(package), {case.public for case in CASES}) == []


def test_a_class_without_a_case_is_noticed():
    assert without_case({"isotone.nn.Forgotten"}, {case.public for case in CASES}) == ["isotone.nn.Forgotten"]


def test_no_two_cases_share_a_label():
    labels = [str(case) for case in CASES]
    assert len(set(labels)) == len(labels)
