"""Every committed table is what its command in the Makefile prints now, from the committed lines."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.paper import table1

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "benchmarks" / "Makefile").read_text()
PRINTS = re.compile(r"^\t\$\((REPORT|STANDINGS|PAPER|SEARCH)\)(\S*)(.*?) > benchmarks/results/(\S+\.md)$", re.MULTILINE)


def expanded(text, found):
    """Replace Make's variables by their values until none is left."""
    while (name := re.search(r"\$\((\w+)\)", text)) is not None:
        text = text.replace(name[0], found[name[1]])
    return text


VARIABLES = dict(re.findall(r"^(\w+) :?\??= *(.*)$", MAKEFILE, re.MULTILINE))
COMMANDS = {file: (f"$({command}){part}", rest) for command, part, rest, file in PRINTS.findall(MAKEFILE)}


def printed(file, capsys):
    """Run a command of the Makefile in this process and return what it prints."""
    program, arguments = (expanded(text, VARIABLES) for text in COMMANDS[file])
    name = program.split(" -m ")[1]
    module = import_module("benchmarks.paper.__main__" if name == "benchmarks.paper" else name)
    module.main(re.sub(r"--write \S+", "", arguments).split())
    return capsys.readouterr().out


@pytest.mark.parametrize("file", COMMANDS)
def test_a_committed_table_is_printed_from_the_committed_lines(file, capsys):
    assert (results.FOLDER / file).read_text() == printed(file, capsys)


def test_every_committed_table_has_its_command():
    given = {"table1.md"}  # made while it is measured; below
    assert {path.name for path in results.FOLDER.glob("*.md")} == set(COMMANDS) | given


def test_the_page_shows_every_committed_table():
    page = (ROOT / "docs" / "results.md").read_text()
    assert {path.name for path in results.FOLDER.glob("*.md")} == set(re.findall(r"<!-- results: (\S+\.md) -->", page))


@pytest.mark.parametrize("program", ["report development", "standings honest", "standings tuned"])
def test_what_has_no_line_yet_says_so(program, tmp_path, capsys):
    name, protocol = program.split()
    import_module(f"benchmarks.{name}").main([protocol, "--results", str(tmp_path)])
    title = protocol.capitalize()
    assert capsys.readouterr().out == f"# {title}\n\nNot measured yet: `make -C benchmarks {protocol}`.\n"


def test_table_1_is_printed_from_its_record():
    record = json.loads((results.FOLDER / "table1.json").read_text())
    assert (results.FOLDER / "table1.md").read_text() == table1.text(record["tables"], record) + "\n"


def test_a_line_that_changes_changes_its_table(capsys, tmp_path):
    from benchmarks import standings

    lines = (results.FOLDER / "honest-linear.jsonl").read_text()
    (tmp_path / "honest-linear.jsonl").write_text(lines)
    standings.main(["honest", "--results", str(tmp_path)])
    before = capsys.readouterr().out
    (tmp_path / "honest-linear.jsonl").write_text(lines.replace('"accuracy": 0.8', '"accuracy": 0.7'))
    standings.main(["honest", "--results", str(tmp_path)])
    assert capsys.readouterr().out != before
