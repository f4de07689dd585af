"""A real Chromium with a report open in it, that complains about whatever the report should not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from editscope.report import write
from editscope.results import Run
from support.reports.render_report import ARGS, CHROMIUM, PATIENCE_MS

__all__ = ["CHROMIUM", "Watched", "chromium", "opened", "without_plots"]


def without_plots(runs: Sequence[Run], out: Path, **options: Any) -> Path:
    """A report without Plotly's script, which is most of a small page: what is tested here does not need it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("editscope.report.html.page.installed", lambda: False)
        return write(runs, out, **options)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, for a module of tests."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS, timeout=PATIENCE_MS)
        yield browser
        browser.close()


@dataclass
class Watched:
    """What a page asked for and said, besides asking for itself."""

    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser, address: str | Path, watched: Watched | None = None, ready: str = ".case, .empty", **options: Any
) -> Iterator[Page]:
    """A report, open; afterwards: it asked for nothing but files beside it, and nothing was complained about.

    With ``watched`` the caller looks at what was asked for and said. ``ready`` is there when the page is.
    """
    seen = watched or Watched()
    settings = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light", **options}
    page = browser.new_page(**settings)
    page.set_default_timeout(PATIENCE_MS)
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("console", lambda message: seen.said.append(message.text))
    page.on("pageerror", lambda error: seen.said.append(str(error)))
    page.goto(address.resolve().as_uri() if isinstance(address, Path) else address)
    page.wait_for_selector(ready, state="attached")
    yield page
    page.close()
    if watched is None:
        assert [url for url in seen.asked if not url.startswith(("file:", "data:"))] == []
        assert seen.said == []
