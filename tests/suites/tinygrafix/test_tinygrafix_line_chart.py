"""Line charts: every seed gives a problem that obeys the rules, and the pictures show what the states say."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from drills import counts
from editscope.images import Pixels
from editscope.suites.tinygrafix.axes import BOTTOM as AXES_BOTTOM
from editscope.suites.tinygrafix.axes import LEFT as AXES_LEFT
from editscope.suites.tinygrafix.axes import RIGHT as AXES_RIGHT
from editscope.suites.tinygrafix.axes import TOP as AXES_TOP
from editscope.suites.tinygrafix.canvas import WIDTH, plain_settings, the_canvas
from editscope.suites.tinygrafix.charts import line_chart
from editscope.suites.tinygrafix.charts.line_chart import STROKE, LineChart
from editscope.suites.tinygrafix.colors import delta_e, rgb_of
from editscope.suites.tinygrafix.make import draw, plan
from editscope.suites.tinygrafix.slots import ChartSlot
from support.tinygrafix_measures import looks_like

pytestmark = [pytest.mark.slow, pytest.mark.drill]

TASKS = ("draw_segments", "normalize_series", "filter_series", "shade_interval")
SEEDS = counts.times(usual=200, full=1_000)
PICTURES = 25
LEFT, TOP, RIGHT, BOTTOM = int(AXES_LEFT), int(AXES_TOP), int(AXES_RIGHT), int(AXES_BOTTOM)

Floats = npt.NDArray[np.float64]
every_task = pytest.mark.parametrize("task", TASKS)


@cache
def changes(task: str) -> tuple[Any, ...]:
    return tuple(plan(ChartSlot("line_chart", task, i), "rules", the_canvas()).change for i in range(SEEDS))


@cache
def pictures(task: str) -> tuple[tuple[Any, Pixels, Pixels], ...]:
    with plain_settings():
        drawn = [draw(ChartSlot("line_chart", task, i), "rules", the_canvas()) for i in range(PICTURES)]
    return tuple((one.change, before, after) for one, before, after in drawn)


def arrays(curve: Any) -> tuple[Floats, Floats]:
    xs, ys = np.array(curve, np.float64).T
    return xs, ys


def whole(state: LineChart) -> tuple[Floats, Floats]:
    return arrays([point for piece in state.pieces for point in piece])


def columns(state: LineChart, xs: Any) -> Floats:
    """Pixel columns of x values, by the rule of three."""
    return np.asarray(LEFT + (np.asarray(xs) - state.x.low) / (state.x.high - state.x.low) * (RIGHT - LEFT))


def rows(state: LineChart, ys: Any) -> Floats:
    return np.asarray(BOTTOM - (np.asarray(ys) - state.y.low) / (state.y.high - state.y.low) * (BOTTOM - TOP))


def all_at(picture: Pixels, state: LineChart, xs: Any, ys: Any, color: str) -> bool:
    """Whether the pixels that hold the given points of the chart all have a color, as far as one can see."""
    found = picture[rows(state, ys).astype(int), columns(state, xs).astype(int)]
    return bool(looks_like(found, rgb_of(color)).all())


def numbers(instruction: str) -> list[str]:
    """The numbers of a sentence without names in quotes and without colors."""
    plain = re.sub(r'"[^"]*"|#[0-9A-F]{6}', "", instruction)
    return re.findall(r"-?\d+(?:\.\d+)?", plain)


def figures(number: str) -> int:
    return len(number.lstrip("-").replace(".", "").lstrip("0"))


# Without drawing


@every_task
def test_the_series_is_evenly_spaced_from_side_to_side_and_has_20_to_44_vertices(task: str) -> None:
    for change in changes(task):
        xs, _ = whole(change.before)
        steps = np.diff(xs)
        assert (steps > 0).all()
        count = round(float(np.ptp(xs) / steps.min()))
        places = (xs - xs[0]) / np.ptp(xs) * count
        assert np.abs(places - places.round()).max() < 0.01
        assert 20 <= count + 1 <= 44
        assert (xs[0], xs[-1]) == pytest.approx((change.before.x.low, change.before.x.high), rel=1e-5)


@every_task
def test_the_series_leaves_air_above_and_below(task: str) -> None:
    for change in changes(task):
        for state in (change.before, change.after):
            down = rows(state, whole(state)[1])
            assert down.min() > TOP + 40 and down.max() < BOTTOM - 40


@every_task
def test_nothing_is_drawn_over_the_box_of_the_axes(task: str) -> None:
    for change, *pair in pictures(task):
        ink = np.array(rgb_of(change.before.theme.text))
        for picture in pair:
            for line in (
                picture[TOP : BOTTOM + 1, LEFT - 1 : LEFT + 1],
                picture[TOP : BOTTOM + 1, RIGHT - 1 : RIGHT + 1],
            ):
                assert (line == ink).all()
            assert (picture[BOTTOM - 1 : BOTTOM + 1, LEFT:RIGHT] == ink).all()


@every_task
def test_only_the_series_or_its_shade_differs_between_input_and_answer(task: str) -> None:
    for change in changes(task):
        before, after = change.before, change.after
        assert (before.bridges, before.erased, before.shade) == ((), (), None)
        assert replace(before, pieces=()) == replace(after, pieces=(), bridges=(), erased=(), shade=None)
        assert (before.pieces != after.pieces) == (task == "normalize_series")
        assert bool(after.bridges) == (task == "draw_segments")
        assert bool(after.erased) == (task == "filter_series")
        assert bool(after.shade) == (task == "shade_interval")


@every_task
def test_colors_are_far_apart(task: str) -> None:
    for change in changes(task):
        state = change.after
        colors = [state.theme.background, state.color, *([state.shade.color] if state.shade else [])]
        assert min(delta_e(*pair) for pair in itertools.combinations(colors, 2)) > 20
        if state.shade:
            assert delta_e(state.shade.color, state.theme.text) > 20


@every_task
def test_numbers_are_said_in_three_figures_and_used_exactly(task: str) -> None:
    for change in changes(task):
        said = numbers(change.instruction)
        details = change.details
        used = [details[key] for key in ("lowest", "highest", "threshold", "from", "to") if key in details]
        assert [float(text) for text in said] == used
        # A whole number may end in zeros that are places, not figures.
        assert all(figures(text if "." in text else text.rstrip("0")) <= 3 for text in said)


@every_task
def test_axes_are_named_in_quotes_and_no_two_captions_are_alike(task: str) -> None:
    axis = {"normalize_series": "y", "filter_series": "y", "shade_interval": "x"}.get(task)
    for change in changes(task):
        captions = change.before.captions
        assert len({captions.title.lower(), captions.x.lower(), captions.y.lower()}) == 3
        assert set(re.findall(r'"([^"]*)"', change.instruction)) == ({getattr(captions, axis)} if axis else set())


@every_task
def test_each_scale_has_three_to_nine_ticks_and_spans_seven_decades_over_seeds(task: str) -> None:
    lengths = []
    for change in changes(task):
        for scale in (change.before.x, change.before.y):
            assert 3 <= len(scale.ticks) <= 9
            assert scale.low <= scale.ticks[0] and scale.ticks[-1] <= scale.high
        lengths.append(change.before.y.high - change.before.y.low)
    assert set(np.floor(np.log10(lengths)).astype(int)) >= set(range(-3, 4))


@every_task
def test_states_can_be_written_as_json(task: str) -> None:
    for change in changes(task)[:100]:
        for part in (asdict(change.before), asdict(change.after), dict(change.details), change.touched):
            json.dumps(part, allow_nan=False)


def test_two_or_three_gaps_each_between_lines_and_not_dots() -> None:
    seen = set()
    for change in changes("draw_segments"):
        pieces = change.before.pieces
        seen.add(len(pieces) - 1)
        assert all(len(piece) >= 2 for piece in pieces)
        assert all(
            columns(change.before, right[0][0]) - columns(change.before, left[-1][0]) >= 39.9
            for left, right in itertools.pairwise(pieces)
        )
        assert all(columns(change.before, piece[-1][0]) - columns(change.before, piece[0][0]) >= 12 for piece in pieces)
    assert seen == {2, 3}


def test_each_gap_lacks_vertices_and_is_bridged_by_one_segment() -> None:
    for change in changes("draw_segments"):
        pieces = change.before.pieces
        assert change.after.pieces == pieces
        assert change.after.bridges == tuple((left[-1], right[0]) for left, right in itertools.pairwise(pieces))
        step = min(np.diff(arrays(piece)[0]).min() for piece in pieces)
        missing = [round((end[0] - start[0]) / step) - 1 for start, end in change.after.bridges]
        assert all(2 <= count <= 5 for count in missing)


def test_normalizing_is_one_stretch_and_one_shift_that_hits_both_ends_exactly() -> None:
    for change in changes("normalize_series"):
        xs, old = whole(change.before)
        new_xs, new = whole(change.after)
        low, high = (float(text) for text in numbers(change.instruction))
        assert (xs == new_xs).all()
        assert (new.min(), new.max()) == (low, high)
        slope, shift = np.polyfit(old - old.mean(), new, 1)
        assert slope > 0
        assert np.abs(rows(change.after, slope * (old - old.mean()) + shift) - rows(change.after, new)).max() < 1e-6


def test_normalizing_squeezes_and_is_clearly_visible() -> None:
    for change in changes("normalize_series"):
        old, new = rows(change.before, whole(change.before)[1]), rows(change.after, whole(change.after)[1])
        assert max(abs(old.min() - new.min()), abs(old.max() - new.max())) > 20
        assert 0.25 < np.ptp(new) / np.ptp(old) < 1


def lengths_above(xs: Floats, ys: Floats, threshold: float) -> Floats:
    """How much of the x extent of each segment lies above a threshold."""
    low, high = np.minimum(ys[:-1], ys[1:]), np.maximum(ys[:-1], ys[1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip((high - threshold) / (high - low), 0, 1)
    return np.asarray(np.diff(xs) * np.where(high == low, ys[:-1] > threshold, share))


def test_a_filtered_series_is_cut_exactly_at_the_crossings() -> None:
    for change in changes("filter_series"):
        xs, ys = whole(change.before)
        (threshold,) = (float(text) for text in numbers(change.instruction))
        sign = 1 if "at least" in change.instruction else -1
        tiny = 1e-9 * np.ptp(ys)
        kept = 0.0
        for piece in change.details["kept"]:
            px, py = arrays(piece)
            assert np.abs(np.interp(px, xs, ys) - py).max() < tiny
            assert (sign * (py - threshold) >= 0).all()
            for x, y in (piece[0], piece[-1]):
                assert y == threshold or x in (xs[0], xs[-1])
            inner = set(xs[(xs > px[0]) & (xs < px[-1])])
            assert inner <= set(px)
            kept += px[-1] - px[0]
        expected = lengths_above(xs, sign * ys, sign * threshold).sum()
        assert kept == pytest.approx(expected, rel=1e-9)
        # What is kept and what is erased follow each other without a hole.
        parts = sorted([*change.details["kept"], *change.after.erased])
        assert [part[-1] for part in parts[:-1]] == [part[0] for part in parts[1:]]
        assert (parts[0][0][0], parts[-1][-1][0]) == (xs[0], xs[-1])


def test_what_a_threshold_keeps_and_what_it_removes_can_both_be_seen() -> None:
    words = set()
    for change in changes("filter_series"):
        words.add(change.details["keep"])
        assert f"at {change.details['keep'].split()[1]} " in change.instruction
        state = change.before
        xs, ys = whole(state)
        assert np.abs(rows(state, ys) - rows(state, change.details["threshold"])).min() >= 4.99
        ends = [columns(state, [piece[0][0], piece[-1][0]]) for piece in change.details["kept"]]
        edges = np.concatenate([columns(state, xs[:1]), *ends, columns(state, xs[-1:])])
        widths = np.diff(edges)
        # Before the first and after the last piece nothing may be missing; everywhere else a part has its width.
        assert (widths[1:-1] >= 15.99).all()
        assert all(width == 0 or width >= 15.99 for width in widths[[0, -1]])
        assert 0.09 < widths[1::2].sum() / widths.sum() < 0.91
    assert words == {"at least", "at most"}


def test_a_shaded_interval_lies_well_inside_the_series() -> None:
    for change in changes("shade_interval"):
        start, end = (float(text) for text in numbers(change.instruction))
        xs, _ = whole(change.before)
        assert xs[0] < start < end < xs[-1]
        assert 0.19 < (end - start) / np.ptp(xs) < 0.81
        assert (change.after.shade.start, change.after.shade.end) == (start, end)
        assert change.after.shade.color in change.instruction


@every_task
def test_touched_boxes_are_a_part_of_the_plot_area(task: str) -> None:
    areas = []
    for change in changes(task):
        for x0, y0, x1, y1 in change.touched:
            assert LEFT <= x0 < x1 <= RIGHT and TOP < y0 < y1 <= BOTTOM
        areas.append(sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in change.touched))
    assert np.median(areas) < 0.45 * (RIGHT - LEFT) * (BOTTOM - TOP)


# With drawing


@every_task
def test_every_changed_pixel_lies_where_the_state_says_it_may(task: str) -> None:
    for change, before, after in pictures(task):
        changed = (before != after).any(axis=2)
        assert changed.sum() >= 40
        for x0, y0, x1, y1 in change.touched:
            changed[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = False
        assert not changed.any()


@every_task
def test_every_vertex_is_drawn_in_the_color_of_the_series(task: str) -> None:
    for change, before, after in pictures(task):
        for state, picture in ((change.before, before), (change.after, after)):
            # The ends of a piece are cut through the middle of a pixel.
            pieces = change.details["kept"] if state.erased else state.pieces
            inner = [point for piece in pieces for point in piece[1:-1]]
            assert all_at(picture, state, *arrays(inner), state.color)


def test_a_bridge_is_background_before_and_series_after() -> None:
    for change, before, after in pictures("draw_segments"):
        for left, right in change.after.bridges:
            xs, ys = np.linspace(left, right, 12).T
            state = change.before
            inner = (columns(state, xs) > columns(state, left[0]) + 5) & (
                columns(state, xs) < columns(state, right[0]) - 5
            )
            assert all_at(before, state, xs[inner], ys[inner], state.theme.background)
            assert all_at(after, state, xs[inner], ys[inner], state.color)


def test_lowest_and_highest_point_are_drawn_at_the_heights_that_were_asked_for() -> None:
    for change, _, after in pictures("normalize_series"):
        state = change.after
        area = after[TOP + 2 : BOTTOM - 2, LEFT + 2 : RIGHT - 2]
        line = np.flatnonzero(looks_like(area, rgb_of(state.color)).any(1)) + TOP + 2
        low, high = (float(text) for text in numbers(change.instruction))
        # A peak has a round join, half a stroke above its vertex; anti-aliasing takes up to a pixel of it. An end of
        # the series is cut off at the box.
        _, ys = whole(state)
        for end, value, row, outward in ((ys.argmax(), high, line.min(), -1), (ys.argmin(), low, line.max() + 1, 1)):
            short = outward * (rows(state, value) - row) + STROKE / 2
            assert short >= -0.1
            assert short <= 1.6 or end in (0, len(ys) - 1)


def test_nothing_of_the_series_is_left_beyond_the_threshold() -> None:
    for change, _, after in pictures("filter_series"):
        state = change.after
        row = float(rows(state, change.details["threshold"]))
        # The square end of a nearly level cut reaches half a stroke over the threshold.
        reach = STROKE / 2 + 1
        gone = (
            (int(row + reach) + 1, BOTTOM - 2) if change.details["keep"] == "at least" else (TOP + 2, int(row - reach))
        )
        area = after[gone[0] : gone[1], LEFT + 2 : RIGHT - 2]
        assert (area == rgb_of(state.theme.background)).all()


def test_erasing_leaves_what_drawing_only_the_kept_parts_would_give() -> None:
    canvas = the_canvas()
    with plain_settings():
        for change, before, after in pictures("filter_series"):
            kept = replace(change.before, pieces=change.details["kept"])
            plain = canvas.draw(line_chart.shared(canvas, kept), line_chart.content(canvas, kept)).astype(int)
            # The edge of a line is rounded to 1/256 pixel, and the corners of a cut are mixed in two steps.
            apart = np.abs(plain - after).max(axis=2)
            assert apart.max() <= 12
            row = int(rows(kept, change.details["threshold"]))
            apart[row - 4 : row + 5] = 0
            assert apart.max() <= 4
            assert np.abs(plain - before).max() > 20


def test_bridging_gives_what_one_line_with_round_joins_would_give() -> None:
    canvas = the_canvas()
    with plain_settings():
        for change, _, after in pictures("draw_segments"):
            one = replace(change.before, pieces=(change.before.series,))
            plain = canvas.draw(line_chart.shared(canvas, one), line_chart.content(canvas, one)).astype(int)
            apart = np.abs(plain - after).max(axis=2)
            # In the corner between two lines that meet, edges of both are mixed in one step or in two.
            assert apart.max() <= 40
            ends = arrays([point for bridge in change.after.bridges for point in bridge])
            for x, y in zip(columns(one, ends[0]), rows(one, ends[1]), strict=True):
                apart[int(y) - 20 : int(y) + 21, int(x) - 8 : int(x) + 9] = 0
            # A rim that was left as it was, and the rounding of two lines, add up.
            assert looks_like(plain[apart > 8], after[apart > 8], 5.0).all()


def test_all_of_the_area_under_the_series_is_shaded_and_nothing_beside_it() -> None:
    for change, before, after in pictures("shade_interval"):
        state, shade = change.after, change.after.shade
        xs, ys = whole(state)
        start, end = columns(state, [shade.start, shade.end])
        fine = np.arange(0, WIDTH, 0.1)
        curve = np.interp(fine, columns(state, xs), rows(state, ys))
        for column in range(int(start) + 1, int(end)):
            lowest = curve[10 * column - 50 : 10 * column + 60].max()
            under = after[int(lowest) + 5 : BOTTOM - 1, column]
            assert (under == rgb_of(shade.color)).all()
        outside = np.ones(WIDTH, bool)
        outside[int(start) : int(np.ceil(end))] = False
        assert np.array_equal(before[:, outside], after[:, outside])
        assert np.array_equal(before[BOTTOM - 1 :], after[BOTTOM - 1 :])


def test_a_shade_ends_exactly_at_both_x_within_a_pixel() -> None:
    for change, _, after in pictures("shade_interval"):
        state, shade = change.after, change.after.shade
        background, color = np.array(rgb_of(state.theme.background)), np.array(rgb_of(shade.color))
        start, end = columns(state, [shade.start, shade.end])
        for column, covered in ((int(start), 1 - start % 1), (int(end), end % 1)):
            expected = background + covered * (color - background)
            assert (
                looks_like(after[BOTTOM - 8, column], expected)
                or np.abs(after[BOTTOM - 8, column] - expected).max() <= 3
            )
