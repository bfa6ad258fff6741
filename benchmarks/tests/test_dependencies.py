import re
from pathlib import Path

from benchmarks.dependencies import dependencies

HERE = Path(__file__).parents[1]
PINS = (HERE / "constraints.txt").read_text().split()


def test_every_package_that_is_asked_for_has_one_version():
    pinned = [pin.split("==")[0].lower() for pin in PINS]
    assert sorted(set(pinned)) == sorted(pinned)
    assert {re.split(r"[<>=]", name)[0].lower() for name in dependencies()} <= set(pinned)
    assert len(set(dependencies())) == len(dependencies())
