"""Recolor: give the shapes that an attribute describes a coded color, or the color found at a position."""

from __future__ import annotations

from typing import Any

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.attributes import choose_attribute
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene


@task("recolor")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """At least one described shape has another color than the new one."""
    details: dict[str, Any]
    if mode == "color_code":
        color = scene.reserve(rng)
        scene.populate(rng)
        attribute = choose_attribute(scene, rng, negation="not")
        words, details = f"to {color.phrase}", {}
    else:
        scene.populate(rng)
        attribute = choose_attribute(scene, rng, negation="not")
        source = rng.choice([s for i, s in enumerate(scene.shapes) if i not in attribute.members])
        color = source.color
        spot = scene.spot_in(rng, source)
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
