"""Comparison: remove the shape that has a given rank by size, width or height among its kind."""

from __future__ import annotations

import itertools
import math

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.placing import WIDE_GAP, Placing
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.ranked import Ranked, add_others, graded, least_step
from editscope.suites.paintbench.scene import MIN_SIZE, Scene
from editscope.suites.paintbench.shapes import FREE_ASPECT, ROTATABLE, Shape, make_shape
from editscope.suites.paintbench.words import ORDINALS, RANKED_BY

RANGE = (0.08, 0.24)
"""The compared sizes, widths or heights, as fractions of the shorter side of the canvas."""
OTHER_SIDE = 0.16
"""The side that is the same in all shapes that differ in width or height."""


@task("comparison")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """n alike shapes and up to five others; width and height are compared on upright shapes only."""
    n = scene.n
    ranked = Ranked.random(rng, scene.pool)
    metric = rng.choice(tuple(RANKED_BY)) if ranked.kind in FREE_ASPECT else "size"
    values = graded(rng, n, max(MIN_SIZE, RANGE[0] * scene.shorter), RANGE[1] * scene.shorter)
    shapes = _compared(scene, rng, ranked, metric, values)
    placing = Placing(scene.shapes, rng, scene.canvas, gap=WIDE_GAP)
    for shape in sorted(shapes, key=lambda s: -s.box.width * s.box.height):
        require(any(placing.try_to_place(shape) for _ in range(200)), "no room for another shape")
    scene.shapes[:] = rng.shuffled(scene.shapes)
    add_others(scene, rng, ranked)
    largest, rank = rng.chance(0.5), rng.integer(1, min(n, len(ORDINALS)))
    measured = sorted(scene.shapes[:n], key=lambda s: _measure(s, metric), reverse=largest)
    steps = [_measure(a, metric) / _measure(b, metric) for a, b in itertools.pairwise(measured)]
    require(all(max(s, 1 / s) >= least_step(n) - 0.001 for s in steps), "two ranks are too alike to see")
    target = measured[rank - 1]
    before = scene.drawn()
    after = scene.drawn([s for s in scene.shapes if s is not target])
    return Problem(
        f"Of all {ranked.words}, remove the {ORDINALS[rank - 1]}{RANKED_BY[metric][not largest]} one and show the "
        "background there.",
        before,
        after,
        {
            "target": scene.shapes.index(target),
            "shape": ranked.kind,
            "color": ranked.color.hex,
            "phrase_form": ranked.form,
            "metric": metric,
            "direction": "largest" if largest else "smallest",
            "rank": rank,
            "compared": list(range(n)),
        },
    )


def _compared(scene: Scene, rng: SeededRandom, ranked: Ranked, metric: str, values: list[float]) -> list[Shape]:
    kind, color = ranked.kind, ranked.color
    other = OTHER_SIDE * scene.shorter
    if metric == "width":
        return [make_shape(kind, color, max(v, other), v / other) for v in values]
    if metric == "height":
        return [make_shape(kind, color, max(v, other), other / v) for v in values]
    # One aspect ratio for all, so that size means the same whichever way one measures it.
    example = scene.random_shape(rng, kind, color, 100.0)
    longer = math.sqrt(max(example.aspect, 1 / example.aspect))
    apart = kind in ROTATABLE and rng.chance(0.5)
    turns = [rng.uniform(0, 360) if apart else example.rotation for _ in values]
    return [make_shape(kind, color, v * longer, example.aspect, t) for v, t in zip(values, turns, strict=True)]


def _measure(shape: Shape, metric: str) -> float:
    return {"size": shape.size, "width": shape.box.width, "height": shape.box.height}[metric]
