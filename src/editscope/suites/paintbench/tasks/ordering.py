"""Ordering: sort shapes of one kind by size, width or height along a row or column of boxes."""

from __future__ import annotations

import math
from collections.abc import Callable

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.ranked import Ranked, add_others, graded, span
from editscope.suites.paintbench.raster import frame
from editscope.suites.paintbench.scene import MIN_SIZE, Scene
from editscope.suites.paintbench.shapes import FREE_ASPECT, ROTATABLE, Shape, make_shape
from editscope.suites.paintbench.words import RANKED_BY

MARGIN = 0.015
"""What stays free before the first box and after the last one, as a fraction of the side along the line."""
SLOT = 0.78
"""The room for a shape in its box, as a fraction of the distance from one box to the next."""
DEEPEST = 1.5
"""How much more room there is across the line, for shapes that are longer that way."""
PADDING = 2
"""How far, in pixels, the largest shape stays off the lines of its box."""
APART = 3
"""How many pixels lie between the frames of two boxes, at least."""


@task("ordering")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """All shapes have the same color, proportions and orientation; each stands centered in its box."""
    n = scene.n
    require(n > 1, "one shape cannot be out of order")
    row = rng.chance(0.5)
    length, depth = (scene.width, scene.height) if row else (scene.height, scene.width)
    box_color = scene.reserve(rng)
    ranked = Ranked.random(rng, scene.pool)
    metric = ("width" if row else "height") if ranked.kind in FREE_ASPECT and rng.chance(0.5) else "size"
    pitch = math.floor((1 - 2 * MARGIN) * length / n)
    line = max(1, round(0.005 * scene.shorter))
    space = math.ceil(MARGIN * length) + line
    limits = (pitch - 2 * line - APART, depth - 2 * space)
    sides, sizes, shape_of = _sized(scene, rng, ranked, metric, row, SLOT * pitch, limits)
    first, beside = (length - n * pitch + pitch - sides[0]) // 2, rng.integer(space, depth - sides[1] - space)
    wide, tall = sides if row else sides[::-1]
    corners = [(first + i * pitch, beside) if row else (beside, first + i * pitch) for i in range(n)]
    boxes = [(x, y, x + wide, y + tall) for x, y in corners]
    increasing = rng.chance(0.5)
    ranking = sorted(sizes, reverse=not increasing)
    shuffled = rng.shuffled(sizes)
    while shuffled == ranking:
        shuffled = rng.shuffled(sizes)
    middles = [((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in boxes]
    before_shapes, after_shapes = (
        [shape_of(s).centered(p) for s, p in zip(order, middles, strict=True)] for order in (shuffled, ranking)
    )
    scene.shapes.extend(before_shapes)
    add_others(scene, rng, ranked, keep_off=[Box(*box).grown(line) for box in boxes])
    rest = scene.shapes[n:]
    before, after = scene.drawn(before_shapes + rest), scene.drawn(after_shapes + rest)
    for plane in (before, after):
        for box in boxes:
            frame(plane, *box, line, box_color.index)
    start, end = ("left", "right") if row else ("top", "bottom")
    large, small = RANKED_BY[metric] if increasing else reversed(RANKED_BY[metric])
    return Problem(
        f"Rearrange the {ranked.words} in the {box_color.name} boxes by {metric}, from the {small} "
        f"at the {start} to the {large} at the {end}. Move them without turning or resizing; each must be centered in "
        "its box, as the shapes are now. Leave the boxes and all other shapes as they are.",
        before,
        after,
        {
            "shape": ranked.kind,
            "color": ranked.color.hex,
            "phrase_form": ranked.form,
            "box_color": box_color.hex,
            "axis": "horizontal" if row else "vertical",
            "metric": metric,
            "order": "increasing" if increasing else "decreasing",
            "input_sizes": shuffled,
            "sorted_sizes": ranking,
            "boxes": [list(box) for box in boxes],
        },
    )


def _sized(
    scene: Scene, rng: SeededRandom, ranked: Ranked, metric: str, row: bool, room: float, limits: tuple[int, int]
) -> tuple[tuple[int, int], list[float], Callable[[float], Shape]]:
    """The sides of a box along the line and across it, the values that are ranked, and the shape that has a value."""
    n, kind, color = scene.n, ranked.kind, ranked.color
    for _ in range(20):
        example = scene.random_shape(rng, kind, color, 100.0)
        if metric != "size":
            most, reach = room, (1.0, 2 / 3)
        else:
            box = example.box
            reach = (box.width / 100, box.height / 100) if row else (box.height / 100, box.width / 100)
            # What cannot stretch has room for any turn; what can may be longer across the line than along it.
            free = min(room / reach[0], DEEPEST * room / reach[1])
            turned = 50.0 * room / example.half_diagonal if kind in ROTATABLE else room
            most = free if kind in FREE_ASPECT else turned
        low = max(MIN_SIZE, most / 3)
        most = max(most, 1.01 * low * span(n))  # with a little to choose from
        along, across = (math.ceil(max(room, most * r)) + 2 * PADDING for r in reach)
        if along <= limits[0] and across <= limits[1]:
            break
    require(along <= limits[0] and across <= limits[1], "the boxes do not fit")
    other = max(MIN_SIZE, 2 / 3 * most)

    def shape_of(value: float) -> Shape:
        if metric == "size":
            return make_shape(kind, color, value, example.aspect, example.rotation)
        return make_shape(kind, color, max(value, other), value / other if metric == "width" else other / value)

    return (along, across), graded(rng, n, low, most), shape_of
