"""Legend: read a key that maps colors to new colors or to an X, and apply it to the shapes."""

from __future__ import annotations

import math
from collections.abc import Callable

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box, Point
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.placing import WIDE_GAP, Placing, beside
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.raster import Plane, brush, fill, frame
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS, Shape, make_shape

SIDES = ("top", "bottom", "left", "right")
STRIP = 0.14
"""How deep the strip of the key is, as a fraction of the shorter side of the canvas."""
SWATCH = 0.4
"""The side of a colored square, as a fraction of the depth of the strip."""
MOST_COLORS = 4
PAINTS = {"white": ("white", "ivory white"), "black": ("black", "jet black"), "red": ("red", "crimson")}
"""What the key is drawn with, in either palette."""
Entry = tuple[Color, Color | None]


@task("legend")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """Two to four colors, all in the key; some get a new color and some an X. The key is applied once."""
    side = rng.choice(SIDES)
    depth = round(STRIP * scene.shorter)
    colors = rng.sample(scene.pool, rng.integer(2, max(2, min(MOST_COLORS, scene.n))))
    mapping = _mapping(rng, scene, colors)
    area = beside(scene.width, scene.height, side, depth)
    placing = Placing(scene.shapes, rng, area, gap=WIDE_GAP)
    for draw in _drawings(scene, rng, colors):
        placing.place(draw)
    rules = {old.index: new for old, new in mapping}
    changes = [(shape, rules[shape.color.index]) for shape in scene.shapes]
    before, after = scene.drawn(), scene.drawn(shape.recolored(new) for shape, new in changes if new is not None)
    for plane in (before, after):
        _draw_key(scene, plane, side, depth, mapping)
    return Problem(
        f"Apply the key at the {side} of the image to all shapes outside the key, once and all at the same time: a "
        "shape whose color is at the start of an arrow takes the color that the arrow points to, and is removed if the "
        "arrow points to an X. Leave the key as it is.",
        before,
        after,
        {
            "side": side,
            "mapping": {old.hex: new.hex if new else "X" for old, new in mapping},
            "key": [round(v) for v in _strip(scene, side, depth)],
        },
    )


def _mapping(rng: SeededRandom, scene: Scene, colors: list[Color]) -> list[Entry]:
    """At least one X and at least one new color, which may be that of other shapes."""
    removed = rng.sample(range(len(colors)), rng.integer(1, len(colors) - 1))
    return [
        (old, None if i in removed else rng.choice([c for c in scene.pool if c is not old]))
        for i, old in enumerate(colors)
    ]


def _drawings(scene: Scene, rng: SeededRandom, colors: list[Color]) -> list[Callable[[], Shape]]:
    """Shapes of any kind, at least one of each color."""
    require(scene.n >= len(colors), "a color of the key would not occur")
    low, high = scene.sizes(scene.n)
    extra = [rng.choice(colors) for _ in range(scene.n - len(colors))]

    def drawing(color: Color) -> Callable[[], Shape]:
        return lambda: scene.random_shape(rng, rng.choice(KINDS), color, rng.uniform(low, high))

    return [drawing(color) for color in rng.shuffled([*colors, *extra])]


# The key


def _strip(scene: Scene, side: str, depth: int) -> tuple[float, float, float, float]:
    rest: Box = beside(scene.width, scene.height, side, depth)
    if side in ("left", "right"):
        return (0, 0, rest.x0, scene.height) if side == "left" else (rest.x1, 0, scene.width, scene.height)
    return (0, 0, scene.width, rest.y0) if side == "top" else (0, rest.y1, scene.width, scene.height)


def _draw_key(scene: Scene, plane: Plane, side: str, depth: int, mapping: list[Entry]) -> None:
    """A white strip with the entries evenly along it, each a square, an arrow and another square in a line."""
    x0, y0, x1, y1 = (round(v) for v in _strip(scene, side, depth))
    plane[y0:y1, x0:x1] = _named(scene, "white").index
    swatch = round(SWATCH * depth)
    downward = side in ("left", "right")
    length = y1 - y0 if downward else x1 - x0
    require(swatch >= 16 and 3.4 * swatch <= length / len(mapping), "the key does not fit")
    for i, entry in enumerate(mapping):
        middle = round((i + 0.5) * length / len(mapping))
        start, across = middle - 3 * swatch // 2, (depth - swatch) // 2
        corner = (x0 + across, start) if downward else (start, y0 + across)
        _draw_entry(scene, plane, corner, swatch, downward, entry)


def _draw_entry(scene: Scene, plane: Plane, corner: tuple[int, int], swatch: int, downward: bool, entry: Entry) -> None:
    (x, y), (old, new) = corner, entry
    ink = _named(scene, "black").index
    line = max(2, round(0.07 * swatch))
    there = (x, y + 2 * swatch) if downward else (x + 2 * swatch, y)
    for (left, top), color in (((x, y), old), (there, new)):
        right, bottom = left + swatch, top + swatch
        plane[top:bottom, left:right] = (color or _named(scene, "white")).index
        frame(plane, left + line, top + line, right - line, bottom - line, line, ink)
    middle = (x + swatch / 2, y + 1.5 * swatch) if downward else (x + 1.5 * swatch, y + swatch / 2)
    arrow = make_shape("arrow", old, swatch - 4.0, 2.0, 90.0 if downward else 0.0).centered(middle)
    fill(plane, arrow.outlines, ink)
    if new is None:
        left, top = there
        low, high = 0.25 * swatch, 0.75 * swatch
        diagonals: tuple[tuple[Point, Point], ...] = (
            ((left + low, top + low), (left + high, top + high)),
            ((left + low, top + high), (left + high, top + low)),
        )
        for p, q in diagonals:
            brush(plane, p, q, math.ceil(0.05 * swatch), _named(scene, "red").index)


def _named(scene: Scene, name: str) -> Color:
    """The color of the scene's palette that serves as this one."""
    return next(color for color in scene.colors if color.name in PAINTS[name])
