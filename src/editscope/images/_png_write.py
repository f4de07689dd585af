"""PNG files made of pixels: a palette for up to 256 colors, small depths packed, the best of three filters, zlib-ng."""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from zlib_ng import zlib_ng

from editscope.errors import BadImage
from editscope.images._kernels import NO_FILTER, SUB, UP, canonical_plane, filter_rows, index_colors, pack
from editscope.images._png_layout import SIGNATURE
from editscope.images._records import Indexed, Pixels, writable

# Higher levels take longer and gain little on such pictures. ISA-L is twice as fast, but in fresh processes about one
# picture in four hundred came out with another match of equal content: same pixels, other bytes, and we promise bytes.
LEVEL = 2
FILTERS = (UP, SUB, NO_FILTER)
CODES, RUNS = zlib_ng.Z_HUFFMAN_ONLY, zlib_ng.Z_RLE
WORTHWHILE = 1.02
"""How many times smaller a picture has to become for a slower way of writing or reading it."""
FLAT = 1 / 16
"""Share of its bytes to which runs reduce a picture that is quick to search for repeats."""
SMALL = 1 << 16
"""Bytes of pixels below which a picture is written so quickly that looking for noise does not pay."""


def encode_png(image: Pixels | Indexed, palette: bool = True, fixed_bytes: bool = False) -> bytes:
    """The picture as a PNG file. Equal pixels give equal bytes, whether you pass RGB or a palette."""
    if isinstance(image, Indexed) and not palette:
        image = image.rgb()
    if isinstance(image, Indexed):
        return _encode_indexed(*_canonical(image), fixed_bytes)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise BadImage(f"a PNG is written from uint8 of height × width × 3, not from {image.dtype} {image.shape}")
    image = writable(image)
    height, width = image.shape[:2]
    plane = np.empty((height, width), np.uint8)
    table = np.empty((256, 3), np.uint8)
    colors = index_colors(image.reshape(-1), plane.reshape(-1), table) if palette else 0
    if colors:
        return _encode_indexed(plane, table[:colors], fixed_bytes)
    rows = image.reshape(height, 3 * width)
    packed = None if fixed_bytes or rows.size < SMALL else _packed_noise(rows)
    return _file(width, height, 8, 2, b"", _packed(rows) if packed is None else packed)


def write_png(path: str | Path, image: Pixels | Indexed, palette: bool = True) -> None:
    """Write a PNG file whole or not at all: into a temporary file beside it, then renamed."""
    path = Path(path)
    data = encode_png(image, palette)
    path.parent.mkdir(parents=True, exist_ok=True)
    number, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _canonical(image: Indexed) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Colors in the order in which they appear, unused ones dropped, equal ones merged."""
    palette = np.asarray(image.palette, np.uint8)
    if image.plane.ndim != 2 or 0 in image.plane.shape or not 0 < len(palette) <= 256:
        raise BadImage(f"an indexed picture needs a plane and 1 to 256 colors, not {len(palette)}")
    first: dict[tuple[int, ...], int] = {}
    twin = np.arange(256, dtype=np.uint8)
    for number, color in enumerate(palette.tolist()):
        twin[number] = first.setdefault(tuple(color), number)
    plane = np.empty(image.plane.shape, np.uint8)
    order = np.empty(256, np.uint8)
    used = canonical_plane(writable(image.plane).reshape(-1), twin, plane.reshape(-1), order)
    if order[:used].max() >= len(palette):
        raise BadImage(f"an indexed picture has the number {order[:used].max()} but only {len(palette)} colors")
    return plane, palette[order[:used]]


def _encode_indexed(plane: npt.NDArray[np.uint8], palette: npt.NDArray[np.uint8], fixed_bytes: bool) -> bytes:
    height, width = plane.shape
    depth = 1 if len(palette) <= 2 else 2 if len(palette) <= 4 else 4 if len(palette) <= 16 else 8
    rows = plane
    if depth < 8:
        rows = np.empty((height, (width * depth + 7) // 8), np.uint8)
        pack(plane, depth, rows)
    if depth == 8 and rows.size >= SMALL and not fixed_bytes and _is_noisy(rows):
        packed = [_coded(_filtered(rows, 1, NO_FILTER), CODES)]
    else:
        packed = [_deflated(_filtered(rows, 1, kind)) for kind in (NO_FILTER, UP)]
    return _file(width, height, depth, 3, _chunk(b"PLTE", palette.tobytes()), min(packed, key=len))


def _is_noisy(rows: npt.NDArray[np.uint8]) -> bool:
    """Whether rows of color numbers have so few repeats that the search for them makes a sample hardly smaller."""
    sample = _sample(rows, NO_FILTER)
    return len(_coded(sample, CODES)) <= WORTHWHILE * len(_deflated(sample))


def _filtered(rows: npt.NDArray[np.uint8], step: int, kind: int) -> npt.NDArray[np.uint8]:
    filtered = np.empty((rows.shape[0], rows.shape[1] + 1), np.uint8)
    filter_rows(rows, kind, step, filtered)
    return filtered


def _deflated(rows: npt.NDArray[np.uint8]) -> bytes:
    return bytes(zlib_ng.compress(rows, LEVEL))


def _coded(rows: npt.NDArray[np.uint8], strategy: int) -> bytes:
    """Deflated without a search for repeats: every byte gets its Huffman code; with ``RUNS`` runs of a byte get one."""
    coder = zlib_ng.compressobj(LEVEL, zlib_ng.DEFLATED, zlib_ng.MAX_WBITS, strategy=strategy)
    return bytes(coder.compress(rows) + coder.flush())


def _packed(rows: npt.NDArray[np.uint8]) -> bytes:
    """RGB rows, deflated with the filter that packs a sample best."""
    return _deflated(_filtered(rows, 3, _best_filter([len(_deflated(_sample(rows, kind))) for kind in FILTERS])))


def _packed_noise(rows: npt.NDArray[np.uint8]) -> bytes | None:
    """RGB rows that have few repeats, deflated without a search for them; None where a sample says that it would help.

    Runs are for pictures that are noise in one part and flat in another; in noise alone they save nothing. Where codes
    save nothing either, bytes are stored as they are.
    """
    samples = [_sample(rows, kind) for kind in FILTERS]
    sizes = [len(_coded(sample, RUNS)) for sample in samples]
    kind = _best_filter(sizes)
    sample, runs = samples[FILTERS.index(kind)], sizes[FILTERS.index(kind)]
    if runs < FLAT * sample.size or WORTHWHILE * len(_deflated(sample)) < runs:
        return None
    filtered, codes = _filtered(rows, 3, kind), len(_coded(sample, CODES))
    if min(runs, codes) >= sample.size:
        return bytes(zlib_ng.compress(filtered, 0))
    return _coded(filtered, RUNS if WORTHWHILE * runs < codes else CODES)


def _best_filter(sizes: list[int]) -> int:
    """The filter of the smallest sample; UP where it comes close.

    Readers undo UP several times faster than other filters, which is worth two percent.
    """
    return FILTERS[0 if sizes[0] <= WORTHWHILE * min(sizes) else sizes.index(min(sizes))]


def _sample(rows: npt.NDArray[np.uint8], kind: int) -> npt.NDArray[np.uint8]:
    """Filtered rows in bands of 16, one band in every 256 rows."""
    return np.concatenate([_band(rows, top, kind) for top in range(0, len(rows), 256)])


def _band(rows: npt.NDArray[np.uint8], top: int, kind: int) -> npt.NDArray[np.uint8]:
    """Sixteen filtered rows. Filtering needs the row above them; it is left out of the result."""
    above = min(top, 1)
    return _filtered(rows[top - above : top + 16], 3, kind)[above:]


def _file(width: int, height: int, depth: int, color: int, palette: bytes, data: bytes) -> bytes:
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0))
    return b"".join([SIGNATURE, header, palette, _chunk(b"IDAT", data), _chunk(b"IEND", b"")])


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib_ng.crc32(content, zlib_ng.crc32(kind))
    return b"".join([struct.pack(">I", len(content)), kind, content, struct.pack(">I", checksum)])
