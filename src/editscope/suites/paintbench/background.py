"""Solid and striped backgrounds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.raster import Plane

Numbers: TypeAlias = npt.NDArray[np.floating]

ORIENTATIONS = (0, 45, 90)
BANDS = (6, 8, 10)
AMPLITUDE = (1.0, 4.0)
WAVES = (4, 10)
WAVEFORMS = ("line", "sine", "square", "triangle", "sawtooth")


@dataclass(frozen=True, slots=True)
class Stripes:
    """Bands of two colors; their edges follow a wave.

    orientation: 0 bands run left to right, 90 top to bottom, 45 from bottom left to top right;
    band: width of one band in percent of the canvas width; amplitude: by how much the wave swings to either side, in
    percent of the canvas width; waves: how often it repeats along a length equal to the canvas width.
    """

    orientation: int
    band: int
    waveform: str
    amplitude: float
    waves: int

    @staticmethod
    def random(rng: SeededRandom) -> Stripes:
        """Parameters drawn from a seed."""
        orientation, band, waveform = rng.choice(ORIENTATIONS), rng.choice(BANDS), rng.choice(WAVEFORMS)
        return Stripes(orientation, band, waveform, round(rng.uniform(*AMPLITUDE), 2), rng.integer(*WAVES))

    def describe(self) -> dict[str, Any]:
        """For the problem's description."""
        return asdict(self)

    def plane(self, width: int, height: int) -> Plane:
        """Color index 0 or 1 of every pixel."""
        band = self.band / 100 * width
        if self.orientation == 0:
            offsets = self._offsets(np.arange(width) + 0.5, width)
            return _bands(np.arange(height) + 0.5, offsets, band, False)
        if self.orientation == 90:
            offsets = self._offsets(np.arange(height) + 0.5, width)
            return _bands(np.arange(width) + 0.5, offsets, band, True)
        # Along a diagonal, x - y is the place on the band and x + y the place across it: both from tables.
        root = math.sqrt(0.5)
        offsets = self._offsets((np.arange(width + height - 1) - (height - 1)) * root, width)
        across = (np.arange(width + height - 1) + 1.0) * root
        return _diagonal_bands(across, offsets, band, width, height)

    def _offsets(self, along: Numbers, width: int) -> Numbers:
        phase = np.mod(along * self.waves / width, 1.0)
        if self.waveform == "sine":
            wave = np.array([round(math.sin(2 * math.pi * float(p)), 9) for p in phase])
        elif self.waveform == "square":
            wave = np.where(phase < 0.5, 1.0, -1.0)
        elif self.waveform == "triangle":
            wave = 1 - 4 * np.abs(phase - 0.5)
        elif self.waveform == "sawtooth":
            wave = 2 * phase - 1
        else:
            wave = np.zeros_like(phase)
        return self.amplitude / 100 * width * wave


@compiled("f8[::1], f8[::1], f8, b1")
def _bands(across: Numbers, offsets: Numbers, band: float, upright: bool) -> Plane:
    shape = (len(offsets), len(across)) if upright else (len(across), len(offsets))
    plane = np.empty(shape, np.uint8)
    for i in range(shape[0]):
        for j in range(shape[1]):
            place = across[j] + offsets[i] if upright else across[i] + offsets[j]
            plane[i, j] = math.floor(place / band) & 1
    return plane


@compiled("f8[::1], f8[::1], f8, i8, i8")
def _diagonal_bands(across: Numbers, offsets: Numbers, band: float, width: int, height: int) -> Plane:
    plane = np.empty((height, width), np.uint8)
    for y in range(height):
        for x in range(width):
            place = across[x + y] + offsets[x - y + height - 1]
            plane[y, x] = math.floor(place / band) & 1
    return plane
