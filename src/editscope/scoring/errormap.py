"""Error maps: a picture of where an output is right and wrong at one tolerance, and a small map of all tolerances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import ImageLike, Layout, Pixels, thumbnail_size
from editscope.scoring.pixels import TOLERANCES, PixelScore, flat, grade_pixels

EDITED, MISSED, SPILLED = (0, 140, 110), (235, 80, 0), (204, 60, 200)
"""Colors of correctly edited, incorrectly edited and incorrectly preserved pixels. Simulated protanopia,
deuteranopia and tritanopia leave each pair, and each beside the ghost, at least ΔE 35 apart."""
WORST = 11
"""The level of a pixel that is right at no tolerance."""


def error_map(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
    tolerance: float = 5.0,
    *,
    layout: Layout | None = None,
) -> Pixels:
    """The four classes of pixels at one tolerance; correctly preserved ones are a pale gray ghost of the answer."""
    from editscope.scoring._kernels import paint

    if tolerance not in TOLERANCES:
        raise BadInput(f"an error map needs a tolerance out of 0, 1, … 10, not {tolerance}")
    _, levels, wanted = grade_pixels(input, answer, output, with_levels=True, layout=layout)
    out = np.empty_like(wanted, order="C")
    colors = np.array([EDITED, MISSED, SPILLED], np.uint8)
    paint(levels, int(tolerance), flat(wanted).reshape(wanted.shape), colors, out)
    return out


def score_and_levels(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
) -> tuple[PixelScore, npt.NDArray[np.uint8]]:
    """The score, and the level of every pixel, for little more than the score alone: distances are computed once.

    A level is the smallest tolerance 0 … 10 at which the pixel is right, 11 where there is none; pixels of the edit
    region have 16 added.

    >>> before = np.zeros((1, 3, 3), np.uint8)
    >>> after = before.copy(); after[0, 1:] = 255
    >>> output = after.copy(); output[0, 2] = 0
    >>> score_and_levels(before, after, output)[1].tolist()
    [[0, 16, 27]]
    """
    score, levels, _ = grade_pixels(input, answer, output, with_levels=True)
    return score, levels


def level_map(levels: npt.NDArray[np.uint8], side: int) -> Pixels:
    """A small picture of the levels from which the error map at any tolerance can be colored.

    A small pixel stands for a block. With w the largest and m the mean level (rounded) of the block's pixels in one
    region, c = 1 + w(w + 1)/2 + m numbers the pair, and 0 says that the block has no such pixels. Red is 2c - 1 of
    the edit region, 2c where it holds most of the block; green is c of the preserved region; blue is 0.

    >>> level_map(np.array([[0, 16, 27]], np.uint8), side=3)[0].tolist()
    [[0, 1, 0], [2, 0, 0], [156, 0, 0]]
    """
    codes = level_map_within(levels, side, None)
    assert codes is not None
    return codes


def level_map_within(levels: npt.NDArray[np.uint8], side: int, most: int | None) -> Pixels | None:
    """The level map, or None, which takes less time, where its codes change more than ``most`` times along the rows."""
    from editscope.scoring._kernels import reduce_levels

    height, width = levels.shape
    codes = np.empty((*thumbnail_size(height, width, side), 3), np.uint8)
    return codes if reduce_levels(levels, codes, -1 if most is None else most) else None


def color_codes(codes: Pixels, answer: Pixels, tolerance: int = 5) -> Pixels:
    """The four classes at one tolerance from a small level map, for pictures that are there in small only.

    ``answer`` has the size of the codes. A block is colored by its worst class; where the mean of its levels is right,
    or the region holds less than half of it, the color is weaker and the ghost of the answer shows through.

    >>> codes = level_map(np.array([[0, 16, 27]], np.uint8), side=3)
    >>> color_codes(codes, np.full((1, 3, 3), 255, np.uint8))[0].tolist()
    [[244, 244, 244], [0, 140, 110], [235, 80, 0]]
    """
    from editscope.scoring._kernels import GHOST_DARK, GHOST_RANGE

    gray = answer[..., :3] @ np.array([2.0, 5.0, 1.0]) / (8 * 255)
    shown = np.repeat((GHOST_DARK + GHOST_RANGE * gray)[..., None], 3, axis=2)
    red, green = codes[..., 0].astype(np.int64), codes[..., 1].astype(np.int64)
    worst, mean = (table[(red + 1) // 2] for table in _levels_of_codes())
    worst_kept, mean_kept = (table[green] for table in _levels_of_codes())
    most = np.where(red % 2 == 0, 1.0, 0.0)
    right = (red > 0) & (worst <= tolerance)
    wrong = (red > 0) & (worst > tolerance)
    spilled = (green > 0) & (worst_kept > tolerance)
    for color, alpha in (
        (EDITED, right * (0.62 + 0.38 * most)),
        (SPILLED, spilled * np.where(tolerance < mean_kept, 1.0, 0.42)),
        (MISSED, wrong * np.where(tolerance < mean, 1.0, 0.42) * (0.85 + 0.15 * most)),
    ):
        shown = shown * (1 - alpha[..., None]) + np.array(color) * alpha[..., None]
    return np.asarray(np.round(shown), dtype=np.uint8)


def _levels_of_codes() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The worst and the mean level of every code; 0 of those that stand for nothing."""
    worst, mean = np.zeros(256, np.int64), np.zeros(256, np.int64)
    pairs = [(last, middle) for last in range(WORST + 1) for middle in range(last + 1)]
    for code, (last, middle) in enumerate(pairs, start=1):
        worst[code], mean[code] = last, middle
    return worst, mean
