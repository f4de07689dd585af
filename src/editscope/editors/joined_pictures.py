"""Several pictures put into one, for models that take only one, and the sentence that says which is which."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import Literal, get_args

import numpy as np

from editscope.errors import BadInput, unknown
from editscope.images import Pixels, resize

How = Literal["row", "column", "grid"]

WHITE = 255


def join_pictures(arrays: Sequence[Pixels], how: How = "row", gap: int = 0) -> Pixels:
    """The pictures in one, in reading order, with ``gap`` white pixels between them; one picture stays as it is.

    In a row all get the height of the first, in a column its breadth, aspect kept. In a grid of ⌈√n⌉ columns each is
    scaled to fit into the size of the first and lies in the middle of its cell, on white.

    >>> dark, gray = np.zeros((4, 6, 3), np.uint8), np.full((2, 2, 3), 128, np.uint8)
    >>> join_pictures([dark, gray]).shape, join_pictures([dark, gray], "column", gap=1).shape
    ((4, 10, 3), (11, 6, 3))
    """
    if how not in get_args(How):
        raise unknown("way to join pictures", str(how), get_args(How))
    if gap < 0:
        raise BadInput(f"pictures are joined with a gap of 0 or more pixels, not {gap}")
    if not arrays:
        raise BadInput("there is no picture to join")
    if len(arrays) == 1:
        return arrays[0]
    if how == "grid":
        return _grid(arrays, gap)
    return _line(arrays, gap, upright=how == "column")


def which_is_which(count: int, how: How = "row") -> str:
    """The sentence that tells a model how ``count`` pictures lie in the one that it gets; "" for a single one.

    >>> which_is_which(2)
    'The picture is made of 2 pictures side by side, from left to right: picture 1, picture 2.'
    """
    if count < 2:
        return ""
    order = {
        "row": "side by side, from left to right",
        "column": "one below the other, from top to bottom",
        "grid": f"in a grid of {_columns(count)} columns, row by row from the top left",
    }[how]
    return (
        f"The picture is made of {count} pictures {order}: "
        + ", ".join(f"picture {number}" for number in range(1, count + 1))
        + "."
    )


def _line(arrays: Sequence[Pixels], gap: int, upright: bool) -> Pixels:
    height, width = arrays[0].shape[:2]
    parts: list[Pixels] = []
    for pixels in arrays:
        if parts and gap:
            parts.append(np.full((gap, width, 3) if upright else (height, gap, 3), WHITE, np.uint8))
        h, w = pixels.shape[:2]
        if upright:
            parts.append(resize(pixels, width, max(1, round(h * width / w))))
        else:
            parts.append(resize(pixels, max(1, round(w * height / h)), height))
    return np.concatenate(parts, axis=0 if upright else 1)


def _grid(arrays: Sequence[Pixels], gap: int) -> Pixels:
    height, width = arrays[0].shape[:2]
    columns = _columns(len(arrays))
    rows = ceil(len(arrays) / columns)
    whole = np.full((rows * (height + gap) - gap, columns * (width + gap) - gap, 3), WHITE, np.uint8)
    for number, pixels in enumerate(arrays):
        h, w = pixels.shape[:2]
        scale = min(width / w, height / h)
        wide, high = min(width, max(1, round(w * scale))), min(height, max(1, round(h * scale)))
        top = number // columns * (height + gap) + (height - high) // 2
        left = number % columns * (width + gap) + (width - wide) // 2
        whole[top : top + high, left : left + wide] = resize(pixels, wide, high)
    return whole


def _columns(count: int) -> int:
    return ceil(sqrt(count))
