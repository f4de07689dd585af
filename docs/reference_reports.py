"""Reports of the reference editors, and what each shows at a glance: python docs/reference_reports.py [RUNS].

Makes a balanced set of 160 problems (each task in each scene), runs every reference editor on it, writes its report,
opens it in Chromium and keeps the parts that tell the editors apart as docs/images/report-NAME.png. Then one report of
four editors among published results, of which some sections are kept for docs/report.md.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import editscope
from editscope.editors.reference import FLAWS
from editscope.report import write

IMAGES = Path(__file__).parent / "images"
CHROMIUM = "/usr/bin/chromium"
ARGS = ["--headless", "--no-sandbox", "--disable-gpu"]
TOGETHER = ("jpeg", "half", "drift", "cropped")
SECTIONS = ("leaderboard", "comparison", "profile", "correlation")
COMMON = 64
STYLE = """
.top, .skip, .hint, .title, .legend, .choice, .case-strip, .section-head, .notice, .notes { display: none !important; }
main { padding: 14px !important; max-width: 1080px !important; }
main > * { display: none; } .card { padding: 16px 20px !important; margin-bottom: 10px !important; box-shadow: none; }
#overview-0, #diagnosis-0, #failures-0, #curves-0 { display: block; }
#failures-0 .shares > :not(.whole), #failures-0 .plot { display: none; }
.plot { margin-top: 0; } .findings { margin-top: 0; }
"""


def picture(page: Page, report: Path) -> Image.Image:
    """The headline, the diagnosis in words, the shares of failure modes and the tolerance curves of a report."""
    page.goto(report.as_uri())
    page.add_style_tag(content=STYLE)
    for plot in page.locator("#curves-0 figure.plot").all():
        plot.scroll_into_view_if_needed()
        plot.locator(".live .main-svg").first.wait_for()
    return Image.open(io.BytesIO(page.locator("main").screenshot()))


def sections(page: Page, report: Path) -> None:
    """The top of a report of several runs, and its sections one by one."""
    page.goto(report.as_uri())
    page.wait_for_selector(".case", state="attached")
    page.set_viewport_size({"width": 1240, "height": 900})
    keep(Image.open(io.BytesIO(page.screenshot())), "overview")
    page.add_style_tag(content=".top { position: static !important; }")
    for name in SECTIONS:
        section = page.locator(f"section[id^={name}]").first
        for plot in section.locator("figure.plot").all():
            plot.scroll_into_view_if_needed()
            plot.locator(".live .main-svg").first.wait_for()
        keep(Image.open(io.BytesIO(section.screenshot())), name)


def few_colors(shot: Image.Image) -> Image.Image:
    """A palette of the commonest colors, as they are, and of others far apart: those of badges are rare but matter."""
    counted = sorted(shot.getcolors(shot.width * shot.height) or (), reverse=True)
    common = [channel for _, color in counted[:COMMON] for channel in color]  # type: ignore[union-attr]
    apart = shot.quantize(COMMON, Image.Quantize.MAXCOVERAGE).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*common, *apart[: 3 * COMMON]])
    return palette


def keep(shot: Image.Image, name: str) -> None:
    """Few colors are enough for text and bars, and make a file of a third."""
    out = IMAGES / f"report-{name}.png"
    plain = shot.convert("RGB")
    plain.quantize(palette=few_colors(plain), dither=Image.Dither.NONE).save(out, optimize=True)
    print(f"{out.name}: {out.stat().st_size:,} bytes", flush=True)


def main() -> None:
    """One picture for each reference editor."""
    suite = editscope.load_suite("paintbench", per_cell=1)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        page = browser.new_page(viewport={"width": 1080, "height": 1400}, color_scheme="light")
        for name in FLAWS:
            run = editscope.run(suite, f"ref:{name}", out=folder / f"ref-{name}", progress=False)
            report = write([run], Path(temporary) / f"{name}.html")
            keep(picture(page, report), name)
        runs = [editscope.open_run(folder / f"ref-{name}") for name in TOGETHER]
        sections(page, write(runs, Path(temporary) / "together.html", published=True))
        browser.close()


if __name__ == "__main__":
    main()
