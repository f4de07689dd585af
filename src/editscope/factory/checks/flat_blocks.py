"""Flat color in place of missing data: it begins and ends on the grid of blocks of a coder, and cuts what is shown."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels

Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int16]

BLOCK = 16
EDGE = 2
"""Pixels along the edges of a block that may differ: a coder leaves a rim there."""
FLAT = 8
"""Levels between the least and the most of a channel within a flat block."""
LEAST_SHARE = 0.04
"""The share of a frame that one flat color takes from which it may be broken."""
COLORS = 6
ON_GRID = 0.8
"""The share of its outline that lies on the grid; an outline anywhere has about a fifth there."""
LEAST_LINES = 3
"""Lines of the grid that the outline lies on; one line alone may be an edge of what is shown."""
RICH_REST = 0.1
"""The share of other blocks with detail, without which a frame is a drawing of flat squares."""


def flat_fault(pixels: Pixels) -> str:
    """What is wrong with a frame that has flat blocks; "" where nothing is.

    >>> rng = np.random.default_rng(0)
    >>> frame = np.repeat(np.repeat(rng.integers(0, 256, (40, 40, 3), dtype=np.uint8), 4, 0), 4, 1)
    >>> flat_fault(frame)
    ''
    >>> frame[32:64, 48:96] = (200, 30, 90)
    >>> flat_fault(frame)
    'missing data: flat blocks'
    """
    rows, columns = pixels.shape[0] // BLOCK, pixels.shape[1] // BLOCK
    if rows < 4 or columns < 4:
        return ""
    frame = pixels[: rows * BLOCK, : columns * BLOCK].astype(np.int16)
    blocks = frame.reshape(rows, BLOCK, columns, BLOCK, 3)[:, EDGE:-EDGE, :, EDGE:-EDGE]
    flat = (blocks.max(axis=(1, 3)) - blocks.min(axis=(1, 3))).max(axis=2) <= FLAT
    means = blocks.mean(axis=(1, 3))
    for color in _colors(means[flat]):
        filled = flat & (np.abs(means - color).max(axis=2) <= FLAT)
        if not LEAST_SHARE <= float(filled.mean()) <= 1 - LEAST_SHARE:
            continue
        if float((~flat).sum()) < RICH_REST * float((~filled).sum()):
            continue
        mask = np.abs(frame - color.astype(np.int16)).max(axis=2) <= FLAT + 4
        fault = _cut(frame, mask, filled)
        if fault:
            return fault
    return ""


def _colors(means: npt.NDArray[np.floating]) -> list[npt.NDArray[np.floating]]:
    """The colors that most flat blocks have."""
    if not len(means):
        return []
    coarse, place, counts = np.unique((means // 8).astype(np.int16), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:COLORS]
    return [np.median(means[place.ravel() == one], axis=0) for one in order if len(coarse)]


def _cut(frame: Ints, mask: Mask, filled: Mask) -> str:
    """Whether the outline of a flat color lies on the grid, along several lines or along one that cuts detail."""
    lines, on, total = 0, 0, 0
    cuts = False
    for axis in (0, 1):
        jumps = mask[1:] != mask[:-1] if axis == 0 else (mask[:, 1:] != mask[:, :-1]).T
        where = jumps.sum(axis=1)
        grid = np.isin((np.arange(len(where)) + 1) % BLOCK, (BLOCK - 1, 0, 1))
        on, total = on + int(where[grid].sum()), total + int(where.sum())
        turned = frame if axis == 0 else frame.swapaxes(0, 1)
        for line in range(BLOCK, len(where) + 1, BLOCK):
            near = jumps[line - 2 : line + 1].any(axis=0)
            if near.sum() < BLOCK:
                continue
            lines += 1
            for beside in (turned[line - 4], turned[min(len(turned) - 1, line + 3)]):
                content = beside[near].astype(np.float32)
                cuts = cuts or (near.mean() > 0.6 and float(content.std(axis=0).max()) > 12)
    if total < 2 * BLOCK or on < ON_GRID * total:
        return ""
    outside = int(mask.sum()) - int(filled.sum()) * BLOCK * BLOCK
    if outside > 0.15 * filled.sum() * BLOCK * BLOCK:
        return ""
    if lines >= LEAST_LINES:
        return "missing data: flat blocks"
    return "missing data: flat part" if cuts else ""
