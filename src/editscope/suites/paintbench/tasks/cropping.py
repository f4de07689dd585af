"""Cropping: enlarge the inside of an outlined rectangle, upright or tilted, to the full canvas."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Point, snap
from editscope.suites.paintbench.outlined import outline_width
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.raster import Plane, fill, frame, outline_array
from editscope.suites.paintbench.scene import Scene

SHARE = (0.35, 0.72)
"""Side of the rectangle as a fraction of the canvas side."""
NEAREST = (
    "Enlarge it to the full size of the image with nearest-neighbor sampling, so that it fills the whole canvas "
    "and the outline itself no longer shows."
)


@task("cropping")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """The only task that resamples; the rectangle has the canvas's aspect ratio."""
    scene.populate(dice)
    return upright(scene, dice) if mode == "straight" else tilted(scene, dice)


def upright(scene: Scene, dice: Dice) -> Problem:
    """A rectangle of whole pixels with exactly the canvas's aspect ratio."""
    unit = math.gcd(scene.width, scene.height)
    step_x, step_y = scene.width // unit, scene.height // unit
    low, high = math.ceil(unit * SHARE[0]), math.floor(unit * SHARE[1])
    require(low <= high, "no smaller rectangle of whole pixels has the canvas's aspect ratio")
    k = dice.integer(low, high)
    w, h = k * step_x, k * step_y
    line = outline_width(scene)
    require(w + 2 * line + 2 <= scene.width and h + 2 * line + 2 <= scene.height, "the rectangle does not fit")
    x = dice.integer(line + 1, scene.width - w - line - 1)
    y = dice.integer(line + 1, scene.height - h - line - 1)
    color = scene.outline_color(dice)
    before = scene.drawn()
    columns = x + ((np.arange(scene.width) + 0.5) * w / scene.width).astype(np.int64)
    rows = y + ((np.arange(scene.height) + 0.5) * h / scene.height).astype(np.int64)
    after = before[np.ix_(rows, columns)]
    _check(scene, after)
    frame(before, x, y, x + w, y + h, line, color.index)
    return Problem(
        f"Crop the image to the inside of the {color.name} outlined rectangle. {NEAREST}",
        before,
        after,
        {"outline_color": color.hex, "rectangle": [x, y, x + w, y + h]},
    )


def tilted(scene: Scene, dice: Dice) -> Problem:
    """A turned rectangle; the instruction says which of its corners becomes which corner of the image."""
    share = dice.uniform(*SHARE) * 0.85
    w, h = share * scene.width, share * scene.height
    degrees = dice.integer(10, 35) * dice.choice((-1, 1))
    cos, sin = (round(f(math.radians(degrees)), 12) for f in (math.cos, math.sin))
    half_x = (abs(w * cos) + abs(h * sin)) / 2
    half_y = (abs(w * sin) + abs(h * cos)) / 2
    line = outline_width(scene)
    room = line + 2
    require(2 * (half_x + room) < scene.width and 2 * (half_y + room) < scene.height, "the rectangle does not fit")
    cx = snap(dice.uniform(half_x + room, scene.width - half_x - room))
    cy = snap(dice.uniform(half_y + room, scene.height - half_y - room))

    def corner(u: float, v: float, grow: float = 0.0) -> Point:
        a, b = u * (w / 2 + grow), v * (h / 2 + grow)
        return snap(cx + a * cos - b * sin), snap(cy + a * sin + b * cos)

    around = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    inner, outer = [corner(u, v) for u, v in around], [corner(u, v, line) for u, v in around]
    color = scene.outline_color(dice)
    before = scene.drawn()
    used = np.zeros(before.shape, np.bool_)
    after = _sampled(before, used, inner[0], inner[1], inner[3])
    _check(scene, after)
    # Along the rim the sampling reads pixels whose centre is outside; the outline must not hide those.
    ring = np.zeros_like(before)
    fill(ring, [outline_array(outer), outline_array(inner)], 1)
    before[ring.view(np.bool_) & ~used] = color.index
    # The top-left corner of the result is the highest one of a rectangle tilted clockwise, else the leftmost.
    highest, leftmost = min(inner, key=lambda p: p[1]), min(inner, key=lambda p: p[0])
    require(inner[0] in (highest, leftmost), "the corners have no clear names")
    word = "highest" if inner[0] == highest else "leftmost"
    return Problem(
        f"Crop the image to the inside of the {color.name} outlined tilted rectangle and turn it upright, so that its "
        f"{word} corner becomes the top-left corner of the image. {NEAREST}",
        before,
        after,
        {"outline_color": color.hex, "corners": [list(p) for p in inner], "angle": degrees},
    )


def _sampled(plane: Plane, used: npt.NDArray[np.bool_], origin: Point, right: Point, down: Point) -> Plane:
    """Each pixel of the result shows the pixel that holds the matching point of the rectangle; ``used`` marks those."""
    return _sample(
        plane, used, *origin, right[0] - origin[0], right[1] - origin[1], down[0] - origin[0], down[1] - origin[1]
    )


@compiled()
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


def _check(scene: Scene, after: Plane) -> None:
    figure = int(np.count_nonzero(~scene.is_background(after)))
    require(figure >= 0.03 * after.size, "the rectangle holds hardly anything but background")
