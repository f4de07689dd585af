"""Edit areas, whose boxes are pixels of the source or of a canvas of 1024; the data does not say which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, isfinite, nan
from typing import Any, TypeAlias

from editscope.cases import Region
from editscope.documents import Malformed, read_json
from editscope.suites.datafolder.rows import DataRow

SIDE = 1024
"""The longer side of the canvas that question boxes are drawn on, and the most that an input may have."""
CLOSE = 10.24
"""How far a box may reach over the edge before it is worth a note: a hundredth of the canvas."""
UNKNOWN = "unknown"
SOURCE, CANVAS = "source", "canvas"

Sides: TypeAlias = tuple[float, float, float, float]
"""x, y, width and height."""
Edges: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the source, the last two exclusive."""


@dataclass(frozen=True, slots=True)
class EditArea:
    """The boxes of a case in both readings, and which of them is taken."""

    readings: Mapping[str, tuple[Edges, ...]]
    on_canvas: bool

    @property
    def regions(self) -> tuple[Region, ...]:
        """The boxes in the reading that is taken."""
        boxes = self.readings[CANVAS if self.on_canvas else SOURCE]
        return tuple(Region(f"edit{number}", box) for number, box in enumerate(boxes, start=1))


NONE = EditArea({SOURCE: (), CANVAS: ()}, False)


def edit_area(row: DataRow, size: tuple[int, int]) -> EditArea:
    """The edit area of a row whose source has this width and height; nothing where it is "unknown".

    The boxes of a case were drawn on one picture, so they are read alike: as pixels of the source, as the released tool
    does, unless one of them reaches over the source by more than a hundredth and all fit the canvas. What fits neither
    is used as far as it is inside the source, and noted.
    """
    areas = parsed(row.fields.get("edit_area"))
    if areas is None or (isinstance(areas, str) and areas.strip().lower() == UNKNOWN):
        return NONE
    if not isinstance(areas, list):
        row.flaw(f"field 'edit_area' is {areas!r}; give a list of boxes, or \"{UNKNOWN}\"")
        return NONE
    boxes = [sides_of(row, area, f"edit area {number}") for number, area in enumerate(areas, start=1)]
    sides = [box for box in boxes if box is not None]
    if not all(size) or len(sides) < len(boxes):  # the picture or a box cannot be read; that is reported already
        return NONE
    scale = max(size) / SIDE
    canvas = (size[0] / scale, size[1] / scale)
    over = [not _fits(box, size, CLOSE * scale) for box in sides]
    on_canvas = any(over) and all(_fits(box, canvas, CLOSE) for box in sides)
    for number, (box, exceeds) in enumerate(zip(sides, over, strict=True), start=1):
        if exceeds and not on_canvas:
            row.odd(f"edit area {number} has {_said(box, size)}; only the part inside is used")
    readings = {SOURCE: tuple(_edges(box, 1.0) for box in sides), CANVAS: tuple(_edges(box, scale) for box in sides)}
    return EditArea(readings, on_canvas)


def sides_of(row: DataRow, box: Any, named: str) -> Sides | None:
    """x, y, width and height of a box; None, and a flaw, where they are no numbers or its size is negative."""
    names = ("x", "y", "width", "height")
    x, y, wide, high = (_number(box.get(name)) if isinstance(box, dict) else nan for name in names)
    if not all(map(isfinite, (x, y, wide, high))):
        row.flaw(f"{named} has no box with x, y, width and height as numbers (it has {str(box)[:120]})")
        return None
    if wide < 0 or high < 0:
        shown = f"the box x={x:g} y={y:g} width={wide:g} height={high:g}"
        row.flaw(f"{named} has {shown}, whose size is negative; give the upper left corner and a size of at least 0")
        return None
    return x, y, wide, high


def parsed(value: Any) -> Any:
    """A list or object that was stored as JSON text, as some tables do."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return read_json(value)
        except Malformed:
            return value
    return value


def _fits(box: Sides, size: Sequence[float], margin: float) -> bool:
    x, y, wide, high = box
    return min(x, y) >= -margin and x + wide <= size[0] + margin and y + high <= size[1] + margin


def _edges(box: Sides, scale: float) -> Edges:
    """The pixels of a box whose edges are inclusive and whose fractions are cut off."""
    x, y, wide, high = box
    left, top, right, bottom = x * scale, y * scale, (x + wide) * scale, (y + high) * scale
    return floor(left), floor(top), floor(right) + 1, floor(bottom) + 1


def _said(box: Sides, size: tuple[int, int]) -> str:
    x, y, wide, high = box
    shown = f"the box x={x:g} y={y:g} width={wide:g} height={high:g}"
    return f"{shown}, which reaches over the edge of the picture of {size[0]}×{size[1]}"


def _number(value: Any) -> float:
    """A number as float, NaN for anything else; a whole number that no float can hold is none."""
    try:
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else nan
    except OverflowError:
        return nan
