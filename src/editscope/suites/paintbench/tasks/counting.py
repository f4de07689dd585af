"""Counting: remove tallies until there are as many as shapes of a kind or colour."""

from __future__ import annotations

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS, make_shape
from editscope.suites.paintbench.words import plural

TALLIES = ("circle", "rectangle", "hexagon", "diamond")
SIDES = {
    "left": ("top", "bottom"),
    "right": ("top", "bottom"),
    "top": ("left", "right"),
    "bottom": ("left", "right"),
}


@task("counting")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """n shapes and n tallies; tallies have a kind and a colour that no shape has."""
    n = scene.n
    side = dice.choice(list(SIDES))
    vertical = side in ("left", "right")
    length = scene.height if vertical else scene.width
    pitch = 0.96 * length / n
    size = min(0.06 * scene.shorter, 0.72 * pitch)
    require(size >= 9, "the tallies would be too small")
    strip = size + 24
    area = {
        "left": Box(strip, 0, scene.width, scene.height),
        "right": Box(0, 0, scene.width - strip, scene.height),
        "top": Box(0, strip, scene.width, scene.height),
        "bottom": Box(0, 0, scene.width, scene.height - strip),
    }[side]
    tally_kind = dice.choice(TALLIES)
    tally_color = scene.outline_color(dice)
    words, target = _scatter(scene, dice, mode, area, tally_kind, tally_color.index)
    unit = make_shape(tally_kind, tally_color, size, 1.5 if tally_kind in ("rectangle", "diamond") else 1.0)
    across = {
        "left": strip / 2,
        "right": scene.width - strip / 2,
        "top": strip / 2,
        "bottom": scene.height - strip / 2,
    }
    along = [(length - n * pitch) / 2 + (i + 0.5) * pitch for i in range(n)]
    tallies = [unit.centered((across[side], a) if vertical else (a, across[side])) for a in along]
    end = dice.integer(0, 1)
    kept = tallies[n - target :] if end == 0 else tallies[:target]
    before = scene.drawn()
    after = scene.drawn(kept, onto=before.copy())
    scene.drawn(tallies, onto=before)
    return Problem(
        f"The {tally_color.name} {plural(tally_kind)} in a line along the {side} edge of the image are tallies. "
        f"Remove tallies one after another, starting at the {SIDES[side][end]} end of the line, until there are "
        f"exactly as many tallies as there are {words} in the image.",
        before,
        after,
        {
            "count": target,
            "counted": words,
            "side": side,
            "tally_shape": tally_kind,
            "tally_color": tally_color.hex,
            "tally_boxes": [[round(v, 4) for v in (t.box.x0, t.box.y0, t.box.x1, t.box.y1)] for t in tallies],
            "remove_end": SIDES[side][end],
        },
    )


def _scatter(scene: Scene, dice: Dice, mode: str, area: Box, kind: str, color: int) -> tuple[str, int]:
    """Place n shapes, some of which are to be counted; return the words for those and their number."""
    n = scene.n
    target = dice.integer(1, n - 1)
    kinds = [k for k in KINDS if k != kind]
    colors = [c for c in scene.pool if c.index != color]
    wanted_kind, wanted_color = dice.choice(kinds), dice.choice(colors)
    low, high = scene.sizes(n)
    shapes = []
    for i in range(n):
        counted = i < target
        if mode == "shape":
            k = wanted_kind if counted else dice.choice([k for k in kinds if k != wanted_kind])
            c = dice.choice(colors)
        else:
            k = dice.choice(kinds)
            c = wanted_color if counted else dice.choice([c for c in colors if c is not wanted_color])
        shapes.append(scene.random_shape(dice, k, c, dice.uniform(low, high)))
    for shape in sorted(shapes, key=lambda s: -s.box.width * s.box.height):
        scene.place(dice, shape, area)
    return (plural(wanted_kind) if mode == "shape" else f"{wanted_color.name} shapes"), target
