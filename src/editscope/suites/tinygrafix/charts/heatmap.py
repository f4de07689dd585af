"""Heatmap: a grid of cells colored by value, with a key; fill, shift or empty cells, or change the colors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.path import Path as Outline

from editscope.images.lab import differences
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.generated.suite import MOST_FLOOR
from editscope.suites.tinygrafix.axes import LINE, TICK, TICK_SIZE, TITLE_SIZE, TITLE_Y, Scale, nice_scale, tick_texts
from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH, Canvas, Point
from editscope.suites.tinygrafix.change import Change, PixelBox
from editscope.suites.tinygrafix.colors import Theme, rgb_of
from editscope.suites.tinygrafix.gradient import Gradient, random_gradient
from editscope.suites.tinygrafix.rims import FAINT, floor_of
from editscope.suites.tinygrafix.wording import decimal, magnitude, sig3, words

SIDE = (4, 9)
"""How many rows and how many columns there are."""
EMPTY = (0.1, 0.25)
"""With what chance a cell is empty, drawn for each heatmap; at least one is, and at most half of them."""
BORDER = 0.15
"""Neighbors that differ by this part of the key show where one cell ends and the next begins."""
MARGIN = 0.08
"""No cell is nearer than this part of the key to a threshold."""
QUANTILES = (0.3, 0.7)
"""Where a threshold lies among the values."""
REMOVED = (0.25, 0.75)
"""Which part of the filled cells a threshold removes."""
UNSEEN = None
"""Cells have whole pixels, and all values are chosen so that their changes are clear."""

LEFT, TOP, RIGHT, BOTTOM = 22, 72, 806, 744
KEY_GAP, KEY_WIDTH = 30, 34
PAD = 6.0

Cell: TypeAlias = float | None
Cells: TypeAlias = tuple[tuple[Cell, ...], ...]
WholeBox: TypeAlias = tuple[int, int, int, int]

DIRECTIONS: Mapping[str, tuple[int, int]] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
"""Rows down and columns to the right."""


@dataclass(frozen=True, slots=True)
class Heatmap:
    """A heatmap; ``cells`` are rows from the top, None where a cell is empty."""

    theme: Theme
    title: str
    scale: Scale
    gradient: Gradient
    cells: Cells

    @property
    def cell_size(self) -> tuple[int, int]:
        """Width and height of a cell: whole pixels, so that no cell bleeds into the next."""
        return (RIGHT - LEFT) // len(self.cells[0]), (BOTTOM - TOP) // len(self.cells)

    @property
    def grid(self) -> WholeBox:
        """The pixels of all cells."""
        width, height = self.cell_size
        return LEFT, TOP, LEFT + width * len(self.cells[0]), TOP + height * len(self.cells)

    @property
    def key(self) -> WholeBox:
        """The pixels of the key, beside the grid and as high."""
        _, top, right, bottom = self.grid
        return right + KEY_GAP, top, right + KEY_GAP + KEY_WIDTH, bottom

    def color(self, value: float) -> str:
        """What the key shows at a value."""
        return self.gradient.at(self.scale.share(value))


def build(rng: SeededRandom, canvas: Canvas, task: str) -> Heatmap:
    """A grid with some empty cells, in which every line between rows and between columns can be seen."""
    theme = Theme.random(rng)
    scale = _scale(rng)
    gradient = random_gradient(rng, theme.background)
    size = rng.integer(*SIDE), rng.integer(*SIDE)
    while not _readable(scale, cells := _cells(rng, scale, *size)):
        continue
    while True:
        state = Heatmap(theme, words(rng), scale, gradient, cells)
        if _texts_fit(canvas, state):
            return state


def _scale(rng: SeededRandom) -> Scale:
    """A key that starts at zero, below it or above it."""
    span = rng.uniform(0.4, 1.0) * 10 * magnitude(rng)
    low = span * rng.choice((0.0, -rng.uniform(0.2, 0.8), rng.uniform(0.1, 1.0)))
    return nice_scale(low, low + span)


def _number(rng: SeededRandom, scale: Scale, low: float = 0.0, high: float = 1.0) -> float:
    """A three-figure number between two shares of a scale."""
    return _tidy(scale, scale.low + rng.uniform(low, high) * (scale.high - scale.low))


def _tidy(scale: Scale, value: float) -> float:
    """A number in three figures, no finer than a thousandth of the scale."""
    # By the written exponent: math libraries need not agree about the logarithm of 0.01.
    places = 3 - int(f"{scale.high - scale.low:e}".partition("e")[2])
    value = round(value, places)
    return sig3(min(scale.high, max(scale.low, value))) + 0.0


def _cells(rng: SeededRandom, scale: Scale, rows: int, columns: int) -> Cells:
    count, chance = rows * columns, rng.uniform(*EMPTY)
    while not 1 <= len(gaps := {i for i in range(count) if rng.chance(chance)}) <= count / 2:
        continue
    flat = [None if i in gaps else _number(rng, scale) for i in range(count)]
    return tuple(tuple(flat[i : i + columns]) for i in range(0, count, columns))


def _readable(scale: Scale, cells: Cells) -> bool:
    """Whether each line between two rows or two columns is seen somewhere, so that cells can be counted."""
    return all(
        any(_border(scale, a, b) for a, b in zip(one, two, strict=True))
        for lines in (cells, tuple(zip(*cells, strict=True)))
        for one, two in itertools.pairwise(lines)
    )


def _border(scale: Scale, one: Cell, two: Cell) -> bool:
    if one is None or two is None:
        return one is not two
    return abs(scale.share(one) - scale.share(two)) >= BORDER


# The picture


class Blocks(Artist):
    """Blocks of whole pixels put down as they are, from a corner at the top left; transparent ones change nothing."""

    def __init__(self, x: int, y: int, width: int, height: int, rgba: npt.NDArray[np.uint8]) -> None:
        super().__init__()
        # Agg counts rows from the bottom.
        self._pixels = rgba[::-1].repeat(height, axis=0).repeat(width, axis=1)
        self._x, self._y = x, HEIGHT - y - len(self._pixels)

    def draw(self, renderer: Any) -> None:
        """Copy the pixels."""
        context = renderer.new_gc()
        renderer.draw_image(context, self._x, self._y, self._pixels)
        context.restore()


def shared(canvas: Canvas, state: Heatmap) -> list[Artist]:
    """Ground, title, the frames around cells and key, and the key's numbers."""
    ink = state.theme.text
    left, _, right, _ = state.grid
    artists = [
        canvas.ground(state.theme.background),
        canvas.text((left + right) / 2, TITLE_Y, state.title, ink, TITLE_SIZE),
    ]
    # A line of two pixels around, not over, the cells: all of a cell is its color.
    artists += [canvas.box(x0 - 1, y0 - 1, x1 + 1, y1 + 1, ink, LINE) for x0, y0, x1, y1 in (state.grid, state.key)]
    artists.append(canvas.path(*_tick_marks(state), ink))
    x = _tick_end(state) + PAD
    for tick, text in zip(state.scale.ticks, tick_texts(state.scale.ticks), strict=True):
        artists.append(canvas.text(x, _tick_at(state, tick), text, ink, TICK_SIZE, across="left"))
    return artists


def _tick_at(state: Heatmap, value: float) -> int:
    """The pixel edge of a value beside the key."""
    _, top, _, bottom = state.key
    return round(bottom - state.scale.share(value) * (bottom - top))


def _tick_end(state: Heatmap) -> float:
    return state.key[2] + LINE + TICK


def _tick_marks(state: Heatmap) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
    """All marks in one path: Matplotlib's cost is by the artist."""
    x0, x1, half = state.key[2] + LINE, _tick_end(state), LINE / 2
    corners: list[Point] = []
    for y in (_tick_at(state, tick) for tick in state.scale.ticks):
        corners += [(x0, y - half), (x1, y - half), (x1, y + half), (x0, y + half), (x0, y - half)]
    codes = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    return np.array(corners, np.float64), np.array(codes * len(state.scale.ticks), np.uint8)


def _texts_fit(canvas: Canvas, state: Heatmap) -> bool:
    """Whether the title and the numbers of the key stay in the picture."""
    left, _, right, _ = state.grid
    middle = (left + right) / 2
    widest = max(canvas.text_size(text, TICK_SIZE)[0] for text in tick_texts(state.scale.ticks))
    return (
        canvas.text_size(state.title, TITLE_SIZE)[0] / 2 <= min(middle, WIDTH - middle) - PAD
        and _tick_end(state) + PAD + widest + PAD <= WIDTH
    )


def content(canvas: Canvas, state: Heatmap) -> list[Artist]:
    """The cells and the key, whose top row of pixels is its highest value and whose bottom row its lowest."""
    x0, y0, x1, y1 = state.key
    rows = _opaque(state.gradient.shades(np.linspace(1.0, 0.0, y1 - y0)))
    cells = Blocks(LEFT, TOP, *state.cell_size, _looks(state))
    key = Blocks(x0, y0, x1 - x0, 1, rows[:, None])
    return [canvas._own(cells, flip=False), canvas._own(key, flip=False)]


def _looks(state: Heatmap) -> npt.NDArray[np.uint8]:
    """The color of every cell, transparent where it is empty: rows × columns × RGBA."""
    values = list(itertools.chain.from_iterable(state.cells))
    filled = [i for i, value in enumerate(values) if value is not None]
    rgba = np.zeros((len(values), 4), np.uint8)
    rgba[filled] = _opaque(state.gradient.shades([state.scale.share(v) for v in values if v is not None]))
    return rgba.reshape(len(state.cells), -1, 4)


def _opaque(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.pad(rgb, ((0, 0), (0, 1)), constant_values=255)


# The tasks


def _changed(before: Heatmap, after: Heatmap) -> tuple[PixelBox, ...]:
    """The cells that look different, those beside each other in one box, and the key if its colors change."""
    boxes: list[PixelBox] = []
    width, height = before.cell_size
    for row, differs in enumerate((_looks(before) != _looks(after)).any(axis=2).tolist()):
        y = TOP + row * height
        boxes += [(LEFT + a * width, y, LEFT + b * width, y + height) for a, b in _runs(differs)]
    return tuple(boxes) if before.gradient == after.gradient else (*boxes, before.key)


def _runs(flags: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """First index and the one after the last, of each row of True."""
    at = 0
    for flag, group in itertools.groupby(flags):
        start, at = at, at + len(list(group))
        if flag:
            yield start, at


def add_cell(state: Heatmap, rng: SeededRandom, canvas: Canvas) -> Change[Heatmap]:
    """An empty cell filled with the color of a value."""
    empty = [(r, c) for r, row in enumerate(state.cells) for c, cell in enumerate(row) if cell is None]
    row, column = rng.choice(empty)
    value = _number(rng, state.scale, 0.02, 0.98)
    after = replace(state, cells=_with(state.cells, row, column, value))
    return Change(
        state,
        after,
        f"Fill the empty cell in row {row + 1}, column {column + 1} (counted from 1 at the top left) with the color "
        f"that the key has at the value {decimal(value)}.",
        _changed(state, after),
        {"row": row + 1, "column": column + 1, "value": value, "color": state.color(value)},
    )


def shift_heatmap(state: Heatmap, rng: SeededRandom, canvas: Canvas) -> Change[Heatmap]:
    """All cells by one or two places."""
    direction = rng.choice(tuple(DIRECTIONS))
    by = rng.integer(1, 2)
    down, right = (by * step for step in DIRECTIONS[direction])
    state, after = _clearly_moved(rng, state, down, right)
    places = f"{'one' if by == 1 else 'two'} {'row' if down else 'column'}{'s' if by > 1 else ''}"
    where = direction if down else f"to the {direction}"
    return Change(
        state,
        after,
        f"Shift all cells of the heatmap {places} {where}, empty cells included. Cells that leave the frame are lost, "
        "and the places that become free at the other side stay empty. The frame and the key do not move.",
        _changed(state, after),
        {"direction": direction, "cells": by},
    )


def _moved(cells: Cells, down: int, right: int) -> Cells:
    rows, columns = len(cells), len(cells[0])

    def was(row: int, column: int) -> Cell:
        return cells[row][column] if 0 <= row < rows and 0 <= column < columns else None

    return tuple(tuple(was(r - down, c - right) for c in range(columns)) for r in range(rows))


def _clearly_moved(rng: SeededRandom, state: Heatmap, down: int, right: int) -> tuple[Heatmap, Heatmap]:
    """A heatmap and the same shifted. Values are drawn again, one at a time, until few places change only faintly."""
    while True:
        after = replace(state, cells=_moved(state.cells, down, right))
        # One pixel for each cell: all of them are of one size, so this is the floor of the whole picture.
        far = differences(_cell_colors(state), _cell_colors(after))
        if floor_of(far) <= MOST_FLOOR and _readable(state.scale, state.cells):
            return state, after
        filled = [(r, c) for r, line in enumerate(state.cells) for c, cell in enumerate(line) if cell is not None]
        row, column = rng.choice([place for place in filled if far[place] <= FAINT] or filled)
        state = replace(state, cells=_with(state.cells, row, column, _number(rng, state.scale)))


def _cell_colors(state: Heatmap) -> npt.NDArray[np.uint8]:
    """The color of every cell, that of the background where it is empty: rows × columns × RGB."""
    looks = _looks(state)
    colors = np.ascontiguousarray(looks[..., :3])
    colors[looks[..., 3] == 0] = rgb_of(state.theme.background)
    return colors


def _with(cells: Cells, row: int, column: int, value: float) -> Cells:
    line = cells[row]
    return (*cells[:row], (*line[:column], value, *line[column + 1 :]), *cells[row + 1 :])


def mask_cells(state: Heatmap, rng: SeededRandom, canvas: Canvas) -> Change[Heatmap]:
    """Cells on one side of a threshold emptied; every cell is clearly on one side."""
    above = rng.chance(0.5)
    values = sorted(cell for row in state.cells for cell in row if cell is not None)
    while True:
        threshold = _tidy(state.scale, values[int(rng.uniform(*QUANTILES) * len(values))])
        before = replace(state, cells=_clear_of(rng, state, threshold))
        masked = tuple(tuple(_unless(cell, threshold, above) for cell in row) for row in before.cells)
        removed = 1 - _filled(masked) / len(values)
        if REMOVED[0] <= removed <= REMOVED[1] and _readable(state.scale, before.cells):
            break
    after = replace(before, cells=masked)
    side = "greater than" if above else "less than"
    return Change(
        before,
        after,
        f"Empty every cell whose value is {side} {decimal(threshold)} according to the key, so that the background "
        "shows there. The other cells and the key stay as they are.",
        _changed(before, after),
        {"side": side, "threshold": threshold, "removed": len(values) - _filled(masked)},
    )


def _clear_of(rng: SeededRandom, state: Heatmap, threshold: float) -> Cells:
    """The cells, values near the threshold drawn again."""
    scale = state.scale

    def drawn(cell: Cell) -> Cell:
        while cell is not None and abs(scale.share(cell) - scale.share(threshold)) < MARGIN:
            cell = _number(rng, scale)
        return cell

    return tuple(tuple(drawn(cell) for cell in row) for row in state.cells)


def _unless(cell: Cell, threshold: float, above: bool) -> Cell:
    return None if cell is None or (cell > threshold) == above else cell


def _filled(cells: Cells) -> int:
    return sum(cell is not None for row in cells for cell in row)


def change_colormap(state: Heatmap, rng: SeededRandom, canvas: Canvas) -> Change[Heatmap]:
    """Two new ends, for the cells and for the key."""
    new = random_gradient(rng, state.theme.background, state.gradient)
    after = replace(state, gradient=new)
    return Change(
        state,
        after,
        f"Change the colors of the heatmap and its key: {new.low} at the low end of the key, {new.high} at the high "
        "end, and a linear RGB gradient between them. The values and the empty cells stay as they are.",
        _changed(state, after),
        {"low_color": new.low, "high_color": new.high},
    )


TASKS: Mapping[str, Callable[[Heatmap, SeededRandom, Canvas], Change[Heatmap]]] = {
    "add_cell": add_cell,
    "shift_heatmap": shift_heatmap,
    "mask_cells": mask_cells,
    "change_colormap": change_colormap,
}
