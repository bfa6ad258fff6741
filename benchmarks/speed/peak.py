"""Measures the machine's peak of float32 multiply-adds by a loop in assembly: ``python -m benchmarks.speed.peak``.

Prints it beside clock x lanes x 4: two fused multiply-adds a cycle, two operations each. Needs a C++ compiler, as the
package's own build does; x86 only.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("peak.cpp")


def peak() -> dict[str, float]:
    """Return lanes, clock, instructions and operations a second, those to expect, two threads' gain, bytes read."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "peak"
        subprocess.run(
            [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-pthread", "-o", program, SOURCE], check=True
        )
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(printed)
    return found


def main() -> None:
    """Print the peak in words."""
    found = peak()
    print(
        f"{found['peak'] / 1e9:.0f} billion float32 operations a second on one thread; "
        f"clock x lanes x 4 is {found['clock'] / 1e9:.2f} x {found['lanes']:.0f} x 4 = "
        f"{found['clock_lanes_4'] / 1e9:.0f} billion. Two threads do {found['gain_of_two_threads']:.2f} times as much. "
        f"One reads {found['bandwidth'] / 1e9:.0f} billion bytes a second from memory."
    )


if __name__ == "__main__":
    main()
