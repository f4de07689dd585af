"""Distance-tolerant IoU: the pixel metric where a right pixel may stand a little beside its place."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels, cover
from editscope.scoring.pixels import TOLERANCES, grade_loaded, iou_at, load_role

RADII = (1, 2, 4)
"""The distances, in pixels, that runs are measured with."""
FARTHEST = 32


def iou_within(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
    radius: int,
) -> tuple[float, ...]:
    """The eleven IoU of ``score_pixels``, with pixels that are right within ``radius`` pixels of their place.

    With E where input and answer differ and P the rest, a pixel p is right at tolerance t if the output has the color
    answer(p), to ΔE t, at some pixel within the radius of p, and the answer has the color output(p), to ΔE t, at some
    pixel within the radius of p. IoU = |E ∧ right| / (|E| + |P ∧ not right|). Distances are Euclidean, between the
    centers of pixels. Radius 0 is the metric itself.

    >>> before = np.zeros((1, 9, 3), np.uint8)
    >>> after, output = before.copy(), before.copy()
    >>> after[0, 2:5] = 255; output[0, 3:6] = 255     # one pixel too far to the right
    >>> iou_within(before, after, output, 0)[0], iou_within(before, after, output, 1)[0]
    (0.5, 1.0)
    """
    pictures = zip((input, answer, output), ("input", "answer", "output"), strict=True)
    before, wanted, got = (load_role(picture, role) for picture, role in pictures)
    return loaded_iou_within(before, wanted, got, (radius,))[0]


def miou_within(before: Pixels, wanted: Pixels, got: Pixels, radii: tuple[int, ...] = RADII) -> tuple[float, ...]:
    """The mean of the eleven IoU for each radius, of pictures that are decoded already."""
    return tuple(sum(curve) / len(curve) for curve in loaded_iou_within(before, wanted, got, radii))


def loaded_iou_within(
    before: Pixels, wanted: Pixels, got: Pixels, radii: tuple[int, ...]
) -> tuple[tuple[float, ...], ...]:
    """The eleven IoU for each radius, from the smallest to the largest."""
    from editscope.scoring.offsets._kernels import count_within, to_lab

    if not all(0 <= radius <= FARTHEST for radius in radii) or list(radii) != sorted(radii):
        raise BadInput(f"radii are {radii}; give whole numbers from 0 to {FARTHEST}, the smallest first")
    fitted = cover(got, wanted.shape[1], wanted.shape[0])
    _, levels, _ = grade_loaded(before, wanted, fitted, with_levels=True)
    offsets, ends = _disk(radii)
    meant, there = (to_lab(np.ascontiguousarray(picture)) for picture in (wanted, fitted))
    counts = count_within(levels, meant, there, offsets, ends)
    return tuple(_curve(edit, kept) for edit, kept in counts)


def _curve(edit: npt.NDArray[np.int64], kept: npt.NDArray[np.int64]) -> tuple[float, ...]:
    hits, right = edit.cumsum().tolist(), kept.cumsum().tolist()
    total, rest = int(edit.sum()), int(kept.sum())
    return tuple(iou_at(hits[t], total, rest - right[t]) for t in TOLERANCES)


@cache
def _disk(radii: tuple[int, ...]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Offsets (dy, dx) from near to far without (0, 0), and how many of them lie within each radius.

    >>> _disk((1, 2))[1].tolist()
    [4, 12]
    """
    reach = range(-max(radii), max(radii) + 1)
    inside = [(dy * dy + dx * dx, dy, dx) for dy in reach for dx in reach]
    around = sorted(place for place in inside if 0 < place[0] <= max(radii) ** 2)
    ends = [sum(squared <= radius**2 for squared, _, _ in around) for radius in radii]
    offsets = np.array([(dy, dx) for _, dy, dx in around], np.int64).reshape(-1, 2)
    return offsets, np.array(ends, np.int64)
