"""What holds for every scatter plot: its lines, its outlier, its spacing, and where each edit may change pixels."""

from __future__ import annotations

import itertools
import json
import math
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
from editscope.suites.tinygrafix.axes import BOTTOM, LABEL_SIZE, LEFT, RIGHT, TICK_SIZE, TITLE_SIZE, TOP, tick_texts
from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH, plain_settings, the_canvas
from editscope.suites.tinygrafix.change import Change
from editscope.suites.tinygrafix.charts.scatter_plot import ScatterPlot, Series
from editscope.suites.tinygrafix.colors import LEAST_APART, delta_e, rgb_of
from editscope.suites.tinygrafix.make import draw, plan
from editscope.suites.tinygrafix.slots import ChartSlot
from support.tinygrafix_measures import looks_like

pytestmark = [pytest.mark.slow, pytest.mark.drill]

TASKS = ("draw_best_fit_line", "swap_axes", "remove_outlier", "recolor_class")
SEEDS, DRAWN = counts.times(usual=200, full=1_000), 25
WIDE, HIGH = RIGHT - LEFT, BOTTOM - TOP
Points = npt.NDArray[np.float64]
INSIDE = np.s_[int(TOP) + 1 : int(BOTTOM) - 1, int(LEFT) + 1 : int(RIGHT) - 1]
"""Every pixel inside the border."""


@cache
def changes(task: str) -> tuple[Change[ScatterPlot], ...]:
    canvas = the_canvas()
    return tuple(plan(ChartSlot("scatter_plot", task, i), "rules", canvas).change for i in range(SEEDS))


def every_change() -> Iterator[Change[ScatterPlot]]:
    return itertools.chain.from_iterable(changes(task) for task in TASKS)


@cache
def pictures(task: str) -> list[tuple[Change[ScatterPlot], Pixels, Pixels]]:
    with plain_settings():
        drawn = [draw(ChartSlot("scatter_plot", task, i), "rules", the_canvas()) for i in range(DRAWN)]
    return [(one.change, before, after) for one, before, after in drawn]


def span(state: ScatterPlot) -> float:
    return state.scale.high - state.scale.low


def pixels_of(state: ScatterPlot, points: Any) -> Points:
    """Where points are drawn in the plot area."""
    shares = (np.asarray(points) - state.scale.low) / span(state)
    return np.stack([LEFT + WIDE * shares[:, 0], BOTTOM - HIGH * shares[:, 1]], axis=1)


def off_line(points: Points, line: Any) -> Points:
    """Vertical distances from the straight line through two points."""
    (x0, y0), (x1, y1) = line
    away: Points = points[:, 1] - (y0 + (points[:, 0] - x0) * (y1 - y0) / (x1 - x0))
    return away


def assert_least_squares(state: ScatterPlot, series: Series) -> None:
    """The normal equations hold: residuals sum to zero and are orthogonal to x. The line ends at the borders."""
    points, low, high = np.array(series.points), state.scale.low, state.scale.high
    assert series.line is not None
    rest = off_line(points, series.line) / span(state)
    x = (points[:, 0] - points[:, 0].mean()) / span(state)
    assert abs(rest.sum()) < 1e-8
    assert abs((rest * x).sum()) < 1e-8
    assert series.line[0][0] < series.line[1][0]
    for end in series.line:
        assert all(low <= v <= high for v in end)
        assert end[0] in (low, high) or end[1] in (low, high)


def test_the_line_in_the_picture_is_the_least_squares_line_of_its_class() -> None:
    for change in every_change():
        assert_least_squares(change.before, change.before.lined)
        assert change.before.plain.line is None


def test_both_axes_have_the_same_limits_and_ticks_and_hold_every_marker_whole() -> None:
    for change in every_change():
        for state in (change.before, change.after):
            assert state.axes.x == state.axes.y == state.scale
            assert all(state.scale.low < t < state.scale.high for t in state.scale.ticks)
            assert 3 <= len(state.scale.ticks) <= 9
            at = pixels_of(state, state.lined.points + state.plain.points)
            reach = state.diameter / 2 + 3
            assert at[:, 0].min() > LEFT + reach and at[:, 0].max() < RIGHT - reach
            assert at[:, 1].min() > TOP + reach and at[:, 1].max() < BOTTOM - reach


def test_no_point_touches_another() -> None:
    for change in every_change():
        for state in (change.before, change.after):
            at = pixels_of(state, state.lined.points + state.plain.points)
            apart = np.hypot(*(at[:, None, :] - at[None, :, :]).transpose(2, 0, 1))
            np.fill_diagonal(apart, np.inf)
            assert apart.min() >= 1.2 * state.diameter
            left = len(state.lined.points) + (state is change.after and "next_distance" in change.details)
            assert 9 <= left <= 13 and 9 <= len(state.plain.points) <= 13


def test_colors_are_far_from_each_other_and_from_the_background() -> None:
    for change in every_change():
        state = change.before
        used = {state.theme.background, *(s.color for c in (state, change.after) for s in (c.lined, c.plain))}
        assert len(used) == (4 if "color" in change.details and "from" in change.details else 3)
        assert all(delta_e(a, b) > LEAST_APART for a, b in itertools.combinations(sorted(used), 2))


def test_the_missing_line_is_the_least_squares_line_of_the_other_class() -> None:
    for change in changes("draw_best_fit_line"):
        before, after = change.before, change.after
        assert after == replace(before, plain=replace(before.plain, line=after.plain.line))
        assert_least_squares(after, after.plain)
        x, y = np.array(before.plain.points).T
        slope, intercept = np.polyfit(x, y, 1)
        assert math.isclose(change.details["slope"], slope, rel_tol=1e-7, abs_tol=1e-9)
        assert abs(change.details["intercept"] - intercept) < 1e-7 * span(before)


def test_swapping_axes_mirrors_every_point_and_the_line_and_nothing_else() -> None:
    for change in changes("swap_axes"):
        before, after = change.before, change.after
        for one, two in ((before.lined, after.lined), (before.plain, after.plain)):
            assert np.array_equal(np.array(one.points), np.array(two.points)[:, ::-1])
            assert one.color == two.color
        assert np.array_equal(np.array(before.lined.line), np.array(after.lined.line)[:, ::-1])
        assert after.plain.line is None
        assert replace(after, lined=before.lined, plain=before.plain) == before


def test_the_outlier_is_the_furthest_by_eight_pixels_from_the_line_with_it_and_without_it() -> None:
    for change in changes("remove_outlier"):
        before, after = change.before, change.after
        (gone,) = set(before.lined.points) - set(after.lined.points)
        assert after == replace(
            before, lined=replace(before.lined, points=tuple(p for p in before.lined.points if p != gone))
        )
        points = np.array(before.lined.points)
        which = before.lined.points.index(gone)
        others = np.delete(points, which, axis=0)
        slope, intercept = np.polyfit(others[:, 0], others[:, 1], 1)
        for off in (off_line(points, before.lined.line), points[:, 1] - slope * points[:, 0] - intercept):
            high = np.abs(off) * HIGH / span(before)
            assert high.argmax() == which
            assert high[which] - np.delete(high, which).max() >= 8
        assert change.details["point"] == gone
        distances = np.sort(np.abs(off_line(points, before.lined.line)))[::-1]
        assert np.allclose(distances[:2], [change.details["distance"], change.details["next_distance"]])


def test_recoloring_changes_one_class_to_the_color_that_the_sentence_names() -> None:
    which = []
    for change in changes("recolor_class"):
        (color,) = re.findall(r"#[0-9A-F]{6}", change.instruction)
        name = "plain" if "the class that has no line" in change.instruction else "lined"
        old = getattr(change.before, name)
        assert change.after == replace(change.before, **{name: replace(old, color=color)})
        assert old.color == change.details["from"]
        which.append(name)
    assert 0.45 < which.count("plain") / SEEDS < 0.55


def test_the_class_without_a_line_is_scattered_all_over_and_the_other_along_a_flat_trend() -> None:
    slopes, shares = [], []
    for change in every_change():
        state = change.before
        x, y = np.array(state.lined.points).T
        slopes.append(abs(np.polyfit(x, y, 1)[0]))
        shares += ((np.array(state.plain.points) - state.scale.low) / span(state)).ravel().tolist()
    assert 0.15 < np.median(slopes) < 0.3 and np.quantile(slopes, 0.95) < 0.75
    assert np.abs(np.quantile(shares, (0.1, 0.5, 0.9)) - (0.14, 0.5, 0.86)).max() < 0.02


def test_other_sentences_name_no_number_that_is_to_be_found() -> None:
    for task in TASKS[:3]:
        assert len({c.instruction for c in changes(task)}) == 1
        assert not re.search(r"\d", changes(task)[0].instruction)


def test_captions_and_tick_numbers_fit_and_do_not_touch() -> None:
    canvas = the_canvas()
    for change in every_change():
        state = change.before
        sizes = [canvas.text_size(t, TICK_SIZE) for t in tick_texts(state.scale.ticks)]
        at = [LEFT + WIDE * (t - state.scale.low) / span(state) for t in state.scale.ticks]
        for (x0, one), (x1, two) in itertools.pairwise(zip(at, sizes, strict=True)):
            assert x1 - two[0] / 2 - (x0 + one[0] / 2) > 12
        assert at[0] - sizes[0][0] / 2 > 0 and at[-1] + sizes[-1][0] / 2 < WIDTH
        widest = max(w for w, _ in sizes)
        height = canvas.text_size(state.captions.y, LABEL_SIZE)[1]
        assert LEFT - 12 - widest - 6 - height > 0, "the y label stays in the picture"
        middle = (TOP + BOTTOM) / 2
        assert canvas.text_size(state.captions.y, LABEL_SIZE)[0] / 2 < min(middle, HEIGHT - middle) - 2
        for words, size in ((state.captions.x, LABEL_SIZE), (state.captions.title, TITLE_SIZE)):
            assert (LEFT + RIGHT) / 2 + canvas.text_size(words, size)[0] / 2 < WIDTH


def test_scales_cover_seven_decades_on_both_sides_of_zero() -> None:
    states = [c.before for c in every_change()]
    assert {math.floor(math.log10(span(s) / 5)) for s in states} >= set(range(-3, 4))
    assert any(s.scale.ticks[0] < 0 for s in states) and any(s.scale.low > 0 for s in states)


def test_states_and_details_are_plain_json() -> None:
    for change in every_change():
        for part in (asdict(change.before), asdict(change.after), dict(change.details)):
            assert json.loads(json.dumps(part, allow_nan=False)) is not None


@pytest.mark.parametrize("task", TASKS)
def test_pixels_change_only_where_the_edit_may_touch(task: str) -> None:
    for change, before, after in pictures(task):
        changed = (before != after).any(axis=2)
        assert changed.sum() >= 40
        allowed = np.zeros(changed.shape, bool)
        for x0, y0, x1, y1 in change.touched:
            allowed[math.ceil(y0 - 0.5) : math.floor(y1 + 0.5), math.ceil(x0 - 0.5) : math.floor(x1 + 0.5)] = True
        assert not (changed & ~allowed).any()
        assert allowed.sum() < {"remove_outlier": 800, "draw_best_fit_line": 50_000}.get(task, 110_000)
        changed[INSIDE] = False
        assert not changed.any(), "the border stays"


def color_at(picture: Pixels, at: Points) -> set[tuple[int, ...]]:
    return {tuple(int(v) for v in picture[int(y), int(x)]) for x, y in at}


@pytest.mark.parametrize("task", TASKS)
def test_points_have_the_color_of_their_class_and_the_class_without_a_line_lies_on_top(task: str) -> None:
    for change, before, after in pictures(task):
        for state, picture in ((change.before, before), (change.after, after)):
            for part in (0.0, 0.6):
                around = np.array([(math.cos(a), math.sin(a)) for a in np.arange(0, 6.3, 0.5)]) * part
                at = (pixels_of(state, state.plain.points)[:, None] + around * state.diameter / 2).reshape(-1, 2)
                assert color_at(picture, at) == {rgb_of(state.plain.color)}
            if state.plain.line is None:
                assert color_at(picture, pixels_of(state, state.lined.points)) == {rgb_of(state.lined.color)}


ROWS, COLUMNS = np.mgrid[INSIDE]


def away_from_line(state: ScatterPlot, line: Any) -> Points:
    """Distance of the center of every pixel inside the border from a line that has no ends."""
    (x0, y0), (x1, y1) = pixels_of(state, line)
    area = (x1 - x0) * (ROWS + 0.5 - y0) - (y1 - y0) * (COLUMNS + 0.5 - x0)
    distance: Points = np.abs(area) / math.hypot(x1 - x0, y1 - y0)
    return distance


def test_the_drawn_line_covers_everything_from_border_to_border_at_its_thickness() -> None:
    for change, before, after in pictures("draw_best_fit_line"):
        away = away_from_line(change.after, change.after.plain.line)
        half = change.after.thickness / 2
        inside = after[INSIDE]
        assert looks_like(inside[away < half - 0.75], rgb_of(change.after.plain.color)).all()
        assert (inside[away > half + 0.75] == before[INSIDE][away > half + 0.75]).all()


@pytest.mark.parametrize("task", TASKS[1:])
def test_the_line_runs_from_border_to_border_in_every_answer(task: str) -> None:
    for change, _, after in pictures(task):
        state = change.after
        seen = away_from_line(state, state.lined.line) < state.thickness / 2 - 0.75
        for x, y in pixels_of(state, state.plain.points).round().astype(int) - (int(LEFT) + 1, int(TOP) + 1):
            seen[max(0, y - 13) : y + 13, max(0, x - 13) : x + 13] = False
        assert seen.sum() > 500
        assert looks_like(after[INSIDE][seen], rgb_of(state.lined.color)).all()


def test_nothing_is_left_of_a_removed_point() -> None:
    for change, _, after in pictures("remove_outlier"):
        ((x, y),) = pixels_of(change.before, [change.details["point"]])
        r = int(change.before.diameter / 2 + 1)
        patch = after[int(y) - r : int(y) + r + 1, int(x) - r : int(x) + r + 1]
        background = np.array(rgb_of(change.before.theme.background))
        assert (patch == background).all()
