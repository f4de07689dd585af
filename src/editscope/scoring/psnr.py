"""PSNR over the pixels that an edit had to leave alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, log10, nan
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Region
from editscope.errors import BadInput
from editscope.images import ImageLike, Layout, Pixels, interpolate, load, resize, writable

Mask: TypeAlias = npt.NDArray[np.bool_]
Values: TypeAlias = "Pixels | npt.NDArray[np.float32]"
"""A picture whose values, 0 to 255, are whole numbers or not."""
Box: TypeAlias = "Region | Mapping[str, Any] | Sequence[float]"
"""``{"x", "y", "width", "height"}``, the same four as a sequence, or a Region; in pixels of the source."""

UNKNOWN = "unknown"
MOST_DB = 100.0
"""What equal pictures get instead of infinity, and what no other picture gets more than."""
_SIDES = ("x", "y", "width", "height")


def psnr_outside(
    source: ImageLike,
    edited: ImageLike,
    boxes: Iterable[Box] | str | None,
    *,
    size: int | None = None,
    channel_sum: bool = False,
    layout: Layout | None = None,
) -> float:
    """PSNR in dB between source and edit over the pixels outside all boxes: 10 log₁₀(1 / MSE), at most 100.

    MSE = mean over those pixels and the three channels of (source - edited)², values on [0, 1]. A pixel in
    column c and row r is inside a box when x ≤ c ≤ x + width and y ≤ r ≤ y + height, fractions of the four numbers
    cut off: edges are inside. Without boxes, or with ``"unknown"``, the whole picture counts; where the boxes leave
    no pixel, the result is NaN. An edit of another size is interpolated to the source's, which stays as it is:
    bilinear, in floating point, without antialiasing (``editscope.images.interpolate``).

    ``size=N`` first resizes both pictures to N × N with Pillow's bilinear filter, which averages and rounds to 8
    bits, and the boxes with them: the two resizings are those of PICABench's tool. ``channel_sum=True`` adds the
    channels up instead of averaging them, which is 4.77 dB less. Arrays of floats are rounded to 8 bits like files;
    ``layout`` is that of ``score_pixels``.

    >>> white = np.full((4, 4, 3), 255, np.uint8)
    >>> edited = white.copy(); edited[0] = 0
    >>> psnr_outside(white, edited, [{"x": 0, "y": 0, "width": 3, "height": 0}])
    100.0
    >>> round(psnr_outside(white, edited, []), 2)  # a quarter of the pixels is off by 1: MSE 0.25
    6.02
    >>> psnr_outside(white, edited, [(0, 0, 4, 4)])
    nan
    """
    first, second = load(source, layout=layout), load(edited, layout=layout)
    height, width = first.shape[:2]
    scale = (1.0, 1.0)
    if size is not None:
        side = _side(size)
        first, second = (resize(picture, side, side, "bilinear") for picture in (first, second))
        scale, height, width = (side / width, side / height), side, side
    same = second.shape == first.shape
    compared = second if same else interpolate(second, height, width)
    return psnr(first, compared, outside(boxes, (height, width), scale), channel_sum=channel_sum)


def psnr(first: Pixels, second: Values, keep: Mask | None = None, *, channel_sum: bool = False) -> float:
    """PSNR in dB of two pictures of one size over the pixels of ``keep`` (None: all); NaN where there are none.

    >>> gray = np.full((2, 2, 3), 100, np.uint8)
    >>> round(psnr(gray, gray + np.uint8(51)), 2)  # off by 51/255 = 0.2 everywhere
    13.98
    """
    pixels = first.size // 3 if keep is None else int(np.count_nonzero(keep))
    if not pixels:
        return nan
    error = squared_error(first, second, keep) / (255.0**2 * pixels * (1 if channel_sum else 3))
    return MOST_DB if error == 0 else min(MOST_DB, -10.0 * log10(error))


def squared_error(first: Pixels, second: Values, keep: Mask | None = None) -> float:
    """The sum of squared differences over all channels of the pixels of ``keep`` (None: all), values 0 to 255.

    It is the same on every machine: whole numbers are added as such, others one after the other in float64.

    >>> squared_error(np.full((1, 2, 3), 7, np.uint8), np.full((1, 2, 3), 9, np.uint8), np.array([[True, False]]))
    12
    """
    from editscope.scoring._kernels import squared_differences, squared_level_differences

    mask = np.ones(first.shape[:2], np.bool_) if keep is None else keep
    if second.dtype == np.uint8:
        levels = second.astype(np.uint8, copy=False)
        return int(squared_level_differences(writable(first), writable(levels), mask))
    return squared_differences(first, second.astype(np.float32, copy=False), mask)


def outside(boxes: Iterable[Box] | str | None, shape: tuple[int, int], scale: tuple[float, float] = (1.0, 1.0)) -> Mask:
    """Which pixels of a picture of ``shape`` (height, width) lie outside all boxes; scaled ones if asked for.

    Fractions are cut off after scaling, as Pillow does where PICABench's tool draws a box.
    """
    height, width = shape
    mask = np.ones((height, width), np.bool_)
    for number, box in enumerate(_listed(boxes)):
        x, y, wide, high = _sides(box, number)
        left, top = int(x * scale[0]), int(y * scale[1])
        right, bottom = int((x + wide) * scale[0]), int((y + high) * scale[1])
        mask[max(0, top) : max(0, bottom + 1), max(0, left) : max(0, right + 1)] = False
    return mask


def _listed(boxes: Iterable[Box] | str | None) -> list[Box]:
    if isinstance(boxes, str):
        if boxes.strip().lower() != UNKNOWN:
            raise BadInput(f'boxes is the text {boxes!r}; give a list of boxes, or "{UNKNOWN}"')
        return []
    return [] if boxes is None else list(boxes)


def _sides(box: Box, number: int) -> tuple[float, float, float, float]:
    """x, y, width and height of a box; a Region's right and bottom are exclusive, a box's edges are not."""
    if isinstance(box, Region):
        left, top, right, bottom = box.box
        return left, top, right - 1 - left, bottom - 1 - top
    try:
        values = [box[side] for side in _SIDES] if isinstance(box, Mapping) else list(box)
        x, y, width, height = (float(value) for value in values)
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"box {number} has no {', '.join(_SIDES)} that are numbers ({box!r})") from error
    if not all(map(isfinite, (x, y, width, height))) or width < 0 or height < 0:
        raise BadInput(f"box {number} has a side that is negative or no number ({box!r}); width and height are ≥ 0")
    return x, y, width, height


def _side(size: int) -> int:
    if size < 1:
        raise BadInput(f"size must be at least 1 pixel, not {size}")
    return size
