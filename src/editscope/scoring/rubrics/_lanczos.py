"""Lanczos resampling with the pixels of Pillow's ``resize``, in loops that the compiler can vectorize.

Pillow scales along rows, then along columns, in whole numbers: the weights have 22 binary digits after the point, and
what comes between is rounded to 8 bits. Here it is the same arithmetic, so that the result is equal byte by byte; the
rows are turned into columns first, because neighbors in a row then share their weights.
"""

from __future__ import annotations

from math import ceil, pi, sin
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled

Bytes: TypeAlias = npt.NDArray[np.uint8]
Ints: TypeAlias = npt.NDArray[np.int32]

BITS = 22
HALF = np.int32(1 << (BITS - 1))
SUPPORT = 3.0


def lanczos(pixels: Bytes, height: int, width: int) -> Bytes:
    """The picture in another size, equal to Pillow's ``resize((width, height), LANCZOS)``; any view is taken."""
    if pixels.shape[1] != width:
        turned = np.empty((width, pixels.shape[0], 3), np.uint8)
        _along_columns(_turned(pixels), _weights(pixels.shape[1], width), turned)
        pixels = _turned(turned)
    if pixels.shape[0] != height:
        out = np.empty((height, pixels.shape[1], 3), np.uint8)
        _along_columns(np.ascontiguousarray(pixels), _weights(pixels.shape[0], height), out)
        pixels = out
    return np.ascontiguousarray(pixels)


def _turned(pixels: Bytes) -> Bytes:
    out = np.empty((pixels.shape[1], pixels.shape[0], 3), np.uint8)
    _turn(pixels, out)
    return out


def _weights(size: int, wanted: int) -> Ints:
    """For each of the wanted places: where its pixels begin, how many there are, and their weights."""
    scale = size / wanted
    support = SUPPORT * max(scale, 1.0)
    table = np.zeros((wanted, 2 + 2 * ceil(support) + 1), np.int32)
    _fill_weights(size, scale, table)
    return table


@compiled()
def _fill_weights(size: int, scale: float, found: Ints) -> None:
    wide = max(scale, 1.0)
    support = SUPPORT * wide
    exact = np.empty(found.shape[1] - 2, np.float64)
    for place in range(len(found)):
        center = (place + 0.5) * scale
        first = max(int(center - support + 0.5), 0)
        count = min(int(center + support + 0.5), size) - first
        total = 0.0
        for tap in range(count):
            x = (tap + first - center + 0.5) * (1.0 / wide)
            weight = 0.0
            if -SUPPORT <= x < SUPPORT:
                weight = _sinc(x) * _sinc(x / SUPPORT)
            exact[tap] = weight
            total += weight
        found[place, 0], found[place, 1] = first, count
        for tap in range(count):
            weight = exact[tap] / total if total != 0.0 else exact[tap]
            found[place, 2 + tap] = int((-0.5 if weight < 0 else 0.5) + weight * (1 << BITS))


@compiled(inner=True)
def _sinc(x: float) -> float:
    if x == 0.0:
        return 1.0
    x = x * pi
    return sin(x) / x


@compiled()
def _along_columns(pixels: Bytes, weights: Ints, out: Bytes) -> None:
    across = pixels.shape[1] * 3
    rows, made = pixels.reshape(-1), out.reshape(-1)
    sums = np.empty(across, np.int32)
    for place in range(len(weights)):
        first, count = weights[place, 0], weights[place, 1]
        for i in range(across):
            sums[i] = HALF
        threes = count - count % 3
        for tap in range(0, threes, 3):  # three rows at a time, so that the sums are fetched and stored less often
            begins = (first + tap) * across
            a, b, c = weights[place, 2 + tap], weights[place, 3 + tap], weights[place, 4 + tap]
            row, next_row = rows[begins : begins + across], rows[begins + across : begins + 2 * across]
            last_row = rows[begins + 2 * across : begins + 3 * across]
            for i in range(across):
                two = np.int32(np.int32(a * np.int32(row[i])) + np.int32(b * np.int32(next_row[i])))
                sums[i] = np.int32(sums[i] + np.int32(two + np.int32(c * np.int32(last_row[i]))))
        for tap in range(threes, count):
            weight = weights[place, 2 + tap]
            row = rows[(first + tap) * across : (first + tap + 1) * across]
            for i in range(across):
                sums[i] = np.int32(sums[i] + np.int32(weight * np.int32(row[i])))
        line = made[place * across : (place + 1) * across]
        for i in range(across):
            line[i] = np.uint8(min(max(sums[i] >> BITS, 0), 255))


@compiled()
def _turn(pixels: Bytes, out: Bytes) -> None:
    for top in range(0, pixels.shape[0], 16):  # in tiles, which stay in the nearest cache
        for left in range(0, pixels.shape[1], 16):
            for r in range(top, min(top + 16, pixels.shape[0])):
                for c in range(left, min(left + 16, pixels.shape[1])):
                    for channel in range(3):
                        out[c, r, channel] = pixels[r, c, channel]
