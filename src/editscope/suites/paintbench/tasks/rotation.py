"""Rotation: turn a shape about one of its own points, or about a point elsewhere."""

from __future__ import annotations

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import distance, rotation
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.words import PointRef


@task("rotation")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """Whole degrees from 15 to 180, clockwise or counterclockwise."""
    scene.populate(dice)
    target = dice.choice(scene.shapes)
    phrase = scene.phrase(dice, target)
    if mode == "local":
        name, at = scene.point_of(dice, target)
        pivot = PointRef(f"its {name}", at, scene.shapes.index(target), name)
    else:
        pivot = scene.any_point(dice, but=target)
        require(distance(pivot.at, target.box.center) >= 0.08 * scene.shorter, "the pivot is too near")
    degrees = dice.integer(15, 180)
    clockwise = dice.chance(0.5)
    direction = "clockwise" if clockwise else "counterclockwise"
    return moved_problem(
        scene,
        dice,
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
