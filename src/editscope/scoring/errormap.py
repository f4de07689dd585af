"""The picture that shows where an output is right and wrong."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels, thumbnail
from editscope.scoring.pixels import TOLERANCES, PixelScore, flat, grade_pixels

EDITED, MISSED, SPILLED = (0, 140, 110), (235, 80, 0), (204, 60, 200)
"""Colours of correctly edited, incorrectly edited and incorrectly preserved pixels. Simulated protanopia,
deuteranopia and tritanopia leave each pair, and each beside the ghost, at least ΔE 35 apart."""


def error_map(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
    tolerance: float = 5.0,
    side: int | None = None,
) -> Pixels:
    """The four classes of pixels at one tolerance; correctly preserved ones are a pale grey ghost of the answer.

    With ``side`` the map is made at that size (longer side) at once. A small pixel stands for a block and takes
    the colour of its worst class, however few pixels err: missed edits first, then spill, then correct edits;
    the more of the block, the stronger the colour.
    """
    return score_and_map(input, answer, output, tolerance, side)[1]


def score_and_map(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
    tolerance: float = 5.0,
    side: int | None = None,
) -> tuple[PixelScore, Pixels]:
    """The score and the error map for little more than the score alone: distances are computed once."""
    if tolerance not in TOLERANCES:
        raise BadInput(f"an error map needs a tolerance out of 0, 1, … 10, not {tolerance}")
    score, classes, wanted = grade_pixels(input, answer, output, classes_at=int(tolerance))
    return score, _painted(classes, wanted, side)


def _painted(classes: npt.NDArray[np.uint8], wanted: Pixels, side: int | None) -> Pixels:
    from editscope.scoring._kernels import paint

    ghost = wanted if side is None else thumbnail(wanted, side)
    out = np.empty_like(ghost, order="C")
    paint(classes, flat(ghost).reshape(ghost.shape), np.array([EDITED, MISSED, SPILLED], np.uint8), out)
    return out
