"""The one place that decodes, encodes and resizes pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.images._arrays import HALF_A_LEVEL, BatchLayout, Layout, arranged, picture_layout, quantized, split_batch
from editscope.images._decode import decode, load, probe, read_picture
from editscope.images._memory import keep_freed_memory
from editscope.images._records import MAX_PIXELS, Decoded, ImageLike, Indexed, Pixels, pixels_digest, writable
from editscope.images._resize import (
    THUMB_SIDE,
    THUMB_SUFFIX,
    Resample,
    cover,
    cover_places,
    encode_codes,
    encode_lossless,
    encode_thumbnail,
    resize,
    thumbnail,
    thumbnail_size,
)
from editscope.images._stored import stored_jpeg

__all__ = [
    "HALF_A_LEVEL",
    "MAX_PIXELS",
    "THUMB_SIDE",
    "THUMB_SUFFIX",
    "Decoded",
    "ImageLike",
    "Indexed",
    "Layout",
    "Pixels",
    "Resample",
    "cover",
    "cover_places",
    "decode",
    "encode_codes",
    "encode_lossless",
    "encode_png",
    "encode_thumbnail",
    "interpolate",
    "keep_freed_memory",
    "load",
    "picture_layout",
    "pixels_digest",
    "probe",
    "quantized",
    "read_picture",
    "resize",
    "split_batch",
    "stored_jpeg",
    "thumbnail",
    "thumbnail_size",
    "to_array",
    "writable",
    "write_png",
]


def encode_png(image: Pixels | Indexed, *, palette: bool = True, fixed_bytes: bool = False) -> bytes:
    """The picture as a PNG file: a palette where 256 colors suffice. Equal pixels give equal bytes.

    ``palette=False`` is for readers that expect three channels in every PNG, such as other people's models.
    ``fixed_bytes=True`` writes noisy pictures as version 0.1 did: larger and more slowly, but with the same bytes. Use
    it where a hash of the file is published or is the key of something that was paid for.
    """
    from editscope.images import _png_write  # brings Numba, which reading a header does not need

    return _png_write.encode_png(image, palette, fixed_bytes)


def interpolate(pixels: Pixels, height: int, width: int) -> npt.NDArray[np.float32]:
    """The picture in another size as float32 from 0 to 255, bilinear as PyTorch's ``interpolate`` makes it."""
    from editscope.images import _bilinear

    return _bilinear.interpolate(pixels, height, width)


def to_array(
    image: ImageLike | Sequence[ImageLike], layout: BatchLayout = "hwc", dtype: npt.DTypeLike = "uint8"
) -> npt.NDArray[Any]:
    """A picture as a new NumPy array, as a model or a trainer wants it.

    ``layout`` is ``"hwc"`` or ``"chw"`` for one picture, ``"nhwc"`` or ``"nchw"`` for a list of pictures of one size.
    ``dtype`` is ``"uint8"``, or a float (``"float16"``, ``"float32"``, ``"float64"``) for values of 0 to 1. What you
    get can be given to every function that takes pictures, and is the same picture there.

    >>> to_array(np.zeros((20, 10, 3), np.uint8), layout="chw", dtype="float32").shape
    (3, 20, 10)
    """
    if layout in ("nhwc", "nchw"):
        pictures, known = split_batch(image, "the batch")
        return arranged([load(picture, layout=known) for picture in pictures], layout, dtype)
    return arranged(load(image), layout, dtype)  # type: ignore[arg-type]


def write_png(path: str | Path, image: Pixels | Indexed, *, palette: bool = True) -> None:
    """Write a PNG file whole or not at all, making its folders; OSError (a full disk) goes to the caller."""
    from editscope.images import _png_write

    _png_write.write_png(path, image, palette)
