"""Pictures of an annotation project: as they are where browsers show them, else as PNG, or small."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from editscope.errors import BadImage
from editscope.studio.failures import Missing

SMALL = 160
SIDES = (0, SMALL)
"""The longer sides that a picture can be asked for in; 0 is its full size."""
SHOWN = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


@dataclass(frozen=True, slots=True)
class AnnotatedPicture:
    """The bytes of a picture, what they are, and a tag that changes with them."""

    data: bytes
    kind: str
    tag: str


def picture_tag(path: Path, side: int) -> str:
    """What a browser can ask about to learn whether a picture has changed."""
    about = path.stat()
    return f'"{about.st_mtime_ns:x}-{about.st_size:x}-{side}"'


def read_annotated(path: Path, side: int) -> AnnotatedPicture:
    """A picture of a data folder; Missing where it does not decode."""
    from editscope.images import encode_png, encode_thumbnail, load, probe, read_picture, thumbnail

    try:
        longest = max(probe(path))
        if side and longest > side:
            return AnnotatedPicture(
                encode_thumbnail(thumbnail(load(path), side)), "image/webp", picture_tag(path, side)
            )
        data = read_picture(path)
        kind = _kind(data)
        return AnnotatedPicture(data if kind else encode_png(load(path)), kind or "image/png", picture_tag(path, side))
    except (BadImage, FileNotFoundError) as error:
        raise Missing("This picture is gone or cannot be decoded.") from error


def _kind(data: bytes) -> str:
    """What a file is by its first bytes; "" for what browsers may not show."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in SHOWN.items() if data.startswith(start)), "")
