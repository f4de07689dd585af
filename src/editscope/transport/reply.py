"""Replies of a server: one request sent, its body decompressed and read up to a limit."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from editscope.images import MAX_PIXELS

MOST_TEXT = 1_000_000
"""Bytes of a reply without pictures, decompressed: a hundred times what a long verdict has."""

MOST_PICTURE = 3 * MAX_PIXELS
"""Bytes of a picture in a file: the pixels of the largest one that is decoded, not compressed at all."""

MOST_WITH_PICTURE = 4 * MAX_PIXELS + MOST_TEXT
"""Bytes of a JSON reply with a picture in it: base64 is a third longer."""

STEEP, STEEP_FROM = 50, 16_000_000
"""A body of more bytes than this that is so many times as large as what was sent is a bomb, not a picture."""

PIECE = 1 << 16
LARGE = 1 << 20
"""A body of more bytes than this is sent in pieces."""
GZIP = b"\x1f\x8b"
ENCODINGS = "gzip, deflate"
"""What we can decompress piece by piece; nothing else is asked for."""


class TooLarge(Exception):
    """A body that is larger than any honest one; the text says how large it may be."""


class Unreadable(Exception):
    """A body in an encoding that nobody asked for, or that is broken."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as it came."""

    status: int
    headers: Mapping[str, str]
    content: bytes


async def send(
    session: Any,
    method: str,
    url: str,
    *,
    data: Any = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    most: int = MOST_TEXT,
) -> Reply:
    """The reply to one request, whatever its status. Redirects are not followed; ``most`` limits the body."""
    if isinstance(data, bytes) and len(data) > LARGE:
        data = BytesIO(data)
    async with (
        asyncio.timeout(timeout_s),
        session.request(method, url, data=data, headers=headers, allow_redirects=False) as response,
    ):
        return Reply(response.status, response.headers, await body(response, most))


async def body(response: Any, most: int = MOST_TEXT) -> bytes:
    """The body of a response, decompressed while it comes; TooLarge as soon as it is larger than ``most``.

    Of an error page, which is only there to be quoted, the first ``MOST_TEXT`` bytes are enough.
    """
    is_error = response.status >= 300
    most = min(most, MOST_TEXT) if is_error else most
    content = bytearray()
    async for piece in _decompressed(response):
        content += piece
        if len(content) > most:
            response.close()
            if is_error:
                return bytes(content[:most])
            raise TooLarge(f"more than {most / 1e6:,.0f} MB")
    return bytes(content)


async def _decompressed(response: Any) -> AsyncIterator[bytes]:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    pieces = response.content.iter_chunked(PIECE)
    if encoding in ("", "identity"):
        async for piece in pieces:
            yield piece
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        response.close()
        raise Unreadable("the reply is compressed in a way that was not asked for")
    inflate, came, went = None, 0, 0
    try:
        async for piece in pieces:
            came += len(piece)
            while piece:
                if inflate is None or (inflate.eof and piece.startswith(GZIP)):  # gzip may have several members
                    inflate = zlib.decompressobj(_window(encoding, piece))
                elif inflate.eof:
                    break  # padding
                data = inflate.decompress(piece, PIECE)
                went += len(data)
                if went > STEEP_FROM and went > STEEP * came:
                    raise TooLarge(f"{went / came:,.0f} times what was sent")
                yield data
                piece = inflate.unconsumed_tail or inflate.unused_data
        while inflate is not None and not inflate.eof and (data := inflate.decompress(b"", PIECE)):
            yield data
    except zlib.error as error:
        raise Unreadable("the reply is compressed, and broken") from error
    if inflate is not None and not inflate.eof:
        raise Unreadable("the reply is compressed, and cut off")


def _window(encoding: str, first: bytes) -> int:
    """What zlib is told of the format; "deflate" comes with and without a header."""
    if encoding != "deflate":
        return 16 + zlib.MAX_WBITS
    return zlib.MAX_WBITS if first[0] & 15 == zlib.DEFLATED else -zlib.MAX_WBITS
