"""Fingerprints of pictures, and pictures whose fingerprints are near each other, found without comparing all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from editscope.errors import BadInput
from editscope.factory.checks.change import measured
from editscope.factory.extra import factory_package
from editscope.images import Pixels

SHORT, LONG = 8, 16
"""Sides of the two hashes: 64 bits to find candidates, 256 to tell them apart."""


def fingerprint(pixels: Pixels) -> tuple[str, str]:
    """Two perceptual hashes of a picture as hexadecimal digits: 64 bits and 256 bits.

    Each is the sign, against their median, of the lowest 8 × 8 or 16 × 16 coefficients of a cosine transform of the
    gray picture (pHash, from the package ImageHash). Size, compression and slight changes of light hardly move them.

    >>> picture = np.tile(np.arange(256, dtype=np.uint8)[:, None, None], (1, 256, 3))
    >>> [len(one) for one in fingerprint(picture)]
    [16, 64]
    """
    imagehash = factory_package("imagehash", "fingerprints of pictures")
    images = factory_package("PIL.Image", "fingerprints of pictures")
    picture = images.fromarray(np.ascontiguousarray(measured(pixels, 512)))
    return str(imagehash.phash(picture, SHORT)), str(imagehash.phash(picture, LONG))


def bits_apart(first: str, second: str) -> int:
    """The bits in which two hashes of one length differ.

    >>> bits_apart("ff00", "fe01")
    2
    """
    return (int(first, 16) ^ int(second, 16)).bit_count()


class NearHashes:
    """Hashes of 64 bits, kept so that those within some bits of another are found in a few look-ups.

    A hash is cut into four bands of 16 bits. Where two differ in at most ``most`` bits, one of the bands differs in at
    most ``most // 4`` of them: it is enough to look at the entries of each band that are that near.

    >>> kept = NearHashes(7)
    >>> kept.add("00000000000000ff", "a")
    >>> list(kept.near("00000000000000fe")), list(kept.near("ffffffffffffffff"))
    (['a'], [])
    """

    BANDS, WIDTH, MOST = 4, 16, 11

    def __init__(self, most: int) -> None:
        if not 0 <= most <= self.MOST:
            raise BadInput(f"{most} bits are too many or too few for near duplicates; choose from 0 to {self.MOST}")
        self.most = most
        reach = most // self.BANDS
        ones = [0] + [1 << i for i in range(self.WIDTH)]
        masks = {0} if reach == 0 else set(ones) if reach == 1 else {a ^ b for a in ones for b in ones}
        self._masks = sorted(masks)
        self._kept: list[tuple[int, str]] = []
        self._bands: list[dict[int, list[int]]] = [{} for _ in range(self.BANDS)]

    def add(self, value: str, name: str) -> None:
        """Keep a hash under a name."""
        number = int(value, 16)
        for band, key in zip(self._bands, self._keys(number), strict=True):
            band.setdefault(key, []).append(len(self._kept))
        self._kept.append((number, name))

    def near(self, value: str) -> Iterator[str]:
        """The names of hashes that are near, in the order in which they came."""
        number = int(value, 16)
        places: set[int] = set()
        for band, key in zip(self._bands, self._keys(number), strict=True):
            for mask in self._masks:
                entries = band.get(key ^ mask)
                if entries is not None:
                    places.update(entries)
        for place in sorted(places):
            other, name = self._kept[place]
            if (other ^ number).bit_count() <= self.most:
                yield name

    def _keys(self, number: int) -> Iterable[int]:
        return [(number >> (self.WIDTH * band)) & 0xFFFF for band in range(self.BANDS)]
