"""Bar chart: named bars over a scale; add, sort, remove or recolor bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from matplotlib.artist import Artist

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.tinygrafix.axes import (
    BOTTOM,
    TICK_SIZE,
    TOP,
    Axes,
    Captions,
    Scale,
    axes_artists,
    fits_across,
    nice_scale,
    numbers_fit,
)
from editscope.suites.tinygrafix.canvas import WIDTH, Canvas
from editscope.suites.tinygrafix.change import Change, PixelBox
from editscope.suites.tinygrafix.colors import Theme, random_color, random_colors
from editscope.suites.tinygrafix.wording import decimal, magnitude, new_word, sig3, words

BARS = (4, 7)
APART = 0.05
"""Any two bars differ by at least this part of the top of the scale, so that their order can be seen."""
LOWEST = 0.006
"""The lowest bar as part of the highest that there may be: three pixels can be seen."""
HEADROOM = 1.12
"""The top of the scale as part of the highest bar."""
LEFT, RIGHT = 146.0, 1016.0
"""Bars have no numbers below them and none below zero, which leaves them more room than other charts."""
FILLED = 0.8
"""Width of a bar as part of its place."""
SIDES = 0.05
"""Room beside the first and the last bar, as part of the width that all bars take."""
UNSEEN = 0.0
"""Bars have whole pixels, and every rim of a letter counts."""
LABEL_GAP = 14.0
EDGE = 2.0
"""Anti-aliasing may touch the next pixel."""


@dataclass(frozen=True, slots=True)
class ChartBar:
    """One bar; ``shown`` is False where a bar is missing, ``named`` where its label is missing."""

    label: str
    value: float
    color: str
    shown: bool = True
    named: bool = True


@dataclass(frozen=True, slots=True)
class BarChart:
    """A bar chart."""

    theme: Theme
    captions: Captions
    scale: Scale
    bars: tuple[ChartBar, ...]

    @property
    def axes(self) -> Axes:
        """The plot area."""
        return Axes(LEFT, TOP, RIGHT, BOTTOM, None, self.scale)


def build(rng: SeededRandom, canvas: Canvas, task: str) -> BarChart:
    """Four to seven bars with values far enough apart, labels that do not touch, and colors of their own."""
    theme = Theme.random(rng)
    unit = magnitude(rng)
    count = rng.integer(*BARS)
    while True:
        values = _values(rng, count, rng.uniform(0.6, 1.0) * 10 * unit)
        scale = _scale(max(values))
        if numbers_fit(canvas, Axes(LEFT, TOP, RIGHT, BOTTOM, None, scale)):
            break
    colors = random_colors(rng, count, [theme.background])
    labels: list[str] = []
    while len(labels) < count:
        label = new_word(rng, labels, 3, 7)
        if canvas.text_size(label, TICK_SIZE)[0] <= _pitch(count) - LABEL_GAP:
            labels.append(label)
    captions = Captions(words(rng), words(rng), words(rng))
    while not fits_across(canvas, Axes(LEFT, TOP, RIGHT, BOTTOM), captions):
        captions = Captions(words(rng), words(rng), words(rng))
    bars = tuple(ChartBar(*bar) for bar in zip(labels, values, colors, strict=True))
    return BarChart(theme, captions, scale, bars)


def _values(rng: SeededRandom, count: int, top: float) -> list[float]:
    """Three-figure values up to a top, pairwise at least APART of the scale from each other."""
    values: list[float] = []
    while len(values) < count:
        value = sig3(rng.uniform(LOWEST, 1.0) * top)
        if all(abs(value - other) >= APART * HEADROOM * top * 1.001 for other in values):
            values.append(value)
    return values


def _scale(highest: float) -> Scale:
    """From zero to a little above the highest bar, which need not be a round number."""
    top = float(f"{HEADROOM * highest:.6g}")
    return Scale(0.0, top, tuple(tick for tick in nice_scale(0.0, top).ticks if tick <= top))


def shared(canvas: Canvas, state: BarChart) -> list[Artist]:
    """Axes and captions."""
    return axes_artists(canvas, state.axes, state.theme, state.captions)


def content(canvas: Canvas, state: BarChart) -> list[Artist]:
    """Bars and their labels."""
    artists: list[Artist] = []
    for place, bar in enumerate(state.bars):
        x0, x1 = _sides(len(state.bars), place)
        if bar.shown:
            artists.append(canvas.rectangle(x0, state.axes.down(bar.value), x1, BOTTOM, bar.color))
        if bar.named:
            middle, ink = (x0 + x1) / 2, state.theme.text
            artists.append(canvas.text(middle, BOTTOM + 12, bar.label, ink, TICK_SIZE, along="top"))
    return artists


def _pitch(count: int) -> float:
    return (RIGHT - LEFT) / ((1 + 2 * SIDES) * (count - 1 + FILLED))


def _sides(count: int, place: int) -> tuple[float, float]:
    pitch = _pitch(count)
    middle = LEFT + pitch * (SIDES * (count - 1 + FILLED) + FILLED / 2 + place)
    return middle - FILLED * pitch / 2, middle + FILLED * pitch / 2


def _place(canvas: Canvas, state: BarChart, place: int, bar: ChartBar) -> PixelBox:
    """The pixels of a bar and its label."""
    x0, x1 = _sides(len(state.bars), place)
    half = max((x1 - x0) / 2, canvas.text_size(bar.label, TICK_SIZE)[0] / 2) + EDGE
    middle = (x0 + x1) / 2
    return max(0.0, middle - half), state.axes.down(bar.value) - EDGE, min(WIDTH, middle + half), BOTTOM + 44


def add_bar(state: BarChart, rng: SeededRandom, canvas: Canvas) -> Change[BarChart]:
    """A bar that is missing over its label."""
    place = rng.integer(0, len(state.bars) - 1)
    bar = state.bars[place]
    gap = tuple(replace(b, shown=i != place) for i, b in enumerate(state.bars))
    return Change(
        replace(state, bars=gap),
        state,
        f'Add the missing bar above the label "{bar.label}": value {decimal(bar.value)}, color {bar.color}, as wide as '
        "the other bars. Everything else stays as it is.",
        (_place(canvas, state, place, bar),),
        {"label": bar.label, "value": bar.value, "color": bar.color, "place": place},
    )


def sort_bars(state: BarChart, rng: SeededRandom, canvas: Canvas) -> Change[BarChart]:
    """By value, labels and colors following their bars."""
    rising = rng.chance(0.5)
    ordered = tuple(sorted(state.bars, key=lambda b: b.value, reverse=not rising))
    if ordered == state.bars:
        state = replace(state, bars=state.bars[::-1])
    places = range(len(ordered))
    touched = [_place(canvas, state, i, s.bars[i]) for i in places for s in (state, replace(state, bars=ordered))]
    return Change(
        state,
        replace(state, bars=ordered),
        f"Sort the bars from the {'lowest' if rising else 'highest'} at the left to the "
        f"{'highest' if rising else 'lowest'} at the right. Every bar keeps its color and takes its label along.",
        tuple(touched),
        {"order": "ascending" if rising else "descending"},
    )


def remove_bar(state: BarChart, rng: SeededRandom, canvas: Canvas) -> Change[BarChart]:
    """One bar and its label; nothing else moves."""
    place = rng.integer(0, len(state.bars) - 1)
    bar = state.bars[place]
    gap = tuple(replace(b, shown=i != place, named=i != place) for i, b in enumerate(state.bars))
    return Change(
        state,
        replace(state, bars=gap),
        f'Remove the bar labeled "{bar.label}" together with its label. Everything else stays where it is.',
        (_place(canvas, state, place, bar),),
        {"label": bar.label, "place": place},
    )


def recolor_bar(state: BarChart, rng: SeededRandom, canvas: Canvas) -> Change[BarChart]:
    """One bar in a color that no other bar has."""
    place = rng.integer(0, len(state.bars) - 1)
    bar = state.bars[place]
    color = random_color(rng, [state.theme.background, *(b.color for b in state.bars)])
    painted = tuple(replace(b, color=color) if i == place else b for i, b in enumerate(state.bars))
    return Change(
        state,
        replace(state, bars=painted),
        f'Recolor the bar labeled "{bar.label}" to {color}.',
        (_place(canvas, state, place, bar),),
        {"label": bar.label, "color": color, "place": place},
    )


TASKS: Mapping[str, Callable[[BarChart, SeededRandom, Canvas], Change[BarChart]]] = {
    "add_bar": add_bar,
    "sort_bars": sort_bars,
    "remove_bar": remove_bar,
    "recolor_bar": recolor_bar,
}
