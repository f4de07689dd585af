"""Questions about the effects of an edit: one for each effect, with a box, and the answer that is true of an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Case, Question, Region
from editscope.errors import BadInput
from editscope.suites.registry import known_benchmark

Mask: TypeAlias = npt.NDArray[np.bool_]
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, the last two exclusive."""

DONE, UNDONE = 0.9, 0.1
"""From this recovery on an effect looks as in the answer, and up to that one as in the input."""
MARGIN = 0.02
"""What a judge sees around a box, as a share of the longer side of the picture."""
MOST_BESIDE = 0.03
"""The share of a thing that may show in the box of another question about it."""


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """Two questions about one effect: ``after`` is true of the answer alone, ``before`` of the input alone.

    ``within`` is the part of the effect to look at, where that is not all of it.
    """

    after: str
    before: str
    within: Mask | None = None


def questions_about(case: Case) -> tuple[Question, ...]:
    """The questions about the effects of a case, in the wording of its benchmark; boxes are in pixels of the picture.

    ``category`` is the name of the effect, ``answer`` what is true of the right picture. BadInput where the benchmark
    has no wording.
    """
    record = known_benchmark(case.suite)
    if record is None or not record.questions:
        raise BadInput(f"suite {case.suite} has no questions about effects; choose another suite")
    questions: tuple[Question, ...] = record.part("questions")(case)
    return questions


def worded(case: Case, wordings: Mapping[str, Wording], key: str) -> tuple[Question, ...]:
    """One question for each effect that has a wording; about half of them are true of the right picture.

    ``key`` decides with which the turns begin, so that equal keys give equal questions.
    """
    turn = sha256(key.encode()).digest()[0] % 2
    questions: list[Question] = []
    for effect in case.effects:
        if (wording := wordings.get(effect.name)) is None:
            continue
        mask = effect.mask if wording.within is None else wording.within
        text, answer = ((wording.after, "Yes"), (wording.before, "No"))[(turn + len(questions)) % 2]
        questions.append(Question(text, answer, Region(effect.name, box_of(mask)), effect.name))
    return tuple(questions)


def judged_id(case_id: str) -> str:
    """The id of a case in a set that was written for judges, whose ids name files.

    >>> judged_id("remove_object_superficial/003")
    'remove_object_superficial-003'
    """
    return case_id.replace("/", "-")


def true_answer(question: Question, recovery: float) -> str | None:
    """The answer that is true of an edit with this recovery of the effect; None where it is neither done nor undone.

    >>> gone = Question("Is the shadow of the ball gone?", "Yes")
    >>> true_answer(gone, 1.0), true_answer(gone, 0.0), true_answer(gone, 0.5)
    ('Yes', 'No', None)
    """
    if recovery >= DONE:
        return question.answer
    if recovery <= UNDONE:
        return "No" if question.answer == "Yes" else "Yes"
    return None


def box_of(mask: Mask) -> Box:
    """The smallest box about the pixels of a mask.

    >>> box_of(np.array([[False, False, False], [False, True, True]]))
    (1, 1, 3, 2)
    """
    rows, columns = np.nonzero(mask)
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def seen_alone(here: Mask, there: Mask) -> bool:
    """Whether what a judge sees of ``here`` holds next to nothing of ``there``.

    >>> here, there = np.zeros((2, 50, 50), bool)
    >>> here[:10, :10] = there[30:, 30:] = True
    >>> seen_alone(here, there), seen_alone(here | there, there)
    (True, False)
    """
    if not here.any() or not there.any():
        return bool(here.any())
    left, top, right, bottom = box_of(here)
    margin = round(MARGIN * max(here.shape))
    shown = there[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin]
    return int(shown.sum()) <= MOST_BESIDE * int(there.sum())
