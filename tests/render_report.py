"""Render a report with Chromium to PNGs, to look at: python tests/render_report.py REPORT.html [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import FloatRect, Page, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEWS = {
    "desktop": (1280, 900, "light"),
    "dark": (1280, 900, "dark"),
    "phone": (390, 844, "light"),
}


def shoot(page: Page, folder: Path, name: str) -> None:
    """The top of the page, the page up to the cases, the gallery, and the viewer."""
    page.screenshot(path=folder / f"{name}-top.png")
    page.screenshot(path=folder / f"{name}-page.png", full_page=True, clip=_above_cases(page))
    page.evaluate("document.getElementById('cases').scrollIntoView({behavior: 'instant'})")
    page.wait_for_timeout(400)
    page.screenshot(path=folder / f"{name}-cases.png")
    page.locator(".result").first.click()
    page.screenshot(path=folder / f"{name}-viewer.png")


def _above_cases(page: Page) -> FloatRect:
    box = page.evaluate("[innerWidth, document.getElementById('cases').getBoundingClientRect().top + scrollY]")
    return {"x": 0, "y": 0, "width": box[0], "height": min(box[1], 6000)}


def main() -> None:
    report = Path(sys.argv[1]).resolve()
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else report.parent
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        for name, (width, height, scheme) in VIEWS.items():
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
