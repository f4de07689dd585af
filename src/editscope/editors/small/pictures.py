"""Pictures as the small editor reads them: a grid of at most 256 × 256 pixels, each with the number of a color."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels

SIDE = 256
"""The longer side of what the network sees, in pixels."""
CELL = 8
"""Pixels along the side of a cell, which is one token of the network."""
CELLS = SIDE // CELL
COLORS = 16
"""The most colors that the network can choose from: those of the picture, then those of the sentence."""
OUTSIDE = 255
"""The value of a grid outside of the picture."""
BLOCK = 1 << 18
"""Pixels or colors that are processed together; more would take more memory and as much time."""
FEW = 256
"""Up to this many colors, a search for each is faster than a table of all possible colors."""
MERGED = 32
"""In a picture with too many colors, such as one with noise, the levels within which colors count as one."""
LEAST = 0.001
"""The share of such a picture that a color needs, with all that count as it; edges in JPEGs have less."""
NEAR = 12
"""Levels within which a pixel still counts as a flat color."""

Grid = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class GridSize:
    """How the pixels of a picture become those of the grid: the middle one of each ``step`` × ``step``."""

    width: int
    height: int
    step: float

    @property
    def columns(self) -> int:
        """Pixels of the grid from left to right that show the picture."""
        return max(1, round(self.width / self.step))

    @property
    def rows(self) -> int:
        """Pixels of the grid from top to bottom that show the picture."""
        return max(1, round(self.height / self.step))

    def places(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The columns and rows of the picture that the grid shows.

        >>> GridSize(1024, 576, 4.0).places()[0][:3], GridSize(1024, 576, 4.0).rows
        (array([ 2,  6, 10]), 144)
        """
        columns = ((np.arange(self.columns) + 0.5) * self.step).astype(np.int64)
        rows = ((np.arange(self.rows) + 0.5) * self.step).astype(np.int64)
        return np.minimum(columns, self.width - 1), np.minimum(rows, self.height - 1)


def grid_size(width: int, height: int) -> GridSize:
    """The grid of a picture: its longer side fills it."""
    return GridSize(width, height, max(width, height) / SIDE)


def shown(plane: npt.NDArray[np.uint8], size: GridSize) -> Grid:
    """The pixels of a plane that the grid shows, with ``OUTSIDE`` around them."""
    columns, rows = size.places()
    grid = np.full((SIDE, SIDE), OUTSIDE, np.uint8)
    grid[: len(rows), : len(columns)] = plane[np.ix_(rows, columns)]
    return grid


@dataclass(frozen=True, eq=False)
class ReadPicture:
    """A picture as numbers of colors. ``plane`` has the whole picture, ``grid`` what the network sees.

    ``colors`` are those to choose from, and ``marks`` tells which of them the sentence names (1, 2 …; 0 for none).
    Pixels of other colors have the number of the nearest one.
    """

    plane: npt.NDArray[np.uint8]
    grid: Grid
    colors: npt.NDArray[np.uint8]
    marks: npt.NDArray[np.uint8]
    size: GridSize
    flat: float = 1.0
    """The share of pixels that have one of its colors, or nearly so."""


def read_picture(picture: Pixels, codes: Sequence[tuple[int, int, int]]) -> ReadPicture:
    """Read a picture, given the color codes of its instruction."""
    height, width = picture.shape[:2]
    values, counts = np.unique(_packed(picture), return_counts=True)
    drawn = len(values) <= COLORS - len(codes)
    own = _unpacked(values if drawn else values[np.sort(_merged(values, counts, COLORS - len(codes)))])
    if not drawn:
        own = _snapped(own, codes)
    number = np.concatenate([_nearest(values[at : at + BLOCK], own) for at in range(0, len(values), BLOCK)])
    plane = np.empty((height, width), np.uint8)
    rows = max(1, BLOCK // width)
    table = np.empty(1 << 24 if len(values) > FEW else 0, np.uint8)
    if table.size:
        table[values] = number
    for at in range(0, height, rows):
        packed = _packed(picture[at : at + rows])
        plane[at : at + rows] = table[packed] if table.size else number[np.searchsorted(values, packed)]
    colors, marks = choices(own, codes)
    size = grid_size(width, height)
    flat = 1.0 if drawn else _flat_share(values, counts, own[number])
    return ReadPicture(plane, shown(plane, size), colors, marks, size, flat)


def _merged(values: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    """The places of the most frequent colors; those near a more frequent one are left out."""
    colors, left = _unpacked(values).astype(np.int16), counts.copy()
    places: list[int] = []
    while len(places) < most and left.any():
        place = int(left.argmax())
        near = np.abs(colors - colors[place]).max(axis=1) <= MERGED
        if not places or left[near].sum() >= LEAST * counts.sum():
            places.append(place)
        left[near] = 0
    return np.array(places, np.int64)


def _snapped(own: npt.NDArray[np.uint8], codes: Sequence[tuple[int, int, int]]) -> npt.NDArray[np.uint8]:
    """Colors, with those replaced that are close to one that the sentence names."""
    snapped = own.copy()
    for code in codes:
        away = np.abs(own.astype(np.int16) - np.array(code, np.int16)).max(axis=1)
        if away.min() <= NEAR:
            snapped[away.argmin()] = code
    return snapped


def _flat_share(values: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64], stands: npt.NDArray[np.uint8]) -> float:
    away = np.abs(_unpacked(values).astype(np.int16) - stands).max(axis=1)
    return float(counts[away <= NEAR].sum() / counts.sum())


def _packed(picture: Pixels) -> npt.NDArray[np.uint32]:
    """The colors of a picture, each as one number."""
    packed = picture[..., 0].astype(np.uint32)
    for channel in (1, 2):
        packed <<= 8
        packed |= picture[..., channel]
    return packed


def _unpacked(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    return np.stack([values >> 16, (values >> 8) & 255, values & 255], axis=1).astype(np.uint8)


def _nearest(values: npt.NDArray[np.uint32], own: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The place of the nearest of some colors; of equally near ones, the first."""
    away = ((_unpacked(values)[:, None].astype(np.int32) - own[None].astype(np.int32)) ** 2).sum(2)
    places: npt.NDArray[np.uint8] = away.argmin(1).astype(np.uint8)
    return places


def choices(
    own: npt.NDArray[np.uint8], codes: Sequence[tuple[int, int, int]]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """The colors to choose from and their marks: the picture's own, then those that only the sentence has."""
    colors = [tuple(int(value) for value in color) for color in own]
    marks = [0] * len(colors)
    for place, code in enumerate(codes):
        if code not in colors:
            colors.append(code)
            marks.append(0)
        marks[colors.index(code)] = place + 1
    return np.array(colors, np.uint8), np.array(marks, np.uint8)
