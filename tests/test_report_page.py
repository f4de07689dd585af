"""Claims about the HTML report in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from editscope.report import write
from render_report import ARGS, CHROMIUM
from report_runs import NASTY, make_run

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs /usr/bin/chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    runs = [
        make_run(folder, "strong", skill=0.95, slots=6),
        make_run(folder, "<b>weak</b>", skill=0.3, slots=6, missing=("border/001",)),
    ]
    return write(runs, folder / "report.html")


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The report, open; afterwards: nothing was asked for but the file, and nothing was complained about."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(report.as_uri())
    page.wait_for_selector(".case")
    yield page
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert said == []


def ids(page: Page) -> list[str]:
    return page.locator(".case").evaluate_all("cards => cards.map(card => card.dataset.id)")  # type: ignore[no-any-return]


def found(page: Page) -> str:
    return page.locator(".found").inner_text()


def choose(page: Page, label: str, value: str) -> None:
    page.get_by_label(label, exact=True).select_option(value)


def all_cards(page: Page) -> list[str]:
    page.locator(".foot").scroll_into_view_if_needed()
    expect(page.locator(".more")).to_be_hidden()
    return ids(page)


def test_cards_appear_as_one_scrolls_and_every_case_is_reached(page: Page) -> None:
    assert found(page) == "74 of 74 cases"
    assert len(ids(page)) == 40
    page.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")
    expect(page.locator(".case")).to_have_count(74)  # not wait_for_function: the page's policy forbids eval
    assert len(set(ids(page))) == 74


def test_text_from_outside_is_text(page: Page) -> None:
    page.get_by_label("Search").fill("border/000")
    assert (page.locator(".case .ask").text_content() or "").split() == NASTY.split()
    assert "broken" not in page.title()
    assert page.locator("b:text-is('weak')").count() == 0
    assert page.get_by_text("<b>weak</b>").first.is_visible()


def test_filters_narrow_and_reset_brings_everything_back(page: Page) -> None:
    choose(page, "Task", "removal")
    choose(page, "Mode", "location")
    choose(page, "Condition", "striped")
    assert found(page) == "6 of 74 cases"
    assert all(case.startswith("removal/") for case in ids(page))
    page.get_by_label("Search").fill("no such words")
    assert page.locator(".case").count() == 0
    assert page.get_by_text("No case fits").is_visible()
    page.get_by_role("button", name="Reset").click()
    assert found(page) == "74 of 74 cases"


def test_failure_mode_and_score_are_filters_on_the_shown_runs(page: Page) -> None:
    choose(page, "Failure mode", "no_output")
    assert ids(page) == ["border/001"]
    page.locator(".toggle").nth(1).click()
    assert found(page) == "0 of 74 cases"
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Highest score").fill("0")
    assert ids(page) == ["border/001"]


def test_worst_comes_first_and_best_when_asked(page: Page) -> None:
    page.locator(".toggle").nth(0).click()
    scores = "cards => cards.map(card => Number(card.querySelector('.score').textContent))"
    worst = page.locator(".case").evaluate_all(scores)
    assert worst == sorted(worst)
    choose(page, "Order", "best")
    best = page.locator(".case").evaluate_all(scores)
    assert best == sorted(best, reverse=True)


def test_a_figure_of_a_table_leads_to_the_cases_behind_it(page: Page) -> None:
    row = page.locator("tr", has=page.get_by_role("button", name="Removal", exact=True))
    row.locator("td").nth(1).locator(".cell:visible").click()
    assert found(page) == "24 of 74 cases"
    assert all(case.startswith("removal/") for case in all_cards(page))
    assert page.locator(".case .result").count() == 24  # of the run whose figure it was
    assert page.evaluate("document.getElementById('cases').getBoundingClientRect().top < innerHeight")


def test_the_cases_behind_an_average_hold_no_diagnostics(page: Page) -> None:
    page.locator("tr", has=page.get_by_role("button", name="Baseline")).locator(".cell:visible").first.click()
    assert found(page) == "36 of 74 cases"
    page.locator("tr", has=page.get_by_role("button", name="Preservation")).locator(".cell:visible").first.click()
    assert sorted(ids(page)) == ["preservation/000", "preservation/001"]


def test_a_share_of_failures_leads_to_its_cases(page: Page) -> None:
    page.locator(".share.mode-no_output").first.click()
    assert ids(page) == ["border/001"]


def test_rows_of_modes_unfold(page: Page) -> None:
    attribute = page.get_by_role("button", name="Attribute", exact=True)
    assert not attribute.is_visible()
    page.get_by_role("button", name="Rows inside Removal").click()
    assert attribute.is_visible()
    page.get_by_role("button", name="Rows inside Structural").click()
    assert not attribute.is_visible()


def test_the_metric_of_the_tables_can_be_chosen(page: Page) -> None:
    figure = page.locator(".scores .whole .cell:visible .number").first
    before = figure.inner_text()
    page.locator(".segmented").get_by_text("Preservation").click()
    assert figure.inner_text() != before


def test_the_viewer_opens_turns_pages_and_runs_and_closes(page: Page) -> None:
    order = ids(page)
    page.locator(".case").nth(0).locator(".result").nth(0).click()
    viewer = page.locator("dialog.viewer")
    assert viewer.locator("h2").inner_text() == order[0]
    assert viewer.locator("img").count() >= 2
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert viewer.locator("h2").inner_text() == order[2]
    page.keyboard.press("ArrowLeft")
    assert viewer.locator("h2").inner_text() == order[1]
    assert viewer.locator("[aria-selected=true]").inner_text().startswith("A")
    page.keyboard.press("ArrowDown")
    assert viewer.locator("[aria-selected=true]").inner_text().startswith("B")
    assert viewer.locator("polyline").count() == 3
    page.keyboard.press("Escape")
    assert not viewer.is_visible()


def test_a_missing_picture_has_a_placeholder_and_a_reason(page: Page) -> None:
    choose(page, "Failure mode", "no_output")
    assert page.locator(".case .none").count() == 2
    page.locator(".case .result").nth(1).click()
    assert page.get_by_text("no file in the folder").is_visible()


def test_dark_and_light(page: Page, browser: Browser, report: Path) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Switch to dark").click()
    assert page.evaluate(paper) != light
    page.get_by_role("button", name="Switch to light").click()
    assert page.evaluate(paper) == light
    dark = browser.new_page(color_scheme="dark")
    dark.goto(report.as_uri())
    assert dark.evaluate("document.documentElement.dataset.theme") == "dark"
    dark.emulate_media(media="print")
    assert dark.evaluate(paper) == "rgb(255, 255, 255)"  # paper is white, whatever the screen is
    assert dark.evaluate("getComputedStyle(document.body).color") == page.evaluate(
        "getComputedStyle(document.body).color"
    )
    dark.close()


def test_a_phone_needs_no_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_tall_picture_is_shown_whole(page: Page) -> None:
    picture = page.locator(".case img").first
    picture.scroll_into_view_if_needed()
    sizes = "img => [img.getBoundingClientRect().height, img.parentElement.getBoundingClientRect().height]"
    height, frame = picture.evaluate(sizes)
    assert height <= frame
    assert picture.evaluate("img => getComputedStyle(img).objectFit") == "contain"


def test_every_picture_and_control_has_a_name(page: Page) -> None:
    assert page.locator("img:not([alt])").count() == 0
    nameless = "nodes => nodes.filter(n => !(n.innerText.trim() || n.getAttribute('aria-label') || n.title)).length"
    assert page.locator("button").evaluate_all(nameless) == 0
    assert (
        page.locator("select, input").evaluate_all(
            "nodes => nodes.filter(n => !n.labels.length && !n.ariaLabel).length"
        )
        == 0
    )


def test_files_that_did_not_fit_are_listed(page: Page) -> None:
    page.locator("details.files summary").click()
    assert page.get_by_text("stray.png").is_visible()
    assert page.locator("details.files").get_by_text("border/001").is_visible()
