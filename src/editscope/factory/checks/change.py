"""Change between two pictures of one size: where they differ by more than noise and compression make of one picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.factory.extra import factory_package
from editscope.images import Pixels

Mask: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]

SIDE = 512
"""Pictures are measured with this longer side; smaller ones as they are."""
BLUR = 1.6
"""Standard deviation of the blur that takes noise and ringing away, in pixels of the measured picture."""
FLOOR, CEILING = 9.0, 26.0
"""The least and the most difference, of 255, from which a pixel counts as changed."""
NOISE_TIMES = 6.0
"""A pixel counts as changed from this many times the noise of the pair."""


@dataclass(frozen=True, slots=True, eq=False)
class PixelChange:
    """Where two pictures differ: a mask in the measured size, the signed blurred difference, and the limit used."""

    mask: Mask
    difference: Floats
    limit: float

    @property
    def share(self) -> float:
        """The share of pixels that changed."""
        return float(self.mask.mean())


def measured(pixels: Pixels, side: int = SIDE) -> Pixels:
    """The picture with a longer side of at most ``side``, averaged over areas.

    >>> measured(np.zeros((1024, 512, 3), np.uint8)).shape
    (512, 256, 3)
    """
    height, width = pixels.shape[:2]
    if max(height, width) <= side:
        return pixels
    cv2 = factory_package("cv2", "measuring pictures")
    scale = side / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small: Pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return small


def change(before: Pixels, after: Pixels, side: int = SIDE) -> PixelChange:
    """Where two pictures of one size differ.

    Both are blurred; d is their difference, largest of the channels by size. The noise of the pair is
    1.4826 · median |d - median d|, and a pixel changed where |d| > min(26, max(9, 6 · noise)). Spots thinner than
    three pixels do not count: a shift of the camera by half a pixel leaves such lines along edges.

    >>> before = np.zeros((100, 100, 3), np.uint8)
    >>> after = before.copy()
    >>> after[20:40, 20:40] = 200
    >>> round(change(before, after).share, 2), change(before, before).share
    (0.06, 0.0)
    """
    cv2 = factory_package("cv2", "measuring pictures")
    first, second = (_smooth(measured(one, side), cv2) for one in (before, after))
    difference: Floats = second - first
    size: Floats = np.abs(difference).max(axis=2)
    centered = difference - np.median(difference.reshape(-1, 3), axis=0)
    noise = 1.4826 * float(np.median(np.abs(centered)))
    limit = min(CEILING, max(FLOOR, NOISE_TIMES * noise))
    mask = opened(size > limit, 3)
    return PixelChange(mask, difference, limit)


def changed_share(before: Pixels, after: Pixels) -> float:
    """The share of pixels that changed: ``change(before, after).share``."""
    return change(before, after).share


def opened(mask: Mask, size: int) -> Mask:
    """A mask without spots that a square of ``size`` pixels does not fit into.

    >>> line = np.zeros((9, 9), bool)
    >>> line[4] = True
    >>> bool(opened(line, 3).any())
    False
    """
    cv2 = factory_package("cv2", "measuring pictures")
    kept: Mask = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((size, size), np.uint8)) > 0
    return kept


def _smooth(pixels: Pixels, cv2: Any) -> Floats:
    # A median first: grains of salt and pepper would outlive the blur.
    smooth: Floats = cv2.GaussianBlur(cv2.medianBlur(pixels, 3).astype(np.float32), (0, 0), BLUR)
    return smooth
