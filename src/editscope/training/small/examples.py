"""Examples for the small editor: a lesson as the arrays that the network sees and learns from."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.editors.small.painting import CORNERS
from editscope.editors.small.pictures import CELL, CELLS, COLORS, OUTSIDE, SIDE, choices, grid_size, shown
from editscope.editors.small.sentences import TOKENS, read_sentence
from editscope.suites.paintbench.lessons import CopiedArea, Lesson

EXTRA = 24
"""Colors that cannot be chosen: those that a color map makes, and those of the scene that are not in the picture."""
RAMP = 254
"""What the answer has in place of a color that is part of a gradient."""


def example_of(lesson: Lesson, seed: int) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a lesson. ``seed`` decides the order of the colors, so that there is nothing to learn from it."""
    sentence = read_sentence(lesson.instruction)
    height, width = lesson.before.shape
    size = grid_size(width, height)
    before = shown(lesson.before, size)
    inside = before != OUTSIDE
    present = np.bincount(lesson.before[::2, ::2].ravel(), minlength=len(lesson.colors)) > 0
    own = lesson.colors[present]
    order = np.random.default_rng(seed).permutation(len(own))
    colors, marks = choices(own[order], sentence.codes)
    numbers = _numbers(lesson.colors, colors)  # of each color of the scene, among the choices and then the extra ones
    extra = lesson.colors[numbers >= COLORS]
    numbers = np.append(numbers, np.zeros(256 - len(numbers), np.uint8))
    numbers[OUTSIDE] = OUTSIDE
    grid = numbers[before]
    answer = _answer(lesson, size, before, numbers)
    palette = np.zeros((COLORS + EXTRA, 3), np.uint8)
    palette[: len(colors)] = colors
    palette[COLORS : COLORS + len(extra)] = extra
    every_mark = np.full(COLORS, OUTSIDE, np.uint8)
    every_mark[: len(marks)] = marks
    tokens, values = np.zeros(TOKENS, np.int16), np.zeros(TOKENS, np.float32)
    tokens[: len(sentence.tokens)] = sentence.tokens
    values[: len(sentence.values)] = sentence.values
    changed = (grid != answer) & inside
    field, weight = _field(lesson.copied, changed, size.step)
    return {
        "grid": grid,
        "answer": answer,
        "palette": palette,
        "marks": every_mark,
        "tokens": tokens,
        "values": values,
        "size": np.array([size.columns, size.rows], np.int16),
        "field": field,
        "field_weight": weight,
        "one_motion": np.array(lesson.one_motion, np.uint8),
        "figure": _figure(lesson, size.step),
        "color_map": _color_map(lesson),
        "ramp": _ramp(lesson, size.step, colors),
    }


def _numbers(scene: npt.NDArray[np.uint8], colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The number of every color of a scene: its place among the choices, or one of the extra ones."""
    places = {tuple(color): place for place, color in enumerate(colors.tolist())}
    numbers, more = [], 0
    for color in scene.tolist():
        place = places.get(tuple(color))
        if place is None:
            place = COLORS + more
            more += 1
        numbers.append(place)
    return np.array(numbers, np.uint8)


def _answer(lesson: Lesson, size: Any, before: Any, numbers: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    if lesson.after.ndim == 2:
        return numbers[shown(lesson.after, size)]
    columns, rows = size.places()
    after = lesson.after[np.ix_(rows, columns)]
    own = lesson.colors[before[: len(rows), : len(columns)]]
    answer: npt.NDArray[np.uint8] = numbers[before]
    answer[: len(rows), : len(columns)][(after != own).any(2)] = RAMP
    return answer


def _field(
    copied: tuple[CopiedArea, ...], changed: npt.NDArray[np.bool_], step: float
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
    """Where each cell is copied from: the offset at its middle in pixels of the grid, and how it changes inside.

    The weight is 1 for cells with changed pixels and for the cells around them.
    """
    field = np.zeros((CELLS, CELLS, 6), np.float32)
    weight = np.zeros((CELLS, CELLS), np.uint8)
    if not copied:
        return field, weight
    touched = changed.reshape(CELLS, CELL, CELLS, CELL).any(axis=(1, 3))
    wide = np.zeros((CELLS + 2, CELLS + 2), bool)
    for dy in range(3):
        for dx in range(3):
            wide[dy : dy + CELLS, dx : dx + CELLS] |= touched
    near = wide[1:-1, 1:-1]
    middle = (np.arange(CELLS) + 0.5) * CELL
    x, y = np.meshgrid(middle, middle)
    for area in copied:
        left, top, right, bottom = (value / step for value in area.bounds)
        m = area.source
        own = (x + CELL / 2 > left) & (x - CELL / 2 < right) & (y + CELL / 2 > top) & (y - CELL / 2 < bottom) & near
        there = np.stack([m.a * x + m.b * y + m.c / step - x, m.d * x + m.e * y + m.f / step - y], axis=2)
        field[own, :2] = there[own]
        field[own, 2:] = (m.a - 1, m.b, m.d, m.e - 1)
        weight[own] = 1
    far = np.abs(field[..., :2]).max(2) > 2 * SIDE
    weight[far] = 0
    return field, weight


def _figure(lesson: Lesson, step: float) -> npt.NDArray[np.float32]:
    """A figure in pixels of the grid: its kind, its points, the radius of its brush, and 1; zeros if there is none."""
    numbers = np.zeros(2 * CORNERS + 3, np.float32)
    figure = lesson.figure
    if figure is not None:
        points = np.array(figure.points, np.float32).ravel() / step
        numbers[0] = 0 if figure.radius > 0 else len(figure.points) - 2
        numbers[1 : 1 + len(points)] = points
        numbers[-2:] = figure.radius / step, 1
    return numbers


def _color_map(lesson: Lesson) -> npt.NDArray[np.float32]:
    """The numbers of a color map and 1; zeros if there is none."""
    color_map = lesson.color_map
    if color_map is None:
        return np.zeros(6, np.float32)
    return np.array([color_map.own, color_map.luma, *color_map.added, 1], np.float32)


def _ramp(lesson: Lesson, step: float, colors: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """A gradient in pixels of the grid, the numbers of its two colors, and 1; zeros if there is none."""
    ramp = lesson.ramp
    if ramp is None:
        return np.zeros(6, np.float32)
    listed = [tuple(color) for color in colors.tolist()]
    ends = listed.index(ramp.first), listed.index(ramp.second)
    return np.array([ramp.ax * step, ramp.ay * step, ramp.b, *ends, 1], np.float32)
