"""Copying: the shapes of one outlined square into another, at the same places."""

from __future__ import annotations

import numpy as np

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.outlined import outline_width
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.raster import frame
from editscope.suites.paintbench.scene import Scene

SIDE = 0.44
"""Side of the squares as a fraction of the shorter side of the image."""


@task("copying")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The squares lie on whole pixels, so a copy is a shift by whole pixels."""
    stacked = rng.chance(0.5)
    line = outline_width(scene)
    color = scene.reserve(rng)
    side = int(SIDE * scene.shorter)
    along, across = (scene.height, scene.width) if stacked else (scene.width, scene.height)
    require(2 * side + 4 * line + 4 <= along, "the two squares do not fit")
    halves = [_inset(rng, 0, along // 2, side, line), _inset(rng, along // 2, along, side, line)]
    beside = [_inset(rng, 0, across, side, line) for _ in halves]
    if rng.chance(0.5):
        beside[1] = beside[0]
    corners = [(a, h) if stacked else (h, a) for h, a in zip(halves, beside, strict=True)]
    names = ("upper", "lower") if stacked else ("left", "right")
    source = rng.integer(0, 1)
    (sx, sy), (tx, ty) = corners[source], corners[1 - source]
    scene.populate(rng, area=Box(sx, sy, sx + side, sy + side), tight=scene.n > 25)
    before = scene.drawn()
    shapes = ~scene.is_background(before)
    for x, y in corners:
        frame(before, x, y, x + side, y + side, line, color.index)
    after = before.copy()
    inside = shapes[sy : sy + side, sx : sx + side]
    require(int(np.count_nonzero(inside)) == int(np.count_nonzero(shapes)), "a shape reaches beyond its square")
    after[ty : ty + side, tx : tx + side][inside] = before[sy : sy + side, sx : sx + side][inside]
    return Problem(
        f"Copy all shapes inside the {names[source]} {color.name} outlined square into the {names[1 - source]} "
        "one, each at exactly the same place relative to its square. Copy the shapes only, not the background around "
        "them.",
        before,
        after,
        {
            "outline_color": color.hex,
            "source_square": [sx, sy, sx + side, sy + side],
            "target_square": [tx, ty, tx + side, ty + side],
        },
    )


def _inset(rng: SeededRandom, low: int, high: int, side: int, line: int) -> int:
    return rng.integer(low + line + 1, high - side - line - 1)
