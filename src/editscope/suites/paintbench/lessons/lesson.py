"""Lessons: a problem with all that its answer was made of, for training. None of it is shown to an editor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.suites.generated.stream import StreamPlace
from editscope.suites.paintbench.geometry import Affine, Point, translation
from editscope.suites.paintbench.make import DrawnProblem, draw
from editscope.suites.paintbench.raster import Plane
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from editscope.suites.paintbench.suite import PaintStream

Bounds = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True, slots=True)
class CopiedArea:
    """Pixels of the answer that show another place of the input: ``source`` maps a point of it to where it is from."""

    bounds: Bounds
    source: Affine


@dataclass(frozen=True, slots=True)
class ColorMap:
    """New colors as a function of old ones, on a scale from 0 to 1: ``own * c + luma * gray(c) + added``."""

    own: float
    luma: float
    added: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class ColorRamp:
    """A gradient: t = ax·x + ay·y + b, in pixels, between two colors."""

    ax: float
    ay: float
    b: float
    first: tuple[int, int, int]
    second: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Figure:
    """What a construction draws, in pixels: a stroke from the first point to the second with a round brush, where
    ``radius`` is above 0 (a circle is a stroke from its center to its center), or the polygon of three to five points.
    """

    points: tuple[Point, ...]
    radius: float = 0.0


@dataclass(frozen=True, eq=False)
class Lesson:
    """A problem and how its answer follows. ``after`` has indices into ``colors``, or RGB where there is a ramp."""

    task: str
    mode: str
    condition: str
    instruction: str
    before: Plane
    after: Plane | Pixels
    colors: npt.NDArray[np.uint8]
    copied: tuple[CopiedArea, ...] = ()
    color_map: ColorMap | None = None
    ramp: ColorRamp | None = None
    figure: Figure | None = None

    @property
    def one_motion(self) -> bool:
        """Whether one map gives the place of everything that is copied, in every problem of the task."""
        return bool(self.copied) and self.task not in ("ordering", "pattern")


class LessonStream(PaintStream):
    """The problems of a stream as lessons."""

    def lesson(self, place: StreamPlace) -> Lesson:
        """The lesson of a place; BadInput where no attempt gives a problem."""
        slot = self.slot(place)
        return lesson_of(slot, draw(slot, self._overrides))


def lesson_at(slot: PaintSlot, overrides: Overrides = Overrides()) -> Lesson:
    """The lesson of a slot."""
    return lesson_of(slot, draw(slot, overrides))


def lesson_of(slot: PaintSlot, drawn: DrawnProblem) -> Lesson:
    """The lesson of a problem that was drawn."""
    scene, problem = drawn.scene, drawn.problem
    colors = np.array([color.rgb for color in scene.colors] + list(problem.extra_colors), np.uint8)
    return Lesson(
        slot.task,
        slot.mode,
        slot.condition,
        problem.instruction,
        problem.before,
        problem.after,
        colors,
        tuple(_copied(slot, drawn)),
        _color_map(slot, problem.details),
        _ramp(problem.details) if slot.task == "gradient" else None,
        _figure(scene, slot.mode, problem.details) if slot.task == "construction" else None,
    )


def inverse(affine: Affine) -> Affine:
    """The map that undoes another one.

    >>> inverse(translation(3, 4)).point((3.0, 4.0))
    (0.0, 0.0)
    """
    a, b, c, d, e, f = affine.a, affine.b, affine.c, affine.d, affine.e, affine.f
    scale = a * e - b * d
    ia, ib, id_, ie = e / scale, -b / scale, -d / scale, a / scale
    return Affine(ia, ib, -(ia * c + ib * f), id_, ie, -(id_ * c + ie * f))


def _copied(slot: PaintSlot, drawn: DrawnProblem) -> Iterator[CopiedArea]:
    scene, details = drawn.scene, drawn.problem.details
    whole = (0.0, 0.0, float(scene.width), float(scene.height))
    if drawn.problem.moved is not None:
        yield CopiedArea(whole, inverse(drawn.problem.moved))
    elif slot.task == "copying":
        source, target = details["source_square"], details["target_square"]
        yield CopiedArea(tuple(target), translation(source[0] - target[0], source[1] - target[1]))
    elif slot.task == "cropping":
        yield CopiedArea(whole, _cropped(scene, details))
    elif slot.task == "ordering":
        yield from _sorted_boxes(details)
    elif slot.task == "pattern":
        yield from (_grid_gaps if slot.mode == "grid" else _circle_gaps)(scene, details)


def _cropped(scene: Scene, details: Mapping[str, Any]) -> Affine:
    if "rectangle" in details:
        x0, y0, x1, y1 = details["rectangle"]
        corner, right, down = (x0, y0), (x1, y0), (x0, y1)
    else:
        corner, right, _, down = details["corners"]
    (x, y), w, h = corner, scene.width, scene.height
    return Affine((right[0] - x) / w, (down[0] - x) / h, x, (right[1] - y) / w, (down[1] - y) / h, y)


def _sorted_boxes(details: Mapping[str, Any]) -> Iterator[CopiedArea]:
    boxes, sizes = details["boxes"], list(details["input_sizes"])
    for box, size in zip(boxes, details["sorted_sizes"], strict=True):
        source = boxes[sizes.index(size)]
        if source != box:
            yield CopiedArea(tuple(box), translation(source[0] - box[0], source[1] - box[1]))


def _grid_gaps(scene: Scene, details: Mapping[str, Any]) -> Iterator[CopiedArea]:
    cell, rows, cols = details["cell"], details["rows"], details["cols"]
    box = scene.shapes[0].box  # the first cell is never missing
    left, top = box.center[0] - cell / 2, box.center[1] - cell / 2
    motif = details["motif"]
    missing = [tuple(place) for place in details["missing"]]
    gone = set(missing)

    def kind(r: int, c: int) -> Any:
        return motif[(r % details["period_r"]) * details["period_c"] + c % details["period_c"]]

    shown = [(r, c) for r in range(rows) for c in range(cols) if (r, c) not in gone]
    for r, c in missing:
        same = [(math.hypot(p - r, q - c), p - r, q - c) for p, q in shown if kind(p, q) == kind(r, c)]
        _, dr, dc = min(same)
        x, y = left + c * cell, top + r * cell
        yield CopiedArea((x, y, x + cell, y + cell), translation(dc * cell, dr * cell))


def _circle_gaps(scene: Scene, details: Mapping[str, Any]) -> Iterator[CopiedArea]:
    count, (cx, cy, ring) = details["n_shapes"], details["circle"]
    motif, missing = details["motif"], list(details["missing"])
    gone = set(missing)

    def at(i: int) -> Point:
        return round(cx + ring * math.cos(math.tau * i / count)), round(cy + ring * math.sin(math.tau * i / count))

    def kind(i: int) -> Any:
        return motif[i % details["period"]]

    half = 0.75 * details["shape_size"]
    shown = [i for i in range(count) if i not in gone]
    for i in missing:
        x, y = at(i)
        moves = [(at(j)[0] - x, at(j)[1] - y) for j in shown if kind(j) == kind(i)]
        dx, dy = min(moves, key=lambda move: (round(math.hypot(*move), 3), move[1], move[0]))
        yield CopiedArea((x - half, y - half, x + half, y + half), translation(dx, dy))


def _figure(scene: Scene, mode: str, details: Mapping[str, Any]) -> Figure:
    if mode == "circle":
        center = (float(details["center"][0]), float(details["center"][1]))
        return Figure((center, center), float(details["radius"]))
    listed = details["points" if mode == "line" else "vertices"]
    points = tuple((float(x), float(y)) for x, y in listed)
    return Figure(points, details["brush_percent"] / 200 * scene.width if mode == "line" else 0.0)


def _color_map(slot: PaintSlot, details: Mapping[str, Any]) -> ColorMap | None:
    if slot.task == "blending":
        share = details["opacity"] / 100
        code = details["blend_color"]
        red, green, blue = (int(code[at : at + 2], 16) / 255 * share for at in (1, 3, 5))
        return ColorMap(1 - share, 0.0, (red, green, blue))
    if slot.task != "point_operations":
        return None
    if slot.mode == "invert":
        return ColorMap(-1.0, 0.0, (1.0, 1.0, 1.0))
    if slot.mode == "grayscale":
        return ColorMap(0.0, 1.0, (0.0, 0.0, 0.0))
    offset = details["brightness_offset"] / 255
    return ColorMap(1.0, 0.0, (offset, offset, offset))


def _ramp(details: Mapping[str, Any]) -> ColorRamp:
    (x0, y0), (x1, y1) = details["start"], details["end"]
    if "corner" in details["from"]:
        nx, ny = x1 - x0, y1 - y0
    else:
        # Constant along the first edge, which runs from the start to the next corner of the outline.
        corners = details["region"]
        along = corners[1] if details["from"] == "top edge" else corners[3]
        nx, ny = along[1] - y0, x0 - along[0]
    scale = nx * (x1 - x0) + ny * (y1 - y0)
    first, second = (tuple(int(details[name][at : at + 2], 16) for at in (1, 3, 5)) for name in ("color1", "color2"))
    return ColorRamp(nx / scale, ny / scale, -(nx * x0 + ny * y0) / scale, first, second)  # type: ignore[arg-type]
