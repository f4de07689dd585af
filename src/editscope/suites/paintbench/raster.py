"""Exact rasterization without anti-aliasing: a pixel belongs to a figure when its center does.

Everything writes color indices into a plane (height × width, uint8) and returns the number of pixels written.
Polygons follow the even-odd rule; edges are half-open, so two figures that share an edge share no pixel.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.suites.paintbench.geometry import Outline, Point

Plane: TypeAlias = npt.NDArray[np.uint8]


def fill(plane: Plane, outlines: Sequence[Outline], index: int) -> int:
    """Paint the inside of polygons."""
    if len(outlines) == 1:
        vertices, starts = outlines[0], np.array([0, len(outlines[0])])
    else:
        vertices = np.concatenate(outlines)
        starts = np.concatenate(([0], np.cumsum([len(o) for o in outlines])))
    return _fill(plane, vertices, starts, index)


def brush(plane: Plane, p: Point, q: Point, radius: float, index: int) -> int:
    """Paint all pixels whose center is within ``radius`` of the segment from p to q; p = q gives a disc."""
    return _brush(plane, p[0], p[1], q[0], q[1], float(radius), index)  # one compiled form serves whole radii too


def stroke(plane: Plane, vertices: Sequence[Point], radius: float, index: int) -> int:
    """Paint along the edges of a closed polygon with a round brush."""
    return sum(brush(plane, p, vertices[(i + 1) % len(vertices)], radius, index) for i, p in enumerate(vertices))


def frame(plane: Plane, x0: int, y0: int, x1: int, y1: int, thickness: int, index: int) -> None:
    """Paint a frame around the pixel rectangle [x0, x1) × [y0, y1), outside of it."""
    t = thickness
    height, width = plane.shape
    left, top, right, bottom = max(x0 - t, 0), max(y0 - t, 0), min(x1 + t, width), min(y1 + t, height)
    plane[top : max(y0, 0), left:right] = index
    plane[y1:bottom, left:right] = index
    plane[top:bottom, left : max(x0, 0)] = index
    plane[top:bottom, x1:right] = index


def near(mask: npt.NDArray[np.bool_], reach: float) -> npt.NDArray[np.bool_]:
    """Pixels whose center is within ``reach`` of the center of a pixel of ``mask``, those included."""
    return _near(mask, reach)


def outline_array(vertices: Sequence[Point]) -> Outline:
    """Vertices as an outline."""
    return np.array(vertices, dtype=np.float64)


@compiled("u1[:, ::1], f8[:, ::1], i8[::1], i8")
def _fill(plane: Plane, vertices: Outline, starts: npt.NDArray[np.int64], index: int) -> int:
    height, width = plane.shape
    counts = np.zeros(height + 1, np.int64)
    for ring in range(len(starts) - 1):
        first, last = starts[ring], starts[ring + 1]
        for i in range(first, last):
            j = i + 1 if i + 1 < last else first
            y0, y1 = vertices[i, 1], vertices[j, 1]
            low, high = min(y0, y1), max(y0, y1)
            top, bottom = max(0, math.ceil(low - 0.5)), min(height, math.ceil(high - 0.5))
            for row in range(top, bottom):
                counts[row + 1] += 1
    for row in range(height):
        counts[row + 1] += counts[row]
    crossings = np.empty(counts[height], np.float64)
    used = np.zeros(height, np.int64)
    for ring in range(len(starts) - 1):
        first, last = starts[ring], starts[ring + 1]
        for i in range(first, last):
            j = i + 1 if i + 1 < last else first
            # From the upper to the lower end, so that an edge gives the same crossings in either direction.
            a, b = (i, j) if vertices[i, 1] <= vertices[j, 1] else (j, i)
            x0, y0, x1, y1 = vertices[a, 0], vertices[a, 1], vertices[b, 0], vertices[b, 1]
            top, bottom = max(0, math.ceil(y0 - 0.5)), min(height, math.ceil(y1 - 0.5))
            for row in range(top, bottom):
                x = x0 + (row + 0.5 - y0) * (x1 - x0) / (y1 - y0)
                k = counts[row] + used[row]
                while k > counts[row] and crossings[k - 1] > x:
                    crossings[k] = crossings[k - 1]
                    k -= 1
                crossings[k] = x
                used[row] += 1
    painted = 0
    for row in range(height):
        for k in range(counts[row], counts[row + 1] - 1, 2):
            left = max(0, math.ceil(crossings[k] - 0.5))
            right = min(width, math.ceil(crossings[k + 1] - 0.5))
            for x in range(left, right):
                plane[row, x] = index
            painted += max(0, right - left)
    return painted


@compiled("u1[:, ::1], f8, f8, f8, f8, f8, i8")
def _brush(plane: Plane, px: float, py: float, qx: float, qy: float, radius: float, index: int) -> int:
    height, width = plane.shape
    left = max(0, math.floor(min(px, qx) - radius))
    right = min(width, math.ceil(max(px, qx) + radius))
    top = max(0, math.floor(min(py, qy) - radius))
    bottom = min(height, math.ceil(max(py, qy) + radius))
    dx, dy = qx - px, qy - py
    length = dx * dx + dy * dy
    painted = 0
    for row in range(top, bottom):
        y = row + 0.5
        for column in range(left, right):
            x = column + 0.5
            t = 0.0
            if length > 0:
                t = min(1.0, max(0.0, ((x - px) * dx + (y - py) * dy) / length))
            gx, gy = x - px - t * dx, y - py - t * dy
            if gx * gx + gy * gy <= radius * radius:
                plane[row, column] = index
                painted += 1
    return painted


@compiled("b1[:, ::1], f8")
def _near(mask: npt.NDArray[np.bool_], reach: float) -> npt.NDArray[np.bool_]:
    # Each run of the mask, widened by what the circle leaves at each vertical distance, as +1/-1 marks per row.
    height, width = mask.shape
    steps = np.zeros((height, width + 1), np.int32)
    span = math.floor(reach)
    half = np.empty(span + 1, np.int64)
    for dy in range(span + 1):
        half[dy] = math.floor(math.sqrt(reach * reach - dy * dy))
    for row in range(height):
        column = 0
        while column < width:
            if not mask[row, column]:
                column += 1
                continue
            start = column
            while column < width and mask[row, column]:
                column += 1
            for other in range(max(0, row - span), min(height, row + span + 1)):
                reachable = half[abs(other - row)]
                steps[other, max(0, start - reachable)] += 1
                steps[other, min(width, column + reachable)] -= 1
    out = np.zeros((height, width), np.bool_)
    for row in range(height):
        depth = 0
        for column in range(width):
            depth += steps[row, column]
            out[row, column] = depth > 0
    return out
