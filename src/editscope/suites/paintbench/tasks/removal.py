"""Removal: delete what an attribute describes, the shape at a position, or everything else."""

from __future__ import annotations

from typing import Any

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.attributes import choose_attribute
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene


@task("removal")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The background shows where a shape was. Half of the time everything but the described shapes goes."""
    scene.populate(rng)
    if mode == "location":
        here = scene.shapes.index(rng.choice(scene.shapes))
        spot = scene.spot_in(rng, scene.shapes[here])
        inverted = rng.chance(0.5)
        members = tuple(i for i in range(len(scene.shapes)) if (i == here) != inverted)
        words = f"{'all shapes except ' if inverted else ''}the shape at {spot.phrase}"
        details: dict[str, Any] = {"spot": list(spot.at), "invert": inverted}
    else:
        attribute = choose_attribute(scene, rng, ways=("shape", "color", "both"))
        members, words = attribute.members, attribute.words
        details = {"attr": attribute.kind, "invert": attribute.inverted}
    remaining = [s for i, s in enumerate(scene.shapes) if i not in members]
    return Problem(
        f"Remove {words} and show the background there.",
        scene.drawn(),
        scene.drawn(remaining),
        {"targets": list(members), **details},
    )
