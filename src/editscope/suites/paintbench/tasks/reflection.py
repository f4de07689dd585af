"""Reflection: mirror a shape across a line of its bounding box, or across a line through two points."""

from __future__ import annotations

import numpy as np

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Point, distance, reflection
from editscope.suites.paintbench.moving import moved_problem
from editscope.suites.paintbench.problem import MIN_CHANGED, Problem, Reject, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import Shape
from editscope.suites.paintbench.words import PointRef

COORDINATES = (10.0, 90.0)
TRIES = 20
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
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """Eight lines of the box, or two points far enough apart to lay a ruler through."""
    scene.populate(rng)
    if mode == "local":
        return _across_its_box(scene, rng)
    first, second = _two_points(scene, rng)
    words = f"the straight line through {first.phrase} and {second.phrase}"
    return _reflected(scene, rng, rng.choice(scene.shapes), (first.at, second.at), words)


def _across_its_box(scene: Scene, rng: SeededRandom) -> Problem:
    """The line is drawn first, then a shape that it changes: many shapes are their own mirror image in some lines."""
    words = rng.choice(list(LINES))
    for target in rng.shuffled(scene.shapes):
        corners = target.box.nine_points()
        start, end = LINES[words]
        problem = _reflected(scene, rng, target, (corners[start], corners[end]), words)
        if int(np.count_nonzero(problem.before != problem.after)) >= MIN_CHANGED:
            return problem
    raise Reject("every shape is its own mirror image")


def _reflected(scene: Scene, rng: SeededRandom, target: Shape, line: tuple[Point, Point], words: str) -> Problem:
    return moved_problem(
        scene,
        rng,
        target,
        reflection(*line),
        f"Reflect {scene.phrase(rng, target)} across {words}.",
        {"line": [list(p) for p in line], "line_words": words},
    )


def _two_points(scene: Scene, rng: SeededRandom) -> tuple[PointRef, PointRef]:
    """Two named points, or two coordinates, far enough apart for a line."""
    named = rng.chance(0.5)
    for _ in range(TRIES):
        first, second = (
            scene.named_point(rng) if named else scene.coordinate(rng, within=COORDINATES) for _ in range(2)
        )
        if distance(first.at, second.at) >= (0.05 if named else 0.15) * scene.shorter:
            return first, second
    raise Reject("the two points are too near each other for a line")
