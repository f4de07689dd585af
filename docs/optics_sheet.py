"""Draw the contact sheet of Optics: every task with its input, answer and effects, and its sentence at every level.

Writes docs/contact-sheet-optics.md and a picture for every law into docs/images/. Give a number to take another problem
of each task: ``python docs/optics_sheet.py 3``.
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
from editscope.suites.physics.catalog import LEVELS

DOCS = Path(__file__).parent
SIDE, GAP, LABEL = 256, 6, 18
COLORS = {
    "object": (230, 40, 40),
    "uncovered": (250, 140, 30),
    "shadow": (40, 90, 240),
    "light": (240, 210, 40),
    "shading": (240, 210, 40),
    "mirror image": (200, 60, 220),
    "refraction": (30, 200, 200),
}
OTHER = (60, 200, 90)
HEAD = """# Contact sheet of Optics

Problem {number} of every task: input, answer, and where its effects are. The first sentence of a task is the
*superficial* level; the others add to it. `python docs/optics_sheet.py` writes this page.

Colors: the object <span style="color:#e62828">■</span>, what it uncovers <span style="color:#fa8c1e">■</span>,
shadow <span style="color:#285af0">■</span>, light or shading <span style="color:#d0b000">■</span>,
mirror image <span style="color:#c83cdc">■</span>, refraction <span style="color:#1ec8c8">■</span>,
any other <span style="color:#3cc85a">■</span>. Black pixels are not scored: the input does not determine them.
"""


def overlay(case: Case) -> Image.Image:
    """The answer in gray with the effects in color and ignored pixels in black."""
    assert case.answer is not None
    gray = np.repeat(load(case.answer).mean(axis=2, keepdims=True), 3, axis=2)
    for effect in sorted(case.effects, key=lambda effect: -int(effect.mask.sum())):
        gray[effect.mask] = 0.45 * gray[effect.mask] + 0.55 * np.array(COLORS.get(effect.name, OTHER))
    if case.ignored is not None:
        gray[case.ignored] = 0
    return Image.fromarray(gray.astype(np.uint8))


def row(case: Case) -> Image.Image:
    """Input, answer and effects of a problem, with the names of its effects."""
    strip = Image.new("RGB", (3 * SIDE + 2 * GAP, SIDE + LABEL + GAP), "#f4f4f2")
    pen = ImageDraw.Draw(strip)
    pen.text((2, 3), case.tags["task"].replace("_", " "), fill="black")
    at = 2 * (SIDE + GAP)
    for effect in case.effects:
        pen.text((at, 3), effect.name, fill=COLORS.get(effect.name, OTHER))
        at += round(pen.textlength(effect.name)) + 8
    assert case.answer is not None
    for column, picture in enumerate(
        (Image.fromarray(load(case.images[0])), Image.fromarray(load(case.answer)), overlay(case))
    ):
        strip.paste(picture.resize((SIDE, SIDE), Image.Resampling.BOX), (column * (SIDE + GAP), LABEL))
    return strip


def main() -> None:
    """Draw all laws and write the page."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    suite = load_suite("optics", per_task=number + 1, levels=LEVELS, size=2 * SIDE)
    page = [HEAD.format(number=number)]
    for law, tasks in CATALOG.laws.items():
        title = law.replace("_", " ").capitalize()
        page.append(f"## {title}\n\n![{title}](images/optics-{law.replace('_', '-')}.png)\n")
        rows = []
        for task in tasks:
            cases = [suite[f"{task}_{level}/{number:03d}"] for level in LEVELS]
            rows.append(row(cases[0]))
            texts = [case.instructions[0].text for case in cases]
            page.append(f"**{task}**: {texts[0]}\n")
            for level, text, shorter in zip(LEVELS[1:], texts[1:], (texts[0], texts[0], texts[2]), strict=True):
                page.append(f"- *{level}*: … {text.removeprefix(shorter).strip()}")
            page.append("")
        sheet = Image.new("RGB", (rows[0].width, sum(strip.height for strip in rows)))
        for place, strip in enumerate(rows):
            sheet.paste(strip, (0, place * strip.height))
        sheet.quantize(192).save(DOCS / "images" / f"optics-{law.replace('_', '-')}.png", optimize=True)
    (DOCS / "contact-sheet-optics.md").write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
