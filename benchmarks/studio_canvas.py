"""Frame times of the studio's canvas while a box is dragged: with 1 box, and with 200, in real Chromium."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.judged_data import make_picabench  # noqa: E402
from support.reports.report_browser import chromium  # noqa: E402
from support.studio.annotated import start_project  # noqa: E402
from support.studio.studio_server import studio  # noqa: E402

STEPS = 120
RECORD = """() => { window.frames_ = []; let last = performance.now();
  const step = (now) => { window.frames_.push(now - last); last = now; window.going_ && requestAnimationFrame(step); };
  window.going_ = true; requestAnimationFrame(step); }"""


def boxes(count: int) -> list[dict[str, Any]]:
    """Questions with boxes of their own, on a grid."""
    places = [(30 + 48 * (n % 20), 20 + 60 * (n // 20)) for n in range(count)]
    return [
        {"question": f"Is {n} there?", "answer": "Yes", "box": {"x": x, "y": y, "width": 40, "height": 44}}
        for n, (x, y) in enumerate(places)
    ]


def measured(page: Any, address: str) -> list[float]:
    """Milliseconds between frames while the first box is dragged about."""
    page.goto(address)
    shape = page.locator(".layer0 .region .shape").first
    shape.wait_for()
    box = shape.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.evaluate(RECORD)
    for step in range(STEPS):
        page.mouse.move(box["x"] + 20 + 2 * step, box["y"] + 20 + step % 60)
    times: list[float] = page.evaluate("() => { window.going_ = false; return window.frames_.slice(2); }")
    page.mouse.up()
    return sorted(times)


def main() -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        make_picabench(folder / "data", 2, size=(1600, 1000))
        file = folder / "data" / "meta_info.json"
        rows = json.loads(file.read_text())
        rows[0]["annotated_qa_pairs"], rows[1]["annotated_qa_pairs"] = boxes(1), boxes(200)
        file.write_text(json.dumps(rows))
        with studio(folder) as address, chromium() as browser:
            project = start_project(address, "picabench", "data")
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            print(f"{'boxes':>6} {'frames':>7} {'median ms':>10} {'p95 ms':>8} {'longest ms':>11} {'ratio':>7}")
            base = 0.0
            for count, case in ((1, 1), (200, 2)):
                times = measured(page, f"{address}/annotate/{project}/case/{case}")
                middle = times[len(times) // 2]
                base = base or middle
                p95 = times[int(0.95 * len(times))]
                print(
                    f"{count:>6} {len(times):>7} {middle:>10.1f} {p95:>8.1f} {times[-1]:>11.1f} {middle / base:>7.2f}"
                )


if __name__ == "__main__":
    main()
