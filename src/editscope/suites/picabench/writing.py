"""Cases of other suites as a PICABench folder: pictures, and a ``meta_info.json`` with a question for every effect."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from editscope.cases import Case, Question
from editscope.images import encode_png, load
from editscope.suites.annotation.writing import json_list_bytes
from editscope.suites.base import Suite
from editscope.suites.datafolder.edit_area import SIDE
from editscope.suites.effect_questions import Box, box_of, judged_id, questions_about
from editscope.suites.generated.whole import UNFINISHED
from editscope.suites.generated.writing import claim_folder, remove_remains, replace_file
from editscope.suites.picabench.data import FILE, LAWS, OTHER_LAWS, PicaBenchSuite

PICTURES = "inputs"


def write_judged(out: Path, suite: Suite, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Write the cases of a suite whose effects are known, and return how many there are.

    A case of which nothing can be asked is left out. A folder in which this was begun is written to the end; BadInput
    where it holds anything else.
    """
    _claim(out, suite)
    entries = []
    for number, case_id in enumerate(suite.ids, start=1):
        case = suite[case_id]
        if questions := questions_about(case):
            entries.append(_entry(case, questions, out))
        if on_progress is not None:
            on_progress(number, len(suite))
    replace_file(out / FILE, json_list_bytes(entries))
    (out / UNFINISHED).unlink()
    return len(entries)


def _claim(out: Path, suite: Suite) -> None:
    """Make sure that the folder is ours to write, and free of what a killed process left."""
    marker = {
        "format": PicaBenchSuite.name,
        "suite": suite.name,
        "fingerprint": suite.fingerprint,
        "options": dict(suite.options),
    }
    content = json.dumps(marker, indent=1, default=str).encode() + b"\n"
    claim_folder(out, UNFINISHED, content, "the unfinished cases of this command")
    for folder in (out, out / PICTURES):
        remove_remains(folder)


def _entry(case: Case, questions: tuple[Question, ...], out: Path) -> dict[str, Any]:
    pixels = load(case.images[0])
    data = encode_png(pixels, fixed_bytes=True)
    # Levels of a problem share their picture, so it is named by what it shows.
    picture = Path(PICTURES) / f"{sha256(data).hexdigest()[:16]}.png"
    if not (out / picture).is_file():
        replace_file(out / picture, data)
    law = OTHER_LAWS.get(case.tags["law"], case.tags["law"])
    scale = SIDE / max(pixels.shape[:2])
    pairs: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        assert question.region is not None
        pair = {"question": question.text, "answer": question.answer, "box": _sides(question.region.box, scale)}
        pairs.setdefault(question.category, []).append(pair)
    return {
        "index": judged_id(case.id),
        "source_case": case.id,
        "input_path": picture.as_posix(),
        "edit_instruction": case.instruction,
        "difficulty": case.tags.get("level", ""),
        "physics_category": LAWS[law],
        "physics_law": law,
        "edit_operation": case.tags.get("task", "edit"),
        "annotated_qa_pairs": pairs,
        "edit_area": _edit_area(case),
    }


def _sides(box: Box, scale: float) -> dict[str, float]:
    left, top, right, bottom = (round(side * scale, 2) for side in box)
    return {"x": left, "y": top, "width": round(right - left, 2), "height": round(bottom - top, 2)}


def _edit_area(case: Case) -> list[dict[str, float]]:
    """The box about all that changes, in pixels of the source with inclusive edges."""
    mask = np.logical_or.reduce([effect.mask for effect in case.effects])
    if case.ignored is not None:
        mask = mask | case.ignored
    left, top, right, bottom = box_of(mask)
    return [_sides((left, top, right - 1, bottom - 1), 1.0)]
