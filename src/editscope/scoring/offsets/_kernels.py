"""The compiled passes behind distances: nearest right colors, objects of one color, turned shapes laid over others."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

BINS = 12
LEVEL, IN_EDIT = np.uint8(15), np.uint8(16)
"""The bits of a level, as in ``scoring/errormap.py``: at which tolerance a pixel is right, and whether it is in E."""
SLACK = np.float32(1e-3)
"""What float32 may be off by where a distance lies at a threshold."""

_steps = np.arange(256) / 255.0
LINEAR = np.where(_steps <= 0.04045, _steps / 12.92, ((_steps + 0.055) / 1.055) ** 2.4)


@compiled(inner=True)
def _curve(t: float) -> float:
    return math.pow(t, 1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29


@compiled("u1[:, :, ::1]")
def to_lab(rgb: Bytes) -> Floats:
    """L*a*b* of every pixel under D65; each run of one color is converted once."""
    height, width = rgb.shape[0], rgb.shape[1]
    lab = np.empty((height, width, 3), np.float32)
    for row in range(height):
        for column in range(width):
            r, g, b = rgb[row, column, 0], rgb[row, column, 1], rgb[row, column, 2]
            if column > 0:
                left = column - 1
                if rgb[row, left, 0] == r and rgb[row, left, 1] == g and rgb[row, left, 2] == b:
                    for channel in range(3):
                        lab[row, column, channel] = lab[row, left, channel]
                    continue
            red, green, blue = LINEAR[r], LINEAR[g], LINEAR[b]
            x = _curve((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047)
            y = _curve(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue)
            z = _curve((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883)
            lab[row, column, 0] = np.float32(116 * y - 16)
            lab[row, column, 1] = np.float32(500 * (x - y))
            lab[row, column, 2] = np.float32(200 * (y - z))
    return lab


@compiled(inner=True)
def _apart(lab: Floats, row: int, column: int, lightness: np.float32, a: np.float32, b: np.float32) -> np.float32:
    """The squared distance of a pixel from a color."""
    x, y, z = lab[row, column, 0] - lightness, lab[row, column, 1] - a, lab[row, column, 2] - b
    return np.float32(x * x + y * y + z * z)


@compiled(inner=True)
def _level(squared: np.float32) -> np.int64:
    """The smallest whole tolerance that holds a squared distance, 11 where none of 0 … 10 does."""
    if squared == 0:
        return np.int64(0)
    return np.int64(min(max(math.ceil(math.sqrt(squared) - SLACK), 1), 11))


@compiled("u1[:, ::1], f4[:, :, ::1], f4[:, :, ::1], i8[:, ::1], i8[::1]")
def count_within(levels: Bytes, answer: Floats, output: Floats, offsets: Counts, ends: Counts) -> Counts:
    """For each radius, how many pixels of E and of P have which level, if a right pixel may be that far away.

    ``offsets`` are (dy, dx) from near to far, ``ends[k]`` is how many of them lie within radius k. A pixel is right at
    a tolerance where both hold: its wanted color stands within the radius in the output, and the color that it has
    stands within the radius in the answer.
    """
    height, width = levels.shape
    radii = len(ends)
    counts = np.zeros((radii, 2, BINS), np.int64)
    for row in range(height):
        for column in range(width):
            region = 0 if levels[row, column] & IN_EDIT else 1
            level = np.int64(levels[row, column] & LEVEL)
            if level == 0:
                for k in range(radii):
                    counts[k, region, 0] += 1
                continue
            p, q, r = answer[row, column, 0], answer[row, column, 1], answer[row, column, 2]
            u, v, w = output[row, column, 0], output[row, column, 1], output[row, column, 2]
            found = _apart(output, row, column, p, q, r)  # how near the output comes to the wanted color
            meant = found  # how near the answer comes to the color that is there
            place = 0
            for k in range(radii):
                while place < ends[k]:
                    y, x = row + offsets[place, 0], column + offsets[place, 1]
                    place += 1
                    if 0 <= y < height and 0 <= x < width:
                        found = min(found, _apart(output, y, x, p, q, r))
                        meant = min(meant, _apart(answer, y, x, u, v, w))
                        if found == 0 and meant == 0:
                            break
                level = min(level, _level(max(found, meant)))
                counts[k, region, level] += 1
    return counts


@compiled("f4[:, :, ::1], f4[:, ::1], f4")
def nearest_to_first(picture: Floats, colors: Floats, reach: float) -> Mask:
    """Where a picture is nearer to the first of some colors than to all others, and within ``reach`` of it."""
    height, width = picture.shape[0], picture.shape[1]
    mask = np.zeros((height, width), np.bool_)
    for row in range(height):
        for column in range(width):
            own = _apart(picture, row, column, colors[0, 0], colors[0, 1], colors[0, 2])
            if own > reach * reach:
                continue
            nearest = True
            for k in range(1, len(colors)):
                if _apart(picture, row, column, colors[k, 0], colors[k, 1], colors[k, 2]) < own:
                    nearest = False
                    break
            mask[row, column] = nearest
    return mask


@compiled("b1[:, ::1]")
def components(mask: Mask) -> Labels:
    """The number 1, 2 … of the connected part (8 neighbors) that each pixel of a mask belongs to; 0 outside."""
    height, width = mask.shape
    labels = np.zeros((height, width), np.int32)
    stack = np.empty(height * width, np.int64)
    number = np.int32(0)
    for start_row in range(height):
        for start_column in range(width):
            if not mask[start_row, start_column] or labels[start_row, start_column] != 0:
                continue
            number += np.int32(1)
            labels[start_row, start_column] = number
            stack[0] = start_row * width + start_column
            waiting = 1
            while waiting > 0:
                waiting -= 1
                row, column = stack[waiting] // width, stack[waiting] % width
                for y in range(max(0, row - 1), min(height, row + 2)):
                    for x in range(max(0, column - 1), min(width, column + 2)):
                        if mask[y, x] and labels[y, x] == 0:
                            labels[y, x] = number
                            stack[waiting] = y * width + x
                            waiting += 1
    return labels


@compiled("f8[:, ::1], b1[:, ::1], f8, f8, f8, f8[::1]")
def overlaps(points: Doubles, mask: Mask, middle_x: float, middle_y: float, scale: float, angles: Doubles) -> Doubles:
    """For each angle in degrees, the share of points that lie on a mask after they are scaled, turned and moved.

    Points are (x, y) around their own middle; (``middle_x``, ``middle_y``) is the middle of the mask.
    """
    height, width = mask.shape
    shares = np.zeros(len(angles), np.float64)
    for k in range(len(angles)):
        cos, sin = math.cos(math.radians(angles[k])) * scale, math.sin(math.radians(angles[k])) * scale
        inside = 0
        for i in range(len(points)):
            x = math.floor(middle_x + cos * points[i, 0] - sin * points[i, 1] + 0.5)
            y = math.floor(middle_y + sin * points[i, 0] + cos * points[i, 1] + 0.5)
            if 0 <= x < width and 0 <= y < height and mask[y, x]:
                inside += 1
        shares[k] = inside / len(points)
    return shares
