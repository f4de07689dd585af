"""What the tasks inside an outlined region share: a polygon drawn over the scene, and the pixels inside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Point, area, is_simple, smallest_angle, snap
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Reject, require
from editscope.suites.paintbench.raster import Plane, fill, outline_array, stroke
from editscope.suites.paintbench.scene import Scene

MARGIN = 10.0
LEAST = 150
"""A region must hold at least this many background pixels and this many pixels of shapes."""


@dataclass(frozen=True, eq=False)
class Region:
    """An outlined polygon in a picture: ``inside`` are the pixels that the outline encloses, outline excluded."""

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
    return max(3, min(round(0.004 * max(scene.width, scene.height)), round(0.008 * scene.shorter)))


def outline_region(scene: Scene, dice: Dice, vertices: tuple[Point, ...], mixed: bool = True) -> Region:
    """Draw the outline over the scene. ``mixed`` asks for both background and shapes inside."""
    color = scene.outline_color(dice)
    before = scene.drawn()
    background = scene.is_background(before)
    inside = np.zeros_like(before)
    fill(inside, [outline_array(vertices)], 1)
    radius = outline_width(scene) / 2
    stroke(before, vertices, radius, color.index)
    stroke(inside, vertices, radius, 0)
    region = Region(vertices, color, before, inside.view(np.bool_), background)
    ground = int(np.count_nonzero(region.inside & background))
    figure = int(np.count_nonzero(region.inside)) - ground
    require(
        not mixed or (ground >= LEAST and figure >= LEAST),
        "the region does not hold both background and shapes",
    )
    return region


def random_polygon(scene: Scene, dice: Dice) -> tuple[Point, ...]:
    """Four to six vertices around a shape, so that the polygon cuts through it or holds it."""
    anchor = dice.choice(scene.shapes).box
    reach = max(anchor.width, anchor.height)
    radius = max(0.07 * scene.shorter, min(0.2 * scene.shorter, reach * dice.uniform(0.5, 0.95)))
    for _ in range(40):
        cx = anchor.center[0] + dice.uniform(-0.3, 0.3) * reach
        cy = anchor.center[1] + dice.uniform(-0.3, 0.3) * reach
        k = dice.integer(4, 6)
        turn = dice.uniform(0, 360)
        vertices = []
        for i in range(k):
            angle = math.radians(turn + 360 * (i + dice.uniform(-0.22, 0.22)) / k)
            r = radius * dice.uniform(0.75, 1.3)
            vertices.append((snap(cx + r * math.cos(angle)), snap(cy + r * math.sin(angle))))
        if (
            all(scene.canvas.grown(-MARGIN).holds(v) for v in vertices)
            and is_simple(vertices)
            and smallest_angle(vertices) >= 12
            and area(vertices) >= 2500
        ):
            return tuple(vertices)
    raise Reject("no room for the outlined polygon")


def recolored(
    scene: Scene, region: Region, mapping: dict[int, tuple[int, int, int]], where: npt.NDArray[np.bool_]
) -> tuple[Plane, tuple[tuple[int, int, int], ...]]:
    """The picture with colour index i replaced by an RGB value inside ``where``: a plane, and its extra colours."""
    table = np.arange(256, dtype=np.uint8)
    extra: list[tuple[int, int, int]] = []
    known = {color.rgb: color.index for color in scene.colors}
    for index, rgb in mapping.items():
        if rgb not in known:
            known[rgb] = len(scene.colors) + len(extra)
            extra.append(rgb)
        table[index] = known[rgb]
    return _through(region.before, where, table), tuple(extra)


@compiled()
def _through(plane: Plane, where: npt.NDArray[np.bool_], table: npt.NDArray[np.uint8]) -> Plane:
    out = plane.copy()
    height, width = plane.shape
    for row in range(height):
        for column in range(width):
            if where[row, column]:
                out[row, column] = table[plane[row, column]]
    return out
