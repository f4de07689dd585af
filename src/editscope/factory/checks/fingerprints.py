"""Fingerprints of pictures: two perceptual hashes as digits, a short and a long one."""

from __future__ import annotations

import numpy as np

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
