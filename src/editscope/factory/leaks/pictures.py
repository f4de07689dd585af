"""Pictures of test suites: copies found by perceptual hash, and confirmed by comparing small gray pictures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from editscope.factory.checks.perceptual_hash import SIDE, Gray, NearHashes, hash_of_gray, small_gray
from editscope.images import Pixels

DISTANCE = 10
"""Bits in which the hash of a copy may differ. All made copies (resized, compressed, cropped by 2 %) were within 10;
unrelated charts come as near, so that what is near is compared once more."""
ALIKE = 0.94
"""The correlation of small gray pictures from which one is a copy."""
MAYBE = 0.6
"""The correlation below which no crop of the one is looked for in the other."""
KEPT_SIDE, COMPARED_SIDE = 48, 16
FLATTEST = 1.0
"""The standard deviation in gray below which a picture shows nothing that could be recognized."""
_CUTS = tuple(product((0, 1), repeat=4))


def orientations(gray: Gray) -> Iterator[Gray]:
    """A picture as it is, turned by 90, 180 and 270 degrees, and all of these mirrored."""
    for turns in range(4):
        turned = np.rot90(gray, turns)
        yield turned
        yield turned[:, ::-1]


def hashes_and_gray(pixels: Pixels) -> tuple[list[int], Gray]:
    """What an index keeps of a picture: the hash of each orientation, and the picture in gray, 48 × 48."""
    small = small_gray(pixels, SIDE)
    return [hash_of_gray(one) for one in orientations(small)], small_gray(pixels, KEPT_SIDE)


class PictureIndex:
    """The pictures of suites, and the one that a new picture is a copy of."""

    def __init__(self, hashes: npt.NDArray[np.uint64], grays: npt.NDArray[np.uint8], distance: int = DISTANCE) -> None:
        self._grays = grays
        self._near: NearHashes[tuple[int, int]] = NearHashes(distance)
        flat = grays.reshape(len(grays), -1).std(axis=1) < FLATTEST if len(grays) else []
        for place, row in enumerate(hashes.tolist()):
            if not flat[place]:
                for turn, value in enumerate(row):
                    self._near.add(value, (place, turn))

    def copied(self, pixels: Pixels) -> int | None:
        """The place of the picture that this one is a copy of; None where it is of none."""
        small = small_gray(pixels, SIDE)
        near = self._near.near(hash_of_gray(small))
        if not near:
            return None
        gray = small_gray(pixels, KEPT_SIDE)
        if gray.std() < FLATTEST:
            return None
        seen = standardized(shrunk(gray))
        return next((place for _, (place, turn) in near if self._is_copy(gray, seen, place, turn)), None)

    def _is_copy(self, gray: Gray, seen: npt.NDArray[np.float64], place: int, turn: int) -> bool:
        kept = list(orientations(self._grays[place]))[turn]
        plain = float(seen @ standardized(shrunk(kept)))
        if plain >= ALIKE or plain < MAYBE:
            return plain >= ALIKE
        return any(
            float(whole @ standardized(shrunk(part))) >= ALIKE
            for whole, other in ((seen, kept), (standardized(shrunk(kept)), gray))
            for part in _crops(other)
        )


def _crops(gray: Gray) -> Iterator[Gray]:
    """A picture without one of 48 rows and columns at some of its edges."""
    height, width = gray.shape
    for top, bottom, left, right in _CUTS[1:]:
        yield gray[top : height - bottom, left : width - right]


def shrunk(gray: Gray) -> npt.NDArray[np.float64]:
    """A small gray picture, 16 × 16, each pixel the mean of its area."""
    made: npt.NDArray[np.float64] = _areas(gray.shape[0]) @ gray.astype(np.float64) @ _areas(gray.shape[1]).T
    return made


def _areas(side: int) -> npt.NDArray[np.float64]:
    if side not in _AREAS:
        edges = np.linspace(0, side, COMPARED_SIDE + 1)
        pixels = np.arange(side)
        overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
        _AREAS[side] = np.clip(overlap, 0, None) * COMPARED_SIDE / side
    return _AREAS[side]


_AREAS: dict[int, npt.NDArray[np.float64]] = {}


def standardized(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Values around 0 with length 1, so that the product of two is their correlation."""
    centered = values.ravel() - values.mean()
    length = float(np.sqrt(centered @ centered))
    scaled: npt.NDArray[np.float64] = centered / length if length > 1e-9 else centered * 0.0
    return scaled
