"""Nothing public is left out of the contract."""

from __future__ import annotations

import importlib
from functools import reduce

import pytest

from tests.cases import CASES

# packages whose public classes are layers, networks, estimators, or what a saved one becomes
PROMISING = (
    "isotone", "isotone.nn", "isotone.nn.layers", "isotone.nn.networks", "isotone.theory", "isotone.estimators",
    "isotone.files",
)  # fmt: skip
ANSWERS = {"forward", "predict", "__call__"}


def answers(public: object) -> bool:
    """Say whether something public is a class whose objects give an output for rows."""
    return isinstance(public, type) and any(ANSWERS & set(vars(base)) for base in public.__mro__)


def offered(package: str) -> dict[str, object]:
    """Return the classes that a package makes public and that answer, by dotted name."""
    module = importlib.import_module(package)
    named = {f"{package}.{name}": getattr(module, name) for name in module.__all__}
    return {name: public for name, public in named.items() if answers(public)}


def covered() -> set[object]:
    """Return the classes that the cases stand for, whatever name they have there."""
    names = {case.public for case in CASES} - {"isotone.architecture.Architecture"}
    return {reduce(getattr, name.split(".")[1:], importlib.import_module("isotone")) for name in names}


def without_case(public: dict[str, object], stood_for: set[object]) -> list[str]:
    """Return the public names that no case stands for."""
    return sorted(name for name, one in public.items() if one not in stood_for)


@pytest.mark.parametrize("package", PROMISING)
def test_every_public_class_has_a_case(package):
    assert offered(package)
    assert without_case(offered(package), covered()) == []


def test_a_class_without_a_case_is_noticed():
    class Forgotten:
        def predict(self): ...

    class Described:
        def parse(self): ...

    assert answers(Forgotten)
    assert not answers(Described)
    assert without_case({"isotone.nn.Forgotten": Forgotten}, covered()) == ["isotone.nn.Forgotten"]


def test_a_description_has_its_cases():
    """An Architecture answers through the definition, so it is asked for by name."""
    assert "isotone.architecture.Architecture" in {case.public for case in CASES}


def test_no_two_cases_share_a_label():
    labels = [str(case) for case in CASES]
    assert len(set(labels)) == len(labels)
