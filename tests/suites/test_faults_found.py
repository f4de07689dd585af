"""The page of faults found in releases: its examples run, and every suite's page leads to it."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from support.places import DOCS

SUITES = ("inedit", "kris", "paintbench", "picabench", "rise", "wiseedit")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_examples_give_what_they_say() -> None:
    found = doctest.testfile(str(DOCS / "faults-found.md"), module_relative=False)
    assert found.attempted >= 20
    assert found.failed == 0


@pytest.mark.parametrize("suite", SUITES)
def test_the_page_of_a_suite_names_the_faults_of_its_release(suite: str) -> None:
    page = (DOCS / f"{suite}.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(faults-found\.md#([^)]+)\)", page))
    assert linked
    assert linked <= anchors(DOCS / "faults-found.md")


@pytest.mark.parametrize("suite", [name for name in SUITES if name != "paintbench"])
def test_the_page_of_a_judged_suite_says_how_its_release_counts(suite: str) -> None:
    assert "(accounting.md" in (DOCS / f"{suite}.md").read_text(encoding="utf-8")
