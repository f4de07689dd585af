"""Claims about heatmaps: colors that can be read off the key, one answer per sentence, exact pixels."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from drills import counts
from editscope.images import Pixels
from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH, plain_settings, the_canvas
from editscope.suites.tinygrafix.change import Change
from editscope.suites.tinygrafix.charts import heatmap
from editscope.suites.tinygrafix.charts.heatmap import Heatmap
from editscope.suites.tinygrafix.colors import contrast, lab_of
from editscope.suites.tinygrafix.gradient import Gradient
from editscope.suites.tinygrafix.make import make, plan
from editscope.suites.tinygrafix.slots import ChartSlot
from editscope.suites.tinygrafix.wording import decimal, sig3

pytestmark = [pytest.mark.slow, pytest.mark.drill]

TASKS = tuple(heatmap.TASKS)
SEEDS = counts.times(usual=200, full=1_000)

Floats = npt.NDArray[np.float64]


@cache
def changes(task: str) -> tuple[Change[Heatmap], ...]:
    canvas = the_canvas()
    with plain_settings():
        return tuple(plan(ChartSlot("heatmap", task, i), "rules", canvas).change for i in range(SEEDS))


def rgb(color: str) -> Floats:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], float)


def shades(gradient: Gradient, shares: Floats) -> Floats:
    """What the documentation promises: linear between the ends, rounded."""
    low, high = rgb(gradient.low), rgb(gradient.high)
    return np.round(low + shares[..., None] * (high - low))


def lab(colors: Floats) -> Floats:
    """CIE L*a*b* of many colors at once."""
    v = colors / 255
    linear = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    matrix = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    t = linear @ np.array(matrix).T / [0.95047, 1.0, 1.08883]
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def apart(one: Floats, two: Floats) -> Floats:
    return np.asarray(np.linalg.norm(lab(one) - lab(two), axis=-1))


def table(state: Heatmap) -> Floats:
    """The values, NaN where a cell is empty."""
    return np.array([[np.nan if v is None else v for v in row] for row in state.cells], float)


def shares(state: Heatmap) -> Floats:
    return (table(state) - state.scale.low) / (state.scale.high - state.scale.low)


def cell_colors(state: Heatmap) -> Floats:
    part = shares(state)
    colors = shades(state.gradient, np.nan_to_num(part))
    colors[np.isnan(part)] = rgb(state.theme.background)
    return colors


def test_the_reference_of_these_tests_agrees_with_the_package_about_lab() -> None:
    for color in ("#000000", "#FFFFFF", "#FF0000", "#123456", "#9ABCDE"):
        assert np.allclose(lab(rgb(color)), lab_of(color))


# Rules for every heatmap


@pytest.mark.parametrize("task", TASKS)
def test_every_heatmap_has_values_on_its_key_and_an_empty_cell(task: str) -> None:
    for change in changes(task):
        for state in (change.before, change.after):
            values = [v for row in state.cells for v in row if v is not None]
            assert 4 <= len(state.cells) <= 9
            assert {len(row) for row in state.cells} <= set(range(4, 10))
            assert len({len(row) for row in state.cells}) == 1
            assert all(v == sig3(v) and state.scale.low <= v <= state.scale.high for v in values)
            assert "-0.0" not in map(str, values)
        assert any(v is None for row in change.before.cells for v in row)
        assert np.isnan(table(change.before)).mean() <= 0.5


@pytest.mark.parametrize("task", TASKS)
def test_both_ends_of_the_key_have_a_number(task: str) -> None:
    for change in changes(task):
        scale = change.before.scale
        assert (scale.ticks[0], scale.ticks[-1]) == (scale.low, scale.high)
        assert 3 <= len(scale.ticks) <= 8
        assert change.after.scale == scale


def test_keys_come_in_seven_decades_and_on_both_sides_of_zero() -> None:
    scales = [change.before.scale for change in changes("add_cell")]
    tops = [max(abs(s.low), abs(s.high)) for s in scales]
    assert min(tops) < 0.01
    assert max(tops) >= 10000
    assert {(s.low > 0) - (s.low < 0) for s in scales} == {-1, 0, 1}


@pytest.mark.parametrize("task", TASKS)
def test_no_color_of_a_key_comes_close_to_the_background_and_no_part_looks_flat(task: str) -> None:
    along = np.linspace(0, 1, 65)
    for change in changes(task):
        for state in (change.before, change.after):
            colors = shades(state.gradient, along)
            assert apart(colors, rgb(state.theme.background)).min() > 20
            assert apart(colors[0], colors[-1]) > 39
            assert apart(colors[8:], colors[:-8]).min() > 3
        assert contrast(change.before.theme.background, change.before.theme.text) >= 5


@pytest.mark.parametrize("task", TASKS)
def test_rows_and_columns_can_be_counted(task: str) -> None:
    """Each line between two rows or two columns is somewhere the border of two clearly different colors."""
    for change in changes(task):
        colors = cell_colors(change.before)
        assert apart(colors[1:], colors[:-1]).max(axis=1).min() > 5
        assert apart(colors[:, 1:], colors[:, :-1]).max(axis=0).min() > 5


def test_grids_whose_lines_cannot_be_seen_and_labels_that_do_not_fit_are_drawn_again() -> None:
    """Both are so rare that a thousand seeds may have none."""
    state = changes("add_cell")[0].before
    assert heatmap._readable(state.scale, state.cells)
    assert not heatmap._readable(state.scale, (*state.cells, state.cells[-1]))
    assert not heatmap._readable(state.scale, tuple((row[0], *row) for row in state.cells))
    assert heatmap._texts_fit(the_canvas(), state)
    assert not heatmap._texts_fit(the_canvas(), replace(state, title="W" * 60))


@pytest.mark.parametrize("task", TASKS)
def test_states_and_details_survive_json(task: str) -> None:
    for change in changes(task)[:200]:
        for record in (asdict(change.before), asdict(change.after), dict(change.details)):
            back = json.loads(json.dumps(record, allow_nan=False))
            assert json.dumps(back, sort_keys=True) == json.dumps(record, sort_keys=True)


class Listener:
    """Takes the place of a canvas and notes where words and lines would be."""

    def __init__(self) -> None:
        self.texts: list[tuple[float, float, float, float]] = []

    def text_size(self, text: str, size: float) -> tuple[float, float]:
        return the_canvas().text_size(text, size)

    def text(
        self, x: float, y: float, text: str, color: str, size: float, across: str = "center", turn: float = 0.0
    ) -> None:
        width, height = self.text_size(text, size)
        if turn == 90.0:
            width, height = height, width
        left = x if across == "left" else x - width / 2
        self.texts.append((left, y - height / 2, left + width, y + height / 2))

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def test_words_and_numbers_lie_inside_the_picture_and_apart() -> None:
    for change in itertools.chain.from_iterable(changes(task) for task in TASKS):
        listener: Any = Listener()
        heatmap.shared(listener, change.before)
        x0, y0, x1, y1 = change.before.grid
        k0, _, k1, _ = change.before.key
        drawn = [(x0 - 2, y0 - 2, x1 + 2, y1 + 2), (k0 - 2, y0 - 2, k1 + 2 + 7, y1 + 2), *listener.texts]
        assert len(listener.texts) == 1 + len(change.before.scale.ticks)
        for left, top, right, bottom in drawn:
            assert 2 <= left < right <= WIDTH - 2
            assert 2 <= top < bottom <= HEIGHT - 2
        for one, two in itertools.combinations(drawn, 2):
            clear = max(one[0], two[0]) - min(one[2], two[2]), max(one[1], two[1]) - min(one[3], two[3])
            assert max(clear) >= 2


# Rules for each task: the answer follows from the sentence and the picture before


def test_an_added_cell_is_where_and_what_the_sentence_says() -> None:
    for change in changes("add_cell"):
        found = re.search(r"row (\d+), column (\d+) .* at the value (-?[\d.]+)\.$", change.instruction)
        assert found
        row, column, value = int(found[1]) - 1, int(found[2]) - 1, float(found[3])
        expected = table(change.before)
        assert np.isnan(expected[row, column])
        expected[row, column] = value
        assert np.array_equal(expected, table(change.after), equal_nan=True)
        assert found[3] == decimal(value)
        assert change.before.scale.low < value < change.before.scale.high
        color = shades(change.before.gradient, shares(change.after)[row, column])
        assert np.array_equal(color, rgb(change.details["color"]))


def floor(before: Floats, after: Floats) -> float:
    """The mIoU of an editor that does nothing, from the colors of the cells, which are all of one size."""
    far = apart(before, after)[(before != after).any(axis=-1)]
    return float(np.mean([(far <= t).mean() for t in range(11)]))


def test_a_shift_loses_what_leaves_and_brings_nothing_in() -> None:
    steps = {"up": (-1, 0), "down": (1, 0), "to the left": (0, -1), "to the right": (0, 1)}
    seen = set()
    for change in changes("shift_heatmap"):
        found = re.search(r"heatmap (one|two) (row|column)s? (up|down|to the left|to the right),", change.instruction)
        assert found
        by = {"one": 1, "two": 2}[found[1]]
        down, right = (by * step for step in steps[found[3]])
        assert bool(down) == (found[2] == "row")
        padded = np.pad(table(change.before), 2, constant_values=np.nan)
        rows, columns = table(change.before).shape
        expected = padded[2 - down : 2 - down + rows, 2 - right : 2 - right + columns]
        assert np.array_equal(expected, table(change.after), equal_nan=True)
        assert not np.isnan(expected).all()
        assert floor(cell_colors(change.before), cell_colors(change.after)) <= 0.05
        seen.add((by, found[3]))
    assert len(seen) == 8


def test_a_threshold_divides_the_cells_and_none_is_near_it() -> None:
    for change in changes("mask_cells"):
        found = re.search(r"value is (greater|less) than (-?[\d.]+) according", change.instruction)
        assert found
        threshold, values = float(found[2]), table(change.before)
        assert threshold == sig3(threshold)
        assert found[2] == decimal(threshold)
        goes = values > threshold if found[1] == "greater" else values < threshold
        assert np.array_equal(np.where(goes, np.nan, values), table(change.after), equal_nan=True)
        filled = ~np.isnan(values)
        assert 0.25 <= goes.sum() / filled.sum() <= 0.75
        share = (threshold - change.before.scale.low) / (change.before.scale.high - change.before.scale.low)
        assert np.abs(shares(change.before)[filled] - share).min() >= 0.04
        limit = shades(change.before.gradient, np.array(share))
        assert apart(cell_colors(change.before)[filled], limit).min() > 2.5


def test_a_new_colormap_changes_every_color_and_no_value() -> None:
    along = np.linspace(0, 1, 65)
    for change in changes("change_colormap"):
        before, after = change.before.gradient, change.after.gradient
        found = re.search(r"(#[0-9A-F]{6}) at the low end of the key, (#[0-9A-F]{6}) at the high", change.instruction)
        assert found
        assert (after.low, after.high) == (found[1], found[2])
        assert change.before.cells == change.after.cells
        assert apart(shades(before, along), shades(after, along)).min() > 20
        ends = np.stack([rgb(c) for c in (before.low, before.high, after.low, after.high)])
        assert min(apart(one, two) for one, two in itertools.combinations(ends, 2)) > 20


# Pixels


def pictures(task: str, count: int = 25) -> Iterator[tuple[Change[Heatmap], Pixels, Pixels]]:
    for slot, change in enumerate(changes(task)[:count]):
        made = make(ChartSlot("heatmap", task, slot), "rules")
        assert isinstance(made.input, np.ndarray)
        assert isinstance(made.answer, np.ndarray)
        yield change, made.input, made.answer


def cell_boxes(state: Heatmap) -> Iterator[tuple[int, int, slice, slice]]:
    left, top, right, bottom = state.grid
    rows, columns = len(state.cells), len(state.cells[0])
    height, width = (bottom - top) // rows, (right - left) // columns
    for row, column in itertools.product(range(rows), range(columns)):
        y, x = top + row * height, left + column * width
        yield row, column, slice(y, y + height), slice(x, x + width)


@pytest.mark.parametrize("task", TASKS)
def test_only_what_the_edit_says_changes_and_all_of_it(task: str) -> None:
    canvas = the_canvas()
    for change, before, after in pictures(task):
        allowed = np.zeros((HEIGHT, WIDTH), bool)
        for x0, y0, x1, y1 in change.touched:
            allowed[int(y0) : int(y1), int(x0) : int(x1)] = True
        changed = (before != after).any(axis=2)
        assert changed.sum() >= 40
        assert np.array_equal(changed, allowed)
        with plain_settings():
            anew = canvas.draw(heatmap.shared(canvas, change.after), heatmap.content(canvas, change.after))
        assert np.array_equal(anew, after)


@pytest.mark.parametrize("task", TASKS)
def test_every_pixel_of_a_cell_has_its_color_and_the_frame_is_whole(task: str) -> None:
    for change, before, after in pictures(task):
        for state, picture in ((change.before, before), (change.after, after)):
            colors = cell_colors(state)
            for row, column, down, across in cell_boxes(state):
                assert (picture[down, across] == colors[row, column]).all()
            ink = rgb(state.theme.text)
            for x0, y0, x1, y1 in (state.grid, state.key):
                axes = np.zeros((HEIGHT, WIDTH), bool)
                axes[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2] = True
                axes[y0:y1, x0:x1] = False
                assert (picture[axes] == ink).all()


@pytest.mark.parametrize("task", TASKS)
def test_the_key_shows_each_value_at_its_height(task: str) -> None:
    for change, before, after in pictures(task, 10):
        for state, picture in ((change.before, before), (change.after, after)):
            x0, y0, x1, y1 = state.key
            key = picture[y0:y1, x0:x1].astype(float)
            assert (key == key[:, :1]).all()
            assert np.array_equal(key[0, 0], rgb(state.gradient.high))
            assert np.array_equal(key[-1, 0], rgb(state.gradient.low))
            centers = 1 - (np.arange(y1 - y0) + 0.5) / (y1 - y0)
            assert np.abs(key[:, 0] - shades(state.gradient, centers)).max() <= 1
            # A mark of two pixels begins beside each number's height.
            ink = (picture[:, x1 + 2 : x1 + 9] == rgb(state.theme.text)).all(axis=(1, 2))
            for tick in state.scale.ticks:
                y = y1 - (tick - state.scale.low) / (state.scale.high - state.scale.low) * (y1 - y0)
                assert ink[round(y) - 1 : round(y) + 1].all()
            assert ink.sum() == 2 * len(state.scale.ticks)
