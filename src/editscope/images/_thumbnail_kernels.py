"""The compiled loops behind thumbnails: fewer pixels and fewer colors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled

Bytes = npt.NDArray[np.uint8]


@compiled("u1[:, ::1], u1[:, :, ::1]")
def shrink(flat: Bytes, out: Bytes) -> None:
    """Average the block of source pixels, given as rows of bytes, that falls on each target pixel; blocks tile it."""
    height, width = flat.shape[0], flat.shape[1] // 3
    high, wide = out.shape[0], out.shape[1]
    few = np.zeros(3 * width, np.uint16)
    sums = np.zeros(3 * width, np.uint32)
    edges = np.empty(wide + 1, np.int64)
    for x in range(wide + 1):
        edges[x] = x * width // wide
    for y in range(high):
        top, bottom = y * height // high, (y + 1) * height // high
        for j in range(3 * width):
            sums[j] = 0
        for first in range(top, bottom, 256):  # 256 rows fit into 16 bits, in which twice as many add at once
            for j in range(3 * width):
                few[j] = 0
            for row in range(first, min(first + 256, bottom)):
                source = flat[row]
                for j in range(3 * width):
                    few[j] = np.uint16(few[j] + source[j])
            for j in range(3 * width):
                sums[j] = np.uint32(sums[j] + few[j])
        for x in range(wide):
            left, right = edges[x], edges[x + 1]
            count = (bottom - top) * (right - left)
            red = green = blue = count >> 1
            for column in range(left, right):
                red += np.int64(sums[3 * column])
                green += np.int64(sums[3 * column + 1])
                blue += np.int64(sums[3 * column + 2])
            # With the half, a product that is a rounding error too small is still not below the whole number.
            each = 1.0 / count
            out[y, x, 0] = np.uint8((red + 0.5) * each)
            out[y, x, 1] = np.uint8((green + 0.5) * each)
            out[y, x, 2] = np.uint8((blue + 0.5) * each)


@compiled("u1[:, ::1], i8, i8, i8, u1[:, ::1]")
def reduce_colors(flat: Bytes, width: int, most: int, too_many: int, target: Bytes) -> tuple[int, int, int]:
    """Pixels, one a row, in at most ``most`` colors; -1, with nothing written, where there are ``too_many`` or more.

    Colors whose channels agree in four bits count as one, their mean. The most frequent stay; any other becomes
    the nearest of them. Returns the sum of squared errors, how many pixels differ from the one to their left, and how
    many of these also differ from the one above.
    """
    counts, sums = np.zeros(4096, np.int32), np.zeros((4096, 3), np.int32)
    for i in range(len(flat)):
        cell = _cell(flat, i)
        counts[cell] += 1
        for c in range(3):
            sums[cell, c] += flat[i, c]
    cells, number = np.empty(4096, np.int64), 0
    for cell in range(4096):
        if counts[cell]:
            cells[number] = cell
            number += 1
    if number >= too_many:
        return -1, 0, 0
    means = np.zeros((4096, 3), np.int32)
    for k in range(number):
        cell = cells[k]
        for c in range(3):
            means[cell, c] = (2 * sums[cell, c] + counts[cell]) // (2 * counts[cell])
    for k in range(min(most, number)):  # the most frequent come first; of equal ones, the first
        best = k
        for other in range(k + 1, number):
            if counts[cells[other]] > counts[cells[best]]:
                best = other
        frequent = cells[best]
        cells[best] = cells[k]
        cells[k] = frequent
    for k in range(most, number):
        cell, nearest_cell, least = cells[k], cells[0], np.int64(1 << 30)
        for other in range(most):
            apart = np.int64(0)
            for c in range(3):
                step = np.int64(means[cell, c] - means[cells[other], c])
                apart += step * step
            if apart < least:
                nearest_cell, least = cells[other], apart
        for c in range(3):
            means[cell, c] = means[nearest_cell, c]
    error = changes = surprises = 0
    for i in range(len(flat)):
        cell = _cell(flat, i)
        for c in range(3):
            miss = int(means[cell, c]) - int(flat[i, c])
            error += miss * miss
            target[i, c] = np.uint8(means[cell, c])
        if i % width > 0 and _differ(target, i, i - 1):
            changes += 1
            surprises += 1 if i >= width and _differ(target, i, i - width) else 0
    return error, changes, surprises


@compiled(inner=True)
def _cell(colors: Bytes, i: int) -> int:
    """The first four bits of each channel, as one number."""
    return (int(colors[i, 0] >> 4) << 8) | (int(colors[i, 1] >> 4) << 4) | int(colors[i, 2] >> 4)


@compiled(inner=True)
def _differ(colors: Bytes, i: int, j: int) -> bool:
    return bool(colors[i, 0] != colors[j, 0] or colors[i, 1] != colors[j, 1] or colors[i, 2] != colors[j, 2])
