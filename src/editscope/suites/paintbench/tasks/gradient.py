"""Gradient: a linear RGB gradient inside an outlined parallelogram, over background or over shapes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.images import Indexed, Pixels
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Point, snap
from editscope.suites.paintbench.outlined import MARGIN, OutlinedRegion, outlined_region
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene

CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")
LONG, SHORT = (0.18, 0.36), (0.06, 0.16)
"""Half of the long and of the short extent, as fractions of the side of the image that they lie along."""
SLANT = 0.12
CENTER = (0.3, 0.7)


@task("gradient")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """t runs from 0 to 1 between two edges or two corners; a pixel takes round((1 − t) · A + t · B), halves up."""
    outline, first, second = (scene.reserve(rng) for _ in range(3))
    scene.populate(rng)
    wide = rng.chance(0.5)
    region = outlined_region(scene, rng, outline, lambda: _parallelogram(scene, rng, wide))
    start, end, axis, words = _direction(rng, region.vertices, wide)
    progress = [axis[0] * x + axis[1] * y + axis[2] for x, y in region.vertices]
    require(min(progress) >= -1e-6 and max(progress) <= 1 + 1e-6, "a corner lies beyond the end of the gradient")
    background = mode == "background"
    where = region.inside & (region.background if background else ~region.background)
    after = _painted(scene, region, where, first, second, axis)
    which, rest = ("background pixels", "shapes") if background else ("pixels of shapes", "background")
    return Problem(
        f"Inside the {region.color.name} outlined parallelogram, recolor the {which} with a linear RGB gradient from "
        f"{first.phrase} at the {words[0]} to {second.phrase} at the {words[1]}{words[2]}. Edges and corners "
        "are those of the outline's outer edge; round each RGB channel to the nearest whole number. "
        f"Leave the {rest} and the outline as they are.",
        region.before,
        after,
        {
            "color1": first.hex,
            "color2": second.hex,
            "from": words[0],
            "to": words[1],
            "start": list(start),
            "end": list(end),
            **region.describe(),
        },
    )


def _parallelogram(scene: Scene, rng: SeededRandom, wide: bool) -> tuple[Point, ...] | None:
    """Corners from the top left clockwise; the long edges are horizontal where it is wide, else vertical.

    None where it would leave the image.
    """
    long, short = rng.uniform(*LONG), rng.uniform(*SHORT)
    half_w, half_h = (long, short) if wide else (short, long)
    half_w, half_h = half_w * scene.width, half_h * scene.height
    slant = rng.uniform(-SLANT, SLANT) * (scene.width if wide else scene.height)
    cx, cy = rng.uniform(*CENTER) * scene.width, rng.uniform(*CENTER) * scene.height
    sx, sy = (slant / 2, 0.0) if wide else (0.0, slant / 2)
    corners = (
        (cx - half_w + sx, cy - half_h + sy),
        (cx + half_w + sx, cy - half_h - sy),
        (cx + half_w - sx, cy + half_h - sy),
        (cx - half_w - sx, cy + half_h + sy),
    )
    snapped = tuple((snap(x), snap(y)) for x, y in corners)
    return snapped if all(scene.canvas.grown(-MARGIN * scene.shorter).holds(p) for p in snapped) else None


def _direction(
    rng: SeededRandom, corners: tuple[Point, ...], wide: bool
) -> tuple[Point, Point, tuple[float, float, float], tuple[str, str, str]]:
    """Start, end, (ax, ay, b) with t = ax·x + ay·y + b, and the words for it."""
    top_left, top_right, _, bottom_left = corners
    if rng.chance(0.5):
        name, facing, start, end, along = (
            ("top edge", "bottom edge", top_left, bottom_left, top_right)
            if wide
            else ("left edge", "right edge", top_left, top_right, bottom_left)
        )
        # The normal of the first edge: colors are constant along lines parallel to it.
        nx, ny = along[1] - start[1], start[0] - along[0]
        words = (name, facing, ", constant along lines parallel to these edges")
    else:
        i = rng.integer(0, 3)
        start, end = corners[i], corners[(i + 2) % 4]
        nx, ny = end[0] - start[0], end[1] - start[1]
        words = (
            f"{CORNERS[i]} corner",
            f"{CORNERS[(i + 2) % 4]} corner",
            ", along the straight line between these corners and constant at right angles to it",
        )
    scale = nx * (end[0] - start[0]) + ny * (end[1] - start[1])
    return start, end, (nx / scale, ny / scale, -(nx * start[0] + ny * start[1]) / scale), words


def _painted(
    scene: Scene,
    region: OutlinedRegion,
    where: npt.NDArray[np.bool_],
    first: Color,
    second: Color,
    axis: tuple[float, float, float],
) -> Pixels:
    pixels = Indexed(region.before, np.array([c.rgb for c in scene.colors], np.uint8)).rgb()
    _gradient(pixels, where, np.array(first.rgb, np.float64), np.array(second.rgb, np.float64), *axis)
    return pixels


@compiled("u1[:, :, ::1], b1[:, ::1], f8[::1], f8[::1], f8, f8, f8")
def _gradient(
    pixels: Pixels,
    where: npt.NDArray[np.bool_],
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    ax: float,
    ay: float,
    b: float,
) -> None:
    height, width = where.shape
    for row in range(height):
        for column in range(width):
            if where[row, column]:
                t = min(1.0, max(0.0, ax * (column + 0.5) + ay * (row + 0.5) + b))
                for channel in range(3):
                    value = first[channel] + t * (second[channel] - first[channel])
                    pixels[row, column, channel] = np.uint8(np.floor(value + 0.5))
