"""Questions about regions of a picture, read from a row of a data file; every flaw is named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from editscope.cases import Question, Region
from editscope.suites.datafolder.edit_area import CLOSE, SIDE, parsed, sides_of
from editscope.suites.datafolder.rows import DataRow, kind, tag_name


def read_questions(row: DataRow, size: tuple[int, int]) -> Iterator[Question]:
    """The questions of a row, from a list or from an object of lists by category."""
    questions = parsed(row.fields.get("annotated_qa_pairs"))
    if not isinstance(questions, list | dict) or not questions:
        row.flaw("field 'annotated_qa_pairs' holds no questions; give a list of {question, answer, box}")
        return
    lists = questions.items() if isinstance(questions, dict) else [("", questions)]
    scale = SIDE / max(*size, 1)
    canvas = (size[0] * scale, size[1] * scale)
    number = 0
    for category, pairs in lists:
        if not isinstance(pairs, list):
            row.flaw(f"question category {category!r} holds a {kind(pairs)}, not a list of questions")
            continue
        for pair in pairs:
            number += 1
            question = _question(row, pair, f"question {number}", tag_name(str(category)), canvas)
            if question is not None:
                yield question


def _question(row: DataRow, pair: Any, named: str, category: str, canvas: tuple[float, float]) -> Question | None:
    if not isinstance(pair, dict):
        row.flaw(f"{named} is a {kind(pair)}, not an object with question, answer and box")
        return None
    text, answer = pair.get("question"), pair.get("answer")
    if not isinstance(text, str) or not text.strip():
        row.flaw(f"{named} has no text in 'question' that can be read")
    label = answer.strip().rstrip(".").capitalize() if isinstance(answer, str) else None
    if label not in ("Yes", "No"):
        row.flaw(f"{named} has the answer {answer!r}; it must be Yes or No")
    box = _box(row, pair.get("box"), named, canvas)
    if box is None:
        return None
    left, top, wide, high = box
    edges = (round(left), round(top), round(left + wide), round(top + high))
    return Question(str(text).strip(), str(label), Region(named.replace("question ", "q"), edges), category)


def _box(row: DataRow, box: Any, named: str, canvas: tuple[float, float]) -> tuple[float, float, float, float] | None:
    """x, y, width and height of a box that lies on the canvas; None, and a flaw, where there is no such box."""
    sides = sides_of(row, box, named)
    if sides is None:
        return None
    x, y, wide, high = sides
    shown = f"{named} has the box x={x:g} y={y:g} width={wide:g} height={high:g}"
    picture = f"the picture of {canvas[0]:.0f}×{canvas[1]:.0f}"
    if not all(canvas):  # the picture cannot be read; that is reported already
        return None
    if x >= canvas[0] or y >= canvas[1] or x + wide < 0 or y + high < 0:
        row.flaw(f"{shown}, which lies outside {picture}; correct its numbers")
        return None
    if min(x, y) < -CLOSE or x + wide > canvas[0] + CLOSE or y + high > canvas[1] + CLOSE:
        row.odd(f"{shown}, which reaches over the edge of {picture}; only the part inside is used")
    return x, y, wide, high
