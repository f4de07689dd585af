"""The instrument on Mechanics: a right edit recovers everything, no edit nothing, and every sentence fits its picture.

``make test`` takes one problem of each task, ``make drills`` all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from drills import counts
from editscope.editors import Request, load_editor
from editscope.images import Pixels, load
from editscope.scoring import score_effects
from editscope.suites import load_suite
from editscope.suites.mechanics.catalog import CATALOG
from editscope.suites.physics.catalog import LEVELS
from editscope.suites.physics.make import draw, sentence, where
from editscope.suites.raytracing.render import place_in_picture, render
from editscope.suites.raytracing.scene import SHADOWING, Camera

pytestmark = pytest.mark.slow


def pictures(task: str) -> list[str]:
    return [f"{task}_superficial/{number:03d}" for number in range(counts.times(usual=1, full=40))]


@pytest.mark.drill
@pytest.mark.parametrize("task", CATALOG.tasks)
def test_oracle_identity_and_cutout_score_what_they_are(task: str) -> None:
    suite = load_suite("mechanics", size=counts.times(usual=256, full=512))
    for case_id in pictures(task):
        case = suite.case(case_id)
        before, answer = load(case.images[0]), load(case.answer)  # type: ignore[arg-type]

        def scored(editor: str) -> tuple[float | None, float | None, float]:
            request = Request(case.id, (before,), "do", 1, answer=answer, effects=case.effects)  # noqa: B023
            made = load_editor(editor).edit(request)
            assert isinstance(made, np.ndarray)
            score = score_effects(before, answer, made, case.effects, case.ignored)  # noqa: B023
            return score.direct, score.consequences, min(score.pixels.preservation_accuracy)

        assert scored("ref:oracle") == (1.0, 1.0, 1.0)
        assert scored("ref:identity") == (0.0, 0.0, 1.0)
        assert scored("ref:cutout") == (1.0, 0.0, 1.0)
        assert scored("ref:consequences")[:2] == (0.0, 1.0)


@pytest.mark.drill
@pytest.mark.parametrize("task", CATALOG.tasks)
def test_every_change_belongs_to_one_effect_and_needed_effects_are_there(task: str) -> None:
    suite = load_suite("mechanics", size=counts.times(usual=256, full=512))
    for case_id in pictures(task):
        case = suite.case(case_id)
        before, answer = load(case.images[0]), load(case.answer)  # type: ignore[arg-type]
        assert case.ignored is not None
        changed = np.any(before != answer, axis=2)
        owners = sum((effect.mask.astype(int) for effect in case.effects), case.ignored.astype(int))
        assert np.array_equal(np.asarray(owners) > 0, changed)
        assert np.asarray(owners).max() == 1
        assert set(CATALOG.needed_effects(task)) <= {effect.name for effect in case.effects}
        assert [effect.name for effect in case.effects if effect.direct] == ["object"]
        assert case.ignored.mean() < 0.01


@pytest.mark.drill
@pytest.mark.parametrize("task", CATALOG.tasks)
def test_levels_share_pictures_and_say_more_and_more(task: str) -> None:
    suite = load_suite("mechanics", tasks=task, levels=",".join(LEVELS), per_task=40, size=128)
    for number in range(counts.times(usual=2, full=40)):
        cases = [suite.case(f"{task}_{level}/{number:03d}") for level in LEVELS]
        sentences = [case.instruction for case in cases]
        assert all(longer.startswith(sentences[0]) for longer in sentences[1:])
        assert len(set(sentences)) == len(LEVELS)
        assert len(sentences[0]) < len(sentences[1])
        for text in sentences:
            assert "{" not in text and "  " not in text and text.endswith("."), text
            assert not re.search(r"\ba [aeiou]", text), text
        pairs: list[tuple[Pixels, Pixels]] = [(load(case.images[0]), load(case.answer)) for case in cases]  # type: ignore[arg-type]
        assert all(np.array_equal(a, pairs[0][0]) and np.array_equal(b, pairs[0][1]) for a, b in pairs)


@pytest.mark.parametrize("task", ["put_in_water", "take_from_water"])
def test_the_shadow_of_a_block_in_water_is_shadow_and_the_rest_of_the_water_is_not(task: str) -> None:
    for number in range(counts.times(usual=2, full=20)):
        edit, change = draw(CATALOG, task, number, "mechanics", 160)
        cast = np.zeros((160, 160), bool)
        for scene, picture in ((edit.before, change.before), (edit.after, change.after)):
            if any(solid.name == edit.target for solid in scene.solids):
                block = scene.solid(edit.target)
                unlit = scene.with_solid(replace(block, parts=block.parts & ~SHADOWING))
                cast |= np.any(render(unlit, (160, 160)).pixels != picture.pixels, axis=2)
        shadow, water = change.effect("shadow"), change.effect("water")
        assert water is not None and not (water.mask & cast).any()
        assert shadow is not None and not (shadow.mask & ~cast).any()


@pytest.mark.parametrize("task", ["remove_block", "move_post"])
def test_a_sentence_says_where_the_object_stood_or_stands(task: str) -> None:
    for number in range(counts.times(usual=3, full=24)):
        edit, change = draw(CATALOG, task, number, "mechanics", 96)
        picture = change.before if task == "remove_block" else change.after
        assert where(picture.covered(edit.target)) in sentence(edit, change, "explicit")


@pytest.mark.slow
def test_boxes_on_a_tilted_board_slide_and_stay_and_posts_move_to_both_sides() -> None:
    boards = load_suite("mechanics", tasks="tilt_board", levels="explicit", per_task=40, size=64)
    ends = Counter(
        next(word for word in ("rolls down", "slides down", "stays where") if word in case.instruction)
        for case in boards
    )
    assert min(ends.values()) >= 5 and len(ends) == 3, ends
    posts = load_suite("mechanics", tasks="move_post", levels="superficial", per_task=12, size=64)
    assert {case.details["target"] for case in posts} == {"left post", "right post"}


@pytest.mark.slow
@pytest.mark.parametrize("task", ["load_spring", "press_springs", "put_in_water", "take_from_water"])
def test_the_ruler_that_a_sentence_names_is_in_the_picture(task: str) -> None:
    for case in load_suite("mechanics", tasks=task, levels="superficial", per_task=12, size=64, namespace="rulers"):
        scene = case.details["scene"]
        (marks,) = [solid for solid in scene["solids"] if solid["name"] == "ruler"]
        x, y, z = marks["place"]
        column, _ = place_in_picture((x, y, z), Camera(**scene["camera"]), (64, 64))
        assert 0 < column < 64
