"""Bilinear interpolation in floating point, with the arithmetic of PyTorch's ``interpolate`` and without PyTorch."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.images._records import Pixels, writable

Floats: TypeAlias = npt.NDArray[np.float32]
Places: TypeAlias = npt.NDArray[np.int64]


def interpolate(pixels: Pixels, height: int, width: int) -> Floats:
    """The picture in another size as float32 from 0 to 255: bilinear between pixel centers, no antialiasing.

    Row r of the result lies at s = max(0, (r + ½) · h / height - ½) of the h rows of the original and is
    (1 - f) · row ⌊s⌋ + f · row ⌊s⌋ + 1 with f = s - ⌊s⌋; the last row stands in for one beyond the edge. Columns
    alike. Nothing is rounded to 8 bits. It is ``torch.nn.functional.interpolate(mode="bilinear",
    align_corners=False, antialias=False)``, whose places are float32 too.

    >>> interpolate(np.array([[[0, 0, 0], [10, 20, 30]]], np.uint8), 1, 4)[0, :, 0].tolist()
    [0.0, 2.5, 7.5, 10.0]
    """
    out = np.empty((height, width, 3), np.float32)
    _interpolate(writable(pixels), *_places(pixels.shape[0], height), *_places(pixels.shape[1], width), out)
    return out


def _places(size: int, wanted: int) -> tuple[Places, Places, Floats]:
    """For each of the wanted places its two neighbors and the share of the second."""
    step = np.float64(np.float32(size) / np.float32(wanted))
    # One rounding after both operations, as a fused multiply-add has it.
    where = np.maximum(step * (np.arange(wanted) + 0.5) - 0.5, 0.0).astype(np.float32)
    first = np.minimum(where.astype(np.int64), size - 1)
    share = np.clip(where - first.astype(np.float32), np.float32(0), np.float32(1))
    return first, np.minimum(first + 1, size - 1), share.astype(np.float32)


@compiled()
def _interpolate(
    pixels: Pixels, above: Places, below: Places, down: Floats, left: Places, right: Places, across: Floats, out: Floats
) -> None:
    one = np.float32(1)
    for r in range(out.shape[0]):
        upper, lower, low = pixels[above[r]], pixels[below[r]], down[r]
        for c in range(out.shape[1]):
            first, second, share = left[c], right[c], across[c]
            for channel in range(3):
                top = (one - share) * np.float32(upper[first, channel]) + share * np.float32(upper[second, channel])
                bottom = (one - share) * np.float32(lower[first, channel]) + share * np.float32(lower[second, channel])
                out[r, c, channel] = (one - low) * top + low * bottom
