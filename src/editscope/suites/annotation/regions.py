"""Regions and questions in files: boxes with x, y, width and height, and lists of questions, by category or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editscope.suites.datafolder.edit_area import SIDE, UNKNOWN, edit_area, parsed
from editscope.suites.datafolder.rows import DataRow

SIDES = ("x", "y", "width", "height")
POINTS = "points"
"""The corners of a polygon, beside the box around it that every reader understands."""
CATEGORIES = ("editing completion", "physics consistency")
WITHOUT_QUESTION = "marked_regions"
"""The field that keeps regions which no question looks at yet; other readers ignore it."""


def region_of(box: Any, name: str) -> dict[str, Any] | None:
    """A region of the form for a box of a file; None where it is not a box.

    >>> region_of({"x": 1, "y": 2.5, "width": 3, "height": 4, "order": 1}, "e1")
    {'id': 'e1', 'box': [1, 2.5, 3, 4], 'rest': {'order': 1}}
    """
    if not isinstance(box, dict):
        return None
    sides = [box.get(side) for side in SIDES]
    if not all(isinstance(side, int | float) and not isinstance(side, bool) for side in sides):
        return None
    region: dict[str, Any] = {"id": name, "box": sides}
    points = box.get(POINTS)
    known = {*SIDES}
    if isinstance(points, list) and len(points) >= 3 and all(isinstance(p, list) and len(p) == 2 for p in points):
        region[POINTS] = points
        known.add(POINTS)
    if rest := {key: value for key, value in box.items() if key not in known}:
        region["rest"] = rest
    return region


def box_of(region: Mapping[str, Any]) -> dict[str, Any]:
    """The box of a file for a region of the form."""
    box: dict[str, Any] = dict(zip(SIDES, region["box"], strict=True))
    if region.get(POINTS):
        box[POINTS] = region[POINTS]
    box |= region.get("rest", {})
    return box


def read_edit_area(raw: Mapping[str, Any], size: tuple[int, int] | None) -> list[dict[str, Any]]:
    """The boxes of ``edit_area`` in pixels of the source; those that can only be pixels of the canvas are scaled."""
    areas = parsed(raw.get("edit_area"))
    if not isinstance(areas, list):
        return []
    regions = [region_of(area, f"e{number}") for number, area in enumerate(areas, start=1)]
    kept = [region for region in regions if region is not None]
    if size and edit_area(DataRow("", raw, Path()), size).on_canvas:
        scale = max(size) / SIDE
        for region in kept:
            region["box"] = [round(side * scale, 3) for side in region["box"]]
            if POINTS in region:
                region[POINTS] = [[round(n * scale, 3) for n in point] for point in region[POINTS]]
    return kept


def write_edit_area(regions: Sequence[Mapping[str, Any]], raw: Mapping[str, Any]) -> Any:
    """``edit_area`` of a file: a list of boxes; "unknown" where there are none and the file says so already."""
    if not regions and not isinstance(parsed(raw.get("edit_area")), list):
        return raw.get("edit_area", UNKNOWN)
    return [box_of(region) for region in regions]


def read_pairs(pairs: Any, marked: Any = None) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Regions and questions of a list, or of an object of lists by category; equal boxes are one region.

    ``marked`` holds the boxes that no question looks at yet.
    """
    content = parsed(pairs)
    lists = list(content.items()) if isinstance(content, dict) else [("", content)]
    regions: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for category, entries in lists:
        for pair in entries if isinstance(entries, list) else ():
            if not isinstance(pair, dict):
                continue
            region = region_of(pair.get("box"), f"q{len(regions) + 1}")
            if region is not None:
                same = next((one for one in regions if {**one, "id": ""} == {**region, "id": ""}), None)
                if same is None:
                    regions.append(region)
                region = same or region
            answer = str(pair.get("answer", "")).strip().rstrip(".").capitalize()
            question = {
                "question": str(pair.get("question", "")),
                "answer": answer if answer in ("Yes", "No") else "",
                "category": str(category),
                "region": region["id"] if region else "",
            }
            if rest := {key: value for key, value in pair.items() if key not in ("question", "answer", "box")}:
                question["rest"] = rest
            questions.append(question)
    for box in marked if isinstance(marked, list) else ():
        region = region_of(box, f"q{len(regions) + 1}")
        regions += [region] if region else []
    return regions, questions


def write_pairs(
    questions: Sequence[Mapping[str, Any]], regions: Sequence[Mapping[str, Any]], raw: Any, *, by_category: bool
) -> Any:
    """Questions as a file has them: by category where it had them so, or where a question has a category."""
    boxes = {region["id"]: box_of(region) for region in regions}
    pairs = [
        (
            question.get("category", ""),
            {
                "question": question["question"].strip(),
                "answer": question["answer"],
                **({"box": boxes[question["region"]]} if question["region"] in boxes else {}),
                **question.get("rest", {}),
            },
        )
        for question in questions
    ]
    grouped = isinstance(parsed(raw), dict) or (by_category and any(category for category, _ in pairs))
    if not grouped:
        return [pair for _, pair in pairs]
    names = dict.fromkeys([*(parsed(raw) if isinstance(parsed(raw), dict) else ()), *(name for name, _ in pairs)])
    return {name: [pair for category, pair in pairs if category == name] for name in names}


def unused_regions(questions: Sequence[Mapping[str, Any]], regions: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of regions that no question looks at."""
    used = {question["region"] for question in questions}
    return [place for place, region in enumerate(regions) if region["id"] not in used]


def marked_regions(
    questions: Sequence[Mapping[str, Any]], regions: Sequence[Mapping[str, Any]]
) -> dict[str, list[dict[str, Any]] | None]:
    """The field of a file that keeps regions without a question; None where every region has one."""
    return {WITHOUT_QUESTION: [box_of(regions[place]) for place in unused_regions(questions, regions)] or None}
