"""Small runs in a folder for tests of the studio, and a page of it that may not complain."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page

from support.reports.render_report import PATIENCE_MS


def get(address: str, accept: str = "text/html") -> tuple[int, str]:
    """Status and text of an answer."""
    request = urllib.request.Request(address, headers={"accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")


def ask(address: str) -> Any:
    """The JSON of an answer."""
    return json.loads(get(address, "application/json")[1])


def the_set(address: str) -> str:
    """The id of the only set of a studio, once its runs are read."""
    while True:
        _, html = get(f"{address}/")
        found: set[str] = set(re.findall(r'href="/sets/(\w+)"', html))
        if found and "Reading runs" not in html:
            return found.pop()


@contextmanager
def visited(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """A page that is open; afterwards: the browser had nothing to complain about."""
    said: list[str] = []
    page = browser.new_page(**{"viewport": {"width": 1440, "height": 900}, **options})
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    try:
        yield page
    finally:
        page.close()
    assert not said, said
