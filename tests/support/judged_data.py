"""Small datasets in the layouts that the judged benchmarks are published in, with drawn pictures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

LAWS = (
    ("Optics", "Light_Propagation", "remove"),
    ("Optics", "Light_Source_Effects", "add"),
    ("Optics", "Reflection", "move"),
    ("Optics", "Refraction", "remove"),
    ("Mechanics", "Deformation", "add"),
    ("Mechanics", "Causality", "remove"),
    ("State", "Global", "weather"),
    ("State", "Local", "wet"),
)
MODES = (
    *("time", "temperature", "humidity", "acidity", "light"),
    *("break", "inflate", "squeeze", "twist", "stretch", "other"),
)


def draw(path: Path, number: int, size: tuple[int, int] = (96, 64)) -> Path:
    """A picture that differs from number to number: a box and a disc on a colored ground."""
    image = Image.new("RGB", size, ((37 * number) % 256, (91 * number + 80) % 256, (53 * number + 160) % 256))
    pen = ImageDraw.Draw(image)
    wide, high = size
    left = (number * 7) % max(1, wide // 2)
    pen.rectangle((left, high // 4, left + wide // 4, high // 2), fill=(200, 40, (number * 29) % 256))
    pen.ellipse((wide // 2, high // 3, wide * 3 // 4, high * 3 // 4), fill=(20, (number * 67) % 256, 120))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
    return path


def picabench_row(number: int, *, hub: bool = False, questions: int = 2, by_category: bool = False) -> dict[str, Any]:
    """One entry of ``meta_info.json``: law by turns, labels Yes and No by turns, every fourth without edit area."""
    category, law, operation = LAWS[number % len(LAWS)]
    pairs = [
        {
            "question": f"Is thing {number}.{q} where it belongs?",
            "answer": "No" if (number + q) % 2 else "Yes",
            "box": {"x": 101.25 + 40 * q, "y": 76.5 + 10 * q, "width": 169.44, "height": 202.96},
        }
        for q in range(questions)
    ]
    half = (questions + 1) // 2
    texts = {f"{level}_prompt": f"{level} wish {number}" for level in ("superficial", "intermediate", "explicit")}
    return {
        "index": number,
        "input_path": f"input_img/{number:05d}.png",
        "output_path": f"output_img/{number:05d}.png",
        **(texts if hub else {"edit_instruction": f"superficial wish {number}", "difficulty": "superficial"}),
        "physics_category": category,
        "physics_law": law,
        "edit_operation": operation,
        "annotated_qa_pairs": (
            {"editing completion": pairs[:half], "physics consistency": pairs[half:]} if by_category else pairs
        ),
        "edit_area": "unknown"
        if number % 4 == 3
        else [{"x": 10.5, "y": 8.0, "width": 20.25, "height": 12.0, "id": f"a{number}", "order": 1}],
    }


def make_picabench(
    folder: Path,
    n: int = 8,
    *,
    questions: int = 2,
    hub: bool = False,
    by_category: bool = False,
    size: tuple[int, int] = (96, 64),
) -> Path:
    """A PICABench folder with ``n`` cases, one law after the other; ``hub`` gives them all three levels."""
    rows = [picabench_row(i, hub=hub, questions=questions, by_category=by_category) for i in range(n)]
    for row in rows:
        draw(folder / row["input_path"], row["index"], size)
    write_json(folder / "meta_info.json", rows)
    return folder


def worldedit_row(number: int) -> dict[str, Any]:
    """One line of WorldEdit's ``cases.jsonl``, modes by turns."""
    mode = MODES[number % len(MODES)]
    return {
        "id": f"{mode}_{number:03d}",
        "image": f"images/{number:03d}.png",
        "instruction": f"What happens to thing {number} under {mode}?",
        "paraphrase": f"Show thing {number} changed by {mode}.",
        "mode": mode,
        "explanation": f"Because of {mode}.",
    }


def make_worldedit(folder: Path, n: int = 11, *, size: tuple[int, int] = (96, 64)) -> Path:
    """A WorldEdit folder with ``n`` cases, one mode after the other."""
    rows = [worldedit_row(i) for i in range(n)]
    for number, row in enumerate(rows):
        draw(folder / row["image"], number, size)
    write_lines(folder / "cases.jsonl", rows)
    return folder


def wiseedit_row(subset: str, place: str, number: int, count: int) -> dict[str, str]:
    """One row of a WiseEdit CSV; the reference column takes each of its forms by turns."""
    refs = [f"{place}/ref/{number}_{r}.png" for r in range(number % 3)]
    forms = ("|".join(refs), json.dumps(refs), ";".join(refs))
    return {
        "idx": str(number),
        **{f"input_{i}": f"{place}/imgs/{number}_{i}.png" for i in range(1, count + 1)},
        "prompt": f'Wish {number} of {subset}, "quoted", with commas',
        "promptcn": f"愿望 {number}，{subset}",
        "hint": f"Hint {number}" if number % 2 else "",
        "ref": forms[number % 3] if refs else "",
    }


def make_wiseedit(
    folder: Path,
    per_subset: int = 2,
    *,
    subsets: Iterable[tuple[str, int]] = (
        ("Awareness", 1),
        ("Awareness", 2),
        ("Interpretation", 1),
        ("Imagination", 2),
        ("Imagination", 3),
    ),
    complex_inputs: Iterable[int] = (2, 3),
    tags: bool = False,
    size: tuple[int, int] = (48, 32),
) -> Path:
    """A folder with WiseEdit and WiseEdit-Complex: ``per_subset`` cases in each CSV file, ``tags.csv`` if asked for."""
    places = [(f"{task}_{n}", f"WiseEdit/{task}/{task}_{n}", n) for task, n in subsets]
    places += [(f"WiseEdit_Complex_{n}", f"WiseEdit-Complex/WiseEdit_Complex_{n}", n) for n in complex_inputs]
    tagged = []
    for subset, place, count in places:
        rows = [wiseedit_row(subset, place, i, count) for i in range(1, per_subset + 1)]
        for row in rows:
            number = int(row["idx"])
            for i in range(1, count + 1):
                draw(folder / row[f"input_{i}"], 10 * number + i, size)
            for r in range(number % 3):
                draw(folder / f"{place}/ref/{number}_{r}.png", 100 * number + r, size)
            kind = ("declarative", "procedural", "metacognitive")[number % 3]
            tagged.append({"subset": subset, "idx": row["idx"], "knowledge": kind, "domain": "natural sciences"})
        write_csv(folder / place / f"{subset}.csv", rows)
    if tags:
        write_csv(folder / "tags.csv", tagged)
    return folder


def write_json(path: Path, content: Any) -> None:
    """A JSON file."""
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """A file with one JSON object a line."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_csv(path: Path, rows: list[dict[str, str]]) -> None:
    """A CSV file in UTF-8 with a byte order mark, as spreadsheets write it."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode())
