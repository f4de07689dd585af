"""Draw the contact sheet of a suite of scene edits: every task with its input, its answer and its effects in color.

``python docs/physics_sheet.py SUITE [NUMBER]`` writes docs/images/SUITE-sheet.webp and docs/contact-sheet-SUITE.md,
which has the instructions of the same problems at all levels. NUMBER takes another problem of each task.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from editscope.cases import Case
from editscope.images import load
from editscope.suites import load_suite
from editscope.suites.physics.catalog import LEVELS

HERE = Path(__file__).parent
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
    "water": (30, 200, 200),
}
OTHER = (60, 180, 90)
PAGE = """# {title} contact sheet

One problem of every task: input, answer, and effects in color over the answer. The object is red, shadows are blue, and
what moved or fell is green. The instructions of the same problems follow. Drawn by
`python docs/physics_sheet.py {suite}`.

![Every task of {title}](images/{suite}-sheet.webp)
"""


def overlay(case: Case) -> Image.Image:
    """The answer in gray with the effects in color and ignored pixels in black."""
    assert case.answer is not None
    gray = np.repeat(load(case.answer).mean(axis=2, keepdims=True), 3, axis=2)
    for effect in sorted(case.effects, key=lambda effect: -int(effect.mask.sum())):
        color = np.array(COLORS.get(effect.name, OTHER))
        gray[effect.mask] = 0.45 * gray[effect.mask] + 0.55 * color
    if case.ignored is not None:
        gray[case.ignored] = 0
    return Image.fromarray(gray.astype(np.uint8))


def main(name: str, number: int) -> None:
    """Draw the sheet and write the page."""
    suite = load_suite(name, per_task=number + 1, levels=LEVELS, size=SIDE * 2)
    tasks = list(dict.fromkeys(suite.tags(case_id)["task"] for case_id in suite.ids))
    wide = 3 * (SIDE + 2) + 3 * GAP
    rows = -(-len(tasks) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * wide, rows * (SIDE + LABEL + GAP)), "#f4f4f2")
    pen = ImageDraw.Draw(sheet)
    page = [PAGE.format(title=name.capitalize(), suite=name)]
    for place, task in enumerate(tasks):
        case = suite[f"{task}_explicit/{number:03d}"]
        left, top = place % COLUMNS * wide, place // COLUMNS * (SIDE + LABEL + GAP)
        pen.text((left + 2, top + 1), task.replace("_", " "), fill="black")
        at = left + 2
        for effect in case.effects:
            pen.text((at, top + 14), effect.name, fill=COLORS.get(effect.name, OTHER))
            at += 8 * len(effect.name) + 8
        assert case.answer is not None
        pictures = (Image.fromarray(load(case.images[0])), Image.fromarray(load(case.answer)), overlay(case))
        for column, picture in enumerate(pictures):
            small = picture.resize((SIDE, SIDE), Image.Resampling.BOX)
            sheet.paste(small, (left + column * (SIDE + 2), top + LABEL))
        page.append(f"## {task.replace('_', ' ').capitalize()}\n")
        page += [f"- *{level}*: {suite[f'{task}_{level}/{number:03d}'].instruction}" for level in LEVELS]
        page.append("")
    sheet.save(HERE / "images" / f"{name}-sheet.webp", quality=88, method=6)
    (HERE / f"contact-sheet-{name}.md").write_text("\n".join(page))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
