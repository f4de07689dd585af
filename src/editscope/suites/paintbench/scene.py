"""A scene: canvas, colours, background, and shapes that were placed without touching each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.suites.dice import Dice
from editscope.suites.paintbench.background import Stripes
from editscope.suites.paintbench.geometry import Box, Point, clearance, distance, inside
from editscope.suites.paintbench.palette import PALETTES, Color
from editscope.suites.paintbench.problem import Reject
from editscope.suites.paintbench.raster import Plane, fill
from editscope.suites.paintbench.shapes import (
    FREE_ASPECT,
    KINDS,
    NOT_NEARLY_SQUARE,
    ROTATABLE,
    Shape,
    make_shape,
)
from editscope.suites.paintbench.words import PointRef, number, plural

GAP = 4.0
MIN_SIZE = 32.0
PLACE_TRIES = 150


@dataclass(frozen=True, slots=True)
class Setup:
    """What a condition asks of a scene."""

    width: int
    height: int
    palette: str
    striped: bool
    n: int


class Scene:
    """Canvas, colours and background of one attempt; tasks add the shapes."""

    def __init__(self, setup: Setup, dice: Dice) -> None:
        self.setup = setup
        self.width, self.height, self.n = setup.width, setup.height, setup.n
        order = dice.shuffled(PALETTES[setup.palette])
        self.colors = tuple(Color(c.name, c.hex, i) for i, c in enumerate(order))
        self.background, self.holdout, self.pool = self.colors[0], self.colors[1], self.colors[2:]
        self.stripes = Stripes.random(dice) if setup.striped else None
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

    def random_shape(self, dice: Dice, kind: str, color: Color, size: float) -> Shape:
        """A shape with whatever aspect ratio and rotation its kind may have."""
        aspect = 1.0
        if kind in FREE_ASPECT:
            aspect = dice.log_uniform(0.4, 2.5)
            while kind in NOT_NEARLY_SQUARE and 0.8 <= aspect <= 1.25:
                aspect = dice.log_uniform(0.4, 2.5)
        return make_shape(kind, color, size, aspect, dice.uniform(0, 360) if kind in ROTATABLE else 0.0)

    def place(self, dice: Dice, shape: Shape, area: Box | None = None, keep_off: Iterable[Box] = ()) -> Shape:
        """Find a free place for a shape and add it to the scene; Reject when there is none."""
        area = area or self.canvas
        box = shape.box
        near = [*(s.box for s in self.shapes), *keep_off]
        taken = [(b.x0 - GAP, b.y0 - GAP, b.x1 + GAP, b.y1 + GAP) for b in near]
        low_x, high_x = area.x0 - box.x0 + 2, area.x1 - box.x1 - 2
        low_y, high_y = area.y0 - box.y0 + 2, area.y1 - box.y1 - 2
        if low_x <= high_x and low_y <= high_y:
            for _ in range(PLACE_TRIES):
                dx, dy = dice.uniform(low_x, high_x), dice.uniform(low_y, high_y)
                x0, y0, x1, y1 = box.x0 + dx, box.y0 + dy, box.x1 + dx, box.y1 + dy
                if all(x1 < tx0 or tx1 < x0 or y1 < ty0 or ty1 < y0 for tx0, ty0, tx1, ty1 in taken):
                    placed = shape.moved(dx, dy)
                    self.shapes.append(placed)
                    return placed
        raise Reject("no room for another shape")

    def populate(
        self,
        dice: Dice,
        n: int | None = None,
        area: Box | None = None,
        kinds: Sequence[str] = KINDS,
        colors: Sequence[Color] | None = None,
        keep_off: Iterable[Box] = (),
    ) -> None:
        """Place n shapes: no two of the same kind and colour, no colour more often than max(2, ⌈n/3⌉)."""
        n = self.n if n is None else n
        colors = self.pool if colors is None else colors
        if self.setup.striped and n >= len(colors):
            # Both background colours are taken, so one colour is kept back for outlines and what is drawn.
            colors = colors[:-1]
        low, high = self.sizes(n, None if area is None else min(area.width, area.height))
        pairs = dice.shuffled([(kind, color) for kind in kinds for color in colors])
        most = max(2, math.ceil(n / 3))
        used: dict[str, int] = {}
        chosen: list[Shape] = []
        for kind, color in pairs:
            if len(chosen) == n:
                break
            if used.get(color.name, 0) < most:
                used[color.name] = used.get(color.name, 0) + 1
                chosen.append(self.random_shape(dice, kind, color, dice.uniform(low, high)))
        if len(chosen) < n:
            raise Reject("not enough kinds and colors")
        # Big shapes first, or the last of sixty would find no place; the order of the scene stays as drawn.
        start = len(self.shapes)
        order = sorted(range(n), key=lambda i: -chosen[i].box.width * chosen[i].box.height)
        placed = {i: self.place(dice, chosen[i], area, keep_off) for i in order}
        self.shapes[start:] = [placed[i] for i in range(n)]

    # Colours

    def unused_colors(self) -> list[Color]:
        """Palette colours that neither a shape nor the background has."""
        used = {shape.color.index for shape in self.shapes} | {0}
        if self.setup.striped:
            used.add(1)
        return [color for color in self.colors if color.index not in used]

    def unused_color(self, dice: Dice, but: Collection[Color] = ()) -> Color:
        """A colour that the scene does not show yet; in a scene that shows them all, any that is not ``but``."""
        banned = {color.index for color in but}
        free = [c for c in self.unused_colors() if c.index not in banned]
        free = free or [c for c in self.pool if c.index not in banned]
        if not free:
            raise Reject("no color left")
        return dice.choice(free)

    def outline_color(self, dice: Dice) -> Color:
        """An unused colour for lines: one of the three that stand out most against the background."""
        return dice.choice(self._by_contrast()[:3])

    def ink(self) -> Color:
        """The unused colour that stands out most against the background."""
        return self._by_contrast()[0]

    def _by_contrast(self) -> list[Color]:
        grounds = self.colors[: 2 if self.setup.striped else 1]
        free = self.unused_colors()
        if not free:
            raise Reject("no color left that can be told from the rest")
        return sorted(free, key=lambda c: -min(abs(c.luminance - g.luminance) for g in grounds))

    # Words

    def phrases(self, shape: Shape) -> list[str]:
        """The ways to name one shape so that the words fit it and no other."""
        same_kind = [s for s in self.shapes if s.kind == shape.kind]
        same_color = [s for s in self.shapes if s.color.index == shape.color.index]
        phrases = []
        if len([s for s in same_kind if s.color.index == shape.color.index]) == 1:
            phrases.append(f"the {shape.color.name} {shape.kind}")
        if len(same_kind) == 1:
            phrases.append(f"the {shape.kind}")
        if len(same_color) == 1:
            phrases.append(f"the {shape.color.name} shape")
        return phrases

    def phrase(self, dice: Dice, shape: Shape) -> str:
        """One way to name a shape; Reject when no words fit it alone."""
        phrases = self.phrases(shape)
        if not phrases:
            raise Reject("no words fit that shape alone")
        return dice.choice(phrases)

    def coordinate(self, dice: Dice, area: Box | None = None) -> PointRef:
        """A point in percent of width and height, two decimals, all of them used."""
        area = area or self.canvas
        px = round(dice.uniform(area.x0, area.x1) / self.width * 100, 2)
        py = round(dice.uniform(area.y0, area.y1) / self.height * 100, 2)
        return self.at(px, py)

    def at(self, px: float, py: float) -> PointRef:
        """The point at these percentages."""
        where = (px / 100 * self.width, py / 100 * self.height)
        return PointRef(f"({number(px)}%, {number(py)}%)", where)

    def canvas_point(self, dice: Dice) -> PointRef:
        """One of the nine named points of the image."""
        points = self.canvas.nine_points()
        name = dice.choice(list(points))
        return PointRef(f"the {name} of the image", points[name], name=name)

    def point_of(self, dice: Dice, shape: Shape) -> tuple[str, Point]:
        """A named point of a shape: as often one of its own as one of its bounding box, where it has its own."""
        points = shape.named_points()
        own = [name for name in points if not name.startswith("bounding-box")]
        boxed = [name for name in points if name.startswith("bounding-box")]
        name = dice.choice(own if own and dice.chance(0.5) else boxed)
        return name, points[name]

    def shape_point(self, dice: Dice, but: Shape | None = None) -> PointRef:
        """A named point of a shape that words can name."""
        shapes = [s for s in self.shapes if s is not but]
        if not shapes:
            raise Reject("no other shape")
        shape = dice.choice(shapes)
        name, at = self.point_of(dice, shape)
        return PointRef(f"the {name} of {self.phrase(dice, shape)}", at, self.shapes.index(shape), name)

    def any_point(self, dice: Dice, but: Shape | None = None) -> PointRef:
        """A point of another shape, of the image, or a coordinate."""
        which = dice.choice(("shape", "shape", "canvas", "coordinate"))
        if which == "shape" and len(self.shapes) > (0 if but is None else 1):
            return self.shape_point(dice, but)
        return self.canvas_point(dice) if which == "canvas" else self.coordinate(dice)

    def spot_in(self, dice: Dice, shape: Shape) -> PointRef:
        """A coordinate that lies well inside a shape."""
        best, room = None, 0.0
        for _ in range(60):
            ref = self.coordinate(dice, shape.box)
            if inside(ref.at, shape.outlines):
                here = clearance(ref.at, shape.outlines)
                if here > room:
                    best, room = ref, here
                if room >= 0.12 * shape.size:
                    break
        if best is None or room < 2.5:
            raise Reject("no spot well inside that shape")
        return best

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


@dataclass(frozen=True, slots=True)
class Attribute:
    """Words that fit some shapes of a scene, and which these are."""

    words: str
    kind: str
    inverted: bool
    members: tuple[int, ...]


def choose_attribute(scene: Scene, dice: Dice, valid: Callable[[Attribute], bool] | None = None) -> Attribute:
    """Words for at least one and not all shapes: by colour, by kind, both, or everything but these."""
    for _ in range(30):
        attribute = _attribute(scene, dice)
        if 0 < len(attribute.members) < len(scene.shapes) and (valid is None or valid(attribute)):
            return attribute
    raise Reject("no attribute fits some shapes but not all")


def _attribute(scene: Scene, dice: Dice) -> Attribute:
    example = dice.choice(scene.shapes)
    by = dice.choice(("color", "shape", "single"))
    inverted = dice.chance(0.35)
    if by == "single":
        fits = [s is example for s in scene.shapes]
        words, those = scene.phrase(dice, example), "the one"
    elif by == "color":
        fits = [s.color.index == example.color.index for s in scene.shapes]
        name = example.color.name
        words = f"the {name} shape" if sum(fits) == 1 else f"all {name} shapes"
        those = f"the {name} one" if sum(fits) == 1 else f"the {name} ones"
    else:
        fits = [s.kind == example.kind for s in scene.shapes]
        words = f"the {example.kind}" if sum(fits) == 1 else f"all {plural(example.kind)}"
        those = f"the {example.kind}" if sum(fits) == 1 else f"the {plural(example.kind)}"
    if inverted:
        words = f"all shapes except {words if by == 'single' else those}"
    members = tuple(i for i, fit in enumerate(fits) if fit != inverted)
    return Attribute(words, by, inverted, members)


def far_apart(points: Sequence[Point], least: float) -> bool:
    """Whether every two points are at least this far from each other."""
    return all(distance(p, q) >= least for i, p in enumerate(points) for q in points[:i])
