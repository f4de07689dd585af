"""Legend: read a key that maps colours to new colours or to an X, and apply it to the shapes."""

from __future__ import annotations

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Box, Point
from editscope.suites.paintbench.outlined import outline_width
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.raster import Plane, brush, fill, frame
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS, make_shape

SIDES = ("top", "bottom", "left", "right")


@task("legend")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """One to three entries; every mapped colour occurs; the key is applied once, to the colours as they are now."""
    side = dice.choice(SIDES)
    swatch = max(32, round(0.045 * scene.shorter))
    entry = 3 * swatch + 2 * (swatch // 3)
    vertical = side in ("left", "right")
    depth = (entry if vertical else swatch) + 2 * swatch // 2 + 12
    area = {
        "left": Box(depth, 0, scene.width, scene.height),
        "right": Box(0, 0, scene.width - depth, scene.height),
        "top": Box(0, depth, scene.width, scene.height),
        "bottom": Box(0, 0, scene.width, scene.height - depth),
    }[side]
    ink = scene.ink()
    palette = dice.sample([c for c in scene.pool if c is not ink], dice.integer(2, min(5, max(2, scene.n))))
    entries = dice.integer(1, min(3, len(palette)))
    mapping = _mapping(dice, scene, palette, entries, ink)
    _scatter(scene, dice, area, palette)
    colors = {s.color.index for s in scene.shapes}
    require(all(old.index in colors for old, _ in mapping), "a color of the key does not occur")
    corners = [_corner(scene, side, i, entries, entry, swatch) for i in range(entries)]
    fits = all(4 <= x <= scene.width - entry - 4 and 4 <= y <= scene.height - swatch - 4 for x, y in corners)
    require(fits, "the key does not fit")
    rules = {old.index: new for old, new in mapping}
    after_shapes = []
    for shape in scene.shapes:
        new = rules.get(shape.color.index, shape.color)
        if new is not None:
            after_shapes.append(shape.recolored(new))
    before, after = scene.drawn(), scene.drawn(after_shapes)
    line = min(outline_width(scene), swatch // 8)
    for plane in (before, after):
        for corner, (old, new) in zip(corners, mapping, strict=True):
            _draw_entry(plane, corner, swatch, line, old, new, ink)
    return Problem(
        f"Apply the key at the {side} of the image to all shapes outside the key, once and all at the same time: a "
        "shape whose color stands left of an arrow takes the color at its right, and is removed if there is an X at "
        "the right. Leave the key and all other shapes as they are.",
        before,
        after,
        {"side": side, "mapping": {old.hex: new.hex if new else "X" for old, new in mapping}},
    )


def _mapping(
    dice: Dice, scene: Scene, palette: list[Color], entries: int, ink: Color
) -> list[tuple[Color, Color | None]]:
    removed = dice.integer(0, entries - 1) if dice.chance(0.5) else -1
    mapping: list[tuple[Color, Color | None]] = []
    for i, old in enumerate(palette[:entries]):
        choices = [c for c in scene.pool if c is not old and c is not ink]
        mapping.append((old, None if i == removed else dice.choice(choices)))
    return mapping


def _scatter(scene: Scene, dice: Dice, area: Box, palette: list[Color]) -> None:
    low, high = scene.sizes(scene.n)
    shapes = [
        scene.random_shape(dice, dice.choice(KINDS), dice.choice(palette), dice.uniform(low, high))
        for _ in range(scene.n)
    ]
    for shape in sorted(shapes, key=lambda s: -s.box.width * s.box.height):
        scene.place(dice, shape, area)


def _corner(scene: Scene, side: str, i: int, entries: int, entry: int, swatch: int) -> tuple[int, int]:
    edge = swatch // 2
    if side in ("left", "right"):
        pitch = swatch + swatch // 2
        x = edge if side == "left" else scene.width - edge - entry
        return x, (scene.height - entries * pitch) // 2 + i * pitch
    pitch = entry + swatch
    y = edge if side == "top" else scene.height - edge - swatch
    return (scene.width - entries * pitch + swatch) // 2 + i * pitch, y


def _draw_entry(
    plane: Plane, corner: tuple[int, int], swatch: int, line: int, old: Color, new: Color | None, ink: Color
) -> None:
    x, y = corner
    gap = swatch // 3
    plane[y : y + swatch, x : x + swatch] = old.index
    arrow = make_shape("arrow", ink, float(swatch), 1.4).centered((x + 1.5 * swatch + gap, y + swatch / 2))
    fill(plane, arrow.outlines, ink.index)
    right = x + 2 * swatch + 2 * gap
    if new is not None:
        plane[y : y + swatch, right : right + swatch] = new.index
        return
    frame(plane, right + line, y + line, right + swatch - line, y + swatch - line, line, ink.index)
    low, high = 0.26 * swatch, 0.74 * swatch
    diagonals: tuple[tuple[Point, Point], ...] = (
        ((right + low, y + low), (right + high, y + high)),
        ((right + low, y + high), (right + high, y + low)),
    )
    for p, q in diagonals:
        brush(plane, p, q, line / 2 + 0.5, ink.index)
