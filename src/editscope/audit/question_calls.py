"""Calls of questions: each about every edit, with the prompts and crops of the protocol that asks such questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from editscope.audit.known_edit_set import AuditProblem, KnownEditSet
from editscope.cases import Case, Instruction, Question, Region
from editscope.errors import BadInput
from editscope.images import Pixels, decode
from editscope.judges import Call
from editscope.judges.prompts.packs import PromptPack
from editscope.scoring.rubrics.base import Rubric, Unit
from editscope.suites.rubrics import load_rubric

PROTOCOL = "picabench"
CANVAS = 1024
"""The longer side of the canvas that boxes of questions are on, in that protocol."""


def question_rubric() -> Rubric:
    """The protocol whose prompts and crops the judge gets."""
    return load_rubric(PROTOCOL)


def asked_keys(problem: AuditProblem) -> Iterator[tuple[str, int, str]]:
    """The key of every call about a problem, with the place of its question and the edit that is shown."""
    for edit in problem.edits:
        for place, question in enumerate(problem.questions):
            if edit.level in question.answers:
                yield f"ask:{edit.level}:{place + 1}", place, edit.level


def question_calls(edit_set: KnownEditSet, problem: AuditProblem, rubric: Rubric, pack: PromptPack) -> Iterator[Call]:
    """A call for every question about every edit for which the answer is known."""
    keys = {(place, level): key for key, place, level in asked_keys(problem)}
    for edit in problem.edits:
        pixels = decode(edit_set.picture(edit).data, name=edit.file).pixels
        case = canvas_case(problem, pixels)
        calls = rubric.calls(case, Unit(problem.id, ("",)), {"": pixels}, pack)
        for place, call in enumerate(calls):
            if (place, edit.level) in keys:
                yield replace(call, key=keys[place, edit.level])


def canvas_case(problem: AuditProblem, pixels: Pixels) -> Case:
    """The problem as a case of the protocol."""
    scale = CANVAS / max(pixels.shape[:2])
    questions = tuple(
        Question(one.text, "Yes", Region(f"q{number}", scaled_box(one.box, scale)), one.effect)
        for number, one in enumerate(problem.questions, start=1)
    )
    if not questions:
        raise BadInput(f"problem {problem.id} has no questions, and others of its set have; create the set again")
    return Case(problem.id, PROTOCOL, (), (Instruction(problem.instruction),), problem.tags, questions=questions)


def scaled_box(box: tuple[int, int, int, int], scale: float) -> tuple[int, int, int, int]:
    """A box on a canvas.

    >>> scaled_box((10, 20, 31, 41), 2.0)
    (20, 40, 62, 82)
    """
    left, top, right, bottom = (round(side * scale) for side in box)
    return left, top, right, bottom
