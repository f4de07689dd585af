"""Flood fill: inside an outlined polygon, recolor the background pixels or the pixels of shapes."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.outlined import outlined_polygon
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene


@task("flood_fill")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The region holds some of both kinds of pixels."""
    outline, color = scene.reserve(rng), scene.reserve(rng)
    scene.populate(rng)
    region = outlined_polygon(scene, rng, outline)
    background = mode == "background"
    where = region.inside & (region.background if background else ~region.background)
    after = region.before.copy()
    after[where] = color.index
    which, rest = ("background pixel", "shapes") if background else ("pixel that belongs to a shape", "background")
    return Problem(
        f"Inside the {region.color.name} outlined polygon, recolor every {which} to {color.phrase}. "
        f"Leave the {rest} and the outline as they are.",
        region.before,
        after,
        {"new_color": color.hex, **region.describe()},
    )
