"""Pages that a person opens: what Chromium shows of them at a width, and whether it can be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from support.reports.render_report import ARGS, CHROMIUM, PATIENCE_MS
from walks.walk import Walk

DESKTOP = (1280, 900)
PHONE = (390, 844)
SMALL = """() => [...document.querySelectorAll('body *')].filter(e => e.childNodes.length && e.offsetParent
  && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
  && !e.closest('svg') && parseFloat(getComputedStyle(e).fontSize) < 11).map(e => e.textContent.trim().slice(0, 40))"""
"""Texts that are set smaller than 11 pixels, outside drawings."""


@contextmanager
def opened_page(walk: Walk, name: str, size: tuple[int, int]) -> Iterator[Page | None]:
    """A page that a command made, open in Chromium; None where there is no Chromium. Errors on it are faults."""
    path = walk.place / name
    if not CHROMIUM.exists() or not path.exists():
        walk.expect(path.exists(), f"{name} is there")
        yield None
        return
    errors: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS, timeout=PATIENCE_MS)
        try:
            phone = size == PHONE
            page = browser.new_page(
                viewport={"width": size[0], "height": size[1]}, is_mobile=phone, has_touch=phone, color_scheme="light"
            )
            page.set_default_timeout(PATIENCE_MS)
            page.on("console", lambda message: errors.append(message.text))
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("request", lambda request: errors.append(request.url) if request.url.startswith("http") else None)
            page.goto(path.resolve().as_uri())
            page.wait_for_load_state("networkidle")
            yield page
        finally:
            browser.close()
    walk.expect(not errors, f"{name} opens without complaint and asks for nothing outside it: {errors[:3]}")


def look(walk: Walk, name: str, size: tuple[int, int] = DESKTOP) -> None:
    """Open a page, keep a picture of its top, and see that it fits the window and has no tiny text."""
    with opened_page(walk, name, size) as page:
        if page is None:
            return
        keep(walk, page, f"{Path(name).stem}-{size[0]}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        walk.expect(wide <= size[0], f"{name} fits {size[0]} pixels, not {wide}")
        small = page.evaluate(SMALL)
        walk.expect(not small, f"{name} has no text below 11 pixels: {small[:5]}")


def keep(walk: Walk, page: Page, name: str) -> None:
    """Keep a picture of what is on the screen."""
    path = walk.kept / f"{name}.png"
    page.screenshot(path=path)
    walk.picture(path)
