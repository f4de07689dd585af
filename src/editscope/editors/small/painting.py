"""Painting at full size: what the small editor's network decides on a grid, applied to every pixel of the picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.editors.small import pictures
from editscope.editors.small.pictures import CELL, COLORS, SIDE, ReadPicture
from editscope.images import Pixels

USES = (pictures,)
Floats = npt.NDArray[np.float32]
LUMA = (0.299, 0.587, 0.114)
KEEP, COPY, MAP, RAMP, FIGURE = range(5)
"""What a pixel can do instead of taking a color: stay as it is, show another place, be mapped, be part of a gradient,
or be part of the figure (outside of the figure, it stays as it is). In a choice, they come after the colors."""
ACTIONS = 5
CORNERS = 5
"""The most points that a figure has."""
KINDS = 4
"""Kinds of figures: a stroke of a round brush from the first point to the second, and polygons of 3, 4 and 5 points."""
NUMBERS = KINDS + 2 * CORNERS + 1
"""Numbers of a figure: logits of the kinds, the points, and the radius of the brush, in pixels of the grid."""


def painted(
    picture: Pixels,
    read: ReadPicture,
    choice: Floats,
    field: Floats,
    progress: Floats,
    color_map: Floats,
    ends: Floats,
    figure: Floats,
) -> tuple[Pixels, int]:
    """The edit, and how many pixels it changed.

    ``choice`` (21 × 256 × 256) has the logits of colors and actions, ``field`` (6 × 32 × 32) the offsets, ``progress``
    (256 × 256) the position of each pixel in a gradient, ``color_map`` its five numbers, ``ends`` (2 × 16) the logits
    of the gradient's two colors. ``figure`` is drawn in the color that the sentence names first.
    """
    count = len(read.colors)
    colors = np.zeros((COLORS, 3), np.uint8)
    colors[:count] = read.colors
    first, second = (colors[int(row[:count].argmax())].astype(np.float64) for row in ends)
    source = np.ascontiguousarray(picture)
    out = source.copy()
    rows, columns = read.size.rows, read.size.columns
    changed = _paint(
        out,
        source,
        np.ascontiguousarray(read.plane),
        np.ascontiguousarray(choice, np.float32),
        np.ascontiguousarray(field, np.float32),
        np.ascontiguousarray(progress, np.float32),
        colors,
        np.ascontiguousarray(color_map, np.float64),
        first,
        second,
        np.ascontiguousarray(figure, np.float64),
        int(np.argmax(read.marks == 1)) if (read.marks == 1).any() else -1,
        count,
        float(read.size.step),
        rows,
        columns,
    )
    return out, int(changed)


@compiled(inner=True, uses=USES)
def _covers(figure: npt.NDArray[np.float64], x: float, y: float) -> bool:
    # Whether a figure covers a point of the grid. Edges count as those of a polygon that is filled pixel by pixel do.
    kind = 0
    for other in range(1, KINDS):
        if figure[other] > figure[kind]:
            kind = other
    if kind == 0:
        radius = max(0.0, figure[NUMBERS - 1])
        px, py = figure[KINDS], figure[KINDS + 1]
        dx, dy = figure[KINDS + 2] - px, figure[KINDS + 3] - py
        along = min(1.0, max(0.0, ((x - px) * dx + (y - py) * dy) / max(1e-6, dx * dx + dy * dy)))
        gx, gy = x - px - along * dx, y - py - along * dy
        return bool(gx * gx + gy * gy <= radius * radius)
    count = kind + 2
    odd = False
    for first in range(count):
        then = first + 1 if first + 1 < count else 0
        x0, y0 = figure[KINDS + 2 * first], figure[KINDS + 2 * first + 1]
        x1, y1 = figure[KINDS + 2 * then], figure[KINDS + 2 * then + 1]
        if (y0 <= y) != (y1 <= y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            odd = not odd
    return odd


@compiled(inner=True, uses=USES)
def _around(at: float, count: int) -> tuple[int, int, float]:
    # The two pixels of the grid around a place on an axis, and the share of the second.
    left = at - 0.5
    first = int(np.floor(left))
    return min(max(first, 0), count - 1), min(max(first + 1, 0), count - 1), left - first


@compiled(inner=True, uses=USES)
def _look(
    plane: npt.NDArray[np.uint8],
    choice: Floats,
    step: float,
    rows: int,
    columns: int,
    seen: npt.NDArray[np.uint8],
    keep: npt.NDArray[np.bool_],
) -> None:
    # What each pixel of the grid shows, and which of them stay as they are.
    height, width = plane.shape
    for row in range(rows):
        for column in range(columns):
            seen[row, column] = plane[
                min(height - 1, int((row + 0.5) * step)), min(width - 1, int((column + 0.5) * step))
            ]
            best, most = 0, choice[0, row, column]
            for kind in range(1, choice.shape[0]):
                if choice[kind, row, column] > most:
                    best, most = kind, choice[kind, row, column]
            keep[row, column] = best == COLORS + KEEP or best == seen[row, column]


@compiled(inner=True, uses=USES)
def _weigh(
    own: int, seen: npt.NDArray[np.uint8], ra: int, rb: int, ca: int, cb: int, fy: float, fx: float
) -> tuple[float, float, float, float]:
    # Of the four pixels of the grid around, those of the same color decide: so edges of shapes stay exact.
    waa, wab = (1 - fy) * (1 - fx), (1 - fy) * fx
    wba, wbb = fy * (1 - fx), fy * fx
    saa = waa + 1e-6 if seen[ra, ca] == own else 0.0
    sab = wab + 1e-6 if seen[ra, cb] == own else 0.0
    sba = wba + 1e-6 if seen[rb, ca] == own else 0.0
    sbb = wbb + 1e-6 if seen[rb, cb] == own else 0.0
    together = saa + sab + sba + sbb
    if together > 0:
        return saa / together, sab / together, sba / together, sbb / together
    return waa, wab, wba, wbb


@compiled(inner=True, uses=USES)
def _share_out(
    choice: Floats,
    ra: int,
    rb: int,
    ca: int,
    cb: int,
    waa: float,
    wab: float,
    wba: float,
    wbb: float,
    share: npt.NDArray[np.float64],
) -> None:
    # How likely each color and action is for a pixel, up to a common factor.
    top = -1e30
    for kind in range(len(share)):
        value = (
            waa * choice[kind, ra, ca]
            + wab * choice[kind, ra, cb]
            + wba * choice[kind, rb, ca]
            + wbb * choice[kind, rb, cb]
        )
        share[kind] = value
        top = max(top, value)
    for kind in range(len(share)):
        share[kind] = np.exp(share[kind] - top)


@compiled(inner=True, uses=USES)
def _source_of(field: Floats, gx: float, gy: float, step: float) -> tuple[int, int]:
    # The column and row of the picture that the offsets copy to a place of the grid.
    row, column = min(int(gy), SIDE - 1) // CELL, min(int(gx), SIDE - 1) // CELL
    across, down = gx - (column + 0.5) * CELL, gy - (row + 0.5) * CELL
    sx = gx + field[0, row, column] + field[2, row, column] * across + field[3, row, column] * down
    sy = gy + field[1, row, column] + field[4, row, column] * across + field[5, row, column] * down
    return int(np.floor(sx * step)), int(np.floor(sy * step))


@compiled(inner=True, uses=USES)
def _map_pixel(out: npt.NDArray[np.uint8], own: npt.NDArray[np.uint8], color_map: npt.NDArray[np.float64]) -> None:
    gray = 0.0
    for channel in range(3):
        gray += LUMA[channel] * (own[channel] / 255.0)
    for channel in range(3):
        new = color_map[0] * (own[channel] / 255.0) + color_map[1] * gray + color_map[2 + channel]
        out[channel] = np.uint8(np.floor(min(1.0, max(0.0, new)) * 255 + 0.5))


@compiled(inner=True, uses=USES)
def _ramp_pixel(
    out: npt.NDArray[np.uint8], first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], t: float
) -> None:
    t = min(1.0, max(0.0, t))
    for channel in range(3):
        out[channel] = np.uint8(np.floor(first[channel] + t * (second[channel] - first[channel]) + 0.5))


@compiled(
    "u1[:, :, ::1], u1[:, :, ::1], u1[:, ::1], f4[:, :, ::1], f4[:, :, ::1], f4[:, ::1], u1[:, ::1], f8[::1], f8[::1], "
    "f8[::1], f8[::1], i8, i8, f8, i8, i8",
    uses=USES,
)
def _paint(
    out: Pixels,
    source: Pixels,
    plane: npt.NDArray[np.uint8],
    choice: Floats,
    field: Floats,
    progress: Floats,
    colors: npt.NDArray[np.uint8],
    color_map: npt.NDArray[np.float64],
    first: npt.NDArray[np.float64],
    second: npt.NDArray[np.float64],
    figure: npt.NDArray[np.float64],
    drawn: int,
    count: int,
    step: float,
    rows: int,
    columns: int,
) -> int:
    height, width = plane.shape
    keep = np.zeros((SIDE, SIDE), np.bool_)
    seen = np.zeros((SIDE, SIDE), np.uint8)
    _look(plane, choice, step, rows, columns, seen, keep)
    share = np.empty(choice.shape[0], np.float64)
    worth = np.empty(COLORS, np.float64)
    changed = 0
    for y in range(height):
        gy = (y + 0.5) / step
        ra, rb, fy = _around(gy, rows)
        for x in range(width):
            gx = (x + 0.5) / step
            ca, cb, fx = _around(gx, columns)
            if keep[ra, ca] and keep[ra, cb] and keep[rb, ca] and keep[rb, cb]:
                continue
            own = plane[y, x]
            waa, wab, wba, wbb = _weigh(own, seen, ra, rb, ca, cb, fy, fx)
            _share_out(choice, ra, rb, ca, cb, waa, wab, wba, wbb, share)
            for place in range(COLORS):
                worth[place] = share[place] if place < count else 0.0
            worth[own] += share[COLORS + KEEP]
            worth[drawn if drawn >= 0 and _covers(figure, gx, gy) else own] += share[COLORS + FIGURE]
            px, py = _source_of(field, gx, gy, step)
            there = 0 <= px < width and 0 <= py < height
            if there:
                worth[plane[py, px]] += share[COLORS + COPY]
            best, most = 0, worth[0]
            for place in range(1, COLORS):
                if worth[place] > most:
                    best, most = place, worth[place]
            if share[COLORS + MAP] > most and share[COLORS + MAP] >= share[COLORS + RAMP]:
                _map_pixel(out[y, x], source[y, x], color_map)
                changed += 1
            elif share[COLORS + RAMP] > most:
                t = (1 - fy) * ((1 - fx) * progress[ra, ca] + fx * progress[ra, cb]) + fy * (
                    (1 - fx) * progress[rb, ca] + fx * progress[rb, cb]
                )
                _ramp_pixel(out[y, x], first, second, t)
                changed += 1
            elif best == own:
                continue
            elif there and best == plane[py, px] and share[COLORS + COPY] > share[best]:
                # The pixel itself, not the color that stands for it: they differ in a picture with many colors.
                for channel in range(3):
                    out[y, x, channel] = source[py, px, channel]
                changed += 1
            else:
                for channel in range(3):
                    out[y, x, channel] = colors[best, channel]
                changed += 1
    return changed
