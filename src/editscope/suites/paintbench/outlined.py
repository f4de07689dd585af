"""The common part of tasks inside an outlined region: a polygon drawn over the scene, and the pixels inside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Point, hull, snap
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Reject
from editscope.suites.paintbench.raster import Plane, fill, outline_array, stroke
from editscope.suites.paintbench.scene import Scene

MARGIN = 0.04
"""How far a region stays from the edge of the image, as a fraction of the shorter side."""
FIGURE, GROUND = 0.05, 0.1
"""The least shares of shapes and of background inside a region."""
TRIES = 20
PAD = (0.3, 0.8)
"""How far the points of a polygon lie around a shape's box, as a fraction of its longer side."""
LEAST_PAD = 0.05
POINTS = 12
LEAST = 600
"""The least pixels inside a region."""


@dataclass(frozen=True, eq=False)
class OutlinedRegion:
    """An outlined polygon in a picture: ``inside`` are the pixels that the outline encloses, outline excluded.

    The outline lies within the polygon, so its outer edge is the polygon.
    """

    vertices: tuple[Point, ...]
    color: Color
    before: Plane
    inside: npt.NDArray[np.bool_]
    background: npt.NDArray[np.bool_]

    def describe(self) -> dict[str, Any]:
        """For the problem's description."""
        return {
            "outline_color": self.color.hex,
            "outline_color_name": self.color.name,
            "region": [[round(x, 4), round(y, 4)] for x, y in self.vertices],
        }


def outline_width(scene: Scene) -> int:
    """How thick outlines are drawn, in pixels."""
    return max(3, scene.width // 100)


def outlined_polygon(scene: Scene, rng: SeededRandom, color: Color) -> OutlinedRegion:
    """A convex polygon around a shape, with its outline drawn over the scene."""
    return outlined_region(scene, rng, color, lambda: _hull_around(scene, rng))


def outlined_region(
    scene: Scene, rng: SeededRandom, color: Color, draw: Callable[[], tuple[Point, ...] | None]
) -> OutlinedRegion:
    """The first of some drawn polygons that holds enough of both, background and shapes."""
    picture = scene.drawn()
    background = scene.is_background(picture)
    for _ in range(TRIES):
        vertices = draw()
        if vertices is None:
            continue
        inside, line = np.zeros_like(picture), np.zeros_like(picture)
        fill(inside, [outline_array(vertices)], 1)
        stroke(line, vertices, float(outline_width(scene)), 1)
        line &= inside
        within = (inside & ~line).view(np.bool_)
        whole = int(np.count_nonzero(within))
        ground = int(np.count_nonzero(within & background))
        if whole >= LEAST and ground >= GROUND * whole and whole - ground >= FIGURE * whole:
            picture[line.view(np.bool_)] = color.index
            return OutlinedRegion(vertices, color, picture, within, background)
    raise Reject("the region does not hold both background and shapes")


def _hull_around(scene: Scene, rng: SeededRandom) -> tuple[Point, ...]:
    """The convex hull of a shape's box and of random points around it."""
    box = rng.choice(scene.shapes).box
    pad = max(LEAST_PAD * scene.shorter, rng.uniform(*PAD) * max(box.width, box.height))
    room, around = scene.canvas.grown(-MARGIN * scene.shorter), box.grown(pad)
    corners = [(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1)]
    drawn = [(rng.uniform(around.x0, around.x1), rng.uniform(around.y0, around.y1)) for _ in range(POINTS)]
    inside = [(min(max(x, room.x0), room.x1), min(max(y, room.y0), room.y1)) for x, y in (*corners, *drawn)]
    return tuple((snap(x), snap(y)) for x, y in hull(inside))


def recolored(
    scene: Scene, region: OutlinedRegion, mapping: dict[int, tuple[int, int, int]], where: npt.NDArray[np.bool_]
) -> tuple[Plane, tuple[tuple[int, int, int], ...]]:
    """The picture with color index i replaced by an RGB value inside ``where``: a plane, and its extra colors."""
    table = np.arange(256, dtype=np.uint8)
    extra: list[tuple[int, int, int]] = []
    known = {color.rgb: color.index for color in scene.colors}
    for index, rgb in mapping.items():
        if rgb not in known:
            known[rgb] = len(scene.colors) + len(extra)
            extra.append(rgb)
        table[index] = known[rgb]
    return _through(region.before, where, table), tuple(extra)


@compiled("u1[:, ::1], b1[:, ::1], u1[::1]")
def _through(plane: Plane, where: npt.NDArray[np.bool_], table: npt.NDArray[np.uint8]) -> Plane:
    out = plane.copy()
    height, width = plane.shape
    for row in range(height):
        for column in range(width):
            if where[row, column]:
                out[row, column] = table[plane[row, column]]
    return out
