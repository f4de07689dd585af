"""Pictures as they stand in a JSON reply: base64, data URLs, addresses."""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from editscope.transport.messages import NotAnAnswer

if TYPE_CHECKING:
    from editscope.editors.hosted.exchange import Exchange


def from_base64(text: str | bytes) -> bytes:
    """The bytes behind base64, line breaks allowed; NotAnAnswer where it is broken.

    >>> from_base64("aGVsbG8=")
    b'hello'
    """
    data = text.encode("ascii", "replace") if isinstance(text, str) else text
    try:
        return b64decode(data, validate=True)
    except binascii.Error:
        pass
    try:
        return b64decode(b"".join(data.split()), validate=True)
    except binascii.Error as error:
        raise NotAnAnswer("the picture is not valid base64") from error


def from_data_url(url: str) -> bytes:
    """The bytes in a data URL.

    >>> from_data_url("data:image/png;base64,aGVsbG8=")
    b'hello'
    """
    head, comma, data = url.partition(",")
    if not comma:
        raise NotAnAnswer("the data URL of the picture has no data")
    return from_base64(data) if head.lower().endswith(";base64") else unquote_to_bytes(data)


async def from_url(url: str, exchange: Exchange) -> bytes:
    """The bytes of a picture that a reply gives as a data URL or as an address to fetch."""
    return from_data_url(url) if url[:5].lower() == "data:" else await exchange.fetch(url)
