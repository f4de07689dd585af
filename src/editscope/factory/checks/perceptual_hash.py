"""Perceptual hashes: 64 bits that stay nearly the same when a picture is resized or compressed again."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import Pixels

Label = TypeVar("Label", bound=Hashable)
Gray: TypeAlias = "npt.NDArray[np.uint8]"
SIDE = 32
"""The side of the square that a hash is computed from."""
BITS = 64
BANDS = 4
BAND_BITS = BITS // BANDS
MOST_DISTANCE = 15
"""The largest distance that an index is made for: beyond it, unrelated pictures are as near as copies."""


def phash(pixels: Pixels) -> int:
    """The perceptual hash of a picture, as ImageHash computes it: signs of the lowest 8 × 8 frequencies in gray.

    A picture of one color has no frequencies to compare; its hash says nothing.

    >>> phash(np.full((8, 8, 3), 200, np.uint8)) == phash(np.full((64, 64, 3), 200, np.uint8))
    True
    """
    return hash_of_gray(small_gray(pixels))


def small_gray(pixels: Pixels, side: int = SIDE) -> Gray:
    """A picture in gray, squeezed into a square."""
    image, lanczos = _image(pixels)
    return np.asarray(image.convert("L").resize((side, side), lanczos))


def small_color(pixels: Pixels, side: int) -> Pixels:
    """A picture squeezed into a square."""
    image, lanczos = _image(pixels)
    return np.asarray(image.resize((side, side), lanczos))


def _image(pixels: Pixels) -> tuple[Any, Any]:
    try:
        from PIL import Image
    except ImportError as error:
        raise BadInput(f"perceptual hashes need {error.name}: pip install 'editscope[factory]'") from error
    return Image.fromarray(np.ascontiguousarray(pixels)), Image.Resampling.LANCZOS


def hash_of_gray(gray: Gray) -> int:
    """The perceptual hash of a picture that ``small_gray`` has made small."""
    try:
        import imagehash
        from PIL import Image
    except ImportError as error:
        raise BadInput(f"perceptual hashes need {error.name}: pip install 'editscope[factory]'") from error
    found = imagehash.phash(Image.fromarray(np.ascontiguousarray(gray)))
    return int.from_bytes(np.packbits(found.hash.ravel()).tobytes(), "big")


def distance(first: int, second: int) -> int:
    """The number of bits in which two hashes differ.

    >>> distance(0b1011, 0b0010)
    2
    """
    return (first ^ second).bit_count()


class NearHashes(Generic[Label]):
    """Hashes with labels, and all of them within a distance of another hash.

    A hash is cut into four bands of 16 bits. Two hashes within a distance d agree in at least one band up to d // 4
    bits, so that only few of the others are looked at (multi-index hashing).

    >>> seen = NearHashes[str](distance=3)
    >>> seen.add(0b1111, "a")
    >>> seen.add(0b0011, "b")
    >>> seen.near(0b0111), seen.near(0xFF << 40)
    ([(1, 'a'), (1, 'b')], [])
    """

    def __init__(self, distance: int) -> None:
        if not 0 <= distance <= MOST_DISTANCE:
            raise BadInput(f"the distance of hashes is {distance}; write a whole number from 0 to {MOST_DISTANCE}")
        self.distance = distance
        self._labels: dict[int, list[Label]] = {}
        self._places: dict[int, int] = {}
        self._bands: list[dict[int, list[int]]] = [{} for _ in range(BANDS)]
        self._masks = _masks(distance // BANDS)

    def __len__(self) -> int:
        return sum(map(len, self._labels.values()))

    def add(self, value: int, label: Label) -> None:
        """Remember a hash. Several labels may have the same one."""
        if (there := self._labels.get(value)) is not None:
            there.append(label)
            return
        self._labels[value], self._places[value] = [label], len(self._places)
        for number, band in enumerate(_cut(value)):
            self._bands[number].setdefault(band, []).append(value)

    def near(self, value: int) -> list[tuple[int, Label]]:
        """Distances and labels of all hashes within the distance: the nearest first, then in the order of adding."""
        near: dict[int, int] = {}
        for number, band in enumerate(_cut(value)):
            buckets = self._bands[number]
            for mask in self._masks:
                for other in buckets.get(band ^ mask, ()):
                    if other not in near and (apart := (other ^ value).bit_count()) <= self.distance:
                        near[other] = apart
        ranked = sorted(near, key=lambda other: (near[other], self._places[other]))
        return [(near[other], label) for other in ranked for label in self._labels[other]]


def _cut(value: int) -> tuple[int, ...]:
    return tuple((value >> (BAND_BITS * number)) & ((1 << BAND_BITS) - 1) for number in range(BANDS))


def _masks(most: int) -> list[int]:
    """All patterns of at most so many bits of a band, those with few bits first."""
    return [
        sum(1 << bit for bit in bits) for number in range(most + 1) for bits in combinations(range(BAND_BITS), number)
    ]
