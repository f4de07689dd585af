"""Questions about effects keep the rules of questions, and their answers follow from what an edit did."""

from __future__ import annotations

from itertools import pairwise

import pytest

from editscope.cases import Case
from editscope.errors import BadInput
from editscope.factory.rules.records import CaseQuestions, QuestionText
from editscope.factory.rules.registry import breaches
from editscope.images import load
from editscope.scoring import score_effects
from editscope.suites import Suite, load_suite
from editscope.suites.effect_questions import Wording, questions_about, true_answer
from editscope.suites.mechanics import questions as mechanics
from editscope.suites.mechanics.catalog import CATALOG as MECHANICS
from editscope.suites.optics import questions as optics
from editscope.suites.optics.catalog import CATALOG as OPTICS
from editscope.suites.physics.question_scene import QuestionScene

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=["optics", "mechanics"])
def suite(request: pytest.FixtureRequest) -> Suite:
    return load_suite(request.param, per_task=1, levels="superficial,explicit", size=128)


@pytest.fixture(scope="module")
def cases(suite: Suite) -> list[Case]:
    return list(suite)


def wordings(case: Case) -> dict[str, Wording]:
    writers = optics.WRITERS if case.suite == "optics" else mechanics.WRITERS
    return writers[case.tags["task"]](QuestionScene(case))


def test_every_wording_keeps_the_rules_of_questions(cases: list[Case]) -> None:
    broken = [
        (case.id, breach)
        for case in cases
        for wording in wordings(case).values()
        for text in (wording.after, wording.before)
        for breach in breaches("question", QuestionText(text, "Yes", category="physics"))
    ]
    assert broken == []
    for case in cases:
        texts = tuple(question.text for question in questions_about(case))
        assert breaches("questions", CaseQuestions(texts), without=["question_count"]) == [], case.id


def test_half_of_the_labels_are_yes(cases: list[Case]) -> None:
    labels = [question.answer for case in cases for question in questions_about(case)]
    assert abs(labels.count("Yes") - labels.count("No")) <= 0.2 * len(labels)


def test_every_task_has_wordings() -> None:
    assert set(optics.WRITERS) == set(OPTICS.tasks) and set(mechanics.WRITERS) == set(MECHANICS.tasks)


def test_effects_that_stay_in_place_are_always_asked_about(cases: list[Case]) -> None:
    for case in cases:
        task, asked = case.tags["task"], {question.category for question in questions_about(case)}
        if case.suite == "optics" and not task.startswith(("move_", "add_", "turn_", "dim_")):
            assert set(OPTICS.needed_effects(task)) <= asked, case.id


def test_what_falls_is_always_asked_about_and_so_is_water(cases: list[Case]) -> None:
    for case in cases:
        asked = {question.category for question in questions_about(case)}
        assert {effect.name for effect in case.effects} & {"fallen", "water"} <= asked or case.suite == "optics"


def test_boxes_hold_the_effect_and_levels_share_their_questions(cases: list[Case]) -> None:
    for plain, explicit in list(pairwise(cases))[::2]:
        assert questions_about(plain) == questions_about(explicit)
    for case in cases:
        masks = {effect.name: effect.mask for effect in case.effects}
        for question in questions_about(case):
            assert question.region is not None
            left, top, right, bottom = question.region.box
            mask = masks[question.category]
            inside = mask[top:bottom, left:right]
            if case.suite == "optics":
                assert inside[0].any() and inside[-1].any() and inside[:, 0].any() and inside[:, -1].any()
            elif question.category == "shadow":  # what is around a spot is shown too; the spot is in the middle
                assert mask[(top + bottom) // 2, (left + right) // 2]
            else:
                assert inside.sum() >= min(0.5 * mask.sum(), 0.0004 * mask.size)


def test_the_answer_of_the_right_picture_is_the_label_and_that_of_the_input_the_other(cases: list[Case]) -> None:
    for case in cases:
        assert case.answer is not None
        before, answer = load(case.images[0]), load(case.answer)
        for picture, same in ((answer, True), (before, False)):
            score = score_effects(before, answer, picture, case.effects, case.ignored)
            recoveries = {effect.name: effect.recovery for effect in score.effects}
            for question in questions_about(case):
                truth = true_answer(question, recoveries[question.category])
                assert (truth == question.answer) is same and truth in ("Yes", "No")


def test_a_suite_without_questions_is_named() -> None:
    case = next(iter(load_suite("paintbench")))
    with pytest.raises(BadInput, match="suite paintbench has no questions"):
        questions_about(case)
