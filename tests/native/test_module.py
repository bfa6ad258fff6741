"""The compiled module says truly how it was built and what this CPU can run."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from isotone import _native

NEEDS = {"avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}, "avx2": {"avx2", "fma"}, "baseline": set()}


def level_of(flags: set[str]) -> str:
    """Return the widest level whose instructions are all among ``flags``."""
    return next(level for level, needed in NEEDS.items() if needed <= flags)


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="only Linux lists the instructions of its CPU in a file")
def test_the_level_is_the_widest_that_the_cpu_lists():
    words = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    assert _native.cpu_level() == level_of(words if platform.machine() == "x86_64" else set())


@pytest.mark.parametrize(("missing", "level"), [("avx512vl", "avx2"), ("fma", "baseline")])
def test_one_missing_instruction_lowers_the_level(missing, level):
    flags = set.union(*NEEDS.values())
    if level == "baseline":
        flags -= NEEDS["avx512"]
    assert level_of(flags - {missing}) == level


def test_the_build_is_described():
    info = _native.build_info()
    assert info["cxx"] >= 202002
    assert str(info["compiler"]).split()[0] in {"gcc", "clang"}
