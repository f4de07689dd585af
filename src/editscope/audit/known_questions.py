"""Questions whose answers are known: for every effect of a case one, and what is true of each edit of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from editscope.audit.known_edits import KnownEdit
from editscope.cases import Case
from editscope.editors.base import Request
from editscope.editors.reference import ReferenceEditor
from editscope.images import load
from editscope.scoring import EffectScore, score_effects
from editscope.suites.effect_questions import Box, questions_about, true_answer

EDITS = ("oracle", "cutout", "consequences", "identity")
"""The reference editors whose edits a judge is shown: all of it right, the object alone, all else alone, nothing."""


@dataclass(frozen=True, slots=True)
class KnownQuestion:
    """A question about one effect.

    ``area`` is the share of the picture that the effect takes up, ``box`` in pixels of the picture, ``answers`` what is
    true of each edit: an edit that did half of it is not in there.
    """

    text: str
    effect: str
    area: float
    box: Box
    answers: Mapping[str, str]


def questioned_edits(case: Case, seed: int) -> tuple[tuple[KnownEdit, ...], tuple[KnownQuestion, ...]]:
    """The edits of a case that a judge is shown, without doubles, and the questions about them."""
    assert case.answer is not None
    before, answer = load(case.images[0]), load(case.answer)
    edits: list[KnownEdit] = []
    scores: dict[str, EffectScore] = {}
    for name in EDITS:
        request = Request(case.id, (before,), case.instruction, seed, case.tags, answer=answer, effects=case.effects)
        pixels = ReferenceEditor(name).edit(request)
        if any(np.array_equal(pixels, edit.pixels) for edit in edits):
            continue  # fog has no object: its cutout is the input
        scores[name] = score_effects(before, answer, pixels, case.effects, case.ignored)
        edits.append(KnownEdit(name, pixels, scores[name].pixels.miou))
    return tuple(edits), _asked(case, scores)


def _asked(case: Case, scores: Mapping[str, EffectScore]) -> tuple[KnownQuestion, ...]:
    """The questions of a case whose answer is known for an edit at least."""
    areas = {effect.name: float(effect.mask.mean()) for effect in case.effects}
    recoveries = {level: {one.name: one.recovery for one in score.effects} for level, score in scores.items()}
    known = []
    for question in questions_about(case):
        effect = question.category
        answers = {
            level: answer
            for level, by_effect in recoveries.items()
            if effect in by_effect and (answer := true_answer(question, by_effect[effect])) is not None
        }
        if answers and question.region is not None:
            known.append(KnownQuestion(question.text, effect, round(areas[effect], 6), question.region.box, answers))
    return tuple(known)
