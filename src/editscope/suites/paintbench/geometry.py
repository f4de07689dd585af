"""Plane geometry in pixel units: affine maps, boxes, polygons. The canvas is [0, W] × [0, H], y points down."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Point: TypeAlias = tuple[float, float]
Outline: TypeAlias = npt.NDArray[np.float64]
"""A closed polygon: k × 2 vertices; the last is joined to the first."""

GRID = 65536.0
"""Vertices lie on a grid of 1/65536 px, so that the last bits of a sine never decide about a pixel."""


def snap(value: float) -> float:
    """The nearest coordinate on the vertex grid."""
    return round(value * GRID) / GRID


@dataclass(frozen=True, slots=True)
class Affine:
    """The map (x, y) → (a x + b y + c, d x + e y + f)."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, p: Point) -> Point:
        """The image of one point."""
        x, y = p
        return self.a * x + self.b * y + self.c, self.d * x + self.e * y + self.f

    def outline(self, vertices: Outline) -> Outline:
        """The image of a polygon, on the vertex grid."""
        x, y = vertices[:, 0], vertices[:, 1]
        out = np.empty_like(vertices)
        out[:, 0] = self.a * x + self.b * y + self.c
        out[:, 1] = self.d * x + self.e * y + self.f
        return np.rint(out * GRID) / GRID

    def after(self, first: Affine) -> Affine:
        """The map that does another one first, then this one."""
        return Affine(
            self.a * first.a + self.b * first.d,
            self.a * first.b + self.b * first.e,
            self.a * first.c + self.b * first.f + self.c,
            self.d * first.a + self.e * first.d,
            self.d * first.b + self.e * first.e,
            self.d * first.c + self.e * first.f + self.f,
        )


def translation(dx: float, dy: float) -> Affine:
    """Move by (dx, dy)."""
    return Affine(1.0, 0.0, dx, 0.0, 1.0, dy)


def about(fixed: Point, a: float, b: float, d: float, e: float) -> Affine:
    """The linear map (a b; d e) with one point fixed."""
    x, y = fixed
    return Affine(a, b, x - a * x - b * y, d, e, y - d * x - e * y)


def rotation(degrees: float, pivot: Point) -> Affine:
    """Turn clockwise, as seen on the screen, about a pivot.

    >>> rotation(90, (0, 0)).point((1.0, 0.0))
    (0.0, 1.0)
    """
    cos, sin = (round(f(math.radians(degrees)), 12) for f in (math.cos, math.sin))
    return about(pivot, cos, -sin, sin, cos)


def reflection(p: Point, q: Point) -> Affine:
    """Mirror across the line through two points.

    >>> reflection((0, 0), (1, 1)).point((3.0, 0.0))
    (0.0, 3.0)
    """
    dx, dy = q[0] - p[0], q[1] - p[1]
    norm = dx * dx + dy * dy
    cos, sin = (dx * dx - dy * dy) / norm, 2 * dx * dy / norm
    return about(p, cos, sin, sin, -cos)


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Horizontal extent."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Vertical extent."""
        return self.y1 - self.y0

    @property
    def center(self) -> Point:
        """The middle."""
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def grown(self, margin: float) -> Box:
        """The box with a margin added on each side."""
        return Box(self.x0 - margin, self.y0 - margin, self.x1 + margin, self.y1 + margin)

    def moved(self, dx: float, dy: float) -> Box:
        """The box of a shape after a move: the same rounding that its vertices get."""
        return Box(snap(self.x0 + dx), snap(self.y0 + dy), snap(self.x1 + dx), snap(self.y1 + dy))

    def holds(self, p: Point) -> bool:
        """Whether a point lies in the box."""
        return self.x0 <= p[0] <= self.x1 and self.y0 <= p[1] <= self.y1

    def shared_area(self, other: Box) -> float:
        """The area that two boxes have in common."""
        w = min(self.x1, other.x1) - max(self.x0, other.x0)
        h = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(w, 0.0) * max(h, 0.0)

    def nine_points(self) -> dict[str, Point]:
        """Corners, edge midpoints and center by name."""
        (cx, cy), x0, y0, x1, y1 = self.center, self.x0, self.y0, self.x1, self.y1
        return {
            "top-left corner": (x0, y0),
            "top edge midpoint": (cx, y0),
            "top-right corner": (x1, y0),
            "left edge midpoint": (x0, cy),
            "center": (cx, cy),
            "right edge midpoint": (x1, cy),
            "bottom-left corner": (x0, y1),
            "bottom edge midpoint": (cx, y1),
            "bottom-right corner": (x1, y1),
        }


def box_of(outlines: Sequence[Outline]) -> Box:
    """The bounding box of polygons."""
    every = outlines[0] if len(outlines) == 1 else np.concatenate(outlines)
    x0, y0 = every.min(axis=0).tolist()
    x1, y1 = every.max(axis=0).tolist()
    return Box(x0, y0, x1, y1)


def arc(center: Point, radius: float, start: float, stop: float, steps: int) -> list[Point]:
    """Points on a circle from one angle to another (degrees, clockwise on the screen), both ends included."""
    angles = [math.radians(start + (stop - start) * i / steps) for i in range(steps + 1)]
    return [(center[0] + radius * math.cos(t), center[1] + radius * math.sin(t)) for t in angles]


def inside(p: Point, outlines: Sequence[Outline]) -> bool:
    """Even-odd test."""
    x, y = p
    odd = False
    for o in outlines:
        x0, y0 = o[:, 0], o[:, 1]
        x1, y1 = np.roll(x0, -1), np.roll(y0, -1)
        rows = (y0 <= y) != (y1 <= y)
        crossings = x0[rows] + (y - y0[rows]) * (x1[rows] - x0[rows]) / (y1[rows] - y0[rows])
        odd ^= bool(np.count_nonzero(crossings > x) & 1)
    return odd


def clearance(p: Point, outlines: Sequence[Outline]) -> float:
    """Distance from a point to the nearest edge."""
    best = math.inf
    for o in outlines:
        start = o
        along = np.roll(o, -1, axis=0) - o
        toward = np.array(p) - start
        length = np.maximum((along * along).sum(axis=1), 1e-12)
        t = np.clip((toward * along).sum(axis=1) / length, 0.0, 1.0)[:, None]
        gaps = toward - t * along
        best = min(best, float(np.sqrt((gaps * gaps).sum(axis=1).min())))
    return best


def distance(p: Point, q: Point) -> float:
    """Euclidean distance."""
    return math.hypot(p[0] - q[0], p[1] - q[1])


def is_simple(vertices: Sequence[Point]) -> bool:
    """Whether no two edges of a polygon touch, except neighbors at their common vertex.

    >>> is_simple([(0, 0), (4, 0), (4, 4), (0, 4)]), is_simple([(0, 0), (4, 4), (4, 0), (0, 4)])
    (True, False)
    """
    k = len(vertices)
    edges = [(vertices[i], vertices[(i + 1) % k]) for i in range(k)]
    return not any(
        _cross(*edges[i], *edges[j]) for i in range(k) for j in range(i + 2, k) if not (i == 0 and j == k - 1)
    )


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) <= 0 and side(c, d, a) * side(c, d, b) <= 0


def area(vertices: Sequence[Point]) -> float:
    """The area of a simple polygon.

    >>> area([(0, 0), (4, 0), (4, 4), (0, 4)])
    16.0
    """
    k = len(vertices)
    twice = sum(vertices[i][0] * vertices[(i + 1) % k][1] - vertices[(i + 1) % k][0] * vertices[i][1] for i in range(k))
    return abs(twice) / 2.0


def hull(points: Sequence[Point]) -> list[Point]:
    """The convex hull of points, clockwise on the screen, without corners on its edges.

    >>> hull([(0, 0), (4, 0), (2, 1), (4, 4), (0, 4), (2, 0)])
    [(0, 0), (4, 0), (4, 4), (0, 4)]
    """
    ordered = sorted(set(points))
    chains = []
    for way in (ordered, ordered[::-1]):
        chain: list[Point] = []
        for p in way:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
