"""Comparing an answer with what is expected: exactly, or but for a thin band along the edge of a moved shape."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from scipy import ndimage

from support.paintbench.reader import Board, Floats, Mask, Plane, Point

NAMED = 2.5
"""How well a named point can be found in the pixels of a shape."""
Window: TypeAlias = "tuple[slice, slice]"


def near(a: float, b: float, tolerance: float = 1e-9) -> bool:
    return abs(a - b) <= tolerance


def close(p: Point, q: Any, tolerance: float = NAMED) -> None:
    assert math.dist(p, q) <= tolerance, f"the words point to {p}, the description says {q}"


def same(board: Board, expected: Plane, sure: Mask | None = None, window: Window | None = None) -> None:
    """The answer is this picture, pixel by pixel."""
    after = board.after if window is None else board.after[window]
    wrong = expected != after
    if sure is not None:
        wrong &= sure
    count = int(np.count_nonzero(wrong))
    assert count == 0, f"{count} pixels differ, first at {np.argwhere(wrong)[0].tolist()}"


def erased(board: Board, members: set[int] | list[int], plane: Plane) -> Mask:
    """Show the background where shapes were; returns where the background is beyond doubt."""
    sure = np.ones(plane.shape, np.bool_)
    for i in members:
        window, mask = board.pixels_of(i)
        ground, known = board.ground(window)
        plane[window][mask] = ground[mask]
        sure[window][mask] = known[mask]
    return sure


def taken_from(mask: Mask, x: Floats, y: Floats) -> Mask:
    """The mask at points, False outside of it."""
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    padded = np.pad(mask, 1)
    found: Mask = padded[np.clip(row + 1, 0, padded.shape[0] - 1), np.clip(column + 1, 0, padded.shape[1] - 1)]
    return found


def depth(mask: Mask) -> Floats:
    """How far each pixel is from the edge of a mask, on either side."""
    if not mask.any() or mask.all():
        return np.full(mask.shape, np.inf)
    gaps: Floats = np.where(mask, ndimage.distance_transform_edt(mask), ndimage.distance_transform_edt(~mask))
    return gaps


def along_the_edge(wrong: Mask, depths: Floats, tolerance: float) -> None:
    """Differences lie along the edge of a shape; a few pixels of a sharp tip may reach a little farther."""
    off = depths[wrong]
    far = off[off > tolerance]
    assert len(far) <= 4 and not (far > tolerance + 2).any(), (
        f"{len(far)} pixels differ away from the edge of the moved shape, up to {far.max():.1f} px"
    )


def unchanged_outside(board: Board, window: Window) -> None:
    assert all(w.start <= c.start and c.stop <= w.stop for w, c in zip(window, board.changed, strict=True)), (
        "pixels change far from where they should"
    )
