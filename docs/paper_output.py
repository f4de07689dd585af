"""Make the pictures of docs/paper-output.md: reference editors on small sets, their figures, one page of LaTeX.

    python docs/paper_output.py [--work DIR]

The runs are kept in DIR and used again if they are there. The page needs pdflatex and pdftoppm.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops

from editscope import load_suite, run
from editscope.report import figures_for, write
from editscope.results import Run

IMAGES = Path(__file__).parent / "images"
EDITORS = ("identity", "drift", "jpeg", "shift", "half", "blur")
PAINT: dict[str, Any] = {
    "conditions": "baseline,nonstandard,striped,n_med",
    "per_mode": 2,
    "canvas": "512x512",
    "split": "all",
}
CHARTS: dict[str, Any] = {"per_task": 4}
WIDTH, LARGEST = 1300, 150_000


def main() -> None:
    """Runs, figures, table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("runs/paper-output"))
    work = parser.parse_args().work
    paint = [made("paintbench", PAINT, editor, work) for editor in EDITORS]
    charts = [made("tinygrafix", CHARTS, editor, work) for editor in EDITORS]
    drawn = figures_for([*paint, *charts], work / "figures", formats=["png"], published=True)
    two = figures_for(paint[1:3], work / "figures" / "two", formats=["png"], only=["before-after"])
    for one in (*drawn, *two):  # before and after is easier to read of two runs
        if one.files and one.suite == "paintbench":
            keep(Image.open(one.files[0]), f"paper-{one.name}.png")
    page = write(paint[1:4], work / "tables.tex", published=True)
    subprocess.run(["pdflatex", "-interaction=batchmode", page.name], cwd=work, check=True)
    subprocess.run(["pdftoppm", "-r", "150", "-f", "1", "-l", "1", "-png", "tables.pdf", "page"], cwd=work, check=True)
    keep(trimmed(Image.open(next(work.glob("page*.png"))).convert("RGB")), "paper-table.png")


def made(suite: str, options: dict[str, Any], editor: str, work: Path) -> Run:
    """A run, made now or found."""
    return run(load_suite(suite, **options), f"ref:{editor}", out=work / f"{suite}-{editor}")


def trimmed(page: Image.Image) -> Image.Image:
    """The page without its margins and number."""
    page = page.crop((0, 0, page.width, round(page.height * 0.93)))
    box = ImageChops.invert(page).getbbox()
    assert box is not None
    left, top, right, bottom = box
    return page.crop((left - 20, top - 20, right + 20, bottom + 20))


def keep(picture: Image.Image, name: str) -> None:
    """Save a picture for the documentation: not wide, few colors, small."""
    picture = picture.convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.Resampling.LANCZOS)
    for colors in (256, 128, 64, 32):
        picture.quantize(colors, dither=Image.Dither.NONE).save(IMAGES / name, optimize=True)
        if (IMAGES / name).stat().st_size <= LARGEST:
            break
    print(f"{IMAGES / name}: {(IMAGES / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
