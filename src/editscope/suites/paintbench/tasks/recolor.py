"""Recolor: give the shapes that an attribute describes a coded colour, or the colour found at a position."""

from __future__ import annotations

from typing import Any

from editscope.suites.dice import Dice
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Attribute, Scene, choose_attribute


@task("recolor")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """No described shape has the new colour already."""
    scene.populate(dice)
    details: dict[str, Any]
    if mode == "color_code":
        attribute = choose_attribute(scene, dice)
        old = [scene.shapes[i].color for i in attribute.members]
        color = scene.unused_color(dice, but=old)
        words, details = f"to {color.phrase}", {}
    else:
        source = dice.choice(scene.shapes)
        color = source.color

        def others_only(found: Attribute) -> bool:
            return all(scene.shapes[i].color.index != color.index for i in found.members)

        attribute = choose_attribute(scene, dice, others_only)
        spot = scene.spot_in(dice, source)
        words = f"to exactly the color that the image has at {spot.phrase}"
        details = {"spot": list(spot.at), "source": scene.shapes.index(source)}
    painted = [s.recolored(color) if i in attribute.members else s for i, s in enumerate(scene.shapes)]
    return Problem(
        f"Recolor {attribute.words} {words}.",
        scene.drawn(),
        scene.drawn(painted),
        {
            "targets": list(attribute.members),
            "attr": attribute.kind,
            "invert": attribute.inverted,
            "new_color": color.hex,
            **details,
        },
    )
