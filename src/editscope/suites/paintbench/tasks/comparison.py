"""Comparison: remove the shape that has a given rank by size, width or height among its kind."""

from __future__ import annotations

import itertools

from editscope.suites.dice import Dice
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.problem import Problem, require, task
from editscope.suites.paintbench.scene import MIN_SIZE, Scene
from editscope.suites.paintbench.shapes import KINDS, NOT_NEARLY_SQUARE, ROTATABLE, Shape, make_shape
from editscope.suites.paintbench.words import plural

WIDEST_STEP = 1.45
"""No shape is larger than the next smaller one by more than this factor."""
STRETCHED = ("rectangle", "cross", "diamond", "arrow")
ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ", "ninth ")
WORDS = {
    "size": ("largest", "smallest"),
    "width": ("widest", "narrowest"),
    "height": ("tallest", "shortest"),
}


@task("comparison")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """n alike shapes and up to five others; width and height are compared on upright shapes only."""
    metric = dice.choice(("size", "size", "width", "height"))
    kind = dice.choice(KINDS if metric == "size" else STRETCHED)
    color = dice.choice(scene.pool)
    others = dice.integer(0, 5)
    values = graded_sizes(scene, dice, scene.n, scene.n + others)
    for value in dice.shuffled(values):
        scene.place(dice, _one(scene, dice, kind, color, metric, value))
    _distract(scene, dice, others, kind)
    compared = scene.shapes[: scene.n]
    largest = dice.chance(0.5)
    rank = dice.integer(1, min((scene.n + 1) // 2, len(ORDINALS)))
    measured = sorted(compared, key=lambda s: _measure(s.box.width, s.box.height, s.size, metric), reverse=largest)
    target = measured[rank - 1]
    every = [_measure(s.box.width, s.box.height, s.size, metric) for s in measured]
    require(
        all(max(a, b) / min(a, b) >= least_step(scene.n) - 0.001 for a, b in itertools.pairwise(every)),
        "two ranks are too alike to see",
    )
    word = WORDS[metric][0 if largest else 1]
    before = scene.drawn()
    after = scene.drawn([s for s in scene.shapes if s is not target])
    return Problem(
        f"Of all {color.name} {plural(kind)}, remove the {ORDINALS[rank - 1]}{word} one and show the background there.",
        before,
        after,
        {
            "target": scene.shapes.index(target),
            "shape": kind,
            "color": color.hex,
            "metric": metric,
            "direction": "largest" if largest else "smallest",
            "rank": rank,
            "compared": list(range(scene.n)),
        },
    )


def least_step(n: int) -> float:
    """By which factor neighbours in a ranking of n must differ at least, so that a person can see it.

    >>> least_step(3), least_step(9)
    (1.25, 1.13)
    """
    return round(1.13 + 0.02 * max(0, 9 - n), 2)


def graded_sizes(scene: Scene, dice: Dice, n: int, crowd: int, low: float = 0.0, high: float = 0.0) -> list[float]:
    """n sizes, each at least ``least_step(n)`` times the one before, within what a crowd of that many allows."""
    bottom, top = (low, high) if high else scene.sizes(crowd)
    least = least_step(n)
    steps = [dice.uniform(least, WIDEST_STEP) for _ in range(n - 1)]
    spread = 1.0
    for step in steps:
        spread *= step
    if bottom * spread > top:  # shrink the steps to what fits, never below what can be seen
        most = (top / bottom) ** (1 / max(1, n - 1))
        require(most >= least, "so many ranks do not fit")
        steps = [dice.uniform(least, most) for _ in steps]
        spread = 1.0
        for step in steps:
            spread *= step
    sizes = [dice.uniform(bottom, top / spread)]
    for step in steps:
        sizes.append(sizes[-1] * step)
    return sizes


def _one(scene: Scene, dice: Dice, kind: str, color: Color, metric: str, value: float) -> Shape:
    if metric == "size":
        # One aspect ratio for all, so that size means the same whichever way one measures it.
        turn = dice.uniform(0, 360) if kind in ROTATABLE else 0.0
        return make_shape(kind, color, value, 1.6 if kind in (*STRETCHED, "ring") else 1.0, turn)
    # The other side says nothing about the rank: drawn anew, within the limits of every shape.
    most = scene.sizes(scene.n)[1]
    aspects = (max(0.4, value / most), min(2.5, value / MIN_SIZE))
    aspect = dice.log_uniform(*aspects)
    for _ in range(20):
        if kind not in NOT_NEARLY_SQUARE or not 0.8 <= aspect <= 1.25:
            break
        aspect = dice.log_uniform(*aspects)
    require(kind not in NOT_NEARLY_SQUARE or not 0.8 <= aspect <= 1.25, "a shape would be nearly square")
    other = value / aspect
    width, height = (value, other) if metric == "width" else (other, value)
    return make_shape(kind, color, max(width, height), width / height)


def _measure(width: float, height: float, size: float, metric: str) -> float:
    return {"size": size, "width": width, "height": height}[metric]


def _distract(scene: Scene, dice: Dice, count: int, kind: str) -> None:
    kinds = [k for k in KINDS if k != kind]
    low, high = scene.sizes(scene.n + count)
    for _ in range(count):
        other = dice.choice(kinds)
        scene.place(dice, scene.random_shape(dice, other, dice.choice(scene.pool), dice.uniform(low, high)))
