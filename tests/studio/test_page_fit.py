"""Pages at 1440 and 820 pixels: whole pictures for raters, plots in their cards, tables that fit, keys from the top."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import expect

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.creating import create_study
from editscope.studio.studies.design import CHECKED, StudyDesign
from editscope.studio.studies.material import Material, StudyCase
from editscope.studio.studies.raters import add_raters
from editscope.studio.studies.records import Rater, find_study
from support.reports.report_judged_runs import judged_run, suite_of
from support.studio.made_study import made_study
from support.studio.simulated_raters import vote_all
from support.studio.studio_runs import the_set
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = ({"width": 1440, "height": 900}, {"width": 820, "height": 1180})
MAPS = "ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE"
"""Plotly brings a style sheet for maps, which the policy keeps out and nothing here needs."""
INSIDE = """(selector) => [...document.querySelectorAll(selector)].every((one) => {
  const [own, around] = [one.getBoundingClientRect(), one.closest('.card').getBoundingClientRect()];
  return own.left >= around.left && own.right <= around.right && own.top >= around.top && own.bottom <= around.bottom;
})"""
UNCUT = """() => [...document.querySelectorAll('.frame img')].every((image) => {
  const [own, frame] = [image.getBoundingClientRect(), image.parentElement.getBoundingClientRect()];
  return own.height <= frame.height && own.width <= frame.width && getComputedStyle(image).objectFit === 'contain';
})"""


def study_of_shape(folder: Path, height: int, width: int, **design: Any) -> Rater:
    """A study whose pictures have one shape, and a rater."""
    picture = np.zeros((height, width, 3), np.uint8)
    cases = tuple(StudyCase(f"c{i}", "", "Do it", (picture,), dict.fromkeys("ab", picture + 9)) for i in range(3))
    store = Store.opened(Settings(folder))
    try:
        create_study(
            store, Settings(folder), "shape", StudyDesign(**design), Material(cases, {"a": "", "b": ""}), cases
        )
        with store.writing() as connection:
            return add_raters(connection, find_study(connection, "shape"), 1)[0]
    finally:
        store.close()


@pytest.mark.parametrize("shape", [(300, 100), (100, 300)], ids=["tall", "wide"])
def test_a_rater_sees_the_whole_of_every_picture(shape: tuple[int, int], tmp_path: Path, browser: Browser) -> None:
    rater = study_of_shape(tmp_path, *shape)
    with studio(tmp_path) as address:
        for viewport in SIZES:
            with studio_page(browser, f"{address}/rate/{rater.secret}", viewport=viewport) as page:
                page.locator("#agree:visible, #work:visible").first.wait_for()
                if page.locator("#agree").is_visible():
                    page.click("#agree")
                expect(page.locator(".frame img")).to_have_count(3)
                assert page.evaluate(UNCUT), (shape, viewport)


def test_raters_hear_of_items_with_a_known_answer_where_there_are_some(tmp_path: Path, browser: Browser) -> None:
    plain, checked = tmp_path / "plain", tmp_path / "checked"
    for folder, design in ((plain, {}), (checked, {"check_every": 2})):
        folder.mkdir()
        rater = study_of_shape(folder, 40, 60, **design)
        with studio(folder) as address, studio_page(browser, f"{address}/rate/{rater.secret}") as page:
            expect(page.locator("#agree")).to_be_visible()
            assert (CHECKED in page.locator("#welcome").inner_text()) == bool(design)


def test_the_plots_of_a_study_stay_in_their_cards_and_every_button_can_be_reached(
    tmp_path: Path, browser: Browser
) -> None:
    store = Store.opened(Settings(tmp_path))
    try:
        study, raters = made_study(store, tmp_path, cases=4, raters=3, votes=3, kind="ratings")
        vote_all(store, study, raters, lambda item, rng: {"quality": rng.randint(1, 5), "truth": rng.randint(1, 5)})
    finally:
        store.close()
    with studio(tmp_path) as address:
        for viewport in SIZES:
            with studio_page(browser, f"{address}/studies/people", viewport=viewport, excused=(MAPS,)) as page:
                expect(page.locator("#means .legend .traces")).to_have_count(2)
                assert page.evaluate(INSIDE, "#means .legend, #means .ytitle"), viewport
                assert page.evaluate(INSIDE, ".raters-table button"), viewport
                expect(page.locator("#result + .wide tbody")).to_contain_text("Quality")


def test_the_list_of_keys_starts_at_its_top(tmp_path: Path, browser: Browser) -> None:
    with studio(tmp_path) as address:
        for viewport in (*SIZES, {"width": 820, "height": 260}):
            with studio_page(browser, f"{address}/annotate", viewport=viewport) as page:
                expect(page.locator("body[data-ready]")).to_be_visible()
                page.keyboard.press("?")
                expect(page.locator(".keys-dialog h2")).to_be_in_viewport()
                expect(page.locator(".keys-dialog button")).to_be_in_viewport()
                assert page.evaluate("document.querySelector('.keys-dialog').scrollTop") == 0
                page.keyboard.press("Escape")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A studio with a judged run."""
    root = tmp_path_factory.mktemp("judged")
    judged_run(suite_of("picabench", root / "data"), root / "runs" / "same")
    with studio(root) as address:
        yield address


def whole_words(page: Page) -> bool:
    """Whether no name of a run is broken between letters."""
    return bool(
        page.evaluate("""[...document.querySelectorAll('#runs-table tbody td:first-child a')].every(
            (link) => link.getClientRects().length === 1)""")
    )


@pytest.mark.slow
@pytest.mark.parametrize("viewport", SIZES, ids=["wide", "narrow"])
def test_a_case_of_a_judged_run_shows_what_the_judge_saw_and_said(
    judged: str, viewport: dict[str, int], browser: Browser
) -> None:
    with studio_page(browser, f"{judged}/sets/{the_set(judged)}/case?id=00000", viewport=viewport) as page:
        calls = page.locator("#details .call")
        expect(calls.first).to_be_visible()
        crops = calls.locator(".crop img")
        expect(crops.first).to_be_visible()
        crops.first.scroll_into_view_if_needed()  # it is loaded when it comes into view
        page.wait_for_function("() => document.querySelector('.crop img')?.naturalWidth > 0")
        expect(calls.first).to_contain_text("Right answer")
        expect(page.locator("#details .verdict-box", has_text="<b>bold</b>").first).to_be_visible()
        calls.locator("summary").first.click()
        expect(calls.locator("pre").first).to_be_visible()
        assert "broken" not in page.title() and whole_words(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
