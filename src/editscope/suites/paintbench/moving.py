"""The common part of the five geometric tasks: one shape moves, everything else stays."""

from __future__ import annotations

from typing import Any

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Affine
from editscope.suites.paintbench.problem import Problem, require
from editscope.suites.paintbench.raster import fill
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import Shape
from editscope.suites.paintbench.words import on_top

THINNEST = 6.0


def moved_problem(
    scene: Scene, rng: SeededRandom, target: Shape, affine: Affine, sentence: str, details: dict[str, Any]
) -> Problem:
    """The problem in which ``target`` is mapped by ``affine``; it may leave the image, in part or wholly."""
    after_shape = target.mapped(affine)
    box = after_shape.box
    require(box.width >= THINNEST and box.height >= THINNEST, "the shape would become too thin to see")
    over = rng.chance(0.5)
    others = [s for s in scene.shapes if s is not target]
    after = scene.ground()
    if not over:
        fill(after, after_shape.outlines, target.color.index)
    scene.drawn(others, onto=after)
    if over:
        fill(after, after_shape.outlines, target.color.index)
    return Problem(
        f"{sentence} {on_top(over)}",
        scene.drawn(),
        after,
        {"target": scene.shapes.index(target), "overlay": over, **details},
        moved=affine,
    )


def share_inside(scene: Scene, target: Shape, affine: Affine) -> float:
    """How much of a shape's bounding box is on the canvas after a move."""
    box = target.mapped(affine).box
    return box.shared_area(scene.canvas) / (box.width * box.height)
