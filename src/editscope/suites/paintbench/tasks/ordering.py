"""Ordering: sort shapes of one kind by size along a row or column of boxes."""

from __future__ import annotations

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.outlined import outline_width
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.raster import frame
from editscope.suites.paintbench.scene import GAP, MIN_SIZE, Scene
from editscope.suites.paintbench.shapes import FREE_ASPECT, KINDS, ROTATABLE, make_shape
from editscope.suites.paintbench.tasks.comparison import graded_sizes
from editscope.suites.paintbench.words import plural


@task("ordering")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """All shapes have the same colour, proportions and orientation; each stands centred in its box."""
    n = scene.n
    row = dice.chance(0.5)
    length, depth = (scene.width, scene.height) if row else (scene.height, scene.width)
    line = outline_width(scene)
    space = 2 * line + 6
    side = int(
        min((length - space) / n - space, 0.36 * depth, 0.3 * length) * dice.uniform(0.97 if n > 7 else 0.9, 1.0)
    )
    require(side >= 48, "the boxes would be too small")
    pitch = side + space
    first = dice.integer(space, max(space, length - n * pitch))
    beside = dice.integer(space, depth - side - space)
    boxes = [(first + i * pitch, beside) if row else (beside, first + i * pitch) for i in range(n)]
    kind, color = dice.choice(KINDS), dice.choice(scene.pool)
    turn = dice.uniform(0, 360) if kind in ROTATABLE else 0.0
    aspect = 1.5 if kind in FREE_ASPECT else 1.0
    unit = make_shape(kind, color, 100.0, aspect, turn).box
    largest = (side - 6) * 100.0 / max(unit.width, unit.height)
    sizes = graded_sizes(scene, dice, n, n, low=max(MIN_SIZE, 0.3 * largest), high=largest)
    increasing = dice.chance(0.5)
    ranked = sorted(sizes, reverse=not increasing)
    shuffled = dice.shuffled(sizes)
    require(
        sum(a != b for a, b in zip(ranked, shuffled, strict=True)) >= max(2, n // 2),
        "hardly anything is out of order",
    )
    middles = [(x + side / 2, y + side / 2) for x, y in boxes]
    before_shapes = [
        make_shape(kind, color, s, aspect, turn).centered(p) for s, p in zip(shuffled, middles, strict=True)
    ]
    after_shapes = [make_shape(kind, color, s, aspect, turn).centered(p) for s, p in zip(ranked, middles, strict=True)]
    scene.shapes.extend(before_shapes)
    frames = [Box(x - line, y - line, x + side + line, y + side + line) for x, y in boxes]
    low, high = scene.sizes(n + 3)
    for _ in range(dice.integer(0, 5)):
        other = dice.choice([k for k in KINDS if k != kind])
        shape = scene.random_shape(
            dice, other, dice.choice(scene.pool), dice.uniform(low, min(high, 0.16 * scene.shorter))
        )
        scene.place(dice, shape, keep_off=[f.grown(GAP) for f in frames])
    box_color = scene.outline_color(dice)
    rest = scene.shapes[n:]
    before, after = scene.drawn(before_shapes + rest), scene.drawn(after_shapes + rest)
    for plane in (before, after):
        for x, y in boxes:
            frame(plane, x, y, x + side, y + side, line, box_color.index)
    start, end = ("left", "right") if row else ("top", "bottom")
    small, large = ("smallest", "largest") if increasing else ("largest", "smallest")
    return Problem(
        f"Rearrange the {color.name} {plural(kind)} in the {box_color.name} boxes by size, from the {small} "
        f"at the {start} to the {large} at the {end}. Move them without turning or resizing; each must be centered in "
        "its box, as the shapes are now. Leave the boxes and all other shapes as they are.",
        before,
        after,
        {
            "shape": kind,
            "color": color.hex,
            "box_color": box_color.hex,
            "axis": "horizontal" if row else "vertical",
            "order": "increasing" if increasing else "decreasing",
            "input_sizes": shuffled,
            "sorted_sizes": ranked,
            "boxes": [[x, y, x + side, y + side] for x, y in boxes],
        },
    )
