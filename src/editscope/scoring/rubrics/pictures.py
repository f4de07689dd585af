"""Pictures as judges see them: scaled, cropped, and encoded once, however many calls show them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from editscope.images import ImageLike, Pixels, encode_png, load, stored_jpeg
from editscope.judges import Picture

QUALITY = 90
"""The JPEG quality of pictures that go to a judge, unless a protocol says otherwise."""
UNCHANGED = 0
"""The quality of pictures that lose nothing: a JPEG file goes as it is, all else as PNG."""
KEPT = 16
"""How many files are kept encoded: more than a case has, and few, since unchanged ones have megabytes."""


@dataclass(frozen=True, slots=True)
class PictureFormat:
    """How pictures go to a judge: the longer side at most ``side`` pixels (0: as it is), JPEG of this quality."""

    side: int = 0
    quality: int = QUALITY


class LazyPictures(Mapping[str, Sequence[Picture]]):
    """Pictures by name that are made when a prompt first asks for them, and then kept."""

    def __init__(self, **makers: Callable[[], Sequence[Picture]]) -> None:
        self._makers = makers
        self._made: dict[str, Sequence[Picture]] = {}

    def __getitem__(self, name: str) -> Sequence[Picture]:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def scaled_size(width: int, height: int, side: int) -> tuple[int, int]:
    """Width and height when the longer side becomes ``side``, fractions of the other one cut off.

    >>> scaled_size(1600, 1200, 1024), scaled_size(1000, 333, 1024), scaled_size(3, 3000, 1024)
    ((1024, 768), (1024, 340), (1, 1024))
    """
    longest = max(width, height)
    return max(1, width * side // longest), max(1, height * side // longest)


def with_side(pixels: Pixels, side: int) -> Pixels:
    """The picture with its longer side at exactly ``side`` pixels, by Lanczos; itself where it is so already."""
    height, width = pixels.shape[:2]
    size = scaled_size(width, height, side)
    if size == (width, height):
        return pixels
    from editscope.scoring.rubrics._lanczos import lanczos  # brings Numba, which no other part of a rubric needs

    return lanczos(pixels, size[1], size[0])


def jpeg(pixels: Pixels, quality: int = QUALITY) -> Picture:
    """The picture as JPEG."""
    from PIL import Image

    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "JPEG", quality=quality)
    return Picture(target.getvalue())


def pixels_picture(pixels: Pixels, form: PictureFormat) -> Picture:
    """Pixels as a judge sees them. What is too large is shrunk by Pillow's ``thumbnail``, as the releases do it."""
    from PIL import Image

    if 0 < form.side < max(pixels.shape[:2]):
        image = Image.fromarray(pixels)
        image.thumbnail((form.side, form.side))
        pixels = np.asarray(image)
    if form.quality == UNCHANGED:
        # The cache finds verdicts by these bytes.
        return Picture(encode_png(pixels, palette=False, fixed_bytes=True), "image/png")
    return jpeg(pixels, form.quality)


def pictures_of(images: Sequence[ImageLike], form: PictureFormat) -> tuple[Picture, ...]:
    """Pictures of a case as a judge sees them. Files are encoded once for all variants of their case."""
    return tuple(_picture_of(image, form) for image in images)


def _picture_of(image: ImageLike, form: PictureFormat) -> Picture:
    if isinstance(image, (str, Path)):
        path = Path(image)
        try:
            status = path.stat()
        except OSError:
            status = None  # decoding it says what is wrong
        if status is not None:
            return _file_picture(path, status.st_size, status.st_mtime_ns, form)
    return pixels_picture(load(image), form)


@lru_cache(maxsize=KEPT)
def _file_picture(path: Path, size: int, time_ns: int, form: PictureFormat) -> Picture:
    stored = stored_jpeg(path) if form == PictureFormat(0, UNCHANGED) else None
    return pixels_picture(load(path), form) if stored is None else Picture(stored)
