"""Draw the contact sheet of a suite of scene edits: every task with its input, answer, effects, and every sentence.

``python docs/physics_sheet.py SUITE`` writes docs/contact-sheet-SUITE.md and a picture for every law into docs/images/.
A number after it takes another problem of each task.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from editscope.cases import Case
from editscope.images import load
from editscope.suites import load_suite
from editscope.suites.physics.catalog import LEVELS, PhysicsCatalog

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
    "water": (30, 200, 200),
}
OTHER = (60, 200, 90)
HEAD = """# Contact sheet of {title}

Problem {number} of every task: input, answer, and where its effects are. The first sentence of a task is the
*superficial* level; the others add to it. `python docs/physics_sheet.py {name}` writes this page.

Colors: {colors}.
Black pixels are not scored: the input does not determine them, or they change too little to be an effect.
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
    pictures = (Image.fromarray(load(case.images[0])), Image.fromarray(load(case.answer)), overlay(case))
    for column, picture in enumerate(pictures):
        strip.paste(picture.resize((SIDE, SIDE), Image.Resampling.BOX), (column * (SIDE + GAP), LABEL))
    return strip


def sentences(task: str, cases: list[Case]) -> list[str]:
    """The sentence of a task, and what each further level adds to one before it."""
    texts = [case.instruction for case in cases]
    lines = [f"**{task}**: {texts[0]}\n"]
    for level, text, shorter in zip(LEVELS[1:], texts[1:], (texts[0], texts[0], texts[2]), strict=True):
        lines.append(f"- *{level}*: … {text.removeprefix(shorter).strip()}")
    return [*lines, ""]


def legend(names: list[str]) -> str:
    """The colors of the effects that a suite has."""
    squares = [(name, "#" + "".join(f"{part:02x}" for part in COLORS.get(name, OTHER))) for name in names]
    return ",\n".join(f'{name} <span style="color:{color}">■</span>' for name, color in squares)


def main(name: str, number: int) -> None:
    """Draw all laws and write the page."""
    catalog: PhysicsCatalog = import_module(f"editscope.suites.{name}.catalog").CATALOG
    suite = load_suite(name, per_task=number + 1, levels=LEVELS, size=2 * SIDE)
    parts: list[str] = []
    seen: dict[str, None] = {}
    for law, tasks in catalog.laws.items():
        title, picture = law.replace("_", " ").capitalize(), f"{name}-{law.replace('_', '-')}.png"
        parts.append(f"## {title}\n\n![{title}](images/{picture})\n")
        rows = []
        for task in tasks:
            cases = [suite[f"{task}_{level}/{number:03d}"] for level in LEVELS]
            rows.append(row(cases[0]))
            parts += sentences(task, cases)
            seen |= dict.fromkeys(effect.name for effect in cases[0].effects)
        sheet = Image.new("RGB", (rows[0].width, sum(strip.height for strip in rows)))
        for place, strip in enumerate(rows):
            sheet.paste(strip, (0, place * strip.height))
        sheet.save(DOCS / "images" / picture, optimize=True)
    head = HEAD.format(title=name.capitalize(), name=name, number=number, colors=legend(list(seen)))
    (DOCS / f"contact-sheet-{name}.md").write_text("\n".join([head, *parts]), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
