"""Claims about the HTML report around its gallery, in a real browser: tables, shares, themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from support.reports.report_browser import opened, without_plots
from support.reports.report_runs import make_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    runs = [
        make_run(folder, "strong", skill=0.95, slots=6),
        make_run(folder, "<b>weak</b>", skill=0.3, slots=6, missing=("border/001",)),
    ]
    return without_plots(runs, folder / "report.html")


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    with opened(browser, report) as page:
        yield page


def test_a_share_of_failures_leads_to_its_cases(page: Page) -> None:
    page.locator(".share.mode-no_output").first.click()
    ids = page.locator(".case").evaluate_all("cards => cards.map(card => card.dataset.id)")
    assert ids == ["border/001"]


def test_rows_of_modes_unfold(page: Page) -> None:
    attribute = page.locator(".tables").get_by_role("button", name="Attribute", exact=True)
    assert not attribute.is_visible()
    page.get_by_role("button", name="Rows inside Removal").click()
    assert attribute.is_visible()
    page.get_by_role("button", name="Rows inside Structural").click()
    assert not attribute.is_visible()


def test_the_metric_of_the_tables_can_be_chosen(page: Page) -> None:
    figure = page.locator(".scores .whole .cell:visible .number").first
    before = figure.inner_text()
    page.locator(".tables .segmented").get_by_text("Preservation").click()
    assert figure.inner_text() != before


def test_dark_and_light(page: Page, browser: Browser, report: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light, ink = page.evaluate(paper), page.evaluate("getComputedStyle(document.body).color")
    page.get_by_role("button", name="Switch to dark").click()
    assert page.evaluate(paper) != light
    page.get_by_role("button", name="Switch to light").click()
    assert page.evaluate(paper) == light
    with opened(browser, report, color_scheme="dark") as dark:
        assert dark.evaluate("document.documentElement.dataset.theme") == "dark"
        dark.locator(".case .result").first.click()
        shade = "getComputedStyle(document.querySelector('dialog.viewer')).backgroundColor"
        assert dark.evaluate(shade) not in (light, "rgb(255, 255, 255)")
        dark.emulate_media(media="print")
        assert dark.evaluate(paper) == "rgb(255, 255, 255)"  # paper is white, whatever the screen is
        assert dark.evaluate("getComputedStyle(document.body).color") == ink


def test_files_that_did_not_fit_are_listed(page: Page) -> None:
    page.locator("details.files summary").click()
    assert page.get_by_text("stray.png").is_visible()
    assert page.locator("details.files").get_by_text("border/001").is_visible()
