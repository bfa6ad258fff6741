"""Put committed results into a page: ``python -m benchmarks.page docs/results.md``.

A region of the page that names a Markdown file of results holds what that file says, without its title::

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


def filled(page: str, folder: Path = results.FOLDER) -> str:
    """Return the page with its regions filled."""
    return REGION.sub(lambda found: f"{found[1]}\n{_body(folder / found[2])}\n\n{found[3]}", page)


def _body(path: Path) -> str:
    lines = path.read_text().splitlines()
    # the page has the title, and its own headings above those of the results
    kept = [line.replace("## ", "### ", 1) if line.startswith("## ") else line for line in lines if line[:2] != "# "]
    return "\n".join(kept).strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Fill the regions of each page named."""
    for name in arguments or sys.argv[1:]:
        page = Path(name)
        page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    main()
