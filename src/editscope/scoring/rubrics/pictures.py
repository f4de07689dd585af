"""Pictures as judges see them: scaled, cropped, and encoded once however often they are asked about."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from editscope.images import ImageLike, Pixels, load
from editscope.judges import Picture

QUALITY = 90
"""The JPEG quality of all pictures that go to a judge."""


class Shown(Mapping[str, Sequence[Picture]]):
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
    """Width and height when the longer side becomes ``side``, the other one rounded.

    >>> scaled_size(1600, 1200, 1024), scaled_size(3, 3000, 1024)
    ((1024, 768), (1, 1024))
    """
    longest = max(width, height)
    sides = (max(1, (2 * one * side + longest) // (2 * longest)) for one in (width, height))
    return next(sides), next(sides)


def with_side(pixels: Pixels, side: int) -> Pixels:
    """The picture with its longer side at exactly ``side`` pixels, by Lanczos; itself where it is so already."""
    height, width = pixels.shape[:2]
    size = scaled_size(width, height, side)
    if size == (width, height):
        return pixels
    from editscope.scoring.rubrics._lanczos import lanczos  # brings Numba, which no other part of a rubric needs

    return lanczos(pixels, size[1], size[0])


def at_most(pixels: Pixels, side: int) -> Pixels:
    """The picture with its longer side at most ``side`` pixels; 0 leaves every size as it is."""
    return with_side(pixels, side) if 0 < side < max(pixels.shape[:2]) else pixels


def jpeg(pixels: Pixels) -> Picture:
    """The picture as JPEG of quality 90."""
    from PIL import Image

    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "JPEG", quality=QUALITY)
    return Picture(target.getvalue())


def pixels_picture(pixels: Pixels, side: int) -> Picture:
    """Pixels as a judge sees them: at most ``side`` pixels, JPEG."""
    return jpeg(at_most(pixels, side))


def pictures_of(images: Sequence[ImageLike], side: int) -> tuple[Picture, ...]:
    """Pictures of a case as a judge sees them. Files are encoded once for all variants of their case."""
    return tuple(_picture_of(image, side) for image in images)


def _picture_of(image: ImageLike, side: int) -> Picture:
    if isinstance(image, (str, Path)):
        path = Path(image)
        try:
            found = path.stat()
        except OSError:
            found = None  # decoding it says what is wrong
        if found is not None:
            return _file_picture(path, found.st_size, found.st_mtime_ns, side)
    return pixels_picture(load(image), side)


@lru_cache(maxsize=64)
def _file_picture(path: Path, size: int, time_ns: int, side: int) -> Picture:
    return pixels_picture(load(path), side)
