"""Draw the contact sheets: every mode of PaintBench under every condition, every task of TinyGrafixBench.

Writes docs/images/<suite>/….webp, docs/contact-sheet.md and docs/contact-sheet-charts.md.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from editscope.cases import Case
from editscope.images import load, thumbnail
from editscope.suites import load_suite
from editscope.suites.paintbench.catalog import CATEGORIES, CONDITIONS
from editscope.suites.tinygrafix.catalog import CHARTS

HERE = Path(__file__).parent
GAP = 6

SHAPES = """# PaintBench contact sheet

Every mode under every condition: the input above, the answer below, and the instruction of each column
under the strip. Problems of the standard set, drawn by `make contact-sheet`. Columns: {columns}.

"""
DRAWN = """# TinyGrafixBench contact sheet

Three problems of each task: the input above, the answer below, and the instruction of each column under the strip.
Problems of the standard set, drawn by `make contact-sheet`.

"""


def strip(cases: list[Case], side: int) -> Image.Image:
    """Inputs in the upper row, answers in the lower."""
    pairs = [(_small(case.images[0], side), _small(case.answer, side)) for case in cases]
    high = max(picture.height for pair in pairs for picture in pair)
    sheet = Image.new("RGB", (len(pairs) * (side + GAP) - GAP, 2 * high + GAP), "#f4f4f2")
    for column, pair in enumerate(pairs):
        for row, picture in enumerate(pair):
            left = column * (side + GAP) + (side - picture.width) // 2
            sheet.paste(picture, (left, row * (high + GAP) + (high - picture.height) // 2))
    return sheet


def section(suite: str, name: str, title: str, cases: list[Case], labels: list[str], side: int) -> str:
    """Draw one strip and write its part of the page."""
    file = HERE / "images" / suite / f"{name}.webp"
    file.parent.mkdir(parents=True, exist_ok=True)
    strip(cases, side).save(file, quality=82, method=6)
    lines = [f"1. {label}{case.instruction}\n" for label, case in zip(labels, cases, strict=True)]
    return f"### {title}\n\n![{title}](images/{suite}/{name}.webp)\n\n{''.join(lines)}\n"


def paintbench() -> str:
    """The page of PaintBench."""
    suite = load_suite("paintbench", per_mode=1)
    text = [SHAPES.format(columns=", ".join(CONDITIONS))]
    for category, tasks in CATEGORIES.items():
        text.append(f"## {category.replace('_', ' ').capitalize()}\n\n")
        for task, modes in tasks.items():
            for mode in modes:
                cases = [suite[case_id] for case_id in suite.select({"task": (task,), "mode": (mode,)})]
                alone = mode == "default"
                name = task if alone else f"{task}-{mode}"
                title = task.replace("_", " ") + ("" if alone else f" · {mode.replace('_', ' ')}")
                labels = [f"*{case.tags['condition']}*: " for case in cases]
                text.append(section("paintbench", name, title, cases, labels, side=150))
    return "".join(text)


def tinygrafix() -> str:
    """The page of TinyGrafixBench."""
    suite = load_suite("tinygrafix", per_task=3)
    text = [DRAWN]
    for chart, tasks in CHARTS.items():
        text.append(f"## {chart.replace('_', ' ').capitalize()}\n\n")
        for task, operation in tasks.items():
            folder = f"{chart}_{task}"
            cases = [suite[case_id] for case_id in suite.select({"task": (folder,)})]
            title = f"{task.replace('_', ' ')} ({operation})"
            text.append(section("tinygrafix", folder, title, cases, [""] * len(cases), side=400))
    return "".join(text)


def _small(picture: object, side: int) -> Image.Image:
    return Image.fromarray(thumbnail(load(picture), side))  # type: ignore[arg-type]


def main() -> None:
    """Write both pages."""
    for name, page in (("contact-sheet", paintbench), ("contact-sheet-charts", tinygrafix)):
        (HERE / f"{name}.md").write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}.md")


if __name__ == "__main__":
    main()
