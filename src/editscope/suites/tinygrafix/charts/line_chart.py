"""Line chart: one series of straight segments; bridge its gaps, rescale, filter or shade it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from matplotlib.artist import Artist
from matplotlib.lines import Line2D
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
from editscope.suites.tinygrafix.canvas import DPI, HEIGHT, Canvas, Point
from editscope.suites.tinygrafix.change import Change, PixelBox
from editscope.suites.tinygrafix.colors import Theme, random_color
from editscope.suites.tinygrafix.wording import decimal, magnitude, sig3, words

UNSEEN = rims.UNSEEN
VERTICES = (20, 44)
GAPS, MISSING = (2, 3), (2, 5)
"""How many gaps a series has, and how many vertices each of them lacks."""
STROKE = 4.44
"""Width of the series in pixels: two points."""
SEEN = 30.0
"""Least ΔE76 between series and background: more than colors must differ by, as a thin line is hard to see."""
AIR = 0.15
"""Room above and below the series, as part of its height."""
LOW, HIGH = (0.1, 0.4), (0.6, 0.9)
"""Where a range begins and ends, as part of a scale."""
THRESHOLDS = range(35, 66)
"""Where a threshold lies, in percent of the height of the series."""
CLEAR = 5.0
"""No vertex comes nearer than this many pixels to a threshold: each lies clearly on one side."""
PART_WIDTH = 16.0
"""What a threshold keeps and what it removes comes in parts at least this many pixels wide."""
MOST_PARTS = 9
ERASER = STROKE + 3.0
"""Wide enough to cover every pixel that the series touches."""
EDGE = 2.0
"""Anti-aliasing may touch the next pixel."""

Curve = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Shade:
    """The area under the series between two x values, in a color."""

    start: float
    end: float
    color: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """A line chart.

    ``pieces`` are the drawn stretches of the series from left to right; between them are gaps, which ``bridges``
    close. ``erased`` are stretches of the pieces that are not to be seen.
    """

    theme: Theme
    captions: Captions
    x: Scale
    y: Scale
    color: str
    pieces: tuple[Curve, ...]
    bridges: tuple[Curve, ...] = ()
    erased: tuple[Curve, ...] = ()
    shade: Shade | None = None

    @property
    def axes(self) -> Axes:
        """The plot area."""
        return Axes(LEFT, TOP, RIGHT, BOTTOM, self.x, self.y)

    @property
    def series(self) -> Curve:
        """The vertices of all pieces, from left to right."""
        return tuple(itertools.chain.from_iterable(self.pieces))


# Building a chart


def build(rng: SeededRandom, canvas: Canvas, task: str) -> LineChart:
    """One series without gaps from side to side, some air above and below it, and labels that can be told apart."""
    theme = Theme.random(rng)
    color = random_color(rng, [theme.background], least=SEEN)
    captions = _captions(rng, canvas)
    across, up = _scale(rng, 7), _scale(rng, 9)
    while not numbers_fit(canvas, Axes(LEFT, TOP, RIGHT, BOTTOM, across, up)):
        across, up = _scale(rng, 7), _scale(rng, 9)
    while True:
        state = LineChart(theme, captions, across, up, color, (_series(rng, across, up),))
        if task != "filter_series" or any(True for _ in _thresholds(state)):
            return state


def _captions(rng: SeededRandom, canvas: Canvas) -> Captions:
    """Title and axis labels that fit; no two alike, since instructions name an axis by its label."""
    while True:
        captions = Captions(words(rng), words(rng), words(rng))
        different = len({captions.title.lower(), captions.x.lower(), captions.y.lower()}) == 3
        if different and fits_across(canvas, Axes(LEFT, TOP, RIGHT, BOTTOM), captions):
            return captions


def _scale(rng: SeededRandom, most_ticks: int) -> Scale:
    """A range of some magnitude, below, around or above zero, that need not end at a tick.

    It lies within about two of its own lengths from zero, so that three figures tell neighboring pixels apart.
    """
    length = rng.uniform(0.5, 1.0) * 10 * magnitude(rng)
    low = _tidy(rng.uniform(-1.6, 1.0) * length, 4)
    high = _tidy(low + length, 4)
    ticks = nice_scale(low, high, most_ticks).ticks
    return Scale(low, high, tuple(t for t in ticks if low <= t <= high))


def _series(rng: SeededRandom, across: Scale, up: Scale) -> Curve:
    """A random walk, evenly spaced in x, that fills the scale across and all but some air of the scale up."""
    count = rng.integer(*VERTICES)
    level = 0.0
    walk: list[float] = []
    for _ in range(count):
        level += _normal(rng)
        walk.append(level)
    bottom, top = min(walk), max(walk)
    low = AIR / (1 + 2 * AIR)
    xs = (i / (count - 1) for i in range(count))
    ys = (_mix(low, 1 - low, (level - bottom) / (top - bottom)) for level in walk)
    return tuple(
        (_tidy(_mix(across.low, across.high, x)), _tidy(_mix(up.low, up.high, y))) for x, y in zip(xs, ys, strict=True)
    )


def _normal(rng: SeededRandom) -> float:
    """Nearly a standard normal number, from additions only: the same on every machine."""
    return sum(rng.uniform(0, 1) for _ in range(12)) - 6


def _mix(start: float, end: float, share: float) -> float:
    """From start (share 0, exactly) to end (share 1, exactly)."""
    return start * (1 - share) + end * share


def _tidy(value: float, figures: int = 6) -> float:
    """So many significant figures: far below a pixel, and short to write down."""
    return float(f"{value:.{figures}g}")


# Drawing


def shared(canvas: Canvas, state: LineChart) -> list[Artist]:
    """Axes and captions."""
    return axes_artists(canvas, state.axes, state.theme, state.captions)


def content(canvas: Canvas, state: LineChart) -> list[Artist]:
    """The shade, the series over it, and what was done to the series.

    A bridge is a line of its own and erasing is painting over with the background, because a line that is drawn
    longer or shorter comes out one color level lighter or darker here and there along the parts that did not change.
    """
    axes = state.axes
    shade = [] if state.shade is None else [_shade(canvas, state, state.shade)]
    lines = [canvas.line([axes.at(*point) for point in piece], state.color, STROKE) for piece in state.pieces]
    bridges = [_bridge(canvas, [axes.at(*point) for point in bridge], state.color) for bridge in state.bridges]
    erased = [canvas.line(_eraser(state, curve), state.theme.background, ERASER) for curve in state.erased]
    artists = [*shade, *lines, *bridges, *erased]
    # The series starts and ends at the border. What is drawn stops at the inner side of the box.
    inner = LINE / 2
    box = Bbox.from_extents(LEFT + inner, HEIGHT - BOTTOM + inner, RIGHT - inner, HEIGHT - TOP - inner)
    for artist in artists:
        artist.set_clip_box(box)
    return artists


def _shade(canvas: Canvas, state: LineChart, shade: Shade) -> Artist:
    # Down to the inner side of the box, which lies below and must stay visible.
    floor = BOTTOM - LINE / 2
    top = [state.axes.at(*point) for point in _between(state.series, shade.start, shade.end)]
    artist = canvas.polygon([(top[0][0], floor), *top, (top[-1][0], floor)], shade.color)
    artist.set_snap(False)
    return artist


def _bridge(canvas: Canvas, points: Sequence[Point], color: str) -> Artist:
    """A line whose ends are as round as the joins of the series."""
    line = Line2D(*zip(*points, strict=True), color=color, linewidth=STROKE * 72 / DPI, solid_capstyle="round")
    line.set_snap(False)
    artist: Artist = canvas._own(line)
    return artist


def _eraser(state: LineChart, curve: Curve) -> list[Point]:
    """The pixels along which to erase: a bit beyond the ends of the series, but not beyond a cut."""
    points = [state.axes.at(*point) for point in curve]
    if curve[0] == state.series[0]:
        points[0] = _beyond(points[1], points[0])
    if curve[-1] == state.series[-1]:
        points[-1] = _beyond(points[-2], points[-1])
    return points


def _beyond(start: Point, end: Point) -> Point:
    """A line from start to end made longer by EDGE."""
    share = 1 + EDGE / math.dist(start, end)
    return _mix(start[0], end[0], share), _mix(start[1], end[1], share)


def _boxes(axes: Axes, curve: Curve, margin: float = STROKE / 2 + EDGE, chunk: int = 4) -> Iterator[PixelBox]:
    """Boxes around a curve, a few segments in each, so that together they follow it."""
    pixels = [axes.at(*point) for point in curve]
    for first in range(0, len(pixels) - 1, chunk):
        xs, ys = zip(*pixels[first : first + chunk + 1], strict=True)
        yield max(LEFT, min(xs) - margin), min(ys) - margin, min(RIGHT, max(xs) + margin), max(ys) + margin


# Tasks


def draw_segments(state: LineChart, rng: SeededRandom, canvas: Canvas) -> Change[LineChart]:
    """Every gap bridged by one straight segment."""
    pieces = _pieces(rng, state.series)
    gaps = tuple((left[-1], right[0]) for left, right in itertools.pairwise(pieces))
    return Change(
        replace(state, pieces=pieces),
        replace(state, pieces=pieces, bridges=gaps),
        "The series has gaps. Bridge every gap with one straight segment, from the point where the line stops to the "
        "point where it goes on, in the same color and width as the rest of the line.",
        tuple(box for gap in gaps for box in _boxes(state.axes, gap)),
        {"gaps": len(gaps)},
    )


def _pieces(rng: SeededRandom, curve: Curve) -> tuple[Curve, ...]:
    """What is left of a series after two or three runs of vertices are taken out: pieces of two vertices or more."""
    while True:
        missing = [rng.integer(*MISSING) for _ in range(rng.integer(*GAPS))]
        spare = len(curve) - sum(missing) - 2 * (len(missing) + 1)
        if spare >= 0:
            break
    # Cutting the spare vertices at random places shares them out among the pieces.
    cuts = sorted(rng.integer(0, spare) for _ in missing)
    lengths = [2 + b - a for a, b in itertools.pairwise([0, *cuts, spare])]
    pieces: list[Curve] = []
    start = 0
    for length, gap in zip(lengths, [*missing, 0], strict=True):
        pieces.append(curve[start : start + length])
        start += length + gap
    return tuple(pieces)


def normalize_series(state: LineChart, rng: SeededRandom, canvas: Canvas) -> Change[LineChart]:
    """Squeezed and shifted vertically until lowest and highest point are where they are asked for."""
    heights = [y for _, y in state.series]
    bottom, top = min(heights), max(heights)
    low, high = _new_heights(rng, state.y, bottom, top)
    moved = tuple((x, _mix(low, high, (y - bottom) / (top - bottom))) for x, y in state.series)
    name = state.captions.y
    return Change(
        state,
        replace(state, pieces=(moved,)),
        f'Squeeze the series vertically, evenly, and shift it so that its lowest point lies at "{name}" = '
        f'{decimal(low)} and its highest point at "{name}" = {decimal(high)}. Axes, ticks and horizontal positions '
        "stay as they are.",
        (*_boxes(state.axes, state.series), *_boxes(state.axes, moved)),
        {"lowest": low, "highest": high},
    )


def _new_heights(rng: SeededRandom, scale: Scale, bottom: float, top: float) -> tuple[float, float]:
    """Three-figure ends for the series: closer together than before, and at least one of them clearly elsewhere."""
    while True:
        low, high = (sig3(_mix(scale.low, scale.high, rng.uniform(*part))) for part in (LOW, HIGH))
        moved = max(abs(scale.share(low) - scale.share(bottom)), abs(scale.share(high) - scale.share(top)))
        if high - low < top - bottom and moved >= 0.04:
            return low, high


def filter_series(state: LineChart, rng: SeededRandom, canvas: Canvas) -> Change[LineChart]:
    """Only what lies on one side of a threshold, cut at the crossings."""
    threshold = rng.choice(list(_thresholds(state)))
    above = rng.chance(0.5)
    parts = _parts(state.series, threshold)
    kept = tuple(curve for side, curve in parts if side == above)
    gone = tuple(curve for side, curve in parts if side != above)
    return Change(
        state,
        replace(state, erased=gone),
        f'Keep only the parts of the series where "{state.captions.y}" is at {"least" if above else "most"} '
        f"{decimal(threshold)} and erase the rest of it. Where the series crosses that value, cut the line off "
        "squarely at the crossing.",
        tuple(box for curve in gone for box in _boxes(state.axes, curve)),
        {"keep": "at least" if above else "at most", "threshold": threshold, "kept": kept},
    )


def _parts(curve: Curve, threshold: float) -> list[tuple[bool, Curve]]:
    """A curve cut where it crosses a threshold that is the height of no vertex: (lies above, its points) in turn.

    >>> _parts(((0.0, 0.0), (4.0, 2.0)), 0.5)
    [(False, ((0.0, 0.0), (1.0, 0.5))), (True, ((1.0, 0.5), (4.0, 2.0)))]
    """
    parts: list[tuple[bool, Curve]] = []
    points = [curve[0]]
    for (x0, y0), (x1, y1) in itertools.pairwise(curve):
        if (y0 > threshold) != (y1 > threshold):
            crossing = (_mix(x0, x1, (threshold - y0) / (y1 - y0)), threshold)
            parts.append((y0 > threshold, (*points, crossing)))
            points = [crossing]
        points.append((x1, y1))
    parts.append((points[-1][1] > threshold, tuple(points)))
    return parts


def _thresholds(state: LineChart) -> Iterator[float]:
    """Three-figure heights that cut the series into a few parts, all of them easy to see."""
    series, axes = state.series, state.axes
    rows = [axes.down(y) for _, y in series]
    bottom, top = min(y for _, y in series), max(y for _, y in series)
    whole = axes.across(series[-1][0]) - axes.across(series[0][0])
    for percent in THRESHOLDS:
        threshold = sig3(_mix(bottom, top, percent / 100))
        row = axes.down(threshold)
        if min(abs(row - r) for r in rows) < CLEAR:
            continue
        parts = _parts(series, threshold)
        widths = [axes.across(curve[-1][0]) - axes.across(curve[0][0]) for _, curve in parts]
        share = sum(width for (above, _), width in zip(parts, widths, strict=True) if above) / whole
        if len(parts) <= MOST_PARTS and min(widths) >= PART_WIDTH and 0.1 <= share <= 0.9:
            yield threshold


def shade_interval(state: LineChart, rng: SeededRandom, canvas: Canvas) -> Change[LineChart]:
    """The area between the series and the bottom of the plot area, from one x to another."""
    start, end = _interval(rng, state.series[0][0], state.series[-1][0])
    shade = Shade(start, end, random_color(rng, [state.theme.background, state.theme.text, state.color]))
    name = state.captions.x
    return Change(
        state,
        replace(state, shade=shade),
        f'Shade the area under the series between "{name}" = {decimal(start)} and "{name}" = {decimal(end)} with the '
        f"solid color {shade.color}: from the series down to the bottom axis, straight up and down at both ends. The "
        "line and the axes stay in front.",
        tuple((x0, y0, x1, BOTTOM) for x0, y0, x1, _ in _boxes(state.axes, _between(state.series, start, end), EDGE)),
        {"from": start, "to": end, "color": shade.color},
    )


def _interval(rng: SeededRandom, first: float, last: float) -> tuple[float, float]:
    """Two three-figure numbers, one in the left part of the series and one in the right."""
    start, end = (sig3(_mix(first, last, rng.uniform(*part))) for part in (LOW, HIGH))
    return start, end


def _between(curve: Sequence[Point], start: float, end: float) -> Curve:
    """The part of a curve between two x values, cut exactly there.

    >>> _between(((0.0, 0.0), (4.0, 2.0), (8.0, 0.0)), 1.0, 6.0)
    ((1.0, 0.5), (4.0, 2.0), (6.0, 1.0))
    """
    inner = [point for point in curve if start < point[0] < end]
    return (start, _height(curve, start)), *inner, (end, _height(curve, end))


def _height(curve: Sequence[Point], x: float) -> float:
    for (x0, y0), (x1, y1) in itertools.pairwise(curve):
        if x0 <= x <= x1:
            return _mix(y0, y1, (x - x0) / (x1 - x0))
    raise ValueError(f"the curve does not reach x = {x}")


TASKS: Mapping[str, Callable[[LineChart, SeededRandom, Canvas], Change[LineChart]]] = {
    "draw_segments": draw_segments,
    "normalize_series": normalize_series,
    "filter_series": filter_series,
    "shade_interval": shade_interval,
}
