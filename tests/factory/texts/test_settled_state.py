from __future__ import annotations

import pytest

from editscope.factory.rules import LeveledInstruction, rule
from editscope.factory.rules.lexicon import entries
from editscope.factory.rules.moments.settled import is_its_nature
from editscope.factory.rules.moments.subjects import ing_list, subjects
from editscope.factory.rules.verb_forms import ing_forms

NOT_BESIDE = ("drying", "blending")
"""Forms that may be something else behind a noun: shirts drying on a line, alpha blending."""


def breaks(text: str) -> bool:
    return rule("settled_state").check(LeveledInstruction(explicit=text)) is not None


def test_every_verb_of_motion_breaks_it_of_a_thing_and_keeps_it_of_weather() -> None:
    for verb in entries("moving_verbs"):
        form = ing_forms(verb)[0]
        assert breaks(f"The vase is {form}."), form
        assert breaks(f"The man in the rain keeps {form}."), form
        assert not breaks(f"Rain is {form} over the broken wall."), form
        assert not breaks(f"The vase is no longer {form}."), form
        assert not breaks(f"After {form}, the vase lies on the floor."), form
        if form not in NOT_BESIDE:
            assert breaks(f"Show the vase {form} beside the fence."), form


def test_a_kind_of_thing_keeps_it() -> None:
    for kind in entries("kinds_of_things"):
        assert not breaks(f"Put a {kind} beside the broken chair."), kind
    assert breaks("Put a rolling ball beside the broken chair.")
    assert breaks("Put a sinking boat beside the broken pier.")


@pytest.mark.parametrize(
    ("before", "doers"),
    [
        ("the tree by the river is", ["tree"]),
        ("a glass of water is", ["glass"]),
        ("a column of smoke is", ["smoke"]),
        ("the oak , which is", ["oak"]),
        ("add a butterfly", ["butterfly"]),
    ],
)
def test_the_one_who_does_it_is_the_head_of_its_phrase(before: str, doers: list[str]) -> None:
    assert subjects(before.split()) == doers


def test_birds_fly_and_do_not_fall_and_roads_wind_and_do_not_roll() -> None:
    assert is_its_nature("pigeons", "circling")
    assert not is_its_nature("pigeons", "falling")
    assert is_its_nature("crack", "running")
    assert not is_its_nature("crack", "widening")


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("Show the crate halfway to the ground.", True),
        ("Put a bench halfway down the path.", False),
        ("Place the bottle in the middle of its fall.", True),
        ("Put a stool in the middle of the room.", False),
        ("The kite is caught in the branches.", False),
        ("The kite is caught in mid-flight.", True),
        ("Hang the lamp just above the table.", False),
        ("Drop the plate, suspended just above the table.", True),
        ("Show the pins as they scatter.", True),
        ("Show the yard as rain falls.", False),
        ("Snow starts to fall on the wreck.", False),
        ("The wreck starts to slide.", True),
    ],
)
def test_a_phrase_is_a_moment_only_where_something_passes_it(text: str, broken: bool) -> None:
    assert breaks(text) is broken


def test_forms_are_spelled_as_in_america_and_in_britain() -> None:
    assert {"traveling", "travelling", "dropping", "hopping", "fleeing", "toppling"} <= ing_list("moving_verbs")
