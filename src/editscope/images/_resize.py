"""Pictures of another size: the metric's normalisation, and thumbnails."""

from __future__ import annotations

import io

import numpy as np

from editscope.images._records import Pixels, writable

THUMB_SIDE = 192
THUMB_SUFFIX = ".webp"
"""What the file name of an encoded thumbnail ends with."""
BANDING = 16.0
"""Mean squared error of a channel above which bands would be seen (36 dB)."""


def cover(pixels: Pixels, width: int, height: int) -> Pixels:
    """The picture scaled to cover width × height, aspect kept, nearest neighbour, centre cropped.

    With s = max(width / w, height / h) the sides become ⌈w·s⌉ and ⌈h·s⌉; column x of the scaled picture is
    column ⌊(x + ½)·w / ⌈w·s⌉⌋ of the original, with Pillow's way of rounding; the crop begins at
    ⌊(⌈w·s⌉ - width) / 2⌋. Only the part that is kept is ever made, however thin and long a picture is.

    >>> stripes = np.repeat(np.arange(4, dtype=np.uint8)[None, :, None], 3, axis=2).repeat(2, axis=0)
    >>> cover(stripes, 4, 4)[0, :, 0].tolist()
    [1, 1, 2, 2]
    """
    from editscope.images._kernels import nearest

    h, w = pixels.shape[:2]
    if (w, h) == (width, height):
        return pixels
    if width * h >= height * w:
        wide, high = width, -(-h * width // w)
    else:
        wide, high = -(-w * height // h), height
    columns = nearest(w, wide, (wide - width) // 2, width)
    rows = nearest(h, high, (high - height) // 2, height)
    scaled: Pixels = np.take(np.take(pixels, rows, axis=0), columns, axis=1)
    return scaled


def thumbnail(pixels: Pixels, side: int = THUMB_SIDE) -> Pixels:
    """The picture with its longer side reduced to ``side`` by averaging areas; never enlarged."""
    from editscope.images._kernels import shrink

    height, width = pixels.shape[:2]
    size = thumbnail_size(height, width, side)
    if size == (height, width):
        return pixels
    out = np.empty((*size, 3), np.uint8)
    shrink(writable(pixels), out)
    return out


def thumbnail_size(height: int, width: int, side: int = THUMB_SIDE) -> tuple[int, int]:
    """Height and width of a thumbnail: the longer side is ``side`` unless it is shorter already.

    >>> thumbnail_size(576, 1024), thumbnail_size(100, 50)
    ((108, 192), (100, 50))
    """
    longest = max(height, width)
    if longest <= side:
        return height, width
    return max(1, (2 * height * side + longest) // (2 * longest)), max(1, (2 * width * side + longest) // (2 * longest))


def encode_thumbnail(pixels: Pixels) -> bytes:
    """A small picture as WebP for the report: flat scenes as 64 colours without loss, others lossy.

    Lossy WebP halves the resolution of colour, which smears the edges of flat shapes; 64 colours make bands in
    soft pictures. So the first is used where its error stays under ``BANDING``.
    """
    from PIL import Image

    whole = Image.fromarray(pixels)
    flat = whole.quantize(64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).convert("RGB")
    error = np.asarray(flat).astype(np.int32) - pixels
    target = io.BytesIO()
    if np.mean(error * error) <= BANDING:
        flat.save(target, "WEBP", lossless=True, method=0, quality=0)
    else:
        whole.save(target, "WEBP", quality=85, method=0)
    return target.getvalue()
