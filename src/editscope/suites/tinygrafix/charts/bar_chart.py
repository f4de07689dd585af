"""Bar chart: named bars over a scale; add, sort, remove or recolour bars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from matplotlib.artist import Artist

from editscope.suites.dice import Dice
from editscope.suites.tinygrafix.canvas import WIDTH, Canvas
from editscope.suites.tinygrafix.change import Change, PixelBox
from editscope.suites.tinygrafix.colors import Theme, random_color, random_colors
from editscope.suites.tinygrafix.frame import (
    TICK_SIZE,
    Captions,
    Frame,
    Scale,
    fits_across,
    frame_artists,
    nice_scale,
)
from editscope.suites.tinygrafix.wording import magnitude, new_word, said, sig3, words

BARS = (4, 9)
APART = 0.05
"""Any two bars differ by at least this part of the top of the scale, so that their order can be seen."""
LOWEST = 0.08
LEFT, TOP, RIGHT, BOTTOM = 150.0, 80.0, 984.0, 640.0
FILLED = 0.72
"""Width of a bar as part of its place."""
LABEL_GAP = 14.0
EDGE = 2.0
"""Anti-aliasing may touch the next pixel."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar; ``shown`` is False for the gap where a bar is to be added."""

    label: str
    value: float
    color: str
    shown: bool = True


@dataclass(frozen=True, slots=True)
class State:
    """A bar chart."""

    theme: Theme
    captions: Captions
    scale: Scale
    bars: tuple[Bar, ...]

    @property
    def frame(self) -> Frame:
        """The plot area."""
        return Frame(LEFT, TOP, RIGHT, BOTTOM, None, self.scale)


def build(dice: Dice, canvas: Canvas, task: str) -> State:
    """Four to nine bars with values far enough apart, labels that do not touch, and colours of their own."""
    theme = Theme.random(dice)
    unit = magnitude(dice)
    count = dice.integer(*BARS)
    scale = nice_scale(0.0, dice.uniform(0.6, 1.0) * 10 * unit)
    values = _values(dice, count, scale.high)
    colors = random_colors(dice, count, [theme.background])
    labels: list[str] = []
    while len(labels) < count:
        label = new_word(dice, labels, 3, 7)
        if canvas.text_size(label, TICK_SIZE)[0] <= _pitch(count) - LABEL_GAP:
            labels.append(label)
    captions = Captions(words(dice), words(dice), words(dice))
    while not fits_across(canvas, Frame(LEFT, TOP, RIGHT, BOTTOM), captions):
        captions = Captions(words(dice), words(dice), words(dice))
    bars = tuple(Bar(*bar) for bar in zip(labels, values, colors, strict=True))
    return State(theme, captions, scale, bars)


def _values(dice: Dice, count: int, top: float) -> list[float]:
    """Three-figure values, pairwise at least APART of the scale from each other."""
    values: list[float] = []
    while len(values) < count:
        value = sig3(dice.uniform(LOWEST, 0.97) * top)
        if all(abs(value - other) >= APART * top for other in values):
            values.append(value)
    return values


def shared(canvas: Canvas, state: State) -> list[Artist]:
    """Axes and captions."""
    return frame_artists(canvas, state.frame, state.theme, state.captions)


def content(canvas: Canvas, state: State) -> list[Artist]:
    """Bars and their labels."""
    artists: list[Artist] = []
    for place, bar in enumerate(state.bars):
        if bar.shown:
            artists += _bar(canvas, state, place, bar)
    return artists


def _bar(canvas: Canvas, state: State, place: int, bar: Bar) -> list[Artist]:
    x0, x1 = _sides(len(state.bars), place)
    top = state.frame.down(bar.value)
    label = canvas.text((x0 + x1) / 2, BOTTOM + 12, bar.label, state.theme.text, TICK_SIZE, along="top")
    return [canvas.rectangle(x0, top, x1, BOTTOM, bar.color), label]


def _pitch(count: int) -> float:
    return (RIGHT - LEFT) / (count + 0.4)


def _sides(count: int, place: int) -> tuple[float, float]:
    pitch = _pitch(count)
    middle = LEFT + pitch * (place + 0.7)
    return middle - FILLED * pitch / 2, middle + FILLED * pitch / 2


def _place(canvas: Canvas, state: State, place: int, bar: Bar) -> PixelBox:
    """The pixels of a bar and its label."""
    x0, x1 = _sides(len(state.bars), place)
    half = max((x1 - x0) / 2, canvas.text_size(bar.label, TICK_SIZE)[0] / 2) + EDGE
    middle = (x0 + x1) / 2
    return max(0.0, middle - half), state.frame.down(bar.value) - EDGE, min(WIDTH, middle + half), BOTTOM + 44


def add_bar(state: State, dice: Dice, canvas: Canvas) -> Change[State]:
    """A bar that is missing, with its label, in the gap that it left."""
    place = dice.integer(0, len(state.bars) - 1)
    bar = state.bars[place]
    gap = tuple(replace(b, shown=i != place) for i, b in enumerate(state.bars))
    return Change(
        replace(state, bars=gap),
        state,
        f"Add the missing bar in the gap: value {said(bar.value)}, color {bar.color}, with the label "
        f'"{bar.label}" under it. It is as wide as the other bars.',
        (_place(canvas, state, place, bar),),
        {"label": bar.label, "value": bar.value, "color": bar.color, "place": place},
    )


def sort_bars(state: State, dice: Dice, canvas: Canvas) -> Change[State]:
    """By value, labels and colours following their bars."""
    rising = dice.chance(0.5)
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


def remove_bar(state: State, dice: Dice, canvas: Canvas) -> Change[State]:
    """One bar and its label; nothing else moves."""
    place = dice.integer(0, len(state.bars) - 1)
    bar = state.bars[place]
    gap = tuple(replace(b, shown=i != place) for i, b in enumerate(state.bars))
    return Change(
        state,
        replace(state, bars=gap),
        f'Remove the bar labeled "{bar.label}" together with its label. Everything else stays where it is.',
        (_place(canvas, state, place, bar),),
        {"label": bar.label, "place": place},
    )


def recolor_bar(state: State, dice: Dice, canvas: Canvas) -> Change[State]:
    """One bar in a colour that no other bar has."""
    place = dice.integer(0, len(state.bars) - 1)
    bar = state.bars[place]
    color = random_color(dice, [state.theme.background, *(b.color for b in state.bars)])
    painted = tuple(replace(b, color=color) if i == place else b for i, b in enumerate(state.bars))
    return Change(
        state,
        replace(state, bars=painted),
        f'Recolor the bar labeled "{bar.label}" to {color}.',
        (_place(canvas, state, place, bar),),
        {"label": bar.label, "color": color, "place": place},
    )


TASKS: Mapping[str, Callable[[State, Dice, Canvas], Change[State]]] = {
    "add_bar": add_bar,
    "sort_bars": sort_bars,
    "remove_bar": remove_bar,
    "recolor_bar": recolor_bar,
}
