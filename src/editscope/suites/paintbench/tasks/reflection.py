"""Reflection: mirror a shape across a line of its bounding box, or across a line through two points."""

from __future__ import annotations

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Point, distance, reflection
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene

LINES: dict[str, tuple[str, str]] = {
    "the left edge of its bounding box": ("top-left corner", "bottom-left corner"),
    "the right edge of its bounding box": ("top-right corner", "bottom-right corner"),
    "the top edge of its bounding box": ("top-left corner", "top-right corner"),
    "the bottom edge of its bounding box": ("bottom-left corner", "bottom-right corner"),
    "the vertical center line of its bounding box": ("top edge midpoint", "bottom edge midpoint"),
    "the horizontal center line of its bounding box": ("left edge midpoint", "right edge midpoint"),
    "the diagonal of its bounding box from the top-left to the bottom-right corner": (
        "top-left corner",
        "bottom-right corner",
    ),
    "the diagonal of its bounding box from the bottom-left to the top-right corner": (
        "bottom-left corner",
        "top-right corner",
    ),
}


@task("reflection")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """Eight lines of the box, or two points far enough apart to lay a ruler through."""
    scene.populate(dice)
    target = dice.choice(scene.shapes)
    phrase = scene.phrase(dice, target)
    line: tuple[Point, Point]
    if mode == "local":
        words = dice.choice(list(LINES))
        corners = target.box.nine_points()
        line = (corners[LINES[words][0]], corners[LINES[words][1]])
    else:
        first, second = scene.any_point(dice, but=target), scene.any_point(dice, but=target)
        line = (first.at, second.at)
        require(distance(*line) >= 0.15 * scene.shorter, "the two points are too near each other for a line")
        words = f"the straight line through {first.phrase} and {second.phrase}"
    return moved_problem(
        scene,
        dice,
        target,
        reflection(*line),
        f"Reflect {phrase} across {words}.",
        {"line": [list(p) for p in line], "line_words": words},
    )
