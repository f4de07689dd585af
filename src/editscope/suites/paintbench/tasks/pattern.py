"""Pattern: fill the missing cells of a periodic grid or circle."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Point
from editscope.suites.paintbench.problem import Problem, Reject, require, task
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS, Shape

P = TypeVar("P", bound=Hashable)
"""A place: row and column, or a number on the circle."""

SEEN = 2
"""Each element of the period must still be shown at least this often."""


@task("pattern")
def make(scene: Scene, dice: Dice, mode: str) -> Problem:
    """n cells are missing; what is left determines them."""
    return grid(scene, dice) if mode == "grid" else circular(scene, dice)


def grid(scene: Scene, dice: Dice) -> Problem:
    """A period of a few rows and columns, repeated at least twice in each direction."""
    n = scene.n
    period_r, period_c = dice.choice(((1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (2, 3), (3, 2)))
    least = max(12, 3 * n)
    rows, cols = dice.integer(max(3, 2 * period_r), 7), dice.integer(max(3, 2 * period_c), 9)
    require(rows * cols >= least, "the grid is too small for so many gaps")
    cell = min(0.94 * scene.width / cols, 0.94 * scene.height / rows)
    cell *= dice.uniform(0.82, 1.0)
    require(cell >= 50, "the cells would be too small")
    cell = math.floor(cell)  # whole pixels, so that a copy of a shape is exact
    left = round(dice.uniform(0.03 * scene.width, 0.97 * scene.width - cols * cell))
    top = round(dice.uniform(0.03 * scene.height, 0.97 * scene.height - rows * cell))
    motif = _motif(scene, dice, period_r * period_c, 0.64 * cell)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    element = {(r, c): (r % period_r) * period_c + c % period_c for r, c in cells}
    missing = dice.sample(cells, n)
    shown = {rc: e for rc, e in element.items() if rc not in missing}
    _enough(shown.values(), period_r * period_c)
    require(
        {r for r, _ in shown} == set(range(rows)) and {c for _, c in shown} == set(range(cols)),
        "a row is empty",
    )
    periods = [(p, q) for p in range(1, rows // 2 + 1) for q in range(1, cols // 2 + 1)]
    gaps = {rc: element[rc] for rc in missing}
    for p, q in periods:
        _determined(shown, gaps, {(r, c): (r % p, c % q) for r, c in cells})
    where = {(r, c): (left + (c + 0.5) * cell, top + (r + 0.5) * cell) for r, c in cells}
    what = "the missing shape" if n == 1 else f"the {n} missing shapes"
    return _filled(
        scene,
        motif,
        [(element[rc], where[rc]) for rc in cells if rc not in missing],
        [(element[rc], where[rc]) for rc in missing],
        f"Fill in {what} of this repeating pattern, a grid of {rows} rows and {cols} columns.",
        {
            "rows": rows,
            "cols": cols,
            "period_r": period_r,
            "period_c": period_c,
            "missing": [list(rc) for rc in missing],
        },
    )


def circular(scene: Scene, dice: Dice) -> Problem:
    """A period of two to four shapes that goes round a circle a whole number of times."""
    n = scene.n
    period = dice.integer(2, 4)
    rounds = dice.integer(3, 12)
    count = period * rounds
    require(max(8, 2 * n) <= count <= 24, "the circle is too crowded or too empty for so many gaps")
    ring = dice.uniform(0.32, 0.38) * scene.shorter
    size = min(0.62 * 2 * ring * math.sin(math.pi / count), 0.2 * scene.shorter)
    require(size >= 32, "the shapes would be too small")
    reach = ring + 0.75 * size
    require(2 * reach < scene.shorter, "the circle does not fit")
    cx, cy = dice.uniform(reach, scene.width - reach), dice.uniform(reach, scene.height - reach)
    start = dice.uniform(0, 360)
    motif = _motif(scene, dice, period, size)
    missing = dice.sample(range(count), n)
    shown = {i: i % period for i in range(count) if i not in missing}
    _enough(shown.values(), period)
    gaps = {i: i % period for i in missing}
    for p in range(1, count // 2 + 1):
        if count % p == 0:
            _determined(shown, gaps, {i: i % p for i in range(count)})
    angles = [math.radians(start + 360 * i / count) for i in range(count)]
    # On whole pixels, so that a copy of a shape is exact; nobody sees the half pixel on the circle.
    where: list[Point] = [(round(cx + ring * math.cos(t)), round(cy + ring * math.sin(t))) for t in angles]
    what = "the missing shape" if n == 1 else f"the {n} missing shapes"
    return _filled(
        scene,
        motif,
        [(i % period, where[i]) for i in range(count) if i not in missing],
        [(i % period, where[i]) for i in missing],
        f"Fill in {what} of this repeating pattern of {count} shapes, evenly spaced on a circle.",
        {"n_shapes": count, "period": period, "circle": [cx, cy, ring], "missing": missing},
    )


def _motif(scene: Scene, dice: Dice, count: int, size: float) -> list[Shape]:
    kinds, colors = dice.sample(KINDS, count), dice.sample(scene.pool, count)
    return [scene.random_shape(dice, k, c, size) for k, c in zip(kinds, colors, strict=True)]


def _enough(shown: Iterable[int], count: int) -> None:
    values = list(shown)
    require(
        all(values.count(e) >= SEEN for e in range(count)),
        "an element of the period is hardly shown any more",
    )


def _determined(shown: dict[P, int], missing: dict[P, int], phase: Mapping[P, Hashable]) -> None:
    """Reject when another period also explains what is shown but would fill a gap differently."""
    by_phase: dict[Hashable, set[int]] = {}
    for place, element in shown.items():
        by_phase.setdefault(phase[place], set()).add(element)
    if any(len(elements) > 1 for elements in by_phase.values()):
        return
    for place, element in missing.items():
        if by_phase.get(phase[place], {element}) != {element}:
            raise Reject("another period would fit as well")


def _filled(
    scene: Scene,
    motif: list[Shape],
    shown: list[tuple[int, Point]],
    missing: list[tuple[int, Point]],
    words: str,
    details: dict[str, object],
) -> Problem:
    scene.shapes.extend(motif[e].centered(p) for e, p in shown)
    before = scene.drawn()
    after = scene.drawn([motif[e].centered(p) for e, p in missing], onto=before.copy())
    return Problem(
        f"{words} Equal shapes have the same color, size and orientation, and the bounding box of every shape is "
        "centered on its place.",
        before,
        after,
        {**details, "motif": [{"shape": s.kind, "color": s.color.hex} for s in motif]},
    )
