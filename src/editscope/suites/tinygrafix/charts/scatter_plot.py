"""Scatter plot: two classes of points, one with its line of best fit; fit, swap, clean or recolor them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.artist import Artist
from matplotlib.path import Path as Outline
from matplotlib.transforms import Bbox

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.tinygrafix import rims
from editscope.suites.tinygrafix.axes import (
    BOTTOM,
    LEFT,
    LINE,
    RIGHT,
    TOP,
    Axes,
    Captions,
    Scale,
    axes_artists,
    fits_across,
    nice_scale,
    numbers_fit,
)
from editscope.suites.tinygrafix.canvas import HEIGHT, Canvas, Point
from editscope.suites.tinygrafix.change import Change, PixelBox
from editscope.suites.tinygrafix.colors import Theme, random_color, random_colors
from editscope.suites.tinygrafix.wording import magnitude, words

UNSEEN = rims.UNSEEN
POINTS = (9, 13)
DIAMETER, THICKNESS = 19.9, 5.1
"""Of a marker and of a line, in pixels. As many pixels change as with the release's markers (60 square points and an
outline) and lines (2 points), of which the faint rim counts too."""
MARGIN = 0.05
"""Points keep this part of the plot area's side from each border, so that no marker is cut."""
APART = 1.3
"""Least distance between two points in marker diameters, before and after the axes are swapped."""
STEEPEST = 0.5
"""The steepest trend of the class with a line, as rise of the scale per width of it."""
NOISE = 0.05
"""Standard deviation of the noise around that trend, as part of the scale."""
PUSH, PUSH_ON = 3.5, 0.5
"""The outlier moves away from the trend by so many standard deviations, then by more until it stands out."""
STANDS_OUT = 0.02
"""How much further from the line the outlier is than any other point, as part of the scale (12 pixels)."""
LINES_APART = 0.08
"""The lines of the two classes differ by this part of the scale at least, both ends taken together."""
BEYOND = 64.0
"""A line is drawn this far past the plot area and clipped there, so that its whole thickness ends at the border:
the flattest that meets the upper or lower border has half of it inside for 30 pixels after its middle has left."""
PIECE = 32.0
EDGE = 2.0
"""Anti-aliasing may touch the next pixel."""


@dataclass(frozen=True, slots=True)
class Series:
    """One class of points in data coordinates; ``line`` is its line of best fit, from border to border."""

    color: str
    points: tuple[Point, ...]
    line: tuple[Point, Point] | None = None


@dataclass(frozen=True, slots=True)
class ScatterPlot:
    """A scatter plot; ``scale`` holds for both axes, so that swapped points stay inside."""

    theme: Theme
    captions: Captions
    scale: Scale
    diameter: float
    thickness: float
    lined: Series
    plain: Series

    @property
    def axes(self) -> Axes:
        """The plot area."""
        return Axes(LEFT, TOP, RIGHT, BOTTOM, self.scale, self.scale)


# Fitting


def best_fit(points: Sequence[Point]) -> tuple[float, float]:
    """Slope and intercept of ordinary least squares, y on x.

    slope = Σ(x − x̄)(y − ȳ) / Σ(x − x̄)², intercept = ȳ − slope · x̄.

    >>> best_fit([(0, 1), (1, 2), (2, 6)])
    (2.5, 0.5)
    """
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return slope, mean_y - slope * mean_x


def residuals(points: Sequence[Point], slope: float, intercept: float) -> list[float]:
    """Vertical distances of points above a line; below it they are negative.

    >>> residuals([(0, 1), (1, 2)], 2.0, 0.5)
    [0.5, -0.5]
    """
    return [y - (slope * x + intercept) for x, y in points]


def border_to_border(points: Sequence[Point], scale: Scale) -> tuple[Point, Point]:
    """The line of best fit of points, cut at the borders of the plot area.

    >>> border_to_border([(1, 1), (2, 3)], Scale(0.0, 4.0, ()))
    ((0.5, 0.0), (2.5, 4.0))
    """
    slope, intercept = best_fit(points)

    def end(x: float) -> Point:
        y = min(scale.high, max(scale.low, slope * x + intercept))
        return (x if y == slope * x + intercept else (y - intercept) / slope), y

    return end(scale.low), end(scale.high)


def _swapped(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple((y, x) for x, y in points)


# Building


def build(rng: SeededRandom, canvas: Canvas, task: str) -> ScatterPlot:
    """A cloud along a straight trend, with a line and one point that is further off than all others, and a cloud
    scattered all over the plot area, without a line.
    """
    theme = Theme.random(rng)
    scale = _scale(rng)
    while not numbers_fit(canvas, Axes(LEFT, TOP, RIGHT, BOTTOM, scale, scale)):
        scale = _scale(rng)
    lined_color, plain_color = random_colors(rng, 2, [theme.background])
    captions = Captions(words(rng), words(rng), words(rng))
    while not fits_across(canvas, Axes(LEFT, TOP, RIGHT, BOTTOM), captions):
        captions = Captions(words(rng), words(rng), words(rng))
    while (clouds := _clouds(rng)) is None:
        continue
    lined, plain = (tuple((_data(scale, x), _data(scale, y)) for x, y in cloud) for cloud in clouds)
    return ScatterPlot(
        theme,
        captions,
        scale,
        DIAMETER,
        THICKNESS,
        Series(lined_color, lined, border_to_border(lined, scale)),
        Series(plain_color, plain),
    )


def _scale(rng: SeededRandom) -> Scale:
    """Numbers from zero, below it or above it; the borders lie a little outside the last ticks."""
    span = rng.uniform(6.0, 10.0) * magnitude(rng)
    low = rng.choice((0.0, -rng.uniform(0.2, 0.8), rng.uniform(0.2, 1.2))) * span
    ticks = nice_scale(low, low + span).ticks
    pad = rng.uniform(0.15, 0.4) * (ticks[1] - ticks[0])
    return Scale(float(f"{ticks[0] - pad:.6g}"), float(f"{ticks[-1] + pad:.6g}"), ticks)


def _data(scale: Scale, share: float) -> float:
    """The number at a part of the scale, with figures enough for a hundredth of a pixel."""
    return float(f"{scale.low + share * (scale.high - scale.low):.6g}")


def _clouds(rng: SeededRandom) -> tuple[list[Point], list[Point]] | None:
    """The class with a line and the one without, as parts of the scale, or None where they break a rule."""
    points = _along_a_trend(rng, rng.integer(*POINTS))
    lined = _with_outlier(points, rng.integer(0, len(points) - 1))
    if lined is None or not all(_far(p, [q for q in lined if q is not p]) for p in lined):
        return None
    plain = _scattered(rng, rng.integer(*POINTS), lined)
    (slope, start), (other, other_start) = best_fit(lined), best_fit(plain)
    if abs(start - other_start) + abs(start + slope - other_start - other) < LINES_APART:
        return None
    return lined, plain


def _along_a_trend(rng: SeededRandom, count: int) -> list[Point]:
    """Points along a straight trend, none of them touching another."""
    slope, middle = rng.uniform(-STEEPEST, STEEPEST), rng.uniform(0.35, 0.65)
    points: list[Point] = []
    while len(points) < count:
        x = rng.uniform(MARGIN, 1 - MARGIN)
        point = x, middle + slope * (x - 0.5) + NOISE * _normal(rng)
        if MARGIN <= point[1] <= 1 - MARGIN and _far(point, points):
            points.append(point)
    return points


def _scattered(rng: SeededRandom, count: int, taken: Sequence[Point]) -> list[Point]:
    """Points anywhere, none of them touching another or one of those that are there."""
    points: list[Point] = []
    while len(points) < count:
        point = rng.uniform(MARGIN, 1 - MARGIN), rng.uniform(MARGIN, 1 - MARGIN)
        if _far(point, [*taken, *points]):
            points.append(point)
    return points


def _normal(rng: SeededRandom) -> float:
    """Nearly a standard normal number, from additions only: the same on every machine."""
    return sum(rng.uniform(0, 1) for _ in range(12)) - 6


def _far(point: Point, others: Sequence[Point]) -> bool:
    """Whether a marker stays clear of others, also when x and y have been swapped."""
    width, height = RIGHT - LEFT, BOTTOM - TOP
    least = (APART * DIAMETER) ** 2
    for other in others:
        dx, dy = point[0] - other[0], point[1] - other[1]
        if min((dx * width) ** 2 + (dy * height) ** 2, (dy * width) ** 2 + (dx * height) ** 2) < least:
            return False
    return True


def _with_outlier(points: Sequence[Point], which: int) -> list[Point] | None:
    """Points with one pushed away from their line until it stands out; None where the border comes first."""
    x, y = points[which]
    away = math.copysign(NOISE, residuals(points, *best_fit(points))[which])
    steps = PUSH
    while True:
        pushed = min(1 - MARGIN, max(MARGIN, y + steps * away))
        moved = [*points[:which], (x, pushed), *points[which + 1 :]]
        if _stands_out(moved, which):
            return moved
        if pushed in (MARGIN, 1 - MARGIN):
            return None
        steps += PUSH_ON


def _stands_out(points: Sequence[Point], which: int) -> bool:
    """Whether one point is furthest by far, from the line through all and from the line through the others."""
    for fitted in (points, [p for i, p in enumerate(points) if i != which]):
        off = [abs(r) for r in residuals(points, *best_fit(fitted))]
        if off[which] - max(r for i, r in enumerate(off) if i != which) < STANDS_OUT:
            return False
    return True


# Drawing


def shared(canvas: Canvas, state: ScatterPlot) -> list[Artist]:
    """Axes and captions."""
    return axes_artists(canvas, state.axes, state.theme, state.captions)


def content(canvas: Canvas, state: ScatterPlot) -> list[Artist]:
    """The class with a line, then the other one over it."""
    artists: list[Artist] = []
    for series in (state.lined, state.plain):
        artists.append(_discs(canvas, state, series))
        if series.line is not None:
            artists.append(_line(canvas, state, series.line, series.color))
    return artists


def _discs(canvas: Canvas, state: ScatterPlot, series: Series) -> Artist:
    """All points of a class as one path: they do not overlap, so it looks like as many circles."""
    circle = Outline.unit_circle()
    centers = np.array([state.axes.at(*p) for p in series.points])
    vertices = np.asarray(circle.vertices) * (state.diameter / 2) + centers[:, None, :]
    codes = np.tile(np.asarray(circle.codes, np.uint8), len(series.points))
    return canvas.path(vertices.reshape(-1, 2), codes, series.color)


def _line(canvas: Canvas, state: ScatterPlot, line: tuple[Point, Point], color: str) -> Artist:
    artist = canvas.line(_drawn_out(state.axes, line), color, state.thickness)
    inner = LINE / 2
    artist.set_clip_box(Bbox.from_extents(LEFT + inner, HEIGHT - BOTTOM + inner, RIGHT - inner, HEIGHT - TOP - inner))
    return artist


def _drawn_out(axes: Axes, line: tuple[Point, Point]) -> tuple[Point, Point]:
    """The pixels of a line's ends, moved outwards."""
    (x0, y0), (x1, y1) = (axes.at(*end) for end in line)
    part = BEYOND / math.hypot(x1 - x0, y1 - y0)
    dx, dy = part * (x1 - x0), part * (y1 - y0)
    return (x0 - dx, y0 - dy), (x1 + dx, y1 + dy)


# Where the picture may change


def _around_points(state: ScatterPlot, points: Iterable[Point]) -> list[PixelBox]:
    reach = state.diameter / 2 + EDGE
    at = [state.axes.at(*p) for p in points]
    return [(x - reach, y - reach, x + reach, y + reach) for x, y in at]


def _around_line(state: ScatterPlot, line: tuple[Point, Point]) -> list[PixelBox]:
    """Boxes along a line, one for every few pixels, as far as they lie in the plot area."""
    (x0, y0), (x1, y1) = _drawn_out(state.axes, line)
    count = math.ceil(math.hypot(x1 - x0, y1 - y0) / PIECE)
    stops = [(x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count) for i in range(count + 1)]
    reach = state.thickness / 2 + EDGE
    boxes: list[PixelBox] = []
    for (ax, ay), (bx, by) in itertools.pairwise(stops):
        left, top = max(LEFT, min(ax, bx) - reach), max(TOP, min(ay, by) - reach)
        right, bottom = min(RIGHT, max(ax, bx) + reach), min(BOTTOM, max(ay, by) + reach)
        if left < right and top < bottom:
            boxes.append((left, top, right, bottom))
    return boxes


def _around(state: ScatterPlot, series: Series) -> list[PixelBox]:
    return _around_points(state, series.points) + (_around_line(state, series.line) if series.line else [])


# Tasks


def draw_best_fit_line(state: ScatterPlot, rng: SeededRandom, canvas: Canvas) -> Change[ScatterPlot]:
    """The least-squares line of the class that has none, over everything."""
    line = border_to_border(state.plain.points, state.scale)
    slope, intercept = best_fit(state.plain.points)
    return Change(
        state,
        replace(state, plain=replace(state.plain, line=line)),
        "One class of points has a line of best fit, the other has none. Draw the missing one: the straight line "
        "for which the sum of the squared vertical distances to the points of that class is smallest. Give it the "
        "color of its points and the thickness of the existing line, let it run through the whole plot area from "
        "border to border, and put it on top of everything else.",
        tuple(_around_line(state, line)),
        {"color": state.plain.color, "slope": slope, "intercept": intercept},
    )


def swap_axes(state: ScatterPlot, rng: SeededRandom, canvas: Canvas) -> Change[ScatterPlot]:
    """x and y of every point and of the line change places; the axes stay."""

    def turned(series: Series) -> Series:
        line = series.line and ((series.line[0][1], series.line[0][0]), (series.line[1][1], series.line[1][0]))
        return replace(series, points=_swapped(series.points), line=line)

    after = replace(state, lined=turned(state.lined), plain=turned(state.plain))
    return Change(
        state,
        after,
        "Exchange the x and y coordinates of all points and of the line of best fit: whatever is at (x, y) goes to "
        "(y, x) on the same axes. The axes with their numbers and labels stay as they are, and the line again ends at "
        "the border of the plot area. Where marks overlap, the class without a line lies on top.",
        tuple(box for s in (state, after) for series in (s.lined, s.plain) for box in _around(s, series)),
    )


def remove_outlier(state: ScatterPlot, rng: SeededRandom, canvas: Canvas) -> Change[ScatterPlot]:
    """The point that is furthest from the line of its class; the line stays."""
    points = state.lined.points
    off = [abs(r) for r in residuals(points, *best_fit(points))]
    which = off.index(max(off))
    left = tuple(p for i, p in enumerate(points) if i != which)
    return Change(
        state,
        replace(state, lined=replace(state.lined, points=left)),
        "Look at the points that have the color of the line of best fit, and erase the one whose vertical distance "
        "to that line is largest. The line is not fitted anew: it and everything else stay as they are.",
        tuple(_around_points(state, [points[which]])),
        {"point": points[which], "distance": off[which], "next_distance": sorted(off)[-2]},
    )


def recolor_class(state: ScatterPlot, rng: SeededRandom, canvas: Canvas) -> Change[ScatterPlot]:
    """Points of one class, and its line if it has one, in a color that is not in the picture."""
    color = random_color(rng, [state.theme.background, state.lined.color, state.plain.color])
    if rng.chance(0.5):
        old, after = state.lined, replace(state, lined=replace(state.lined, color=color))
        what = "the line of best fit, and of all points that have the same color as it,"
    else:
        old, after = state.plain, replace(state, plain=replace(state.plain, color=color))
        what = "all points of the class that has no line of best fit"
    return Change(
        state,
        after,
        f"Change the color of {what} to {color}. Everything else stays as it is.",
        tuple(_around(state, old)),
        {"from": old.color, "color": color, "class": "with line" if old is state.lined else "without line"},
    )


TASKS: Mapping[str, Callable[[ScatterPlot, SeededRandom, Canvas], Change[ScatterPlot]]] = {
    "draw_best_fit_line": draw_best_fit_line,
    "swap_axes": swap_axes,
    "remove_outlier": remove_outlier,
    "recolor_class": recolor_class,
}
