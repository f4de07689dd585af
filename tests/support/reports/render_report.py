"""Render a report with Chromium to PNGs, to look at.

``PYTHONPATH=tests python -m support.reports.render_report REPORT.html [FOLDER [VIEW …]]``
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 300_000
"""A page that is right answers in a fraction of it; a busy machine may need more than Playwright's five seconds."""
expect.set_options(timeout=PATIENCE_MS)
VIEWS = {
    "desktop": (1280, 900, "light"),
    "dark": (1280, 900, "dark"),
    "phone": (390, 844, "light"),
}


def shoot(page: Page, folder: Path, name: str) -> None:
    """The top of the page, each of its sections, the gallery, and the viewer."""
    page.screenshot(path=folder / f"{name}-top.png")
    for section in page.locator("main > section[id]:not(#cases)").all():
        draw_all(section)
        page.add_style_tag(content=".top { position: static !important; }")  # else it lies over tall sections
        section.screenshot(path=folder / f"{name}-{section.get_attribute('id')}.png")
    page.evaluate("document.getElementById('cases').scrollIntoView({behavior: 'instant'})")
    page.wait_for_timeout(400)
    page.screenshot(path=folder / f"{name}-cases.png")
    page.locator(".result").first.click()
    page.screenshot(path=folder / f"{name}-viewer.png")


def draw_all(inside: Page | Locator) -> None:
    """Scroll to every plot and wait until it is drawn."""
    for plot in inside.locator("figure.plot:has(script)").all():
        plot.scroll_into_view_if_needed()
        plot.locator(".live .main-svg").first.wait_for(timeout=PATIENCE_MS)


def main() -> None:
    report = Path(sys.argv[1]).resolve()
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else report.parent
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS, timeout=PATIENCE_MS)
        for name in sys.argv[3:] or VIEWS:
            width, height, scheme = VIEWS[name]
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
            page.on("console", lambda message: print("console:", message.text))
            page.on("pageerror", lambda error: print("error:", error))
            page.goto(report.as_uri())
            page.wait_for_selector(".case, .empty")
            shoot(page, folder, f"{report.stem}-{name}")
        browser.close()
    print(f"wrote {folder}")


if __name__ == "__main__":
    main()
