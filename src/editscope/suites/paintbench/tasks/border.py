"""Border: recolor every pixel within a distance of one shape."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.raster import near
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.words import percent


@task("border")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The distance is Euclidean, from pixel center to pixel center, and other shapes are painted over too."""
    color = scene.reserve(rng)
    scene.populate(rng)
    target = rng.choice(scene.shapes)
    reach = rng.tenth(2.0, 4.0)
    before = scene.drawn()
    own = scene.mask(target)
    after = before.copy()
    after[near(own, reach / 100 * scene.width) & ~own] = color.index
    return Problem(
        f"Recolor every pixel whose distance from {scene.phrase(rng, target)} is at most {percent(reach)} of the "
        f"image width to {color.phrase}, other shapes within that distance included. Leave the shape itself as it is. "
        "Distances are straight lines between pixel centers.",
        before,
        after,
        {"target": scene.shapes.index(target), "distance_percent": reach, "new_color": color.hex},
    )
