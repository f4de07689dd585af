"""Rotation: turn a shape about one of its own points, or about a point elsewhere."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import rotation
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.words import PointRef

RIGHT = (90, 180, 270)
STEPS = tuple(angle for angle in range(15, 360, 15) if angle not in RIGHT)
OTHERS = tuple(angle for angle in range(1, 360) if angle % 15)


@task("rotation")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """Right angles, other multiples of 15° and other whole degrees alike; clockwise as seen on the screen, or not."""
    scene.populate(rng)
    target = rng.choice(scene.shapes)
    phrase = scene.phrase(rng, target)
    if mode == "local":
        name, at = scene.point_of(rng, target)
        pivot = PointRef(f"its {name}", at, scene.shapes.index(target), name)
    else:
        pivot = scene.named_point(rng, but=target) if rng.chance(0.5) else scene.coordinate(rng)
    degrees = rng.choice(rng.choice((RIGHT, STEPS, OTHERS)))
    clockwise = rng.chance(0.5)
    direction = "clockwise" if clockwise else "counterclockwise"
    return moved_problem(
        scene,
        rng,
        target,
        rotation(degrees if clockwise else -degrees, pivot.at),
        f"Rotate {phrase} by {degrees}° {direction} about {pivot.phrase}.",
        {
            "angle": degrees,
            "clockwise": clockwise,
            "pivot": list(pivot.at),
            "pivot_name": pivot.name,
            "pivot_shape": pivot.shape,
        },
    )
