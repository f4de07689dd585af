"""Removal: delete what an attribute describes, everything else, or the shape at a position."""

from __future__ import annotations

from typing import Any

from editscope.suites.dice import Dice
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene, choose_attribute


@task("removal")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """The background shows where a shape was."""
    scene.populate(dice)
    if mode == "location":
        target = dice.choice(scene.shapes)
        spot = scene.spot_in(dice, target)
        members: tuple[int, ...] = (scene.shapes.index(target),)
        words = f"the shape at {spot.phrase}"
        details: dict[str, Any] = {"spot": list(spot.at)}
    else:
        attribute = choose_attribute(scene, dice)
        members, words = attribute.members, attribute.words
        details = {"attr": attribute.kind, "invert": attribute.inverted}
    kept = [s for i, s in enumerate(scene.shapes) if i not in members]
    return Problem(
        f"Remove {words} and show the background there.",
        scene.drawn(),
        scene.drawn(kept),
        {"targets": list(members), **details},
    )
