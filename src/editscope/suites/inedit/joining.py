"""Start and end picture joined into one, with a black-and-white striped bar between them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from editscope.errors import BadInput
from editscope.images import ImageLike, Pixels, cover, load

BAR, DASH = 5, 40
"""Breadth of the bar and length of a stripe where the bar is 1024 pixels long, as in InEdit-Bench's own pictures."""
LONG = 1024

Direction = Literal["auto", "right", "down"]


def join(start: ImageLike, end: ImageLike, direction: Direction = "auto") -> Pixels:
    """The start picture left of the end picture, or above it, with the striped bar between.

    ``right`` puts the end on the right, ``down`` below; ``auto`` puts it below where the start picture is broader than
    high. An end picture of another size is scaled (nearest neighbor) and center-cropped to the size of the start.

    >>> white, gray = np.full((8, 8, 3), 255, np.uint8), np.full((8, 8, 3), 128, np.uint8)
    >>> joined = join(white, gray)
    >>> joined.shape, joined[0, :, 0].tolist()
    ((8, 17, 3), [255, 255, 255, 255, 255, 255, 255, 255, 0, 128, 128, 128, 128, 128, 128, 128, 128])
    """
    if direction not in ("auto", "right", "down"):
        raise BadInput(f"direction {direction!r} is none of auto, right, down")
    first, last = load(start), load(end)
    height, width = first.shape[:2]
    last = cover(last, width, height)
    if direction == "right" or (direction == "auto" and width <= height):
        return np.concatenate([first, striped_bar(height), last], axis=1)
    return np.concatenate([first, striped_bar(width).transpose(1, 0, 2), last], axis=0)


def striped_bar(length: int) -> Pixels:
    """An upright bar of black and white stripes, black on top, length × 5/1024 broad; a stripe is length × 40/1024.

    >>> striped_bar(1024).shape, striped_bar(1024)[::40, 0, 0].tolist()[:4]
    ((1024, 5, 3), [0, 255, 0, 255])
    """
    breadth, dash = (max(1, round(length * size / LONG)) for size in (BAR, DASH))
    shades = (np.arange(length) // dash % 2 * 255).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(shades[:, None, None], (length, breadth, 3)))
