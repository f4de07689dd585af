from __future__ import annotations

from itertools import product

import pytest

from editscope.factory.rules import MotionCaption, rule
from editscope.factory.rules.camera.motions import motions

VERBS = {
    "pan": ("pans left", "panning left", "slow pan left"),
    "tilt": ("tilts up", "tilting up", "gentle tilt up"),
    "zoom": ("zooms in on the cup", "zooming in on the cup", "zoom out"),
    "push": ("pushes in", "pushing in", "slow push-in"),
    "pull": ("pulls back", "pulling back", "slow pull-back"),
    "truck": ("trucks right", "trucking right", "slow truck right"),
    "crane": ("cranes up", "craning up", "crane up"),
    "orbit": ("orbits the table", "orbiting the table", "slow orbit"),
    "roll": ("rotates clockwise", "rotating clockwise", "slow rotation"),
}
TWO = (
    "The camera {0} and {1} as the vase falls.",
    "The vase falls, the camera {2} and {3}.",
    "The lens {0}, then {1}, as the vase falls.",
    "The shot {0} while {3} as the vase falls.",
    "The view {0} before {3} as the vase falls.",
    "The camera {0}, and at the end the view {1}, as the vase falls.",
    "The camera {0} and, as the vase falls, {1}.",
    "After {2}, the camera {1} as the vase falls.",
    "The vase falls, {4} followed by a {5}.",
    "The vase falls, {4}, {5}.",
    "The camera {0} as the vase falls, then a {5}.",
)
ONE = (
    "The boat rolls, tilts and slides away as the camera {0}.",
    "The camera {0} as the boat rolls, tilts and slides away.",
    "The boat rolls and drifts off; camera {1}.",
    "The boat rolls and drifts left, then right, {2}.",
    "The camera holds still, then {0} as the boat rolls over.",
    "The camera {0} and stops as a pan tips over on the stove.",
)


@pytest.mark.parametrize("sentence", TWO)
def test_two_motions_are_found_however_they_are_joined(sentence: str) -> None:
    for one, other in product(VERBS, VERBS):
        if one != other:
            (first, doing, noun), (second, also, noun_too) = VERBS[one], VERBS[other]
            caption = sentence.format(first, second, doing, also, noun, noun_too)
            assert len(motions(caption)) == 2, caption


@pytest.mark.parametrize("sentence", ONE)
def test_what_a_thing_does_is_no_motion_of_the_camera(sentence: str) -> None:
    for forms in VERBS.values():
        caption = sentence.format(*forms)
        assert len(motions(caption)) == 1, caption


@pytest.mark.parametrize(
    ("caption", "count"),
    [
        ("The camera pans left, then right, as the vase falls.", 2),
        ("The camera tilts up and back down as the vase falls.", 2),
        ("The lens zooms in and out as the vase falls.", 2),
        ("The camera orbits the vase, then orbits back the other way.", 2),
        ("The camera pans along the shelf and then returns the same way.", 2),
        ("The view tilts up the wall, pauses, and retraces its path.", 2),
        ("The lens swings left to the dog and swings back to the boy.", 2),
        ("The camera pans left and returns to stillness as the vase falls.", 1),
        ("The camera pans left and keeps panning left as the vase falls.", 1),
        ("The vase falls, slow push-in, the camera moving closer.", 1),
        ("The camera pans right, following the cart as it rolls.", 1),
        ("The vase falls, no pan, tilt or zoom, slow push-in.", 1),
        ("The camera never pans or tilts as the vase falls.", 0),
        ("The lens racks focus from the cup to the vase, camera on a tripod.", 0),
    ],
)
def test_one_motion_two_ways_is_two_and_a_motion_named_again_is_one(caption: str, count: int) -> None:
    assert len(motions(caption)) == count


@pytest.mark.parametrize(
    ("caption", "count"),
    [
        ("A horse gallops by in a side-on tracking shot; in the last second the view tilts up.", 2),
        ("A barge passes, filmed in a pan to the left that turns into a slow zoom.", 2),
        ("In one long tracking shot a waiter carries plates, and at the door the camera lifts over his head.", 2),
        ("The camera is pulled back by a few steps and swung to the right as the vase falls.", 2),
        ("There is a slow zoom in, then a slow zoom out, while the vase falls.", 2),
        ("The point of view rises from the well and spins around to the village.", 2),
        ("Butter melts in a hot pan in a static shot.", 0),
        ("A panning spotlight sweeps across the stage and back, camera static.", 0),
        ("The camera glides down the aisle, gliding past ladders.", 1),
    ],
)
def test_motions_are_found_where_a_clause_names_them_on_the_way(caption: str, count: int) -> None:
    assert len(motions(caption)) == count


@pytest.mark.parametrize(
    ("caption", "count"),
    [
        ("The shot trucks left as a cook reaches for one, and it rolls a few degrees clockwise near the end.", 2),
        ("The camera pushes in as sparks fly and drifts to the right.", 2),
        ("The camera pushes in and a moment later retreats as the vase falls.", 2),
        ("The camera orbits a tree, still circling when the leaves lift off and drift away.", 1),
        ("The camera circles a welder who lowers his mask, leans in and pulls back.", 1),
        ("The camera pans with an eagle, keeping it centered while it dives, banks and climbs.", 1),
        ("The camera slides right while bakers push trays in and pull them out.", 1),
    ],
)
def test_who_acts_is_told_by_persons_numbers_and_objects(caption: str, count: int) -> None:
    assert len(motions(caption)) == count


def test_the_reason_names_the_motions_in_the_words_of_the_caption() -> None:
    breach = rule("one_camera_motion").check(MotionCaption("The vase falls, camera gliding left and zooming in."))
    assert breach is not None
    assert "2 ways, gliding and zooming" in breach.reason
