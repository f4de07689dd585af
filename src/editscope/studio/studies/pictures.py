"""Pictures of a study: copies that tell nothing about the model but what they show.

Every picture of an item has the same size, format and compression, no metadata, and a name made of its bytes. A file
of a model with another size or aspect ratio is scaled to fit, on gray.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editscope.errors import BadImage, BadInput
from editscope.images import ImageLike, Pixels, encode_lossless, load, resize
from editscope.studio.failures import Missing

FOLDER = "studies"
LONGEST_SIDE = 1536
GRAY = 128
SAME_SHAPE = 0.01
"""Aspect ratios that differ by less are taken for the same."""


class PictureFolder:
    """The pictures of all studies of a studio, by the hash of their bytes."""

    def __init__(self, own_folder: Path) -> None:
        self._folder = own_folder / FOLDER

    def keep(self, pixels: Pixels) -> dict[str, Any]:
        """Store a picture; what the database keeps of it."""
        data = encode_lossless(pixels)
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_name(f".{digest}.{os.getpid()}")
            partial.write_bytes(data)
            partial.replace(path)
        return {"digest": digest, "width": pixels.shape[1], "height": pixels.shape[0]}

    def read(self, digest: str) -> bytes:
        """The bytes of a picture."""
        try:
            return self._path(digest).read_bytes()
        except FileNotFoundError:
            raise Missing("This picture is no longer in the studio's folder.") from None

    def _path(self, digest: str) -> Path:
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            raise Missing("There is no such picture.")
        return self._folder / digest[:2] / f"{digest}.webp"


def canvas_of(source: Pixels) -> tuple[int, int]:
    """Width and height that all pictures of an item get: the source's, within the longest side.

    >>> canvas_of(np.zeros((1000, 3072, 3), np.uint8))
    (1536, 500)
    """
    height, width = source.shape[:2]
    factor = min(1.0, LONGEST_SIDE / max(height, width))
    return max(1, round(width * factor)), max(1, round(height * factor))


def fitted(pixels: Pixels, width: int, height: int) -> Pixels:
    """A picture at a size: scaled, and on gray where its shape is another."""
    tall, wide = pixels.shape[:2]
    if (wide, tall) == (width, height):
        return pixels
    if abs(wide / tall * height / width - 1.0) <= SAME_SHAPE:
        return resize(pixels, width, height)
    factor = min(width / wide, height / tall)
    inside = resize(pixels, max(1, round(wide * factor)), max(1, round(tall * factor)))
    canvas = np.full((height, width, 3), GRAY, np.uint8)
    top, left = (height - inside.shape[0]) // 2, (width - inside.shape[1]) // 2
    canvas[top : top + inside.shape[0], left : left + inside.shape[1]] = inside
    return canvas


def damaged(pixels: Pixels, seed: int) -> Pixels:
    """A picture that nobody prefers: its blocks shuffled."""
    height, width = pixels.shape[:2]
    side = max(1, min(height, width) // 6)
    rows, columns = height // side, width // side
    blocks = [
        pixels[r * side : (r + 1) * side, c * side : (c + 1) * side].copy() for r in range(rows) for c in range(columns)
    ]
    order = np.random.default_rng(seed).permutation(len(blocks))
    broken = np.full_like(pixels, GRAY)
    for place, i in enumerate(order.tolist()):
        r, c = divmod(place, columns)
        broken[r * side : (r + 1) * side, c * side : (c + 1) * side] = blocks[i][::-1, ::-1]
    return broken


def loaded(picture: ImageLike, what: str) -> Pixels:
    """The pixels of a picture; BadInput that says which one cannot be used."""
    try:
        return load(picture)
    except BadImage as error:
        raise BadInput(f"{what}: {error}") from error


def prepared(sources: Sequence[Pixels]) -> tuple[list[Pixels], tuple[int, int]]:
    """The sources at the size of the item, which is that of the first one, and that size."""
    width, height = canvas_of(sources[0])
    return [fitted(source, width, height) for source in sources], (width, height)
