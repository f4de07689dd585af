"""Construction: draw a circle, a line or a polygon from named points or coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Point, area, distance, is_simple, smallest_angle
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Problem, Reject, require, task
from editscope.suites.paintbench.raster import Plane, brush, fill, outline_array
from editscope.suites.paintbench.scene import Scene, far_apart
from editscope.suites.paintbench.words import PointRef, article, listed, on_top, percent

MARK = 255


@task("construction")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """The new figure has a colour of its own and lies above or below all shapes."""
    scene.populate(dice)
    color = scene.unused_color(dice)
    named = dice.chance(0.5)
    return {"circle": circle, "line": line, "polygon": polygon}[mode](scene, dice, color, named)


def circle(scene: Scene, dice: Dice, color: Color, named: bool) -> Problem:
    """By centre and radius, by a diameter, or by centre and a point on it."""
    how = dice.choice(("radius", "diameter", "through"))
    first, second = _points(scene, dice, 2, named)
    start = f"Draw {article(f'{color.phrase} filled circle')}"
    if how == "radius":
        size = dice.tenth(4, 25)
        center, radius = first.at, size / 100 * scene.width
        words = f"{start} centered at {first.phrase} with a radius of {percent(size)} of the image width."
    elif how == "diameter":
        center = ((first.at[0] + second.at[0]) / 2, (first.at[1] + second.at[1]) / 2)
        radius = distance(first.at, second.at) / 2
        words = f"{start} that has the straight line from {first.phrase} to {second.phrase} as a diameter."
    else:
        center, radius = first.at, distance(first.at, second.at)
        words = f"{start} centered at {first.phrase} that passes through {second.phrase}."
    require(0.03 * scene.shorter <= radius <= 0.42 * scene.shorter, "the circle is too small or too large")
    details = {"how": how, "center": list(center), "radius": radius}
    return _drawn(scene, dice, color, words, details, lambda plane: brush(plane, center, center, radius, MARK))


def line(scene: Scene, dice: Dice, color: Color, named: bool) -> Problem:
    """A straight stroke of a round brush."""
    first, second = _points(scene, dice, 2, named)
    require(distance(first.at, second.at) >= 0.2 * scene.shorter, "the line is too short")
    size = dice.tenth(0.8, 3.0)
    radius = size / 200 * scene.width
    words = (
        f"Draw {article(f'{color.phrase} straight line')} from {first.phrase} to {second.phrase} with a round "
        f"brush whose diameter is {percent(size)} of the image width; its ends are round and centered on the two "
        "points."
    )
    details = {"points": [list(first.at), list(second.at)], "brush_percent": size}
    return _drawn(scene, dice, color, words, details, lambda plane: brush(plane, first.at, second.at, radius, MARK))


def polygon(scene: Scene, dice: Dice, color: Color, named: bool) -> Problem:
    """Three to six vertices in order; a simple polygon without sliver corners."""
    k = dice.integer(3, 6 if not named else 4)
    for _ in range(60):
        refs = _points(scene, dice, k, named)
        vertices = [ref.at for ref in refs]
        if _well_formed(scene, vertices):
            break
    else:
        raise Reject("the vertices make no simple, well-formed polygon")
    words = (
        f"Draw {article(f'{color.phrase} filled polygon')} whose {k} vertices are, in this order, "
        f"{listed([ref.phrase for ref in refs])}."
    )
    outlines = [outline_array(vertices)]
    details = {"vertices": [list(v) for v in vertices]}
    return _drawn(scene, dice, color, words, details, lambda plane: fill(plane, outlines, MARK))


def _well_formed(scene: Scene, vertices: list[Point]) -> bool:
    return (
        far_apart(vertices, 0.08 * scene.shorter)
        and is_simple(vertices)
        and smallest_angle(vertices) >= 12
        and 0.01 <= area(vertices) / (scene.width * scene.height) <= 0.5
    )


def _points(scene: Scene, dice: Dice, k: int, named: bool) -> list[PointRef]:
    if not named:
        return [scene.coordinate(dice, scene.canvas.grown(-0.04 * scene.shorter)) for _ in range(k)]
    return [scene.shape_point(dice) if dice.chance(0.75) else scene.canvas_point(dice) for _ in range(k)]


def _drawn(
    scene: Scene, dice: Dice, color: Color, words: str, details: dict[str, Any], draw: Callable[[Plane], int]
) -> Problem:
    over = dice.chance(0.5)
    before = scene.drawn()
    after = before.copy()
    whole = draw(after)
    visible = after == MARK
    if not over:
        visible &= scene.is_background(before)
        after[~visible] = before[~visible]
    after[visible] = color.index
    require(int(np.count_nonzero(visible)) >= max(200, whole // 2), "most of the figure would be out of sight")
    return Problem(f"{words} {on_top(over)}", before, after, {"draw_color": color.hex, "overlay": over, **details})
