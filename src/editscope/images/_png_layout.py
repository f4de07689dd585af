"""The layout of a PNG file, from a walk over its chunks that decodes nothing."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from isal.isal_zlib import crc32

from editscope.errors import BadImage

SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEAD, CHECK = struct.Struct(">I4s"), struct.Struct(">I")  # what stands before and after the content of a chunk
LIMIT_SMALL_CHUNK = 1 << 20  # a palette, a transparency list or an EXIF block is never near this

ReadAt = Callable[[int, int], bytes]
"""Read bytes: offset, length. Fewer come back at the end of the file."""

DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


@dataclass(slots=True)
class PngLayout:
    """The header's fields, the small chunks that matter, and where the pixel data lies."""

    width: int
    height: int
    depth: int
    color: int
    interlaced: bool
    palette: bytes = b""
    transparency: bytes | None = None
    exif: bytes = b""
    frames: int = 1
    data: list[tuple[int, int]] = field(default_factory=list)
    """Offset and length of each IDAT chunk's content."""

    @property
    def samples(self) -> int:
        """Samples a pixel."""
        return SAMPLES[self.color]

    def row_bytes(self, width: int) -> int:
        """Bytes in one row of ``width`` pixels, without the filter byte."""
        return (width * self.samples * self.depth + 7) // 8


def walk_bytes(data: bytes, name: str) -> PngLayout:
    """Walk all chunks of a whole file up to IEND, and verify the checksums of those that make the picture."""
    return walk(lambda offset, length: data[offset : offset + length], name, data)


def walk(read: ReadAt, name: str, data: bytes | None = None) -> PngLayout:
    """Walk all chunks up to IEND; where all bytes are at hand, verify checksums of those that make the picture."""
    layout = _header(read(0, 33), name)
    offset = 33
    while True:
        head = read(offset, 8)
        if len(head) < 8:
            raise truncated(name)
        length, kind = HEAD.unpack(head)
        content = offset + 8
        offset = content + length + 4
        if kind == b"IEND":
            if not layout.data:
                raise BadImage(f"{name} has no pixel data; write it again")
            return layout
        if kind == b"IDAT" and data is not None:
            offset = _pixel_chunks(data, content - 8, layout, name)
            continue
        if kind == b"IDAT":
            layout.data.append((content, length))
        elif kind in (b"PLTE", b"tRNS", b"eXIf", b"acTL"):
            if length > LIMIT_SMALL_CHUNK:
                raise BadImage(f"{name} is damaged: its {kind.decode()} chunk claims {length:,} bytes; write it again")
            _keep(layout, kind, read(content, length))
        elif not kind.isalpha():
            raise BadImage(f"{name} is damaged at byte {content - 4:,}; write it again")
        elif kind[:1].isupper():
            raise BadImage(f"{name} needs a PNG extension ({kind.decode()}) that is not known; write it as plain PNG")
        if data is not None and kind in (b"PLTE", b"tRNS"):
            _verify(data, content, length, name)


def _pixel_chunks(data: bytes, offset: int, layout: PngLayout, name: str) -> int:
    """Take the IDAT chunks from here on, of which some writers make hundreds; where the chunk after them begins."""
    view, last = memoryview(data), len(data) - HEAD.size
    while offset <= last:  # a head that is there is read: the caller would come back here for ever
        length, kind = HEAD.unpack_from(data, offset)
        if kind != b"IDAT":
            break
        content, end = offset + 8, offset + 8 + length
        if end + 4 > len(data):
            raise truncated(name)
        if crc32(view[offset + 4 : end]) != CHECK.unpack_from(data, end)[0]:
            raise _wrong_checksum("IDAT", name)
        layout.data.append((content, length))
        offset = end + 4
    return offset


def _verify(data: bytes, content: int, length: int, name: str) -> None:
    end = content + length
    if len(data) < end + 4:
        raise truncated(name)
    if crc32(memoryview(data)[content - 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
        raise _wrong_checksum(data[content - 4 : content].decode(), name)


def _wrong_checksum(kind: str, name: str) -> BadImage:
    return BadImage(f"{name} is damaged: the checksum of a {kind} chunk is wrong; write it again")


def truncated(name: str) -> BadImage:
    """The error for a file that ends too early."""
    return BadImage(f"{name} is truncated; write or copy it again")


def _header(head: bytes, name: str) -> PngLayout:
    if len(head) < 33:
        raise truncated(name)
    length, kind, width, height, depth, color, compression, filters, interlace, check = struct.unpack(
        ">I4sIIBBBBBI", head[8:]
    )
    if kind != b"IHDR" or length != 13 or crc32(head[12:29]) != check:
        raise BadImage(f"{name} is damaged: it begins like a PNG but its header is wrong; write it again")
    if depth not in DEPTHS.get(color, ()) or compression or filters or interlace > 1 or not width or not height:
        raise BadImage(f"{name} is damaged: its header describes no possible PNG; write it again")
    return PngLayout(width, height, depth, color, interlaced=bool(interlace))


def _keep(layout: PngLayout, kind: bytes, content: bytes) -> None:
    if kind == b"PLTE":
        layout.palette = content
    elif kind == b"tRNS":
        layout.transparency = content
    elif kind == b"eXIf":
        layout.exif = content
    elif len(content) >= 4:
        layout.frames = max(1, int.from_bytes(content[:4], "big"))
