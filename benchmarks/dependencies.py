"""Print the packages that the benchmarks need, for pip: ``python -m benchmarks.dependencies``."""

import tomllib
from pathlib import Path


def dependencies() -> list[str]:
    """Return the requirements of ``pyproject.toml``, torch aside."""
    project = tomllib.loads(Path(__file__).with_name("pyproject.toml").read_text())["project"]
    return list(project["dependencies"])


if __name__ == "__main__":
    print(*dependencies())
