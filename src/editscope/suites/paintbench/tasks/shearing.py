"""Shearing: slide a shape's layers along one axis, an edge or the center line of its box fixed."""

from __future__ import annotations

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import about
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import Problem, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.words import percent

AMOUNT = (20, 80)
"""How far the two edges shift against each other, in percent of the box's side along the shift."""


@task("shearing")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The edges that move are named, with direction and amount."""
    scene.populate(rng)
    target = rng.choice(scene.shapes)
    phrase = scene.phrase(rng, target)
    box = target.box
    horizontal = rng.chance(0.5)
    if horizontal:
        first, last, line, along, across = "top", "bottom", "horizontal", box.width, box.height
        ways, side = ("left", "right"), "width"
    else:
        first, last, line, along, across = "left", "right", "vertical", box.height, box.width
        ways, side = ("up", "down"), "height"
    fixed = "center" if rng.chance(0.5) else rng.choice((first, last))
    sign = rng.choice((-1, 1))  # where the first edge goes: -1 is left or up
    amount = rng.integer(*AMOUNT) / (2 if fixed == "center" else 1)
    shift = amount / 100 * along
    there, back = (ways[0], ways[1]) if sign < 0 else (ways[1], ways[0])
    if fixed == "center":
        slope = -sign * 2 * shift / across
        words = (
            f"keep the {line} center line of its bounding box fixed and shift the {first} edge {there} and the "
            f"{last} edge {back}, each by {percent(amount)} of the bounding-box {side}"
        )
    elif fixed == last:
        slope = -sign * shift / across
        words = (
            f"keep the {last} edge of its bounding box fixed and shift the {first} edge {there} by {percent(amount)} "
            f"of the bounding-box {side}"
        )
    else:
        slope = -sign * shift / across
        words = (
            f"keep the {first} edge of its bounding box fixed and shift the {last} edge {back} by {percent(amount)} "
            f"of the bounding-box {side}"
        )
    points = box.nine_points()
    anchor = points["center" if fixed == "center" else f"{fixed} edge midpoint"]
    affine = about(anchor, 1.0, slope, 0.0, 1.0) if horizontal else about(anchor, 1.0, 0.0, slope, 1.0)
    direction = "horizontally" if horizontal else "vertically"
    return moved_problem(
        scene,
        rng,
        target,
        affine,
        f"Shear {phrase} {direction}: {words}.",
        {"axis": direction, "fixed": fixed, "percent": amount, "slope": slope},
    )
