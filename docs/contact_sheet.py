"""Draw the contact sheet of PaintBench: every mode under every condition, with its instructions.

Writes docs/images/paintbench/<task>-<mode>.webp and docs/contact-sheet.md.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from editscope.images import load, thumbnail
from editscope.suites import load_suite
from editscope.suites.paintbench.catalog import CATEGORIES, CONDITIONS

HERE = Path(__file__).parent
PICTURES = HERE / "images" / "paintbench"
SIDE, GAP = 150, 6

INTRODUCTION = """# PaintBench contact sheet

Every mode under every condition: the input above, the answer below, and the instruction of each column
under the strip. Problems of the standard set, drawn by `make contact-sheet`. Columns: {columns}.

"""


def strip(pairs: list[tuple[Image.Image, Image.Image]]) -> Image.Image:
    """Inputs in the upper row, answers in the lower."""
    sheet = Image.new("RGB", (len(pairs) * (SIDE + GAP) - GAP, 2 * SIDE + GAP), "#f4f4f2")
    for column, pair in enumerate(pairs):
        for row, picture in enumerate(pair):
            left = column * (SIDE + GAP) + (SIDE - picture.width) // 2
            sheet.paste(picture, (left, row * (SIDE + GAP) + (SIDE - picture.height) // 2))
    return sheet


def main() -> None:
    """Draw all strips and write the page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    suite = load_suite("paintbench", per_mode=1)
    text = [INTRODUCTION.format(columns=", ".join(CONDITIONS))]
    for category, tasks in CATEGORIES.items():
        text.append(f"## {category.replace('_', ' ').capitalize()}\n\n")
        for task, modes in tasks.items():
            for mode in modes:
                ids = suite.select({"task": (task,), "mode": (mode,)})
                cases = [suite[case_id] for case_id in ids]
                pairs = [(_small(c.images[0]), _small(c.answer)) for c in cases]
                name = f"{task}-{mode}.webp" if mode != "default" else f"{task}.webp"
                strip(pairs).save(PICTURES / name, quality=82, method=6)
                title = task.replace("_", " ") + ("" if mode == "default" else f" · {mode.replace('_', ' ')}")
                text.append(f"### {title}\n\n![{title}](images/paintbench/{name})\n\n")
                text += [f"1. *{c.tags['condition']}*: {c.instruction}\n" for c in cases]
                text.append("\n")
    (HERE / "contact-sheet.md").write_text("".join(text), encoding="utf-8")
    print(f"wrote {HERE / 'contact-sheet.md'}")


def _small(picture: object) -> Image.Image:
    return Image.fromarray(thumbnail(load(picture), SIDE))  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
