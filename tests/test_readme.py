"""Every page runs, every measured number on it is committed, every link leads somewhere."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import pages

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DOCS = sorted(path for path in (ROOT / "docs").rglob("*.md") if not {"_build", "_generated"} & set(path.parts))
TOLD = [ROOT / "README.md", *DOCS]
PAGES = sorted([*ROOT.glob("*.md"), *DOCS])


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", TOLD, ids=name)
def test_the_python_of_the_page_runs_in_an_empty_folder(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    pages.run_blocks(text, name(page))
    assert pages.idle_blocks(text) == []


@pytest.mark.parametrize("page", TOLD, ids=name)
def test_every_measured_number_stands_in_a_committed_result(page: Path) -> None:
    assert pages.unbacked_numbers(page.read_text(encoding="utf-8"), RESULTS) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    assert pages.dead_links(page.read_text(encoding="utf-8"), page.parent) == []


def test_the_readme_has_python() -> None:
    assert len(pages.blocks((ROOT / "README.md").read_text(encoding="utf-8"))) >= 1


def is_planned(command: str) -> bool:
    """Say whether make knows how to do what the command asks for; nothing is run."""
    arguments = shlex.split(command)
    planned = subprocess.run([*arguments, "--dry-run"], cwd=ROOT, capture_output=True, check=False)
    return arguments[0] == "make" and planned.returncode == 0 and b"bin/" in planned.stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_every_command_of_the_page_is_one_that_make_knows(page: str) -> None:
    asked = pages.commands((ROOT / page).read_text(encoding="utf-8"))
    made = [command for command in asked if command.startswith("make")]
    assert {"make demo", "make test"} <= set(asked) or page != "README.md"
    # what is no target of make installs by hand
    assert all(".venv/bin/pip install" in command for command in asked if command not in made)
    assert [command for command in made if not is_planned(command)] == []


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_command_that_make_does_not_know_is_caught() -> None:
    assert not is_planned("make everything")


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", AssertionError),
        ("- a list\n\n  ```python\n  1 / 0\n  ```\n", ZeroDivisionError),
        ("```python\n>>> 1 + 1\n3\n```\n", pages.doctest.DocTestFailure),
    ],
)
def test_a_block_that_fails_is_caught(page: str, error: type[BaseException]) -> None:
    with pytest.raises(error):
        pages.run_blocks(page, "page.md")


@pytest.mark.parametrize("info", ["py", "Python", "python3", "{code-block} python", "pycon", "python no-run"])
def test_a_block_that_would_not_run_is_caught(info: str) -> None:
    assert pages.idle_blocks(f"```{info}\nx = 1\n```\n") == [info]


def test_an_error_names_the_line_of_the_page() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        pages.run_blocks("# Title\n\n```python\nx = 1\nx / 0\n```\n", "page.md")
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno + 1) == ("page.md", 5)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    record = {"auto": {"ratio": 212.4, "share": 0.3512}, "heart": {"ratio": 99.0}}
    (tmp_path / "step.json").write_text(json.dumps(record))
    (tmp_path / "runs.jsonl").write_text('{"rmse": 3.0714}\n{"rmse": 2.25}\n')
    (tmp_path / "printed.txt").write_text("400,000 rows in 0.081 s\n")
    return tmp_path


@pytest.mark.parametrize(
    "prose",
    [
        "<!-- results: step.json#auto.ratio -->It is 212 times as fast.<!-- /results -->",
        "<!-- results: step.json#auto -->It is 212.4x as fast, at 35 % of peak.<!-- /results -->",
        "<!-- results: runs.jsonl#rmse -->\n| auto | 3.071 |\n| b | 2.25 |\n<!-- /results -->",
        "<!-- results: printed.txt -->in 0.08 s<!-- /results -->",
        "<!-- given: chosen -->the central 95 % of the means<!-- /given -->",
        "At most 400 lines, 64 ulp, 2^-50, 2:4 sparse, Python 3.11, `5 ms`, a 3 x 4 table, $2 s$.",
        "```text\nit took 3.2 s\n```",
        "[Mikaitis](https://arxiv.org/abs/2304.01407), [Apache License 2.0](LICENSE), PyTorch 2.13.0.",
    ],
)
def test_a_number_that_is_committed_or_not_measured_is_left_alone(prose: str, results: Path) -> None:
    assert pages.unbacked_numbers(prose, results) == []


@pytest.mark.parametrize(
    "prose",
    [
        "It is 212 times as fast.",
        "It takes 3.9 us.",
        "It takes 3.9µs.",
        "It has an accuracy of 0.87 there.",
        "It takes 40 milliseconds, 3 of them alone.",
        "It is best on 11 of 16 tables.",
        "It has a mean rank of 2.",
        "It has 91 per cent.",
        "It reads 5,000 rows per second.",
        "[It has 0.87](results.md).",
        "| auto | 3.07 |",
        "| auto | **3.07** |",
        "<!-- results: step.json#auto.ratio -->It is 213 times as fast.<!-- /results -->",
        "<!-- results: step.json#heart -->It is 212 times as fast.<!-- /results -->",
        "<!-- results: step.json#auto.typo -->It is 212 times as fast.<!-- /results -->",
        "<!-- results: absent.json -->It is 212 times as fast.<!-- /results -->",
        "<!-- results: runs.jsonl#rmse -->\n| auto | 3.072 |\n<!-- /results -->",
        "<!-- results: step.json#auto.share -->at 36 % of peak<!-- /results -->",
        "<!-- given: -->the central 95 %<!-- /given -->",
        "<!-- results: step.json#auto.ratio -->It is 212 times as fast. The region never ends.",
    ],
)
def test_a_number_that_no_result_holds_is_caught(prose: str, results: Path) -> None:
    assert len(pages.unbacked_numbers(prose, results)) == 1


def test_a_dead_link_is_caught(tmp_path: Path) -> None:
    (tmp_path / "there.md").touch()
    text = "[a](there.md#part) [b](https://example.org) [c](#here) [d](gone.md)"
    assert pages.dead_links(text, tmp_path) == ["gone.md"]
