"""Connections to servers: one kind of session for all of them, and bodies that are read up to a limit."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

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
GZIP = b"\x1f\x8b"
ENCODINGS = "gzip, deflate"
"""What we can decompress piece by piece; nothing else is asked for."""


class TooLarge(Exception):
    """A body that is larger than any honest one; the text says how large it may be."""


class Unreadable(Exception):
    """A body in an encoding that nobody asked for, or that is broken."""


def session(
    base_url: str, *, headers: Mapping[str, str], timeout: Any = None, connector: Mapping[str, Any] | None = None
) -> Any:
    """A session with one server. Bodies are decompressed by ``body``, which stops at a limit, and nowhere else."""
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60.0, ttl_dns_cache=300, **(connector or {})),
        timeout=timeout or aiohttp.ClientTimeout(total=None),
        headers={"User-Agent": "editscope", "Accept-Encoding": ENCODINGS, **headers},
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=proxy_of(base_url),
        auto_decompress=False,
    )


def proxy_of(base_url: str) -> str | None:
    """The proxy that the environment names for this address; aiohttp's own way reads .netrc too, on every request."""
    from urllib.request import getproxies, proxy_bypass

    address = urlsplit(base_url)
    if address.hostname is None or proxy_bypass(address.hostname):
        return None
    return getproxies().get(address.scheme)


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
