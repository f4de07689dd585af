"""Small sets in the layouts of the judged benchmarks; they stay as they are, so that recordings can be compared."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

LAWS = (
    ("Optics", "Light_Propagation", "remove"),
    ("Optics", "Reflection", "move"),
    ("Optics", "Refraction", "remove"),
    ("Mechanics", "Deformation", "add"),
    ("Mechanics", "Causality", "remove"),
    ("State", "Global", "weather"),
    ("State", "Local", "wet"),
)
MODES = ("time", "temperature", "humidity", "acidity", "light", "break", "inflate", "squeeze", "twist", "stretch")
INEDIT = ("state_transition", "temporal_sequence", "dynamic_process", "scientific_simulation", "process_plausibility")
KRIS = (
    *("count_change", "color_change", "size_adjustment", "part_completion", "anomaly_correction"),
    *("position_movement", "viewpoint_change", "temporal_prediction", "practical_knowledge", "humanities"),
    *("biology", "chemistry", "geography", "mathematics", "medicine", "physics", "abstract_reasoning"),
    *("rule-based_reasoning", "multi-instruction_execution", "multi-element_composition"),
)
KRIS_EXPLAINED = (*KRIS[8:16], "anomaly_correction")
RISE = ("temporal", "causal", "spatial", "logical")

EDITOR = '''
"""An editor that changes pictures in a way that follows from the case, and gives none for some."""

from hashlib import sha256

import editscope
from PIL import ImageDraw


class Painter(editscope.Editor):
    name = "painter"

    def __init__(self, brush: int = 8) -> None:
        self.brush = brush

    def edit(self, case):
        number = int(sha256(f"{case.case_id}|{case.variant}|{case.seed}|{self.brush}".encode()).hexdigest(), 16)
        if number % 13 == 0:
            raise ValueError("the model gave no picture")
        image = case.images[0].convert("RGB")
        left, top = number % max(1, image.width - self.brush), number // 97 % max(1, image.height - self.brush)
        ImageDraw.Draw(image).rectangle((left, top, left + self.brush, top + self.brush), fill=(number % 256, 90, 30))
        return image
'''
"""The text of a module with an editor; it knows the public names of Editscope only."""


def write_sets(folder: Path) -> None:
    """Write every set into a folder of its own, and the editor beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "painter.py").write_text(EDITOR, encoding="utf-8")
    _picabench(folder / "picabench")
    _worldedit(folder / "worldedit")
    _wiseedit(folder / "wiseedit")
    _inedit(folder / "inedit")
    _kris(folder / "kris")
    _rise(folder / "rise")


def draw(path: Path, number: int, size: tuple[int, int] = (96, 64)) -> None:
    """Draw a picture that differs from number to number."""
    image = Image.new("RGB", size, ((37 * number) % 256, (91 * number + 80) % 256, (53 * number + 160) % 256))
    pen = ImageDraw.Draw(image)
    left = (number * 7) % (size[0] // 2)
    pen.rectangle((left, size[1] // 4, left + size[0] // 4, size[1] // 2), fill=(200, 40, (number * 29) % 256))
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def _picabench(folder: Path) -> None:
    rows = []
    for number in range(14):
        category, law, operation = LAWS[number % len(LAWS)]
        questions = [
            {
                "question": f"Is thing {number}.{q} where it belongs?",
                "answer": "No" if (number + q) % 2 else "Yes",
                "box": {"x": 101.25 + 40 * q, "y": 76.5 + 10 * q, "width": 169.44, "height": 202.96},
            }
            for q in range(2)
        ]
        area = [{"x": 10.5, "y": 8.0, "width": 20.25, "height": 12.0, "id": f"a{number}", "order": 1}]
        row = {
            "index": number,
            "input_path": f"input_img/{number:05d}.png",
            "output_path": f"output_img/{number:05d}.png",
            **{f"{level}_prompt": f"{level} wish {number}" for level in ("superficial", "intermediate", "explicit")},
            "physics_category": category,
            "physics_law": law,
            "edit_operation": operation,
            "annotated_qa_pairs": questions,
            "edit_area": "unknown" if number % 4 == 3 else area,
        }
        draw(folder / f"input_img/{number:05d}.png", number)
        rows.append(row)
    _json(folder / "meta_info.json", rows)


def _worldedit(folder: Path) -> None:
    lines = []
    for number, mode in enumerate(2 * MODES):
        row = {
            "id": f"{mode}_{number:03d}",
            "image": f"images/{number:03d}.png",
            "instruction": f"What happens to thing {number} under {mode}?",
            "paraphrase": f"Show thing {number} changed by {mode}.",
            "mode": mode,
            "explanation": f"Because of {mode}.",
        }
        draw(folder / row["image"], number)
        lines.append(json.dumps(row) + "\n")
    (folder / "cases.jsonl").write_text("".join(lines), encoding="utf-8")


def _wiseedit(folder: Path) -> None:
    places = [
        (f"{task}_{n}", f"WiseEdit/{task}/{task}_{n}", n) for task in ("Awareness", "Imagination") for n in (1, 2)
    ]
    places += [("Interpretation_1", "WiseEdit/Interpretation/Interpretation_1", 1)]
    places += [(f"WiseEdit_Complex_{n}", f"WiseEdit-Complex/WiseEdit_Complex_{n}", n) for n in (2, 3)]
    for subset, place, count in places:
        rows = []
        for number in (1, 2, 3):
            references = [f"{place}/ref/{number}_{r}.png" for r in range(number % 3)]
            inputs = {f"input_{i}": f"{place}/imgs/{number}_{i}.png" for i in range(1, count + 1)}
            for i, path in enumerate([*inputs.values(), *references]):
                draw(folder / path, 10 * number + i, (48, 32))
            wish = {"prompt": f'Wish {number} of {subset}, "quoted"', "promptcn": f"愿望 {number}，{subset}"}
            hint = f"Hint {number}" if number % 2 else ""
            rows.append({"idx": str(number), **inputs, **wish, "hint": hint, "ref": "|".join(references)})
        with (folder / place / f"{subset}.csv").open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def _inedit(folder: Path) -> None:
    rows: list[dict[str, Any]] = []
    for category in INEDIT:
        for number in (1, 2, 3):
            index = f"{category}_{number}"
            row: dict[str, Any] = {"index": index, "category": category, "image": f"{category}/{index}.png"}
            if category == "process_plausibility":
                row |= {f"instruction_{path}": f"Show the way {path} of {index}." for path in "AB"}
            else:
                row["instruction"] = f"Show the way of {index}."
            if category in ("dynamic_process", "scientific_simulation"):
                row["checklist"] = f"{{Check Item 1: {index} is right\nDescription: it grows.}}."
            draw(folder / "data" / row["image"], len(rows), (129, 64))
            rows.append(row)
    _json(folder / "data" / "data.json", rows)


def _kris(folder: Path) -> None:
    for place, category in enumerate(KRIS):
        home = folder / "KRIS_Bench" / category
        frames = {"temporal_prediction": (2, 3, 4), "multi-element_composition": (1, 2)}.get(category)
        entries = {}
        for n in (1, 2):
            names = [f"{n}-{frame}.png" for frame in frames] if frames else [f"{n}.png"]
            truth = {"temporal_prediction": f"{n}-1.png", "viewpoint_change": f"{n}_gt.png"}.get(category, "")
            for number, name in enumerate([*names, *([truth] if truth else [])]):
                draw(home / name, 50 * place + 10 * n + number)
            entries[str(n)] = {
                "ori_img": names if frames else names[0],
                "gt_img": truth,
                "ins_en": f"Edit {category} {n}.",
                "explain_en": f"Because of {category}." if category in KRIS_EXPLAINED else "",
            }
        _json(home / "annotation.json", entries)


def _rise(folder: Path) -> None:
    rows: list[dict[str, Any]] = []
    for category in RISE:
        for number in (1, 2, 3, 4):
            pictures = f"{category}_reasoning_images"
            row = {
                "index": f"{category}_reasoning_{number}",
                "category": f"{category}_reasoning",
                "instruction": f"Draw what {category} {number} becomes.",
                "image": f"{pictures}/{number}.png",
            }
            draw(folder / "data" / row["image"], 2 * len(rows))
            if category != "logical":
                row["reference"] = f"What {category} {number} is in the end."
            elif number % 2:
                row["reference_img"] = f"{pictures}/{number}_ref.png"
                draw(folder / "data" / row["reference_img"], 2 * len(rows) + 1)
            else:
                row["reference_txt"] = f"The path of {number}."
            rows.append(row)
    _json(folder / "data" / "data_total.json", rows)


def _json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
