"""Counting: remove tallies until there are as many as shapes of a kind or color."""

from __future__ import annotations

from collections.abc import Callable

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.placing import WIDE_GAP, Placing, beside
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS, Shape, make_shape
from editscope.suites.paintbench.words import plural

SIDES = {
    "left": ("top", "bottom"),
    "right": ("top", "bottom"),
    "top": ("left", "right"),
    "bottom": ("left", "right"),
}
TALLY = 0.06
"""The size of a tally as a fraction of the side of the canvas across the line of tallies."""
TALLY_SHARE = 0.7
"""At most this much of the distance from one tally to the next is tally."""
TALLY_ASPECTS = {"rectangle": 1.5, "arrow": 2.0, "diamond": 1.5}


@task("counting")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """n shapes and n tallies; no shape has the color of the tallies, and no counted one their kind."""
    n = scene.n
    side = rng.choice(tuple(SIDES))
    upright = side in ("left", "right")
    length, across = (scene.height, scene.width) if upright else (scene.width, scene.height)
    pitch = length / (n + 1)
    size = min(TALLY * across, TALLY_SHARE * pitch)
    require(size >= 9, "the tallies would be too small")
    tally_color = scene.reserve(rng)
    counted_kind, counted_color = rng.choice(KINDS), rng.choice(scene.pool)
    area = beside(scene.width, scene.height, side, 2 * TALLY * across)
    counts = _scatter(scene, rng, area, counted_kind, counted_color)
    target = counts["k_shape" if mode == "shape" else "k_color"]
    tally_kind = rng.choice([k for k in KINDS if k != counted_kind])
    unit = make_shape(tally_kind, tally_color, size, TALLY_ASPECTS.get(tally_kind, 1.0))
    line = size if side in ("left", "top") else across - size
    places = [(i + 1) * pitch for i in range(n)]
    tallies = [unit.centered((line, a) if upright else (a, line)) for a in places]
    end = rng.integer(0, 1)
    remaining = tallies[n - target :] if end == 0 else tallies[:target]
    before = scene.drawn()
    after = scene.drawn(remaining, onto=before.copy())
    scene.drawn(tallies, onto=before)
    words = plural(counted_kind) if mode == "shape" else f"{counted_color.name} shapes"
    return Problem(
        f"The {tally_color.name} {plural(tally_kind)} in a line along the {side} edge of the image are tallies. "
        f"Remove tallies one after another, starting at the {SIDES[side][end]} end of the line, until there are "
        f"exactly as many tallies as there are {words} in the image.",
        before,
        after,
        {
            "count": target,
            "counted": words,
            "target_shape": counted_kind,
            "target_color": counted_color.hex,
            **counts,
            "side": side,
            "tally_shape": tally_kind,
            "tally_color": tally_color.hex,
            "tally_size": size,
            "tally_boxes": [[round(v, 4) for v in (t.box.x0, t.box.y0, t.box.x1, t.box.y1)] for t in tallies],
            "remove_end": SIDES[side][end],
        },
    )


def _scatter(scene: Scene, rng: SeededRandom, area: Box, kind: str, color: Color) -> dict[str, int]:
    """n shapes, some of them of a kind, some of a color, some of both; how many of each."""
    n = scene.n
    of_kind, of_color = rng.integer(1, n - 1), rng.integer(1, n - 1)
    both = rng.integer(max(0, of_kind + of_color - n), min(of_kind, of_color))
    kinds, others = [k for k in KINDS if k != kind], [c for c in scene.pool if c is not color]
    low, high = scene.sizes(n)

    def drawing(i: int) -> Callable[[], Shape]:
        # The first have the kind, the last the color, and those in between both.
        has_kind, has_color = i < of_kind, of_kind - both <= i < of_kind - both + of_color
        k, c = kind if has_kind else rng.choice(kinds), color if has_color else rng.choice(others)
        return lambda: scene.random_shape(rng, k, c, rng.uniform(low, high))

    placing = Placing(scene.shapes, rng, area, gap=WIDE_GAP)
    for draw in [drawing(i) for i in rng.shuffled(range(n))]:
        placing.place(draw)
    return {"k_shape": of_kind, "k_color": of_color, "overlap": both}
