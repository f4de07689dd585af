"""Small datasets in the layouts of InEdit-Bench, KRIS-Bench and RISEBench, and of benchmarks of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.judged_data import draw

"""Real cases of the benchmarks, where they are present."""

INEDIT = ("state_transition", "temporal_sequence", "dynamic_process", "scientific_simulation", "process_plausibility")
KRIS = {
    "factual": {
        "attribute": "count_change color_change size_adjustment part_completion anomaly_correction",
        "spatial": "position_movement viewpoint_change",
        "temporal": "temporal_prediction",
    },
    "conceptual": {
        "social": "practical_knowledge humanities",
        "natural": "biology chemistry geography mathematics medicine physics",
    },
    "procedural": {
        "logical": "abstract_reasoning rule-based_reasoning",
        "decomposition": "multi-instruction_execution multi-element_composition",
    },
}
KRIS_CATEGORIES = [name for kinds in KRIS.values() for names in kinds.values() for name in names.split()]
EXPLAINED = (*KRIS["conceptual"]["natural"].split(), *KRIS["conceptual"]["social"].split(), "anomaly_correction")
RISE = ("temporal", "causal", "spatial", "logical")


def write_json(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
    return path


def inedit_row(category: str, number: int) -> dict[str, Any]:
    """One entry of ``data.json``."""
    index = f"{category}_{number}"
    row: dict[str, Any] = {"index": index, "category": category}
    if category == "process_plausibility":
        row |= {f"instruction_{path}": f"Show the way {path} of {index}." for path in "AB"}
    else:
        row["instruction"] = f"Show the way of {index}."
    row["image"] = f"{category}/{index}.png"
    if category in ("dynamic_process", "scientific_simulation"):
        row["checklist"] = f"{{Check Item 1: {index} is right\nDescription: it grows.}}."
    return row


def make_inedit(folder: Path, per_category: int = 2) -> Path:
    """An InEdit-Bench folder: ``data/data.json`` and its pictures."""
    rows = [inedit_row(category, n) for category in INEDIT for n in range(1, per_category + 1)]
    for number, row in enumerate(rows):
        draw(folder / "data" / row["image"], number, (129, 64))
    write_json(folder / "data" / "data.json", rows)
    return folder


def make_kris(folder: Path, per_category: int = 2) -> Path:
    """A KRIS-Bench folder with all twenty categories: frames for temporal prediction, two inputs for composition."""
    for place, category in enumerate(KRIS_CATEGORIES):
        home = folder / "KRIS_Bench" / category
        entries = {}
        for n in range(1, per_category + 1):
            frames = {"temporal_prediction": (2, 3, 4), "multi-element_composition": (1, 2)}.get(category)
            names = [f"{n}-{frame}.png" for frame in frames] if frames else [f"{n}.png"]
            truth = {"temporal_prediction": f"{n}-1.png", "viewpoint_change": f"{n}_gt.png"}.get(category, "")
            for number, name in enumerate([*names, *([truth] if truth else [])]):
                draw(home / name, 50 * place + 10 * n + number)
            entries[str(n)] = {
                "ori_img": names if frames else names[0],
                "gt_img": truth,
                "ins_en": f"Edit {category} {n}.",
                "explain_en": f"Because of {category}." if category in EXPLAINED else "",
            }
        write_json(home / "annotation.json", entries)
    return folder


def rise_row(category: str, number: int) -> dict[str, Any]:
    """One entry of ``data_total.json``: logical cases by turns with a picture and a text to compare with."""
    row: dict[str, Any] = {
        "index": f"{category}_reasoning_{number}",
        "category": f"{category}_reasoning",
        "instruction": f"Draw what {category} {number} becomes.",
        "image": f"{category}_reasoning_images/{number}.png",
    }
    if category != "logical":
        return {**row, "reference": f"What {category} {number} is in the end."}
    if number % 2:
        return {**row, "reference_img": f"logical_reasoning_images/{number}_ref.png"}
    return {**row, "reference_txt": f"The path of {number}."}


def make_rise(folder: Path, per_category: int = 2, file: str = "data_total.json") -> Path:
    """A RISEBench folder: ``data/data_total.json`` and its pictures."""
    rows = [rise_row(category, n) for category in RISE for n in range(1, per_category + 1)]
    for number, row in enumerate(rows):
        for field in ("image", "reference_img"):
            if field in row:
                draw(folder / "data" / row[field], 2 * number + (field != "image"))
    write_json(folder / "data" / file, rows)
    return folder


def make_own(folder: Path, manifest: str, cases: list[dict[str, Any]], prompts: dict[str, str] | None = None) -> Path:
    """A benchmark of one's own; every picture that a case names is drawn, 64 × 48."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.toml").write_text(manifest, encoding="utf-8")
    lines = [json.dumps(case, ensure_ascii=False) for case in cases]
    (folder / "cases.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, text in (prompts or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for number, path in enumerate(sorted({path for case in cases for path in _pictures(case)})):
        draw(folder / path, number, (64, 48))
    return folder


def _pictures(case: dict[str, Any]) -> list[str]:
    named = [case.get(field) for field in ("image", "images", "answer", "references")]
    return [path for given in named if given for path in (given if isinstance(given, list) else [given])]
