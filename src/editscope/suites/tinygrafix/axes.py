"""Axes: a rectangle of the picture with a scale on each side, ticks, labels and a title."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.ticker import MaxNLocator

from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH, Canvas, Point
from editscope.suites.tinygrafix.colors import Theme

TICK = 7.0
LINE = 2.0
TICK_SIZE, LABEL_SIZE, TITLE_SIZE = 11.0, 14.0, 18.0
"""Sizes of text in points."""
LEFT, TOP, RIGHT, BOTTOM = 164.0, 62.0, 980.0, 676.0
"""The plot area of charts with two scales, in pixels: it leaves room for the longest numbers on both."""
TITLE_Y, CAPTION_Y = 33.0, 738.0
"""Where the middles of the title and of the caption of the x axis stand."""
NUMBERS_APART, CAPTION_HEIGHT = 16.0, 36.0
"""Least distance of two numbers below the plot area, and the room that a caption takes."""
TICK_GAP, CAPTION_GAP = 5.0, 6.0
"""Pixels between a tick and its number, and between numbers and the caption of the axis."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A range of numbers along one side, with the ticks that are shown."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Where a number lies between low (0) and high (1)."""
        return (value - self.low) / (self.high - self.low)


def nice_scale(low: float, high: float, most_ticks: int = 7) -> Scale:
    """A scale from the nearest round number below to the nearest above, with ticks at round numbers between.

    >>> nice_scale(0, 93).ticks
    (0.0, 20.0, 40.0, 60.0, 80.0, 100.0)
    """
    candidates = MaxNLocator(nbins=most_ticks - 1, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    ticks = [float(f"{t:.10g}") for t in candidates]
    while len(ticks) > 2 and ticks[1] <= low:
        ticks.pop(0)
    while len(ticks) > 2 and ticks[-2] >= high:
        ticks.pop()
    return Scale(ticks[0], ticks[-1], tuple(t + 0.0 for t in ticks))


def tick_texts(ticks: Sequence[float]) -> list[str]:
    """Ticks in plain decimals, all with as many places as the finest needs.

    >>> tick_texts([0.0, 0.25, 0.5]), tick_texts([0.0, 20000.0])
    (['0.00', '0.25', '0.50'], ['0', '20000'])
    """
    step = min(b - a for a, b in itertools.pairwise(ticks))
    places = 0
    while places < 9 and abs(round(step, places) - step) > 1e-9 * abs(step):
        places += 1
    return [f"{t:.{places}f}" if t else f"{0:.{places}f}" for t in ticks]


@dataclass(frozen=True, slots=True)
class Axes:
    """The plot area: its pixel rectangle (left, top, right, bottom) and the scales, None where a side has none."""

    left: float
    top: float
    right: float
    bottom: float
    x: Scale | None = None
    y: Scale | None = None

    def across(self, value: float) -> float:
        """The x pixel of a number."""
        assert self.x is not None
        return self.left + self.x.share(value) * (self.right - self.left)

    def down(self, value: float) -> float:
        """The y pixel of a number."""
        assert self.y is not None
        return self.bottom - self.y.share(value) * (self.bottom - self.top)

    def at(self, x: float, y: float) -> Point:
        """The pixel of a point."""
        return self.across(x), self.down(y)


@dataclass(frozen=True, slots=True)
class Captions:
    """What is written around the plot area."""

    title: str
    x: str
    y: str


def axes_artists(canvas: Canvas, axes: Axes, theme: Theme, captions: Captions) -> list[Artist]:
    """Ground, box, ticks with numbers, axis labels and title. All of it lies below the data."""
    artists = [
        canvas.ground(theme.background),
        canvas.box(axes.left, axes.top, axes.right, axes.bottom, theme.text),
    ]
    marks: list[tuple[Point, Point]] = []
    left_edge = axes.left - TICK
    if axes.y is not None:
        for tick, text in zip(axes.y.ticks, tick_texts(axes.y.ticks), strict=True):
            y = axes.down(tick)
            marks.append(((axes.left - TICK, y), (axes.left, y)))
            artists.append(
                canvas.text(axes.left - TICK - TICK_GAP, y, text, theme.text, TICK_SIZE, across="right", along="middle")
            )
            left_edge = min(left_edge, axes.left - TICK - TICK_GAP - canvas.text_size(text, TICK_SIZE)[0])
    if axes.x is not None:
        for tick, text in zip(axes.x.ticks, tick_texts(axes.x.ticks), strict=True):
            x = axes.across(tick)
            marks.append(((x, axes.bottom), (x, axes.bottom + TICK)))
            artists.append(canvas.text(x, axes.bottom + TICK + TICK_GAP, text, theme.text, TICK_SIZE, along="top"))
    if marks:
        artists.append(canvas.strokes(marks, theme.text, LINE))
    middle_x, middle_y = (axes.left + axes.right) / 2, (axes.top + axes.bottom) / 2
    if captions.x:
        artists.append(canvas.text(middle_x, CAPTION_Y, captions.x, theme.text, LABEL_SIZE))
    if captions.y:
        x = left_edge - CAPTION_GAP
        artists.append(canvas.text(x, middle_y, captions.y, theme.text, LABEL_SIZE, across="right", turn=90.0))
    if captions.title:
        artists.append(canvas.text(middle_x, TITLE_Y, captions.title, theme.text, TITLE_SIZE))
    return artists


def fits_across(canvas: Canvas, axes: Axes, captions: Captions) -> bool:
    """Whether title and labels stay inside the picture."""
    middle = (axes.left + axes.right) / 2
    reach = min(middle, WIDTH - middle) - 6
    middle = (axes.top + axes.bottom) / 2
    along = min(middle, HEIGHT - middle) - 6
    return (
        canvas.text_size(captions.title, TITLE_SIZE)[0] / 2 <= reach
        and canvas.text_size(captions.x, LABEL_SIZE)[0] / 2 <= reach
        and canvas.text_size(captions.y, LABEL_SIZE)[0] / 2 <= along
    )


def numbers_fit(canvas: Canvas, axes: Axes) -> bool:
    """Whether the numbers of both scales stay inside the picture and those below the plot area apart."""
    ends = 0.0
    if axes.x is not None:
        for tick, text in zip(axes.x.ticks, tick_texts(axes.x.ticks), strict=True):
            middle, half = axes.across(tick), canvas.text_size(text, TICK_SIZE)[0] / 2
            if middle - half < ends:
                return False
            ends = middle + half + NUMBERS_APART
    if axes.y is not None:
        widest = max(canvas.text_size(text, TICK_SIZE)[0] for text in tick_texts(axes.y.ticks))
        if axes.left - TICK - TICK_GAP - widest - CAPTION_GAP - CAPTION_HEIGHT < 0:
            return False
    return ends <= WIDTH - 2 + NUMBERS_APART
