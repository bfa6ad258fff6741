"""Put committed results into a page: ``python -m benchmarks.page docs/results.md``.

A region of the page that names a Markdown file of results holds what that file says, without its title and with its
headings one level below the heading that the region stands under::

    <!-- results: honest.md -->
    <!-- /results -->
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import results

REGION = re.compile(r"(<!-- results: (\S+\.md) -->\n).*?(<!-- /results -->)", re.DOTALL)
HEADING = re.compile(r"^(#+) ", re.MULTILINE)


def filled(page: str, folder: Path = results.FOLDER) -> str:
    """Return the page with its regions filled."""

    def fill(found: re.Match[str]) -> str:
        return f"{found[1]}\n{_body(folder / found[2], _level(page[: found.start()]))}\n\n{found[3]}"

    return REGION.sub(fill, page)


def _level(before: str) -> int:
    """Return the level of the last heading of a text, those of its regions aside."""
    return len(["", *HEADING.findall(REGION.sub("", before))][-1])


def _body(path: Path, level: int) -> str:
    # the page has the title; a part of the results begins with two marks
    kept = [line for line in path.read_text().splitlines() if not line.startswith("# ")]
    return re.sub(r"^##(?= )", "#" * (level + 1), "\n".join(kept), flags=re.MULTILINE).strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the regions of each page named."""
    for name in arguments or sys.argv[1:]:
        page = Path(name)
        page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    main()
