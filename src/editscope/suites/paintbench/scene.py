"""A scene: canvas, colors, background, and shapes that were placed without touching each other."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.background import Stripes
from editscope.suites.paintbench.geometry import Box, Point, clearance, distance, inside
from editscope.suites.paintbench.palette import PALETTES, Color
from editscope.suites.paintbench.placing import Placing
from editscope.suites.paintbench.problem import Reject, require
from editscope.suites.paintbench.raster import Plane, fill
from editscope.suites.paintbench.shapes import FREE_ASPECT, KINDS, NOT_NEARLY_SQUARE, ROTATABLE, Shape, make_shape
from editscope.suites.paintbench.words import PointRef, number

MIN_SIZE = 32.0
SPOT_TRIES = 60
OFF_EDGE = 2.5
"""How far, in pixels, a position that names a shape lies from its edge."""
COORDINATES = (5.0, 95.0)
"""Where points lie that are given as coordinates, in percent of a side."""


@dataclass(frozen=True, slots=True)
class SceneSetup:
    """What a condition asks of a scene."""

    width: int
    height: int
    palette: str
    striped: bool
    n: int
    points: Literal["own", "box"] = "own"


class Scene:
    """Canvas, colors and background of one attempt; tasks add the shapes."""

    def __init__(self, setup: SceneSetup, rng: SeededRandom) -> None:
        self.setup = setup
        self.width, self.height, self.n = setup.width, setup.height, setup.n
        order = rng.shuffled(PALETTES[setup.palette])
        self.colors = tuple(Color(c.name, c.hex, i) for i, c in enumerate(order))
        self.background, self.pool = self.colors[0], self.colors[2:]  # the second is for stripes
        self.stripes = Stripes.random(rng) if setup.striped else None
        self.shapes: list[Shape] = []

    @property
    def canvas(self) -> Box:
        """The whole canvas."""
        return Box(0.0, 0.0, float(self.width), float(self.height))

    @property
    def shorter(self) -> int:
        """The shorter side."""
        return min(self.width, self.height)

    # Placement

    def sizes(self, n: int, shorter: float | None = None) -> tuple[float, float]:
        """Smallest and largest size, in pixels, of one of n shapes."""
        side = self.shorter if shorter is None else shorter
        low = max(0.02, 0.18 / math.sqrt(n)) * side
        high = min(0.40, 0.55 / math.sqrt(n)) * side
        return max(MIN_SIZE, low), max(MIN_SIZE * 1.1, high)

    def random_shape(self, rng: SeededRandom, kind: str, color: Color, size: float) -> Shape:
        """A shape with whatever aspect ratio and rotation its kind may have."""
        aspect = 1.0
        if kind in FREE_ASPECT:
            aspect = rng.log_uniform(0.4, 2.5)
            while kind in NOT_NEARLY_SQUARE and 0.8 <= aspect <= 1.25:
                aspect = rng.log_uniform(0.4, 2.5)
        return make_shape(kind, color, size, aspect, rng.uniform(0, 360) if kind in ROTATABLE else 0.0)

    def populate(self, rng: SeededRandom, area: Box | None = None, *, tight: bool = False) -> None:
        """Place n shapes; ``tight`` lets them reach to the edge of the area.

        No two are of the same kind and color, no color stands more often than max(2, ⌈n/3⌉), no kind more often than
        max(2, ⌈n/12⌉).
        """
        area = area or self.canvas
        low, high = self.sizes(self.n, min(area.width, area.height))
        most_of_color, most_of_kind = max(2, math.ceil(self.n / 3)), max(2, math.ceil(self.n / 12))
        used: Counter[str | int | tuple[str, int]] = Counter()
        placing = Placing(self.shapes, rng, area, tight=tight)
        kinds = list(KINDS)

        def draw() -> Shape:
            kind = rng.choice(kinds)
            free = [c for c in self.pool if used[c.index] < most_of_color and not used[kind, c.index]]
            require(bool(free), "not enough kinds and colors")
            return self.random_shape(rng, kind, rng.choice(free), rng.uniform(low, high))

        for _ in range(self.n):
            shape = placing.place(draw)
            used.update((shape.kind, shape.color.index, (shape.kind, shape.color.index)))
            if used[shape.kind] == most_of_kind:
                kinds.remove(shape.kind)

    # Colors

    def reserve(self, rng: SeededRandom) -> Color:
        """A color for what is drawn, filled or outlined: no shape that is placed from now on has it."""
        color = rng.choice(self.pool)
        self.pool = tuple(other for other in self.pool if other is not color)
        return color

    # Words

    def phrases(self, shape: Shape) -> list[str]:
        """The ways to name one shape so that the words fit it and no other.

        A color that several shapes have is always said together with the kind; the kind alone never is the only clue
        where the color would do.
        """
        alike = [s for s in self.shapes if s.color.index == shape.color.index]
        phrases = []
        if len([s for s in alike if s.kind == shape.kind]) == 1:
            phrases.append(f"the {shape.color.name} {shape.kind}")
        if len(alike) == 1:
            phrases.append(f"the {shape.color.name} shape")
            if len([s for s in self.shapes if s.kind == shape.kind]) == 1:
                phrases.append(f"the {shape.kind}")
        return phrases

    def phrase(self, rng: SeededRandom, shape: Shape) -> str:
        """One way to name a shape; Reject when no words fit it alone."""
        phrases = self.phrases(shape)
        if not phrases:
            raise Reject("no words fit that shape alone")
        return rng.choice(phrases)

    def coordinate(
        self, rng: SeededRandom, area: Box | None = None, within: tuple[float, float] = COORDINATES
    ) -> PointRef:
        """A point in percent of width and height, two decimals, all of them used."""
        if area is None:
            return self.at(round(rng.uniform(*within), 2), round(rng.uniform(*within), 2))
        px = round(rng.uniform(area.x0, area.x1) / self.width * 100, 2)
        py = round(rng.uniform(area.y0, area.y1) / self.height * 100, 2)
        return self.at(px, py)

    def at(self, px: float, py: float) -> PointRef:
        """The point at these percentages."""
        where = (px / 100 * self.width, py / 100 * self.height)
        return PointRef(f"({number(px)}%, {number(py)}%)", where)

    def canvas_point(self, rng: SeededRandom) -> PointRef:
        """One of the nine named points of the image."""
        points = self.canvas.nine_points()
        name = rng.choice(list(points))
        return PointRef(f"the {name} of the image", points[name], name=name)

    def point_of(self, rng: SeededRandom, shape: Shape) -> tuple[str, Point]:
        """A named point of a shape: one of its own, or with ``points=box`` as often one of its bounding box."""
        if self.setup.points == "own":
            points = shape.own_points()
            name = rng.choice(list(points))
            return name, points[name]
        points = shape.named_points()
        own = [name for name in points if not name.startswith("bounding-box")]
        boxed = [name for name in points if name.startswith("bounding-box")]
        name = rng.choice(own if own and rng.chance(0.5) else boxed)
        return name, points[name]

    def named_point(self, rng: SeededRandom, but: Shape | None = None) -> PointRef:
        """A named point of a shape or of the image, which counts as one more shape."""
        sources: list[Shape | None] = [*(shape for shape in self.shapes if shape is not but), None]
        shape = rng.choice(sources)
        if shape is None:
            return self.canvas_point(rng)
        name, at = self.point_of(rng, shape)
        return PointRef(f"the {name} of {self.phrase(rng, shape)}", at, self.shapes.index(shape), name)

    def spot_in(self, rng: SeededRandom, shape: Shape) -> PointRef:
        """A random coordinate of a shape, not at its very edge."""
        for _ in range(SPOT_TRIES):
            ref = self.coordinate(rng, area=shape.box)
            if inside(ref.at, shape.outlines) and clearance(ref.at, shape.outlines) >= OFF_EDGE:
                return ref
        raise Reject("no spot inside that shape")

    # Pixels

    @cached_property
    def _ground(self) -> Plane:
        if self.stripes is None:
            return np.zeros((self.height, self.width), np.uint8)
        return self.stripes.plane(self.width, self.height)

    def ground(self) -> Plane:
        """The background alone, a fresh copy."""
        return self._ground.copy()

    def drawn(self, shapes: Iterable[Shape] | None = None, onto: Plane | None = None) -> Plane:
        """A picture of some shapes (all of them if not said) over the background or another picture."""
        plane = self.ground() if onto is None else onto
        for shape in self.shapes if shapes is None else shapes:
            fill(plane, shape.outlines, shape.color.index)
        return plane

    def mask(self, shape: Shape) -> npt.NDArray[np.bool_]:
        """The pixels of one shape."""
        plane = np.zeros((self.height, self.width), np.uint8)
        fill(plane, shape.outlines, 1)
        return plane.view(np.bool_)

    def is_background(self, plane: Plane) -> npt.NDArray[np.bool_]:
        """The pixels of a picture that show the background."""
        return plane <= 1 if self.setup.striped else plane == 0

    # Description

    def describe(self) -> list[dict[str, Any]]:
        """Every shape in words and numbers, for the problem's description."""
        return [
            {
                "shape": s.kind,
                "color": s.color.hex,
                "color_name": s.color.name,
                "bbox": [round(v, 4) for v in (s.box.x0, s.box.y0, s.box.x1, s.box.y1)],
                "size": round(s.size, 4),
                "rotation": round(s.rotation, 4),
            }
            for s in self.shapes
        ]


def far_apart(points: Sequence[Point], least: float) -> bool:
    """Whether every two points are at least this far from each other."""
    return all(distance(p, q) >= least for i, p in enumerate(points) for q in points[:i])
