"""Construction: draw a circle, a line or a polygon from named points or coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Point, area, distance, is_simple
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Problem, Reject, task
from editscope.suites.paintbench.raster import Plane, brush, fill, outline_array
from editscope.suites.paintbench.scene import Scene, far_apart
from editscope.suites.paintbench.words import PointRef, article, listed, on_top, percent

MARK = 255
TRIES = 20
APART = 0.1
"""How far two points of a circle or a line are apart at least, as a fraction of the shorter side."""
SMALLEST_TRIANGLE = 0.002
"""The least area, as a fraction of the image, that any three vertices of a polygon span."""


@task("construction")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The new figure has a color of its own and lies above or below all shapes."""
    color = scene.reserve(rng)
    scene.populate(rng)
    named = rng.chance(0.5)
    return {"circle": circle, "line": line, "polygon": polygon}[mode](scene, rng, color, named)


def circle(scene: Scene, rng: SeededRandom, color: Color, named: bool) -> Problem:
    """By center and radius, by a diameter, or by center and a point on it."""
    how = rng.choice(("radius", "diameter", "through"))
    first, second = _points(scene, rng, 2, named)
    start = f"Draw {article(f'{color.phrase} filled circle')}"
    if how == "radius":
        size = rng.tenth(5, 25)
        center, radius = first.at, size / 100 * scene.width
        words = f"{start} centered at {first.phrase} with a radius of {percent(size)} of the image width."
    elif how == "diameter":
        center = ((first.at[0] + second.at[0]) / 2, (first.at[1] + second.at[1]) / 2)
        radius = distance(first.at, second.at) / 2
        words = f"{start} that has the straight line from {first.phrase} to {second.phrase} as a diameter."
    else:
        center, radius = first.at, distance(first.at, second.at)
        words = f"{start} centered at {first.phrase} that passes through {second.phrase}."
    details = {"how": how, "center": list(center), "radius": radius}
    return _drawn(scene, rng, color, words, details, lambda plane: brush(plane, center, center, radius, MARK))


def line(scene: Scene, rng: SeededRandom, color: Color, named: bool) -> Problem:
    """A straight stroke of a round brush."""
    first, second = _points(scene, rng, 2, named)
    size = rng.tenth(1.0, 3.0)
    radius = size / 200 * scene.width
    words = (
        f"Draw {article(f'{color.phrase} straight line')} from {first.phrase} to {second.phrase} with a round "
        f"brush whose diameter is {percent(size)} of the image width; its ends are round and centered on the two "
        "points."
    )
    details = {"points": [list(first.at), list(second.at)], "brush_percent": size}
    return _drawn(scene, rng, color, words, details, lambda plane: brush(plane, first.at, second.at, radius, MARK))


def polygon(scene: Scene, rng: SeededRandom, color: Color, named: bool) -> Problem:
    """Three to five vertices, in the order in which they lie around their middle."""
    k = rng.integer(3, 5)
    for _ in range(TRIES):
        refs = _around([_point(scene, rng, named) for _ in range(k)])
        vertices = [ref.at for ref in refs]
        if _well_formed(scene, vertices):
            break
    else:
        raise Reject("the vertices make no well-formed polygon")
    words = (
        f"Draw {article(f'{color.phrase} filled polygon')} whose {k} vertices are, in this order, "
        f"{listed([ref.phrase for ref in refs])}."
    )
    outlines = [outline_array(vertices)]
    details = {"vertices": [list(v) for v in vertices]}
    return _drawn(scene, rng, color, words, details, lambda plane: fill(plane, outlines, MARK))


def _around(refs: list[PointRef]) -> list[PointRef]:
    """Points by their angle around their mean, so that the polygon does not cross itself."""
    cx, cy = (sum(ref.at[axis] for ref in refs) / len(refs) for axis in (0, 1))
    return sorted(refs, key=lambda ref: (math.atan2(ref.at[1] - cy, ref.at[0] - cx), distance(ref.at, (cx, cy))))


def _well_formed(scene: Scene, vertices: list[Point]) -> bool:
    """Any three of the points span an area that can be seen."""
    least = SMALLEST_TRIANGLE * scene.width * scene.height
    return is_simple(vertices) and all(area(three) >= least for three in combinations(vertices, 3))


def _point(scene: Scene, rng: SeededRandom, named: bool) -> PointRef:
    return scene.named_point(rng) if named else scene.coordinate(rng)


def _points(scene: Scene, rng: SeededRandom, k: int, named: bool) -> list[PointRef]:
    """Points that are not too near each other."""
    for _ in range(TRIES):
        refs = [_point(scene, rng, named) for _ in range(k)]
        if far_apart([ref.at for ref in refs], APART * scene.shorter):
            return refs
    raise Reject("the points are too near each other")


def _drawn(
    scene: Scene, rng: SeededRandom, color: Color, words: str, details: dict[str, Any], draw: Callable[[Plane], int]
) -> Problem:
    over = rng.chance(0.5)
    before = scene.drawn()
    after = before.copy()
    draw(after)
    visible = after == MARK
    if not over:
        visible &= scene.is_background(before)
        after[~visible] = before[~visible]
    after[visible] = color.index
    return Problem(f"{words} {on_top(over)}", before, after, {"draw_color": color.hex, "overlay": over, **details})
