from pathlib import Path

import pytest

from benchmarks.page import filled, main

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_holds_what_the_results_say(page):
    text = page.read_text()
    assert filled(text) == text


def test_a_region_is_filled_without_the_title_and_again_without_a_change(tmp_path):
    (tmp_path / "some.md").write_text("# Some\n\nWords.\n\n## Part\n\n| a |\n| - |\n")
    region = "## Here\n<!-- results: some.md -->\n{}\n<!-- /results -->\nafter\n"
    once = filled(region.format("old"), tmp_path)
    assert once == region.format("\nWords.\n\n### Part\n\n| a |\n| - |\n")
    assert filled(once, tmp_path) == once


def test_headings_stand_below_that_of_the_page_and_not_below_those_of_another_region(tmp_path):
    (tmp_path / "some.md").write_text("# Some\n\n## Part\n")
    region = "<!-- results: some.md -->\n<!-- /results -->\n"
    page = filled(f"## A\n{region}{region}### B\n{region}", tmp_path)
    assert [line for line in page.splitlines() if line[:1] == "#"] == [
        "## A",
        "### Part",
        "### Part",
        "### B",
        "#### Part",
    ]


def test_the_command_leaves_other_regions_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- results: speed/step.json -->\n3 s\n<!-- /results -->\n")
    before = page.read_text()
    main([str(page)])
    assert page.read_text() == before
