"""A page of a studio in Chromium, that complains about whatever the page should not do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from support.reports.render_report import PATIENCE_MS

AWAY = ("ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION", "ERR_EMPTY_RESPONSE")
"""What Chromium says about requests to a studio that is away."""


@contextmanager
def studio_page(browser: Browser, address: str, *, excused: tuple[str, ...] = (), **options: Any) -> Iterator[Page]:
    """A page, open; afterwards: nothing was said on the console but what is excused, and no script failed."""
    said: list[str] = []
    settings = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", **options}
    context = browser.new_context(**settings)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    try:
        page.goto(address)
        yield page
    finally:
        context.close()
    complaints = [line for line in said if not any(word in line for word in excused)]
    assert not complaints, complaints
