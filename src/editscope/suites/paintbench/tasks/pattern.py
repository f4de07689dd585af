"""Pattern: fill the missing cells of a periodic grid or circle."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Point
from editscope.suites.paintbench.problem import Problem, Reject, require, task
from editscope.suites.paintbench.scene import MIN_SIZE, Scene
from editscope.suites.paintbench.shapes import KINDS, ROTATABLE, Shape, make_shape

P = TypeVar("P", bound=Hashable)
"""A place: row and column, or a number on the circle."""

LONGEST_PERIOD = 3
MOST_CELLS = 10
"""Rows and columns of a grid, at most."""
CELLS = 0.9
"""How much of the canvas a grid fills along the side that limits it."""
SHAPE = 0.84
"""The size of a shape as a fraction of its cell."""
CIRCLE = 0.425
"""How far shapes on a circle reach from its center, at most, as a fraction of the shorter side."""
CIRCLE_SIZES = (0.07, 0.13)
SPACING = 1.3
"""The distance along the circle from one shape to the next, at least, in sizes of a shape."""
FEWEST = 6
ASPECTS = {"rectangle": 1.5, "arrow": 2.0, "diamond": 1.5}


@task("pattern")
def make(scene: Scene, rng: SeededRandom, mode: str) -> Problem:
    """n cells are missing; what is left determines them."""
    return grid(scene, rng) if mode == "grid" else circular(scene, rng)


def grid(scene: Scene, rng: SeededRandom) -> Problem:
    """A period of up to three rows and columns; one period and the row and column after it are always shown."""
    n = scene.n
    period_r, period_c = rng.integer(1, LONGEST_PERIOD), rng.integer(1, LONGEST_PERIOD)
    known = (period_r + 1) * (period_c + 1)
    fitting = [
        (r, c)
        for r in range(period_r + 1, MOST_CELLS + 1)
        for c in range(period_c + 1, MOST_CELLS + 1)
        if r * c - known - 1 >= n and SHAPE * _cell(scene, r, c) >= MIN_SIZE
    ]
    require(bool(fitting), "no grid has room for so many gaps")
    rows, cols = rng.choice(fitting)
    cell = _cell(scene, rows, cols)
    left = rng.integer(0, scene.width - cols * cell)
    top = rng.integer(0, scene.height - rows * cell)
    motif = _motif(scene, rng, period_r * period_c, SHAPE * cell, cell - 4.0)
    cells = [(r, c) for r in range(rows) for c in range(cols)]
    element = {(r, c): motif[(r % period_r) * period_c + c % period_c] for r, c in cells}
    free = [(r, c) for r, c in cells if (r > period_r or c > period_c) and (r, c) != (rows - 1, cols - 1)]
    missing = rng.sample(free, n)
    _require_determined(element, missing, _grid_periods(rows, cols))
    where = {(r, c): (left + (c + 0.5) * cell, top + (r + 0.5) * cell) for r, c in cells}
    what = "the missing shape" if n == 1 else f"the {n} missing shapes"
    return _filled(
        scene,
        [element[rc].centered(where[rc]) for rc in cells if rc not in missing],
        [element[rc].centered(where[rc]) for rc in missing],
        f"Fill in {what} of this repeating pattern, a grid of {rows} rows and {cols} columns.",
        {
            "rows": rows,
            "cols": cols,
            "period_r": period_r,
            "period_c": period_c,
            "cell": cell,
            "missing": [list(rc) for rc in missing],
            "motif": _described(motif),
        },
    )


def _cell(scene: Scene, rows: int, cols: int) -> int:
    """The side of a cell in whole pixels, so that a copy of a shape is exact."""
    return round(CELLS * min(scene.width / cols, scene.height / rows))


def _grid_periods(rows: int, cols: int) -> Iterable[Callable[[tuple[int, int]], Hashable]]:
    return (lambda at, p=p, q=q: (at[0] % p, at[1] % q) for p in range(1, rows) for q in range(1, cols))  # type: ignore[misc]


def _circle_periods(count: int) -> Iterable[Callable[[int], Hashable]]:
    return (lambda at, p=p: at % p for p in range(1, count // 2 + 1) if count % p == 0)  # type: ignore[misc]


def circular(scene: Scene, rng: SeededRandom) -> Problem:
    """A period of up to three shapes that goes round a circle in the middle a whole number of times."""
    n = scene.n
    period = rng.integer(1, LONGEST_PERIOD)
    least = max(FEWEST, 2 * n)
    least += -least % period
    size = min(rng.uniform(*CIRCLE_SIZES), CIRCLE / (0.5 + SPACING * least / math.tau))
    most = math.floor(math.tau * (CIRCLE - size / 2) / (SPACING * size) + 1e-9)
    require(size * scene.shorter >= MIN_SIZE and most >= least, "so many shapes do not fit on a circle")
    count = rng.choice(range(least, most + 1, period))
    ring = rng.uniform(SPACING * size * count / math.tau, CIRCLE - size / 2) * scene.shorter
    center = (scene.width / 2, scene.height / 2)
    motif = _motif(scene, rng, period, size * scene.shorter, math.inf)
    element = {i: motif[i % period] for i in range(count)}
    missing = rng.sample(range(count), n)
    _require_determined(element, missing, _circle_periods(count))
    angles = [math.tau * i / count for i in range(count)]
    # On whole pixels, so that a copy of a shape is exact; nobody sees the half pixel on the circle.
    where: list[Point] = [
        (round(center[0] + ring * math.cos(t)), round(center[1] + ring * math.sin(t))) for t in angles
    ]
    what = "the missing shape" if n == 1 else f"the {n} missing shapes"
    return _filled(
        scene,
        [element[i].centered(where[i]) for i in range(count) if i not in missing],
        [element[i].centered(where[i]) for i in missing],
        f"Fill in {what} of this repeating pattern of {count} shapes, evenly spaced on a circle around the center of "
        "the image.",
        {
            "n_shapes": count,
            "period": period,
            "circle": [*center, ring],
            "missing": missing,
            "motif": _described(motif),
        },
    )


def _motif(scene: Scene, rng: SeededRandom, count: int, size: float, most: float) -> list[Shape]:
    """Shapes whose boxes measure at most ``most``; those of the same kind and color are the same in every way."""
    shapes: dict[tuple[str, int], Shape] = {}
    motif = []
    for _ in range(count):
        kind, color = rng.choice(KINDS), rng.choice(scene.pool)
        shape = shapes.get((kind, color.index))
        while shape is None or max(shape.box.width, shape.box.height) > most:
            turn = rng.uniform(0, 360) if kind in ROTATABLE else 0.0
            shape = make_shape(kind, color, size, ASPECTS.get(kind, 1.0), turn)
        shapes[kind, color.index] = shape
        motif.append(shape)
    return motif


def _require_determined(
    element: Mapping[P, Shape], missing: list[P], periods: Iterable[Callable[[P], Hashable]]
) -> None:
    """Reject unless every period that explains what is shown fills the gaps alike, and one of them fills them all."""
    gaps = set(missing)
    filled = False
    for phase in periods:
        by_phase: dict[Hashable, Shape] = {}
        fits = all(by_phase.setdefault(phase(at), s) is s for at, s in element.items() if at not in gaps)
        if fits:
            implied = [by_phase.get(phase(at)) for at in missing]
            if any(s is not None and s is not element[at] for at, s in zip(missing, implied, strict=True)):
                raise Reject("another period would fit as well")
            filled |= None not in implied
    require(filled, "what is missing is shown nowhere else")


def _described(motif: list[Shape]) -> list[dict[str, object]]:
    return [{"shape": s.kind, "color": s.color.hex, "rotation": round(s.rotation, 4)} for s in motif]


def _filled(scene: Scene, shown: list[Shape], missing: list[Shape], words: str, details: dict[str, object]) -> Problem:
    scene.shapes.extend(shown)
    before = scene.drawn()
    after = scene.drawn(missing, onto=before.copy())
    return Problem(
        f"{words} Equal shapes have the same color, size and orientation, and the bounding box of every shape is "
        "centered on its place.",
        before,
        after,
        {**details, "shape_size": missing[0].size},
    )
