"""An independent solver of PaintBench: does what the sentence asks with the pixels, and compares with the answer.

Where a paint program can be exact the comparison is exact. A shape that was moved is taken from its own pixels, which
are known to half a pixel only, so there the answer may differ in a thin band along its edge and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable

from support.paintbench import drawing, moves, outlined, reasoning
from support.paintbench.reader import Board, read

SOLVERS: dict[str, Callable[[Board, dict[str, str]], None]] = {
    solver.__name__: solver
    for solver in (
        moves.translation,
        moves.rotation,
        moves.reflection,
        moves.scaling,
        moves.shearing,
        drawing.construction,
        drawing.removal,
        outlined.copying,
        drawing.border,
        outlined.cropping,
        drawing.recolor,
        outlined.flood_fill,
        outlined.blending,
        outlined.gradient,
        outlined.point_operations,
        reasoning.comparison,
        reasoning.ordering,
        reasoning.pattern,
        reasoning.counting,
        reasoning.legend,
    )
}


def solve(board: Board) -> None:
    """Check that the answer is what the sentence asks for; AssertionError with the reason when it is not."""
    SOLVERS[board.facts["task"]](board, read(board))
