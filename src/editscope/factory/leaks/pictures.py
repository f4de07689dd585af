"""Pictures of test suites: copies found by perceptual hash, and confirmed by comparing small gray pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.factory.checks.perceptual_hash import MOST_DISTANCE, SIDE, Gray, hash_of_gray, small_color, small_gray
from editscope.images import Pixels

DISTANCE = 10
"""Bits in which the hash of a copy may differ: most resized, compressed and slightly cropped copies are within 10.
Unrelated charts come as near, so that what is near is compared once more."""
ALIKE = 0.94
"""The correlation of small gray pictures from which one is a copy."""
SURE = 0.985
"""The correlation in gray from which colors are not asked: a copy may be brighter, or gray."""
COLORED = 0.8
"""The correlation in color that a copy has otherwise: scenes with one shape in the same place differ in color."""
MAYBE = 0.6
"""The correlation below which no crop of the one is looked for in the other."""
KEPT_SIDE, COMPARED_SIDE, TURNS = 48, 16, 8
FLATTEST = 1.0
"""The standard deviation in gray below which a picture shows nothing that could be recognized."""
_CUTS = tuple(product((0, 1), repeat=4))


def orientations(picture: Gray) -> Iterator[Gray]:
    """A picture as it is, turned by 90, 180 and 270 degrees, and all of these mirrored."""
    return (turned(picture, turn) for turn in range(TURNS))


def turned(picture: Gray, turn: int) -> Gray:
    """One of the orientations of a picture."""
    found = np.rot90(picture, turn // 2)
    return found[:, ::-1] if turn % 2 else found


@dataclass(frozen=True, slots=True, eq=False)
class PictureTraces:
    """What an index keeps of pictures: hashes of all orientations, and small copies in gray and in color."""

    hashes: npt.NDArray[np.uint64]
    grays: npt.NDArray[np.uint8]
    colors: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.hashes)


def traces_of(pictures: Iterable[Pixels]) -> PictureTraces:
    """What an index keeps of pictures."""
    hashes, grays, colors = [], [], []
    for pixels in pictures:
        hashes.append([hash_of_gray(one) for one in orientations(small_gray(pixels, SIDE))])
        grays.append(small_gray(pixels, KEPT_SIDE))
        colors.append(small_color(pixels, COMPARED_SIDE))
    return PictureTraces(
        np.array(hashes, np.uint64).reshape(-1, TURNS),
        np.array(grays, np.uint8).reshape(-1, KEPT_SIDE, KEPT_SIDE),
        np.array(colors, np.uint8).reshape(-1, COMPARED_SIDE, COMPARED_SIDE, 3),
    )


def joined(traces: Sequence[PictureTraces]) -> PictureTraces:
    """Several lists of traces as one."""
    empty = traces_of(())
    return PictureTraces(
        *(np.concatenate([getattr(one, name) for one in (empty, *traces)]) for name in ("hashes", "grays", "colors"))
    )


class PictureIndex:
    """The pictures of suites, and the one that a new picture is a copy of."""

    def __init__(self, traces: PictureTraces, distance: int = DISTANCE) -> None:
        if not 0 <= distance <= MOST_DISTANCE:
            raise BadInput(f"the distance of hashes is {distance}; write a whole number from 0 to {MOST_DISTANCE}")
        self._distance = distance
        spread = traces.grays.reshape(len(traces), KEPT_SIDE**2).std(axis=1)
        self._places = np.flatnonzero(spread >= FLATTEST)
        self._hashes, self._traces = traces.hashes[self._places], traces

    def copied(self, pixels: Pixels) -> int | None:
        """The place of the picture that this one is a copy of; None where it is of none."""
        small = small_gray(pixels, SIDE)
        # All hashes at once: scenes of one benchmark have so many bits in common that no index skips many of them.
        apart = np.bitwise_count(self._hashes ^ np.uint64(hash_of_gray(small)))
        rows, turns = np.nonzero(apart <= self._distance)
        if not len(rows):
            return None
        gray = small_gray(pixels, KEPT_SIDE)
        if gray.std() < FLATTEST:
            return None
        color = small_color(pixels, COMPARED_SIDE)
        for nearest in np.argsort(apart[rows, turns], kind="stable"):
            place = int(self._places[rows[nearest]])
            if self._is_copy(gray, color, place, int(turns[nearest])):
                return place
        return None

    def _is_copy(self, gray: Gray, color: Gray, place: int, turn: int) -> bool:
        kept = turned(self._traces.grays[place], turn)
        seen, known = standardized(shrunk(gray)), standardized(shrunk(kept))
        alike = float(seen @ known)
        if MAYBE <= alike < ALIKE:
            alike = max(
                float(whole @ standardized(shrunk(part)))
                for whole, other in ((seen, kept), (known, gray))
                for part in _crops(other)
            )
        if not ALIKE <= alike < SURE:
            return alike >= SURE
        colors = standardized(turned(self._traces.colors[place], turn)), standardized(color)
        return float(colors[0] @ colors[1]) >= COLORED


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


def standardized(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Values around 0 with length 1, so that the product of two is their correlation."""
    centered = values.astype(np.float64).ravel() - values.mean()
    length = float(np.sqrt(centered @ centered))
    scaled: npt.NDArray[np.float64] = centered / length if length > 1e-9 else centered * 0.0
    return scaled
