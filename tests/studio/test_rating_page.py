"""The page of a rater in Chromium: practice, votes by keys, a lost connection, two tabs, and no name of a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect
from sqlalchemy import func, select

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.records import Rater
from editscope.studio.studies.tables import EXCLUSIONS, VOTES
from support.studio.made_study import NAMES, made_study
from support.studio.studio_server import studio
from support.studio.watched_page import AWAY, studio_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@contextmanager
def served(folder: Path, **study: Any) -> Iterator[tuple[str, list[Rater], Store]]:
    """A studio with a study, its raters, and its database."""
    store = Store.opened(Settings(folder))
    try:
        _, raters = made_study(store, folder, **study)
        with studio(folder) as address:
            yield address, raters, store
    finally:
        store.close()


def votes(store: Store) -> int:
    with store.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(VOTES)).scalar_one())


def next_item(page: Page, before: str) -> str:
    """The picture of the next item, when it is there."""
    page.wait_for_function(
        "before => !document.getElementById('work').hidden && document.querySelector('.choice img')?.src !== before",
        arg=before,
    )
    return str(page.evaluate("document.querySelector('.choice img').src"))


def test_a_rater_votes_loses_the_connection_and_nothing_is_lost(tmp_path: Path, browser: Browser) -> None:
    with served(tmp_path, cases=4, ties=True, raters=1) as (address, (rater,), store):
        seen: list[str] = []
        with studio_page(browser, f"{address}/rate/{rater.secret}", excused=AWAY) as page:
            page.on("response", lambda answer: seen.append(f"{answer.url} {answer.headers}"))
            page.click("text=I agree, start")
            shown = next_item(page, "")
            page.keyboard.press("ArrowLeft")
            expect(page.locator("#saved")).to_have_text("All votes saved")
            shown = next_item(page, shown)
            assert votes(store) == 1
            page.wait_for_load_state("networkidle")
            page.context.set_offline(True)
            for key in ("2", "ArrowDown"):
                page.keyboard.press(key)
                shown = next_item(page, shown)
            expect(page.locator("#saved")).to_contain_text("2 votes kept here")
            assert votes(store) == 1
            page.context.set_offline(False)
            expect(page.locator("#saved")).to_have_text("All votes saved")
            assert votes(store) == 3
            expect(page.locator("#count")).to_have_text("3 of 12")
            page.keyboard.press("u")
            expect(page.locator(".toast")).to_contain_text("no longer counts")
            text = page.content() + "".join(seen)
            assert not any(name in text for name in NAMES) and "<b>red" not in page.inner_html("#instruction")
        with store.reading() as connection:
            assert connection.execute(select(func.count()).select_from(EXCLUSIONS)).scalar_one() == 1
        pictures = [line for line in seen if "/picture/" in line]
        assert pictures and not any(name in line for line in pictures for name in ("etag", "last-modified"))


def test_two_tabs_vote_on_the_same_item_once_and_a_rater_finishes(tmp_path: Path, browser: Browser) -> None:
    with served(tmp_path, cases=1, models=NAMES[:2], raters=1, kind="ratings") as (address, (rater,), store):
        with studio_page(browser, f"{address}/rate/{rater.secret}") as page:
            page.click("text=I agree, start")
            shown = next_item(page, "")
            other = page.context.new_page()
            other.goto(f"{address}/rate/{rater.secret}")
            next_item(other, "")
            # The other tab votes without telling this one, as another browser would.
            other.evaluate("addEventListener('storage', (event) => event.stopImmediatePropagation(), true)")
            for tab in (other, page):
                tab.bring_to_front()
                if tab.locator("#work").is_visible():
                    tab.keyboard.press("4")
                    tab.keyboard.press("2")
                    tab.keyboard.press("Enter")
                    expect(tab.locator("#saved")).to_have_text("All votes saved")
            if page.locator("#end").is_hidden():
                next_item(page, shown)
                for key in ("1", "1", "Enter"):
                    page.keyboard.press(key)
            expect(page.locator("#end")).to_contain_text("You have voted on everything")
        assert votes(store) == 2


def test_practice_tells_what_was_right(tmp_path: Path, browser: Browser) -> None:
    with served(tmp_path, cases=2, raters=1, qualification=1, qualification_share=0.0) as (address, (rater,), store):
        with studio_page(browser, f"{address}/rate/{rater.secret}", viewport={"width": 820, "height": 1100}) as page:
            page.click("text=I agree, start")
            expect(page.locator("#phase")).to_contain_text("known answer")
            page.click("text=A is better")
            expect(page.locator("#feedback")).to_be_visible()
            page.click("#next")
            expect(page.locator("#phase")).to_be_hidden()
            page.click("text=B is better")
            expect(page.locator("#count")).to_have_text("1 of 6")
            expect(page.locator("#saved")).to_have_text("All votes saved")
        assert votes(store) == 2


def test_a_forged_link_gets_a_sentence(tmp_path: Path, browser: Browser) -> None:
    with served(tmp_path, cases=1) as (address, _, _):
        context = browser.new_context()
        try:
            page = context.new_page()
            answer = page.goto(f"{address}/rate/forged-link-of-nobody")
            assert answer is not None and answer.status == 404
            expect(page.locator("main")).to_contain_text("belongs to no study")
        finally:
            context.close()
