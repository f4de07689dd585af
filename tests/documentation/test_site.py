"""The documentation site: built without a warning, complete, and usable from a file without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import editscope as es
from support.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

PHONE, DESK = 390, 1440
PATIENCE_MS = 120_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as ``make docs`` builds it; MkDocs stops at a warning."""
    pytest.importorskip("mkdocs")
    if shutil.which("npm") is None:
        pytest.skip("the search of the site needs a script from npm")
    out = tmp_path_factory.mktemp("built") / "site"
    command = ["make", "--silent", "site", f"SITE={out}", f"VENV={sys.prefix}"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "Documentation built" in built.stderr, "a silent build does not stop at warnings either"
    assert "WARNING" not in built.stdout + built.stderr
    return out


@contextmanager
def opened(browser: Browser, page: Path, width: int = DESK) -> Iterator[Page]:
    """A page that was opened as a file; afterwards: nothing came from a network, and nothing was complained about."""
    asked: list[str] = []
    said: list[str] = []
    tab = browser.new_page(viewport={"width": width, "height": 900})
    tab.set_default_timeout(PATIENCE_MS)
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.goto(page.as_uri())
    yield tab
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert said == []
    tab.close()


def test_every_page_of_docs_is_in_the_site(site: Path) -> None:
    written = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in written if not (site / page).is_file()} == set()


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    reference = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    assert [name for name in es.__all__ if f'id="editscope.{name}"' not in reference] == []
    assert "&gt;&gt;&gt;" in reference, "doctests are code"


def test_no_page_asks_for_a_font_script_or_picture_of_another_host(site: Path) -> None:
    outside = re.compile(
        r"""(?:<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=["']?|url\(["']?|@import ["'])(https?:)?//"""
    )
    files = [file for kind in ("*.html", "*.css") for file in site.rglob(kind)]
    assert len(files) > 60
    asking = {file.name for file in files for text in outside.findall(file.read_text(encoding="utf-8"))}
    assert asking == set()


def test_a_page_opens_from_a_file_on_a_phone_and_on_a_desk(site: Path, browser: Browser) -> None:
    for width, names in ((PHONE, ("index", "gallery", "api/runs", "performance")), (DESK, ("index", "i-have-a-model"))):
        for name in names:
            with opened(browser, site / f"{name}.html", width) as page:
                assert page.locator("h1").first.is_visible()
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
                broken = page.evaluate(
                    "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
                )
                assert broken == []


@pytest.mark.parametrize(
    ("width", "sought", "found"), [(DESK, "bootstrap", "statistics.html"), (PHONE, "budget", "running.html")]
)
def test_the_search_works_from_a_file(site: Path, browser: Browser, width: int, sought: str, found: str) -> None:
    with opened(browser, site / "index.html", width) as page:
        if width == PHONE:
            page.locator("label.md-header__button[for=__search]").click()
        else:
            page.locator(".md-search__input").click()
        page.locator(".md-search__input").press_sequentially(sought, delay=30)
        page.locator(f".md-search-result__link[href*='{found}']").first.wait_for()


def test_a_doctest_stands_between_fences() -> None:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        fenced = pytest.importorskip("api_docstrings", exc_type=ImportError).fenced
    finally:
        sys.path.pop(0)
    assert fenced("Adds.\n\n>>> 1 + 1\n2\n\nMore.") == "Adds.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
    assert fenced("No example.") == "No example."
