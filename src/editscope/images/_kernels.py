"""The compiled loops behind reading and writing pictures.

Copies are written as loops: assigning slices makes the same machine code but takes seconds to compile.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled

Bytes = npt.NDArray[np.uint8]

NO_FILTER, SUB, UP, AVERAGE, PAETH = 0, 1, 2, 3, 4
"""The five ways in which PNG predicts a row."""


@compiled("u1[::1], u1[:, ::1], u1[::1]")
def look_up(plane: Bytes, table: Bytes, out: Bytes) -> int:
    """Write the colors that the plane's numbers stand for; return the largest number."""
    largest = np.uint8(0)
    for i in range(plane.size):
        largest = max(largest, plane[i])
    whole = plane.size // 8
    words, colors = plane[: 8 * whole].view(np.uint64), out[: 24 * whole].view(np.uint64)
    for word in range(whole + 1):
        if 0 < word < whole and words[word] == words[word - 1]:  # flat pictures, eight pixels at a time
            for k in range(3 * word, 3 * word + 3):
                colors[k] = colors[k - 3]
            continue
        for i in range(8 * word, min(8 * word + 8, plane.size)):
            k = plane[i]
            out[3 * i] = table[k, 0]
            out[3 * i + 1] = table[k, 1]
            out[3 * i + 2] = table[k, 2]
    return int(largest)


@compiled()
def over_white(rgba: Bytes, out: Bytes) -> bool:
    """Composite R, G, B, A over white, rounded; return whether any pixel was not opaque."""
    lowest = np.uint8(255)
    for i in range(rgba.size // 4):
        lowest = min(lowest, rgba[4 * i + 3])
    for i in range(rgba.size // 4):
        alpha = np.uint32(rgba[4 * i + 3])
        white = np.uint32(255) * (np.uint32(255) - alpha) + np.uint32(127)
        for c in range(3):
            out[3 * i + c] = np.uint8((np.uint32(rgba[4 * i + c]) * alpha + white) // np.uint32(255))
    return bool(lowest < 255)


@compiled(inner=True)
def _paeth(left: np.int32, above: np.int32, corner: np.int32) -> np.int32:
    to_left, to_above = abs(above - corner), abs(left - corner)
    to_corner = abs(left + above - corner - corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    return above if to_above <= to_corner else corner


@compiled(inner=True)
def _paeth_row_rgb(source: Bytes, above: Bytes, out: Bytes) -> None:
    """Three channels at once, neighbors kept in registers."""
    left0 = left1 = left2 = np.int32(0)
    corner0 = corner1 = corner2 = np.int32(0)
    for i in range(source.size // 3):
        j = 3 * i
        above0, above1, above2 = np.int32(above[j]), np.int32(above[j + 1]), np.int32(above[j + 2])
        left0 = np.int32(np.uint8(source[j] + _paeth(left0, above0, corner0)))
        left1 = np.int32(np.uint8(source[j + 1] + _paeth(left1, above1, corner1)))
        left2 = np.int32(np.uint8(source[j + 2] + _paeth(left2, above2, corner2)))
        out[j], out[j + 1], out[j + 2] = np.uint8(left0), np.uint8(left1), np.uint8(left2)
        corner0, corner1, corner2 = above0, above1, above2


@compiled(inner=True)
def _sub_row_rgb(source: Bytes, out: Bytes) -> None:
    red = green = blue = np.uint8(0)
    for i in range(source.size // 3):
        j = 3 * i
        red = np.uint8(red + source[j])
        green = np.uint8(green + source[j + 1])
        blue = np.uint8(blue + source[j + 2])
        out[j], out[j + 1], out[j + 2] = red, green, blue


@compiled(inner=True)
def _average_row_rgb(source: Bytes, above: Bytes, out: Bytes) -> None:
    red = green = blue = np.uint32(0)
    for i in range(source.size // 3):
        j = 3 * i
        red = np.uint32(np.uint8(source[j] + ((red + np.uint32(above[j])) >> np.uint32(1))))
        green = np.uint32(np.uint8(source[j + 1] + ((green + np.uint32(above[j + 1])) >> np.uint32(1))))
        blue = np.uint32(np.uint8(source[j + 2] + ((blue + np.uint32(above[j + 2])) >> np.uint32(1))))
        out[j], out[j + 1], out[j + 2] = np.uint8(red), np.uint8(green), np.uint8(blue)


@compiled(inner=True)
def _row(kind: int, source: Bytes, above: Bytes, out: Bytes, step: int) -> None:
    """Undo one row's filter, for any number of bytes a pixel."""
    n = source.size
    if kind == SUB:
        for j in range(n):
            left = np.int32(out[j - step]) if j >= step else np.int32(0)
            out[j] = np.uint8(source[j] + left)
    elif kind == AVERAGE:
        for j in range(n):
            left = np.int32(out[j - step]) if j >= step else np.int32(0)
            out[j] = np.uint8(source[j] + ((left + np.int32(above[j])) >> 1))
    else:
        for j in range(n):
            left = np.int32(out[j - step]) if j >= step else np.int32(0)
            corner = np.int32(above[j - step]) if j >= step else np.int32(0)
            out[j] = np.uint8(source[j] + _paeth(left, np.int32(above[j]), corner))


@compiled()
def unfilter(raw: Bytes, rows: Bytes, step: int) -> bool:
    """Undo PNG's row filters; ``step`` is the bytes a pixel. False when a row has an unknown filter."""
    height, length = rows.shape
    zeros = np.zeros(length, np.uint8)
    for y in range(height):
        kind = raw[y * (length + 1)]
        source = raw[y * (length + 1) + 1 : (y + 1) * (length + 1)]
        above = rows[y - 1] if y > 0 else zeros
        out = rows[y]
        if kind == NO_FILTER:
            for j in range(length):
                out[j] = source[j]
        elif kind == UP:
            for j in range(length):
                out[j] = np.uint8(source[j] + above[j])
        elif kind > PAETH:
            return False
        elif step != 3:
            _row(kind, source, above, out, step)
        elif kind == SUB:
            _sub_row_rgb(source, out)
        elif kind == AVERAGE:
            _average_row_rgb(source, above, out)
        else:
            _paeth_row_rgb(source, above, out)
    return True


@compiled()
def unpack(rows: Bytes, depth: int, plane: Bytes) -> None:
    """Spread samples of 1, 2 or 4 bits, the first in the high bits, to a byte each."""
    height, width = plane.shape
    each = 8 // depth
    whole = width // each
    mask = np.uint8((1 << depth) - 1)
    for y in range(height):
        source, out = rows[y], plane[y]
        if depth == 4:
            for i in range(whole):
                out[2 * i] = source[i] >> 4
                out[2 * i + 1] = source[i] & 15
        else:
            for i in range(whole):
                for k in range(each):
                    out[each * i + k] = (source[i] >> (8 - depth * (k + 1))) & mask
        for x in range(whole * each, width):
            out[x] = (source[whole] >> (8 - depth * (x % each + 1))) & mask


@compiled("u1[:, ::1], i8, u1[:, ::1]")
def pack(plane: Bytes, depth: int, rows: Bytes) -> None:
    """Put samples of 1, 2 or 4 bits together, the first into the high bits; the inverse of unpack."""
    height, width = plane.shape
    each = 8 // depth
    for y in range(height):
        source, out = plane[y], rows[y]
        whole = width // each
        if depth == 4:
            for i in range(whole):
                out[i] = np.uint8((source[2 * i] << 4) | source[2 * i + 1])
        elif depth == 2:
            for i in range(whole):
                j = 4 * i
                out[i] = np.uint8((source[j] << 6) | (source[j + 1] << 4) | (source[j + 2] << 2) | source[j + 3])
        else:
            for i in range(whole):
                bits = 0
                for j in range(8 * i, 8 * i + 8):
                    bits = (bits << 1) | source[j]
                out[i] = np.uint8(bits)
        if whole < rows.shape[1]:
            bits = 0
            for x in range(whole * each, width):
                bits |= int(source[x]) << (8 - depth * (x % each + 1))
            out[whole] = np.uint8(bits)


@compiled("u1[:, ::1], i8, i8, u1[:, ::1]")
def filter_rows(rows: Bytes, kind: int, step: int, out: Bytes) -> None:
    """Rows with PNG's filter byte in front: unchanged, or minus the pixel to the left, or minus the row above."""
    height, length = rows.shape
    for y in range(height):
        source, target = rows[y], out[y, 1:]
        if kind == UP and y > 0:
            above = rows[y - 1]
            out[y, 0] = UP
            for j in range(length):
                target[j] = np.uint8(source[j] - above[j])
        elif kind in (NO_FILTER, UP):
            out[y, 0] = NO_FILTER
            for j in range(length):
                target[j] = source[j]
        else:
            out[y, 0] = SUB
            for j in range(step):
                target[j] = source[j]
            rest, ahead = target[step:], source[step:]
            for j in range(length - step):
                rest[j] = np.uint8(ahead[j] - source[j])


@compiled("u1[::1], u1[::1], u1[:, ::1]")
def index_colors(rgb: Bytes, plane: Bytes, palette: Bytes) -> int:
    """Number the colors in the order in which they appear; 0 as soon as there are more than 256."""
    slots = np.full(1024, -1, np.int32)
    numbers = np.zeros(1024, np.uint8)
    known = 0
    last, number = np.int32(-1), np.uint8(0)
    for i in range(plane.size):
        color = (np.int32(rgb[3 * i]) << 16) | (np.int32(rgb[3 * i + 1]) << 8) | np.int32(rgb[3 * i + 2])
        if color != last:
            slot = (np.int64(color) * 2654435761 >> 20) & 1023
            while slots[slot] != color:
                if slots[slot] < 0:
                    if known == 256:
                        return 0
                    slots[slot] = color
                    numbers[slot] = known
                    palette[known, 0], palette[known, 1], palette[known, 2] = rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]
                    known += 1
                    break
                slot = (slot + 1) & 1023
            number = numbers[slot]
            last = color
        plane[i] = number
    return known


@compiled()
def canonical_plane(plane: Bytes, twin: Bytes, out: Bytes, order: Bytes) -> int:
    """Renumber by first appearance, equal colors as one; ``order`` gets the old numbers. How many are used."""
    new = np.full(256, -1, np.int16)
    used = 0
    seen = np.zeros(256, np.uint8)
    table = np.zeros(256, np.uint8)
    whole = plane.size // 8
    words, numbered = plane[: 8 * whole].view(np.uint64), out[: 8 * whole].view(np.uint64)
    for word in range(whole + 1):
        if 0 < word < whole and words[word] == words[word - 1]:  # flat pictures, eight pixels at a time
            numbered[word] = numbered[word - 1]
            continue
        for i in range(8 * word, min(8 * word + 8, plane.size)):
            k = plane[i]
            if seen[k] == 0:
                seen[k] = 1
                old = twin[k]
                if new[old] < 0:
                    new[old] = used
                    order[used] = old
                    used += 1
                table[k] = np.uint8(new[old])
            out[i] = table[k]
    return used


@compiled()
def nearest(source: int, target: int, first: int, count: int) -> npt.NDArray[np.int64]:
    """Which of ``source`` columns each of ``count`` columns of a ``target`` wide picture takes, from ``first`` on.

    The position is added up in float64 as Pillow does, so that exact halves fall the same way.
    """
    positions = np.empty(count, np.int64)
    step = source / target
    position = 0.5 * step
    for x in range(first + count):
        if x >= first:
            positions[x - first] = min(int(position), source - 1)
        position += step
    return positions
