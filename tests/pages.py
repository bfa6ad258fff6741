"""What a page in Markdown promises: its Python runs, its measured numbers stand in a committed result, its links lead.

A measured number stands between two comments that name the file it comes from, and a key if only a part is meant::

    <!-- results: speed/step.json#auto.ratio -->
    A step takes 1/212 of the time: 212 times as fast.
    <!-- /results -->

A number that only looks measured stands in a region that says where it comes from::

    <!-- given: the level of the test, chosen -->
    the central 95 % of the means
    <!-- /given -->
"""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

FENCE = re.compile(
    r"^(?P<indent>[ ]*)```(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
# code and formulas inside a line measure nothing
QUIET = re.compile(r"`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
REGION = re.compile(r"<!--\s*(results|given):\s*(\S.*?)\s*-->(.*?)<!--\s*/\1\s*-->", re.DOTALL)
# "3 x 4" is a shape, "3 x" is a factor
UNIT = (
    r"(?:ns|us|µs|μs|ms|s|sec|(?:milli|micro|nano)?seconds?|min|minutes?|h|hours?|[x×](?!\s*\d)|times|-?fold"
    r"|%|per ?cent|[kKMG]i?B|[GT]FLOP\S*|rows/s|rows (?:a|per) second|(?:out )?of (?:the )?\d+|tables worse)"
)
NUMBER = r"(?<![\w.^-])-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?"
WITH_UNIT = re.compile(rf"({NUMBER})\s?({UNIT})(?![\w^*])")
# "a mean rank of 2": whole, without a unit, and measured all the same
SCORE = r"\b(?:MSE|RMSE|MAE|AUC|accuracy|error|rank|loss)\b(?: is| of| was|:|,)?"
SCORED = re.compile(rf"{SCORE} ({NUMBER})(?!\w|\.\d)()", re.IGNORECASE)
DECIMAL = re.compile(rf"({NUMBER})(?![\w.]*\w)()")
# a program's or a licence's version is not measured
VERSION = re.compile(r"\b(?:Python|NumPy|PyTorch|torch|scikit-learn|License|version)\]? \d+(?:\.\d+)+(?!\w)")
TARGET = re.compile(r"(\[[^\]]*\])\([^)\s]+[^)]*\)")
LINK = re.compile(r"\[[^\]]*\]\((?!\w+:|#)([^)#\s]+)[^)]*\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of Python and the line of the page before its first."""

    code: str
    line: int


def blocks(text: str) -> list[Block]:
    """Return the Python blocks of a page, in order."""
    return [
        Block(dedent(found["code"]), text.count("\n", 0, found.start("code")))
        for found in FENCE.finditer(text)
        if found["info"].strip() == "python"
    ]


def commands(text: str) -> list[str]:
    """Return the lines of the blocks of a page that are for a shell, in order, without their comments."""
    lines = [
        line for found in FENCE.finditer(text) if found["info"].strip() == "sh" for line in found["code"].split("\n")
    ]
    return [command for line in lines if (command := line.partition("#")[0].strip())]


def idle_blocks(text: str) -> list[str]:
    """Return the headings of blocks that look like Python and would not be run."""
    infos = [found["info"].strip() for found in FENCE.finditer(text)]
    return [info for info in infos if re.search(r"\bpy(thon|con)?3?\b", info, re.IGNORECASE) and info != "python"]


def run_blocks(text: str, page: str) -> None:
    """Run the blocks of a page one after another, as one program; a block with ``>>>`` must print what it says."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(text):
        if ">>> " in block.code:
            example = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line)
            doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(example, clear_globs=False)
            names |= example.globs
        else:
            exec(compile("\n" * block.line + block.code, page, "exec"), names)


def unbacked_numbers(text: str, results: Path) -> list[str]:
    """Return the measured numbers of a page that no committed result holds."""
    prose = QUIET.sub("", FENCE.sub("", text))
    found = [
        f"{number} {unit} is not in {source}".replace("  ", " ")
        for kind, source, inside in REGION.findall(prose)
        if kind == "results"
        for number, unit in measured(inside)
        if not _is_held(number, unit, list(values(results, source)))
    ]
    rest = VERSION.sub("", TARGET.sub(r"\1", REGION.sub("", prose)))
    return found + [f"{number} {unit} names no result".replace("  ", " ") for number, unit in measured(rest)]


def measured(prose: str) -> Iterator[tuple[str, str]]:
    """Yield each number with a unit, and each decimal without one."""
    for line in prose.splitlines():
        yield from WITH_UNIT.findall(line)
        rest = WITH_UNIT.sub("", line)
        yield from ((number, unit) for number, unit in DECIMAL.findall(rest) if "." in number)
        yield from ((number, unit) for number, unit in SCORED.findall(rest) if "." not in number)


def values(results: Path, source: str) -> Iterator[float]:
    """Yield every number that a results file holds under a dotted key, or anywhere in it."""
    name, _, key = source.partition("#")
    path = results / name
    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    if path.suffix not in {".json", ".jsonl"}:
        yield from (float(number.replace(",", "")) for number in re.findall(NUMBER, text))
        return
    records = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]
    for record in records:
        yield from _leaves(_at(record, key))


def _at(record: Any, key: str) -> Any:
    for name in filter(None, key.split(".")):
        if isinstance(record, list):
            record = record[int(name)]
        else:
            record = record.get(name) if isinstance(record, dict) else None
    return record


def _leaves(record: Any) -> Iterator[float]:
    if isinstance(record, dict | list):
        for inner in record.values() if isinstance(record, dict) else record:
            yield from _leaves(inner)
    elif isinstance(record, int | float) and not isinstance(record, bool):
        yield float(record)


def _is_held(number: str, unit: str, held: list[float]) -> bool:
    """Say whether a number is one of those held, rounded to the digits that it shows."""
    plain = number.replace(",", "")
    digits = plain.split("e")[0].partition(".")[2]
    exponent = int(plain.partition("e")[2] or 0)
    # half a unit of the last digit shown, and a little for the binary fraction
    slack = 0.5000001 * 10.0 ** (exponent - len(digits))
    scales = (1.0, 100.0) if unit in {"%", "percent", "per cent"} else (1.0,)
    return any(abs(value * scale - float(plain)) <= slack for value in held for scale in scales)


def dead_links(text: str, folder: Path) -> list[str]:
    """Return the relative links of a page that lead to no file."""
    return [target for target in LINK.findall(FENCE.sub("", text)) if not (folder / target).exists()]
