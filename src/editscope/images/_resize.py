"""Pictures of another size: the metric's normalization, and thumbnails."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from editscope.errors import unknown
from editscope.images._records import Pixels, writable

Resample = Literal["lanczos", "bicubic", "bilinear", "box", "nearest"]
"""How colors between pixels are found when a picture is resized; ``nearest`` makes no new ones."""

THUMB_SIDE = 160
THUMB_SUFFIX = ".webp"
"""What the file name of an encoded thumbnail ends with."""
BANDING = 16.0
"""Mean squared error of a channel above which bands would be seen (36 dB)."""
CODE_SIDES = (THUMB_SIDE, THUMB_SIDE // 2, 2 * THUMB_SIDE // 5)
MOST_CHANGES = 3000
"""Sides that a picture of codes may have, and how many changes along its rows it may have to stay that large."""
FEW_COLORS, TOO_MANY_COLORS = 64, 512
"""Colors of a thumbnail without loss, and how many kinds of color are certain to be soft or noisy."""
BUSY = 0.1
"""Share of pixels unlike their left neighbor from which on a lossy picture may be the smaller one."""
NOISY = 0.2
"""Share of pixels unlike both their left and their upper neighbor from which on it certainly is."""


def cover(pixels: Pixels, width: int, height: int) -> Pixels:
    """The picture scaled to cover width × height, aspect kept, nearest neighbor, center cropped.

    With s = max(width / w, height / h) the sides become ⌈w·s⌉ and ⌈h·s⌉; column x of the scaled picture is
    column ⌊(x + ½)·w / ⌈w·s⌉⌋ of the original, with Pillow's way of rounding; the crop begins at
    ⌊(⌈w·s⌉ - width) / 2⌋. Only the part that is kept is ever made, however thin and long a picture is.

    >>> stripes = np.repeat(np.arange(4, dtype=np.uint8)[None, :, None], 3, axis=2).repeat(2, axis=0)
    >>> cover(stripes, 4, 4)[0, :, 0].tolist()
    [1, 1, 2, 2]
    """
    h, w = pixels.shape[:2]
    if (w, h) == (width, height):
        return pixels
    rows, columns = cover_places((w, h), width, height)
    scaled: Pixels = np.take(np.take(pixels, rows, axis=0), columns, axis=1)
    return scaled


def cover_places(size: tuple[int, int], width: int, height: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The rows and the columns of a picture of some size (width, height) that ``cover`` takes."""
    from editscope.images._kernels import nearest

    w, h = size
    if width * h >= height * w:
        wide, high = width, -(-h * width // w)
    else:
        wide, high = -(-w * height // h), height
    columns = nearest(w, wide, (wide - width) // 2, width)
    rows = nearest(h, high, (high - height) // 2, height)
    return rows, columns


def resize(pixels: Pixels, width: int, height: int, resample: Resample = "lanczos") -> Pixels:
    """The picture stretched or shrunk to width × height; the same array where it has that size already.

    >>> resize(np.zeros((2, 3, 3), np.uint8), 6, 4).shape
    (4, 6, 3)
    """
    from PIL import Image

    if resample not in get_args(Resample):
        raise unknown("way to resize", str(resample), get_args(Resample))
    if pixels.shape[:2] == (height, width):
        return pixels
    return np.asarray(Image.fromarray(pixels).resize((width, height), Image.Resampling[resample.upper()]))


def thumbnail(pixels: Pixels, side: int = THUMB_SIDE) -> Pixels:
    """The picture with its longer side reduced to ``side`` by averaging areas; never enlarged."""
    from editscope.images._thumbnail_kernels import shrink

    height, width = pixels.shape[:2]
    size = thumbnail_size(height, width, side)
    if size == (height, width):
        return pixels
    out = np.empty((*size, 3), np.uint8)
    shrink(writable(pixels).reshape(height, 3 * width), out)
    return out


def thumbnail_size(height: int, width: int, side: int = THUMB_SIDE) -> tuple[int, int]:
    """Height and width of a thumbnail: the longer side is ``side`` unless it is shorter already.

    >>> thumbnail_size(576, 1024), thumbnail_size(100, 50)
    ((90, 160), (100, 50))
    """
    longest = max(height, width)
    if longest <= side:
        return height, width
    return max(1, (2 * height * side + longest) // (2 * longest)), max(1, (2 * width * side + longest) // (2 * longest))


def encode_thumbnail(pixels: Pixels) -> bytes:
    """A small picture as WebP for the report: flat scenes as 64 colors without loss, others lossy.

    Lossy WebP halves the resolution of color, which smears the edges of flat shapes; 64 colors make bands in
    soft pictures and cost much in noisy ones. So the first is used where its error stays under ``BANDING`` and it
    is not larger than the second.
    """
    from editscope.images._thumbnail_kernels import reduce_colors

    flat = np.empty(pixels.shape, np.uint8)
    rows, width, target = writable(pixels).reshape(-1, 3), pixels.shape[1], flat.reshape(-1, 3)
    error, changes, surprises = reduce_colors(rows, width, FEW_COLORS, TOO_MANY_COLORS, target)
    spots = len(rows)
    lossless = None
    if 0 <= error <= BANDING * pixels.size and surprises <= NOISY * spots:
        lossless = encode_lossless(flat)
        if changes <= BUSY * spots:
            return lossless
    lossy = _as_webp(pixels, quality=70, method=2)
    return lossy if lossless is None or len(lossy) < len(lossless) else lossless


def encode_lossless(pixels: Pixels) -> bytes:
    """A small picture as WebP whose every pixel comes back as it was."""
    return _as_webp(pixels, lossless=True, method=1, quality=0)


def _as_webp(pixels: Pixels, **options: bool | int) -> bytes:
    from PIL import Image, WebPImagePlugin  # noqa: F401  # without the second, Pillow loads every format it knows

    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "WEBP", **options)
    return target.getvalue()


def encode_codes(coded: Callable[[int, int | None], Pixels | None]) -> bytes:
    """A picture of codes as lossless WebP, of the first side at which it is not busy: noise costs bytes, says little.

    ``coded`` makes the picture for a longer side; None where its rows have more changes than it is told, if any.
    """
    for side in CODE_SIDES:
        pixels = coded(side, None if side == CODE_SIDES[-1] else MOST_CHANGES)
        if pixels is not None:
            return encode_lossless(pixels)
    raise AssertionError("the smallest picture of codes may have any number of changes")
