"""Cropping: enlarge the inside of an outlined rectangle, upright or tilted, to the full canvas."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Point, snap
from editscope.suites.paintbench.outlined import outline_width
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Problem, Reject, require, task
from editscope.suites.paintbench.raster import Plane, fill, frame, outline_array
from editscope.suites.paintbench.scene import Scene

SHARE = (0.25, 0.75)
"""Side of the rectangle as a fraction of the canvas side."""
MARGIN = 0.04
"""How far the rectangle stays from the edge of the image, as a fraction of the shorter side."""
TRIES = 20
ANGLES = tuple(angle for angle in range(-44, 46) if angle)
NEAREST = (
    "Enlarge it to the full size of the image with nearest-neighbor sampling, so that it fills the whole canvas "
    "and the outline itself no longer shows."
)


@task("cropping")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """The only task that resamples; the rectangle has the canvas's aspect ratio."""
    color = scene.reserve(rng)
    scene.populate(rng)
    return upright(scene, rng, color) if mode == "straight" else tilted(scene, rng, color)


def upright(scene: Scene, rng: SeededRandom, color: Color) -> Problem:
    """A rectangle of whole pixels with exactly the canvas's aspect ratio."""
    unit = math.gcd(scene.width, scene.height)
    step_x, step_y = scene.width // unit, scene.height // unit
    low, high = math.ceil(unit * SHARE[0]), math.floor(unit * SHARE[1])
    require(low <= high, "no smaller rectangle of whole pixels has the canvas's aspect ratio")
    k = rng.integer(low, high)
    w, h = k * step_x, k * step_y
    line = outline_width(scene)
    room = math.ceil(MARGIN * scene.shorter)
    require(w + 2 * room <= scene.width and h + 2 * room <= scene.height, "the rectangle does not fit")
    for _ in range(TRIES):
        x, y = rng.integer(room, scene.width - w - room), rng.integer(room, scene.height - h - room)
        if any(x <= s.box.center[0] <= x + w and y <= s.box.center[1] <= y + h for s in scene.shapes):
            break
    else:
        raise Reject("no shape lies in the rectangle")
    before = scene.drawn()
    columns = x + ((np.arange(scene.width) + 0.5) * w / scene.width).astype(np.int64)
    rows = y + ((np.arange(scene.height) + 0.5) * h / scene.height).astype(np.int64)
    after = before[np.ix_(rows, columns)]
    frame(before, x, y, x + w, y + h, line, color.index)
    return Problem(
        f"Crop the image to the inside of the {color.name} outlined rectangle. {NEAREST}",
        before,
        after,
        {"outline_color": color.hex, "rectangle": [x, y, x + w, y + h]},
    )


def tilted(scene: Scene, rng: SeededRandom, color: Color) -> Problem:
    """A turned rectangle; the instruction says which of its corners becomes which corner of the image."""
    degrees = rng.choice(ANGLES)
    cos, sin = (round(f(math.radians(degrees)), 12) for f in (math.cos, math.sin))
    # The half extents of the turned rectangle, for a share of 1.
    half_x = (scene.width * abs(cos) + scene.height * abs(sin)) / 2
    half_y = (scene.width * abs(sin) + scene.height * abs(cos)) / 2
    line = outline_width(scene)
    room = MARGIN * scene.shorter
    fits = min((scene.width / 2 - room) / half_x, (scene.height / 2 - room) / half_y)
    require(fits > SHARE[0], "the rectangle does not fit")
    share = rng.uniform(SHARE[0], min(SHARE[1], fits))
    w, h, half_x, half_y = share * scene.width, share * scene.height, share * half_x, share * half_y
    for _ in range(TRIES):
        cx = snap(rng.uniform(half_x + room, scene.width - half_x - room))
        cy = snap(rng.uniform(half_y + room, scene.height - half_y - room))
        offsets = [(s.box.center[0] - cx, s.box.center[1] - cy) for s in scene.shapes]
        if any(abs(x * cos + y * sin) <= w / 2 and abs(y * cos - x * sin) <= h / 2 for x, y in offsets):
            break
    else:
        raise Reject("no shape lies in the rectangle")

    def corner(u: float, v: float, grow: float = 0.0) -> Point:
        a, b = u * (w / 2 + grow), v * (h / 2 + grow)
        return snap(cx + a * cos - b * sin), snap(cy + a * sin + b * cos)

    around = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    inner, outer = [corner(u, v) for u, v in around], [corner(u, v, line) for u, v in around]
    before = scene.drawn()
    used = np.zeros(before.shape, np.bool_)
    after = _sampled(before, used, inner[0], inner[1], inner[3])
    # Along the rim the sampling reads pixels whose center is outside; the outline must not hide those.
    ring = np.zeros_like(before)
    fill(ring, [outline_array(outer), outline_array(inner)], 1)
    before[ring.view(np.bool_) & ~used] = color.index
    highest = min(inner, key=lambda p: p[1])
    name = {inner[0]: "top-left", inner[1]: "top-right"}[highest]
    return Problem(
        f"Crop the image to the inside of the {color.name} outlined tilted rectangle and turn it upright, so that its "
        f"highest corner becomes the {name} corner of the image. {NEAREST}",
        before,
        after,
        {"outline_color": color.hex, "corners": [list(p) for p in inner], "angle": degrees},
    )


def _sampled(plane: Plane, used: npt.NDArray[np.bool_], origin: Point, right: Point, down: Point) -> Plane:
    """Each pixel of the result shows the pixel that holds the matching point of the rectangle; ``used`` marks those."""
    return _sample(
        plane, used, *origin, right[0] - origin[0], right[1] - origin[1], down[0] - origin[0], down[1] - origin[1]
    )


@compiled("u1[:, ::1], b1[:, ::1], f8, f8, f8, f8, f8, f8")
def _sample(
    plane: Plane, used: npt.NDArray[np.bool_], x0: float, y0: float, rx: float, ry: float, dx: float, dy: float
) -> Plane:
    height, width = plane.shape
    out = np.empty_like(plane)
    for row in range(height):
        v = (row + 0.5) / height
        for column in range(width):
            u = (column + 0.5) / width
            x = math.floor(x0 + u * rx + v * dx)
            y = math.floor(y0 + u * ry + v * dy)
            x, y = min(max(x, 0), width - 1), min(max(y, 0), height - 1)
            used[y, x] = True
            out[row, column] = plane[y, x]
    return out
