"""What the five geometric tasks share: one shape goes elsewhere, everything else stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from editscope.suites.dice import Dice
from editscope.suites.paintbench.geometry import Affine
from editscope.suites.paintbench.problem import Problem, require
from editscope.suites.paintbench.raster import fill
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import Shape
from editscope.suites.paintbench.words import on_top

MARK = 255


def moved_problem(
    scene: Scene, dice: Dice, target: Shape, affine: Affine, sentence: str, details: dict[str, Any]
) -> Problem:
    """The problem in which ``target`` is mapped by ``affine``.

    Valid when at least half of the shape stays on the canvas and in sight, and the picture changes by at
    least a tenth of the shape's own pixels.
    """
    after_shape = target.mapped(affine)
    box = after_shape.box
    require(box.width >= 6 and box.height >= 6, "the shape would become too thin to see")
    share = box.shared_area(scene.canvas) / (box.width * box.height)
    require(share >= 0.5, "most of the shape would leave the image")
    over = dice.chance(0.5)
    others = [s for s in scene.shapes if s is not target]
    before = scene.drawn()
    after = scene.ground()
    if not over:
        fill(after, after_shape.outlines, MARK)
    scene.drawn(others, onto=after)
    if over:
        fill(after, after_shape.outlines, MARK)
    visible = after == MARK
    own = fill(np.zeros_like(before), target.outlines, 1)
    shown = int(np.count_nonzero(visible))
    require(shown >= 0.5 * own * abs(affine.determinant), "most of the shape would be out of sight")
    after[visible] = target.color.index
    changed = int(np.count_nonzero(before != after))
    require(changed >= 0.1 * own, "the shape hardly moves")
    return Problem(
        f"{sentence} {on_top(over)}",
        before,
        after,
        {"target": scene.shapes.index(target), "overlay": over, **details},
    )
