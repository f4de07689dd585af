"""Draw the contact sheet of Optics: every task with its input, its answer and its effects as an overlay.

Writes docs/images/optics-sheet.png. ``python docs/optics_sheet.py NUMBER`` draws another problem of each task.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from editscope.cases import Case
from editscope.images import load
from editscope.suites import load_suite
from editscope.suites.optics.catalog import CATALOG

SIDE, GAP, LABEL = 200, 6, 30
COLUMNS = 3
COLORS = {
    "object": (230, 40, 40),
    "uncovered": (250, 140, 30),
    "shadow": (40, 90, 240),
    "light": (240, 210, 40),
    "shading": (240, 210, 40),
    "mirror image": (200, 60, 220),
    "refraction": (30, 200, 200),
}


def overlay(case: Case) -> Image.Image:
    """The answer in gray with the effects in color and ignored pixels in black."""
    assert case.answer is not None
    gray = np.repeat(load(case.answer).mean(axis=2, keepdims=True), 3, axis=2)
    for effect in sorted(case.effects, key=lambda effect: -int(effect.mask.sum())):
        color = np.array(COLORS.get(effect.name, (60, 200, 90)))
        gray[effect.mask] = 0.45 * gray[effect.mask] + 0.55 * color
    if case.ignored is not None:
        gray[case.ignored] = 0
    return Image.fromarray(gray.astype(np.uint8))


def main() -> None:
    """Draw the sheet."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    suite = load_suite("optics", per_task=number + 1, levels=("explicit",), size=SIDE * 2)
    wide = 3 * (SIDE + 2) + 3 * GAP
    rows = -(-len(CATALOG.tasks) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * wide, rows * (SIDE + LABEL + GAP)), "#f4f4f2")
    pen = ImageDraw.Draw(sheet)
    for place, task in enumerate(CATALOG.tasks):
        case = suite[f"{task}_explicit/{number:03d}"]
        print(f"{task}: {case.instruction}\n")
        left, top = place % COLUMNS * wide, place // COLUMNS * (SIDE + LABEL + GAP)
        pen.text((left + 2, top + 1), task.replace("_", " "), fill="black")
        at = left + 2
        for effect in case.effects:
            pen.text((at, top + 14), effect.name, fill=COLORS.get(effect.name, (60, 160, 90)))
            at += 8 * len(effect.name) + 8
        assert case.answer is not None
        pictures = (Image.fromarray(load(case.images[0])), Image.fromarray(load(case.answer)), overlay(case))
        for column, picture in enumerate(pictures):
            small = picture.resize((SIDE, SIDE), Image.Resampling.BOX)
            sheet.paste(small, (left + column * (SIDE + 2), top + LABEL))
    out = Path(__file__).parent / "images" / "optics-sheet.png"
    sheet.quantize(256).save(out, optimize=True)


if __name__ == "__main__":
    main()
