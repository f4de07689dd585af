"""The twelve shapes: outlines in their own box, named control points, and how they are placed on a canvas."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from editscope.suites.paintbench.geometry import Affine, Box, Outline, Point, arc, box_of, rotation, translation
from editscope.suites.paintbench.palette import Color

KINDS = (
    "circle",
    "rectangle",
    "cloud",
    "hexagon",
    "triangle",
    "ring",
    "arrow",
    "heart",
    "star",
    "semicircle",
    "cross",
    "diamond",
)
ROTATABLE = frozenset({"hexagon", "triangle", "ring", "arrow", "heart", "star", "semicircle", "diamond"})
FREE_ASPECT = frozenset({"rectangle", "ring", "arrow", "cross", "diamond"})
NOT_NEARLY_SQUARE = frozenset({"rectangle", "ring", "diamond"})
RING_HOLE = 0.6
ARROW_HEAD = 0.4
CROSS_ARM = 1 / 3
"""The thickness of an arm as a fraction of the side that it crosses: arms stretch with the shape."""
PROPORTIONS = {"triangle": 1 / math.sqrt(3), "semicircle": 0.5, "cloud": 0.75, "hexagon": math.sqrt(3) / 2}
"""The shorter side before rotation, as a fraction of the longer one, of kinds that are no square and cannot stretch."""
OWN_POINTS = {
    "cloud": ("topmost point", "leftmost point", "rightmost point"),
    "cross": ("center", "top edge midpoint", "bottom edge midpoint", "left edge midpoint", "right edge midpoint"),
    "arrow": ("tip",),
    "heart": ("tip",),
}
"""Which of a shape's single points the release names; of the other kinds all."""
FLATNESS = 1 / 512
"""How far, in pixels, a polygon may stay inside the curve that it stands for."""


@dataclass(frozen=True, eq=False, slots=True)
class _Figure:
    """A shape as it is described: rings of points around the origin, and points that have names."""

    rings: list[list[Point]]
    points: dict[str, Point]
    families: dict[str, tuple[Point, ...]]


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape on a canvas: polygons in pixel coordinates, and points that move with them.

    ``figure`` is the shape as a template and ``place`` maps it to the canvas. ``points`` are single points by name;
    ``families`` are groups of alike points (the five tips of a star), which get a name only through where they lie
    ("highest tip").
    """

    kind: str
    color: Color
    outlines: tuple[Outline, ...]
    figure: _Figure
    place: Affine
    size: float
    aspect: float = 1.0
    rotation: float = 0.0

    @cached_property
    def box(self) -> Box:
        """The bounding box."""
        return box_of(self.outlines)

    @property
    def half_diagonal(self) -> float:
        """Half the diagonal of the bounding box that the shape had before it was turned."""
        shorter = PROPORTIONS.get(self.kind) or min(self.aspect, 1 / self.aspect)
        return self.size / 2 * math.hypot(1.0, shorter)

    @cached_property
    def points(self) -> dict[str, Point]:
        """Single points by name."""
        return {name: self.place.point(p) for name, p in self.figure.points.items()}

    @cached_property
    def families(self) -> dict[str, tuple[Point, ...]]:
        """Groups of alike points."""
        return {name: tuple(self.place.point(p) for p in ps) for name, ps in self.figure.families.items()}

    def mapped(self, affine: Affine) -> Shape:
        """The shape under an affine map: geometry moves, pixels are drawn anew."""
        return replace(self, outlines=tuple(affine.outline(o) for o in self.outlines), place=affine.after(self.place))

    def moved(self, dx: float, dy: float) -> Shape:
        """The shape moved by (dx, dy)."""
        shift = translation(dx, dy)
        outlines = tuple(shift.outline(o) for o in self.outlines)
        there = Shape(
            self.kind, self.color, outlines, self.figure, shift.after(self.place), self.size, self.aspect, self.rotation
        )
        there.__dict__["box"] = self.box.moved(dx, dy)  # known without another look at the vertices
        return there

    def centered(self, p: Point) -> Shape:
        """The shape moved so that its bounding box is centered at p."""
        cx, cy = self.box.center
        return self.moved(p[0] - cx, p[1] - cy)

    def recolored(self, color: Color) -> Shape:
        """The same shape in another color."""
        return replace(self, color=color)

    def own_points(self) -> dict[str, Point]:
        """The points that the release names: a few of the shape's own, none of its box."""
        return {name: self.points[name] for name in OWN_POINTS.get(self.kind, self.points)}

    def named_points(self) -> dict[str, Point]:
        """All points that a person can find: the shape's own, the extreme ones of a family, and the box's nine."""
        named = dict(self.points)
        for family, members in self.families.items():
            named.update(_extremes(family, members, margin=max(4.0, 0.06 * self.size)))
        named.update({f"bounding-box {name}": p for name, p in self.box.nine_points().items()})
        return named


def _extremes(family: str, members: tuple[Point, ...], margin: float) -> dict[str, Point]:
    named = {}
    for word, axis, sign in (("highest", 1, 1), ("lowest", 1, -1), ("leftmost", 0, 1), ("rightmost", 0, -1)):
        ranked = sorted(members, key=lambda p: sign * p[axis])
        if sign * (ranked[1][axis] - ranked[0][axis]) >= margin:
            named[f"{word} {family}"] = ranked[0]
    return named


def make_shape(kind: str, color: Color, size: float, aspect: float = 1.0, turn: float = 0.0) -> Shape:
    """A shape around the origin: the longer side of its unrotated box is ``size``, width / height is ``aspect``."""
    width, height = (size, size / aspect) if aspect >= 1 else (size * aspect, size)
    detail = 32.0
    while detail < size:
        detail *= 1.25
    figure, outlines = _template(kind, detail)
    upright = rotation(turn, (0.0, 0.0))
    sx, sy = width / detail, height / detail
    stretched = Affine(upright.a * sx, upright.b * sy, 0.0, upright.d * sx, upright.e * sy, 0.0)
    return Shape(kind, color, tuple(map(stretched.outline, outlines)), figure, stretched, size, aspect, turn)


@cache
def _template(kind: str, detail: float) -> tuple[_Figure, tuple[Outline, ...]]:
    """A shape in a square box of this side, with as many vertices as a shape of this size needs."""
    figure = _FIGURES[kind](detail, detail)
    return figure, tuple(np.array(ring, dtype=np.float64) for ring in figure.rings)


def _steps(radius: float, degrees: float = 360.0) -> int:
    """How many edges a circular arc needs so that none is off by more than FLATNESS."""
    full = math.pi / math.sqrt(2 * FLATNESS / max(radius, 1.0))
    return max(8, math.ceil(full * degrees / 360.0))


def _ellipse(width: float, height: float) -> list[Point]:
    steps = 4 * math.ceil(_steps(max(width, height) / 2) / 4)
    angles = [2 * math.pi * i / steps for i in range(steps)]
    return [(width / 2 * math.cos(t), height / 2 * math.sin(t)) for t in angles]


def _circle(w: float, h: float) -> _Figure:
    r = w / 2
    points = {
        "center": (0.0, 0.0),
        "topmost point": (0.0, -r),
        "bottommost point": (0.0, r),
        "leftmost point": (-r, 0.0),
        "rightmost point": (r, 0.0),
    }
    return _Figure([_ellipse(w, w)], points, {})


def _rectangle(w: float, h: float) -> _Figure:
    box = Box(-w / 2, -h / 2, w / 2, h / 2)
    points = box.nine_points()
    corners = [points[f"{name} corner"] for name in ("top-left", "top-right", "bottom-right", "bottom-left")]
    return _Figure([corners], points, {})


def _ring(w: float, h: float) -> _Figure:
    hole = [(x * RING_HOLE, y * RING_HOLE) for x, y in _ellipse(w, h)]
    return _Figure([_ellipse(w, h), hole], {"center": (0.0, 0.0)}, {})


def _diamond(w: float, h: float) -> _Figure:
    corners = [(0.0, -h / 2), (w / 2, 0.0), (0.0, h / 2), (-w / 2, 0.0)]
    return _Figure([corners], {"center": (0.0, 0.0)}, {"vertex": tuple(corners)})


def _hexagon(w: float, h: float) -> _Figure:
    corners = [(w / 2 * math.cos(math.radians(a)), w / 2 * math.sin(math.radians(a))) for a in range(0, 360, 60)]
    return _Figure([corners], {"center": (0.0, 0.0)}, {"vertex": tuple(corners)})


def _triangle(w: float, h: float) -> _Figure:
    x, y = w / 2, w / 2 / math.sqrt(3)
    right, thirty, sixty = (-x, y), (x, y), (-x, -y)
    points = {
        "90-degree vertex": right,
        "30-degree vertex": thirty,
        "60-degree vertex": sixty,
        "hypotenuse midpoint": (0.0, 0.0),
        "long leg midpoint": (0.0, y),
        "short leg midpoint": (-x, 0.0),
    }
    return _Figure([[right, sixty, thirty]], points, {})


def _arrow(w: float, h: float) -> _Figure:
    neck, shaft = w / 2 - ARROW_HEAD * w, 0.2 * h
    ring = [
        (-w / 2, -shaft),
        (neck, -shaft),
        (neck, -h / 2),
        (w / 2, 0.0),
        (neck, h / 2),
        (neck, shaft),
        (-w / 2, shaft),
    ]
    return _Figure([ring], {"tip": (w / 2, 0.0), "tail edge midpoint": (-w / 2, 0.0)}, {})


def _star(w: float, h: float) -> _Figure:
    outer = w / (2 * math.sin(math.radians(72)))
    inner = outer * (3 - math.sqrt(5)) / 2
    ring = [
        (r * math.sin(math.radians(36 * i)), -r * math.cos(math.radians(36 * i)))
        for i, r in enumerate([outer, inner] * 5)
    ]
    return _Figure([ring], {"center": (0.0, 0.0)}, {"tip": tuple(ring[::2])})


def _semicircle(w: float, h: float) -> _Figure:
    r = w / 2
    ring = arc((0.0, r / 2), r, 180, 360, _steps(r, 180))
    return _Figure([ring], {"arc midpoint": (0.0, -r / 2), "straight edge midpoint": (0.0, r / 2)}, {})


def _cross(w: float, h: float) -> _Figure:
    x, y, s, t = w / 2, h / 2, CROSS_ARM * w / 2, CROSS_ARM * h / 2
    ring = [
        (-s, -y),
        (s, -y),
        (s, -t),
        (x, -t),
        (x, t),
        (s, t),
        (s, y),
        (-s, y),
        (-s, t),
        (-x, t),
        (-x, -t),
        (-s, -t),
    ]
    points = {
        "center": (0.0, 0.0),
        "top edge midpoint": (0.0, -y),
        "bottom edge midpoint": (0.0, y),
        "left edge midpoint": (-x, 0.0),
        "right edge midpoint": (x, 0.0),
        "top-left inner corner": (-s, -t),
        "top-right inner corner": (s, -t),
        "bottom-left inner corner": (-s, t),
        "bottom-right inner corner": (s, t),
    }
    return _Figure([ring], points, {})


def _heart(w: float, h: float) -> _Figure:
    # Two lobes that meet in the notch, and their tangents down to the tip.
    r, cx, cy, tip = 0.27 * w, 0.23 * w, -0.2 * w, 0.49 * w
    notch = cy - math.sqrt(r * r - cx * cx)
    reach = math.hypot(cx, tip - cy)
    touch = math.degrees(math.atan2(tip - cy, -cx) - math.acos(r / reach))
    meet = math.degrees(math.atan2(notch - cy, -cx))
    right = arc((cx, cy), r, meet, touch, _steps(r, 240))
    left = [(-x, y) for x, y in reversed(right)]
    return _Figure([[*right, (0.0, tip), *left[:-1]]], {"tip": (0.0, tip), "notch": (0.0, notch)}, {})


_CLOUD = ((-0.28, 0.155, 0.22), (-0.10, -0.09, 0.285), (0.17, -0.03, 0.24), (0.30, 0.175, 0.20))


def _cloud(w: float, h: float) -> _Figure:
    # Four bumps from left to right on a flat base; each arc runs between its crossings with its neighbors.
    ring: list[Point] = []
    start = 90.0
    for i, (x, y, r) in enumerate(_CLOUD):
        if i + 1 < len(_CLOUD):
            crossing = _upper_crossing(_CLOUD[i], _CLOUD[i + 1])
            stop = math.degrees(math.atan2(crossing[1] - y, crossing[0] - x))
            after = _CLOUD[i + 1]
            following = math.degrees(math.atan2(crossing[1] - after[1], crossing[0] - after[0]))
        else:
            stop, following = 90.0, 0.0
        while stop <= start:
            stop += 360
        ring += [(px * w, py * w) for px, py in arc((x, y), r, start, stop, _steps(r * w, stop - start))]
        start = following
    base = (_CLOUD[0][1] + _CLOUD[0][2]) * w
    middle = (_CLOUD[0][0] + _CLOUD[-1][0]) / 2 * w
    highest, first, last = min(_CLOUD, key=lambda bump: bump[1] - bump[2]), _CLOUD[0], _CLOUD[-1]
    points = {
        "topmost point": (highest[0] * w, (highest[1] - highest[2]) * w),
        "leftmost point": ((first[0] - first[2]) * w, first[1] * w),
        "rightmost point": ((last[0] + last[2]) * w, last[1] * w),
        "flat edge midpoint": (middle, base),
    }
    return _Figure([ring], points, {})


def _upper_crossing(a: tuple[float, float, float], b: tuple[float, float, float]) -> Point:
    (x0, y0, r0), (x1, y1, r1) = a, b
    d = math.hypot(x1 - x0, y1 - y0)
    along = (r0 * r0 - r1 * r1 + d * d) / (2 * d)
    across = math.sqrt(r0 * r0 - along * along)
    ux, uy = (x1 - x0) / d, (y1 - y0) / d
    return min(
        ((x0 + along * ux + s * across * -uy, y0 + along * uy + s * across * ux) for s in (1, -1)),
        key=lambda p: p[1],
    )


_FIGURES: dict[str, Callable[[float, float], _Figure]] = {
    "circle": _circle,
    "rectangle": _rectangle,
    "cloud": _cloud,
    "hexagon": _hexagon,
    "triangle": _triangle,
    "ring": _ring,
    "arrow": _arrow,
    "heart": _heart,
    "star": _star,
    "semicircle": _semicircle,
    "cross": _cross,
    "diamond": _diamond,
}
