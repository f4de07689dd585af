"""PNG files read as pixels: our own chunk reader, ISA-L to inflate, compiled filters; every depth and color type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from isal import isal_zlib

from editscope.errors import BadImage
from editscope.images._kernels import look_up, over_white, unfilter, unpack
from editscope.images._png_layout import PngLayout, truncated
from editscope.images._records import Pixels

GRAY, RGB, PALETTE, GRAY_ALPHA = 0, 2, 3, 4

# Adam7: first column, first row, column step, row step of each pass.
PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def read_png(data: bytes, layout: PngLayout, name: str) -> tuple[Pixels, list[str]]:
    """The pixels of a PNG whose chunks have been walked, and notes on what was done to them."""
    raw = _inflate(data, layout, name)
    if layout.interlaced:
        samples = _interlaced(raw, layout, name)
    else:
        samples = _samples(raw, layout.width, layout.height, layout, name)
    if layout.depth == 16:
        return _from_16_bit(samples, layout)
    if layout.color in (GRAY, PALETTE):
        return _through_table(samples, layout, name)
    if layout.color == RGB and layout.transparency is None:
        return samples, []
    if layout.color == RGB:
        return _without_key(samples, samples, layout)
    return composite(_rgba(samples))


def composite(rgba: npt.NDArray[np.uint8]) -> tuple[Pixels, list[str]]:
    """R, G, B, A over white: round((color · alpha + 255 · (255 - alpha)) / 255)."""
    height, width = rgba.shape[:2]
    out = np.empty((height, width, 3), np.uint8)
    seen_through = over_white(np.ascontiguousarray(rgba).reshape(-1), out.reshape(-1))
    return out, ["alpha composited over white"] if seen_through else []


def reduce_16_bit(samples: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint8]:
    """16-bit samples as 8-bit ones: v / 257, rounded.

    >>> reduce_16_bit(np.array([0, 128, 129, 65535], np.uint16)).tolist()
    [0, 0, 1, 255]
    """
    return ((samples.astype(np.uint32) + 128) // 257).astype(np.uint8)


def _inflate(data: bytes, layout: PngLayout, name: str) -> npt.NDArray[np.uint8]:
    expected = sum((layout.row_bytes(width) + 1) * height for *_, width, height in _parts(layout))
    view = memoryview(data)
    parts = [view[offset : offset + length] for offset, length in layout.data]
    content = parts[0] if len(parts) == 1 else b"".join(parts)
    try:
        raw = isal_zlib.decompressobj().decompress(content, expected)  # never more than the header promises
    except Exception as error:  # ISA-L has one kind of error, which its type stubs do not let us name
        raise BadImage(f"{name} is damaged: its pixel data cannot be inflated ({error}); write it again") from error
    if len(raw) < expected:
        raise truncated(name)
    return np.frombuffer(raw, np.uint8)


def _parts(layout: PngLayout) -> Iterator[tuple[int, int, int, int, int, int]]:
    """First column, first row, steps, and size of each pass that has pixels; one pass when not interlaced."""
    for x, y, dx, dy in PASSES if layout.interlaced else ((0, 0, 1, 1),):
        width, height = -(-(layout.width - x) // dx), -(-(layout.height - y) // dy)
        if width > 0 and height > 0:
            yield x, y, dx, dy, width, height


def _samples(raw: npt.NDArray[np.uint8], width: int, height: int, layout: PngLayout, name: str) -> npt.NDArray[Any]:
    """Unfiltered samples, height × width × samples: uint16 for 16 bits, else uint8, small depths spread."""
    rows = np.empty((height, layout.row_bytes(width)), np.uint8)
    if not unfilter(raw, rows, max(1, layout.samples * layout.depth // 8)):
        raise BadImage(f"{name} is damaged: a row has an unknown filter; write it again")
    if layout.depth == 16:
        return rows.view(">u2").astype(np.uint16).reshape(height, width, layout.samples)
    if layout.depth == 8:
        return rows.reshape(height, width, layout.samples)
    plane = np.empty((height, width), np.uint8)
    unpack(rows, layout.depth, plane)
    return plane.reshape(height, width, 1)


def _interlaced(raw: npt.NDArray[np.uint8], layout: PngLayout, name: str) -> npt.NDArray[Any]:
    kind = np.uint16 if layout.depth == 16 else np.uint8
    whole = np.empty((layout.height, layout.width, layout.samples), kind)
    offset = 0
    for x, y, dx, dy, width, height in _parts(layout):
        length = (layout.row_bytes(width) + 1) * height
        whole[y::dy, x::dx] = _samples(raw[offset : offset + length], width, height, layout, name)
        offset += length
    return whole


def _through_table(samples: npt.NDArray[np.uint8], layout: PngLayout, name: str) -> tuple[Pixels, list[str]]:
    """Palette and gray pictures: transparency is settled in the table, then each pixel is looked up."""
    count = 1 << layout.depth
    table = np.zeros((256, 3), np.uint8)
    alpha = np.full(256, 255, np.uint8)
    known = count
    if layout.color == PALETTE:
        known = len(layout.palette) // 3
        if not 0 < known <= 256:
            raise BadImage(f"{name} is damaged: it needs a palette and has none that fits; write it again")
        table[:known] = np.frombuffer(layout.palette, np.uint8, 3 * known).reshape(-1, 3)
        given = np.frombuffer(layout.transparency or b"", np.uint8)[:known]
        alpha[: len(given)] = given
    else:
        table[:count] = (np.arange(count) * (255 // (count - 1)))[:, None]
        if layout.transparency is not None and len(layout.transparency) >= 2:
            alpha[layout.transparency[1] & (count - 1)] = 0
    flat = composite(np.column_stack([table, alpha])[None])[0][0]
    out = np.empty((layout.height, layout.width, 3), np.uint8)
    plane = np.ascontiguousarray(samples).reshape(-1)
    if look_up(plane, flat, out.reshape(-1)) >= known:
        raise BadImage(f"{name} is damaged: a pixel has a color beyond its palette of {known}; write it again")
    seen_through = alpha.min() < 255 and bool((alpha < 255)[plane].any())
    return out, ["alpha composited over white"] if seen_through else []


def _from_16_bit(samples: npt.NDArray[np.uint16], layout: PngLayout) -> tuple[Pixels, list[str]]:
    reduced, note = reduce_16_bit(samples), ["16-bit reduced to 8-bit"]
    if layout.color in (GRAY, RGB):
        if layout.color == GRAY:
            reduced = np.repeat(reduced, 3, axis=2)
        if layout.transparency is None:
            return reduced, note
        pixels, notes = _without_key(samples, reduced, layout)
    else:
        pixels, notes = composite(_rgba(reduced))
    return pixels, note + notes


def _without_key(samples: npt.NDArray[Any], pixels: Pixels, layout: PngLayout) -> tuple[Pixels, list[str]]:
    """Make white every pixel of the one color that is declared transparent."""
    wanted = layout.samples
    key = np.frombuffer(layout.transparency or b"", ">u2", min(wanted, len(layout.transparency or b"") // 2))
    if len(key) < wanted:
        return pixels, []
    hidden = (samples == key).all(axis=2)
    if not hidden.any():
        return pixels, []
    pixels[hidden] = 255
    return pixels, ["alpha composited over white"]


def _rgba(samples: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Gray with alpha as R, G, B, A; R, G, B, A as it is."""
    return samples if samples.shape[2] == 4 else np.ascontiguousarray(samples[:, :, [0, 0, 0, 1]])
