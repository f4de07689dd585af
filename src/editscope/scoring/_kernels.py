"""The compiled passes over pixels: ΔE76 by region as histograms, and the levels of the error map.

Work goes in chunks that stay in the processor's cache. L*a*b* is float32 and vectorized; a distance within
``NEAR`` of a threshold is computed again in float64, so counts are those of the float64 formula.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.scoring import _lab
from editscope.scoring._lab import BINS, KNEE, LINEAR64, OFFSET, SLOPE, XB, XG, XR, YB, YG, YR, ZB, ZG, ZR

USES = (_lab,)
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]

LEVEL, IN_EDIT = np.uint8(15), np.uint8(16)
"""The bits of a level: the smallest tolerance at which the pixel is right (11: none), and whether it lies in E."""
GHOST_DARK, GHOST_RANGE = 196.0, 48.0  # the ghost runs from light gray to nearly white

NEAR = np.float32(5e-4)
CHUNK = 1024
DOUBTFUL = np.uint64(0x8080808080808080)

_f = np.float32
LINEAR32 = LINEAR64.astype(np.float32)
XR32, XG32, XB32 = _f(XR), _f(XG), _f(XB)
YR32, YG32, YB32 = _f(YR), _f(YG), _f(YB)
ZR32, ZG32, ZB32 = _f(ZR), _f(ZG), _f(ZB)
KNEE32, SLOPE32, OFFSET32 = _f(KNEE), _f(SLOPE), _f(OFFSET)
L_SCALE, A_SCALE, B_SCALE = _f(116), _f(500), _f(200)
# A third of the exponent gives x^(-1/3) to 4 %. A polynomial in c = x·guess³ - 1, for (1 + c)^(-2/3), does the rest.
THIRD, FIRST_GUESS, ONE = _f(1 / 3), _f(1419771904), _f(1)
ROOT1, ROOT2, ROOT3 = _f(-0.6666674163068773), _f(0.5555612210534246), _f(-0.4932957896627361)
ROOT4, ROOT5 = _f(0.45288904983075334), _f(-0.5051006407231237)


@compiled(inner=True, loose=True, uses=USES)
def _curve32(x: np.float32) -> np.float32:
    guess = np.int32(FIRST_GUESS - np.float32(np.float32(x).view(np.int32)) * THIRD).view(np.float32)
    root = x * guess * guess
    c = root * guess - ONE
    root += root * (c * (ROOT1 + c * (ROOT2 + c * (ROOT3 + c * (ROOT4 + c * ROOT5)))))
    return root if x > KNEE32 else x * SLOPE32 + OFFSET32


@compiled(inner=True, loose=True, uses=USES)
def _linear_to_lab(n: int | np.int64, p: Floats, q: Floats, r: Floats) -> None:
    """Replace n linear R, G, B by L* + 16, a*, b*, in place: differences need no 16."""
    for i in range(n):
        red, green, blue = p[i], q[i], r[i]
        fx = _curve32(XR32 * red + XG32 * green + XB32 * blue)
        fy = _curve32(YR32 * red + YG32 * green + YB32 * blue)
        fz = _curve32(ZR32 * red + ZG32 * green + ZB32 * blue)
        p[i] = L_SCALE * fy
        q[i] = A_SCALE * (fx - fy)
        r[i] = B_SCALE * (fy - fz)


@compiled(inner=True, uses=USES)
def _changes(rgb: Bytes, n: int, marks: Words) -> int:
    """Mark with a non-zero byte each byte that differs from the one three before it; how many words have marks.

    The mark of a byte stands three places before it.
    """
    each, later = marks.view(np.uint8), rgb[3 : 3 * n]
    for j in range(3 * n - 3):
        each[j] = rgb[j] ^ later[j]
    words = (3 * n + 4) // 8
    for j in range(3 * n - 3, 8 * words):
        each[j] = 0
    total = 0
    for word in range(words):
        total += marks[word] != 0
    return total


@compiled(inner=True, uses=USES)
def _fill(values: Floats, value: np.float32) -> None:
    for i in range(values.size):
        values[i] = value


@compiled(inner=True, uses=USES)
def _lab_chunk(rgb: Bytes, n: int, p: Floats, q: Floats, r: Floats, marks: Words, begins: Integers) -> None:
    """L* + 16, a*, b* of n pixels; in flat pictures each run of one color is converted once."""
    if 5 * _changes(rgb, n, marks) > n:
        for i in range(n):
            j = 3 * i
            p[i], q[i], r[i] = LINEAR32[rgb[j]], LINEAR32[rgb[j + 1]], LINEAR32[rgb[j + 2]]
        _linear_to_lab(n, p, q, r)
        return
    each = marks.view(np.uint8)
    p[0], q[0], r[0], begins[0] = LINEAR32[rgb[0]], LINEAR32[rgb[1]], LINEAR32[rgb[2]], 0
    runs, last = np.int64(1), 0  # a plain 1 has a type of its own, for which all that takes it is compiled once more
    for word in range((3 * n + 4) // 8):
        if marks[word] == 0:
            continue
        for k in range(8 * word, 8 * word + 8):
            i = k // 3 + 1
            if each[k] != 0 and i != last:
                last, j = i, 3 * i
                p[runs], q[runs], r[runs] = LINEAR32[rgb[j]], LINEAR32[rgb[j + 1]], LINEAR32[rgb[j + 2]]
                begins[runs] = i
                runs += 1
    _linear_to_lab(runs, p, q, r)
    end = n
    for run in range(runs - 1, -1, -1):  # backwards, so that spreading overwrites nothing still needed
        begin = begins[run]
        _fill(p[begin:end], p[run])
        _fill(q[begin:end], q[run])
        _fill(r[begin:end], r[run])
        end = begin


@compiled(inner=True, uses=USES)
def _curve64(x: float) -> float:
    root: float = np.cbrt(x)
    return root if x > KNEE else x * SLOPE + OFFSET


@compiled(uses=USES)
def delta_e(one: Bytes, i: int, two: Bytes, j: int) -> float:
    """ΔE76 of the color at flat index i of one and at j of two, in float64."""
    r, g, b = LINEAR64[one[i]], LINEAR64[one[i + 1]], LINEAR64[one[i + 2]]
    fx, fy, fz = (
        _curve64(XR * r + XG * g + XB * b),
        _curve64(YR * r + YG * g + YB * b),
        _curve64(ZR * r + ZG * g + ZB * b),
    )
    r, g, b = LINEAR64[two[j]], LINEAR64[two[j + 1]], LINEAR64[two[j + 2]]
    gx, gy, gz = (
        _curve64(XR * r + XG * g + XB * b),
        _curve64(YR * r + YG * g + YB * b),
        _curve64(ZR * r + ZG * g + ZB * b),
    )
    lightness = 116 * (fy - gy)
    a = 500 * ((fx - fy) - (gx - gy))
    b = 200 * ((fy - fz) - (gy - gz))
    return float(np.sqrt(lightness * lightness + a * a + b * b))


@compiled(inner=True, loose=True, uses=USES)
def _bins(n: int, p: Floats, q: Floats, r: Floats, u: Floats, v: Floats, w: Floats, bins: Bytes) -> None:
    """Bin numbers; those within NEAR of a threshold 1 … 10 get 128 added. No two colors are that near 0."""
    top = np.float32(11)
    for i in range(n):
        x, y, z = p[i] - u[i], q[i] - v[i], r[i] - w[i]
        d = min(np.sqrt(x * x + y * y + z * z), top)
        nearest = np.rint(d)
        near = np.uint8(128) if abs(d - nearest) < NEAR and nearest > 0 and nearest < top else np.uint8(0)
        bins[i] = np.uint8(0) if d < NEAR else np.uint8(np.ceil(d)) | near


@compiled(inner=True, uses=USES)
def _settle(n: int, one: Bytes, two: Bytes, words: Words, memo: npt.NDArray[np.int64]) -> None:
    """Decide the doubtful bins in float64; the last pair of colors is remembered, for flat pictures."""
    bins = words.view(np.uint8)
    for word in range((n + 7) // 8):
        if words[word] & DOUBTFUL == 0:
            continue
        for i in range(8 * word, min(8 * word + 8, n)):
            if bins[i] >= 128:
                j = 3 * i
                first = (np.int64(one[j]) << 16) | (np.int64(one[j + 1]) << 8) | np.int64(one[j + 2])
                second = (np.int64(two[j]) << 16) | (np.int64(two[j + 1]) << 8) | np.int64(two[j + 2])
                pair = (first << 24) | second
                if pair != memo[0]:
                    memo[0] = pair
                    memo[1] = min(np.int64(np.ceil(delta_e(one, j, two, j))), np.int64(11))
                bins[i] = np.uint8(memo[1])


@compiled(inner=True, uses=USES)
def _edited(n: int, before: Bytes, after: Bytes, region: Bytes) -> bool:
    """Mark with 1 where before ≠ after; whether there is any such pixel."""
    any_bit = np.uint8(0)
    for j in range(3 * n):
        any_bit = np.uint8(any_bit | (before[j] ^ after[j]))
    if any_bit == 0:
        for i in range(n):
            region[i] = 0
        return False
    for i in range(n):
        j = 3 * i
        bits = (before[j] ^ after[j]) | (before[j + 1] ^ after[j + 1]) | (before[j + 2] ^ after[j + 2])
        region[i] = bits != 0
    return True


@compiled(inner=True, uses=USES)
def _levels(n: int, bins: Bytes, region: Bytes, out: Bytes) -> None:
    for i in range(n):
        out[i] = bins[i] | (region[i] << np.uint8(4))


@compiled(inner=True, uses=USES)
def _count_edits(n: int, was: Bytes, want: Bytes, region: Bytes, counts: Counts, memo: Counts) -> None:
    """Add the bins of ΔE(was, want), in float64, over the marked pixels; the last pair of colors is remembered."""
    for i in range(n):
        if region[i]:
            j = 3 * i
            first = (np.int64(was[j]) << 16) | (np.int64(was[j + 1]) << 8) | np.int64(was[j + 2])
            second = (np.int64(want[j]) << 16) | (np.int64(want[j + 1]) << 8) | np.int64(want[j + 2])
            pair = (first << 24) | second
            if pair != memo[0]:
                memo[0] = pair
                memo[1] = min(np.int64(np.ceil(delta_e(was, j, want, j))), np.int64(BINS - 1))
            counts[memo[1]] += 1


@compiled("u1[::1], u1[::1], u1[::1], u1[::1], i8[::1]", uses=USES)
def grade(before: Bytes, answer: Bytes, output: Bytes, levels: Bytes, edits: Counts) -> Counts:
    """Three histograms in one pass over flat RGB bytes, and the level of every pixel.

    Row 0: ΔE(output, answer) where before ≠ answer. Row 1: the same elsewhere. Row 2: ΔE(output, before).
    A level is the bin of ΔE(output, answer), plus ``IN_EDIT`` where before ≠ answer. To ``edits`` the histogram of
    ``edit_distances`` is added. Both are left alone when they are empty.
    """
    counts = np.zeros((3, BINS), np.int64)
    quiet = np.zeros((4, BINS), np.int64)  # four tables in turn, so that no increment waits for the one before
    p, q, r = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    u, v, w = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    words, words2 = np.zeros(CHUNK // 8, np.uint64), np.zeros(CHUNK // 8, np.uint64)
    marks, begins = np.empty(3 * CHUNK // 8, np.uint64), np.empty(CHUNK, np.int32)
    bins, bins2, region = words.view(np.uint8), words2.view(np.uint8), np.empty(CHUNK, np.uint8)
    memo = np.full(2, -1, np.int64)
    total = output.size // 3
    for start in range(0, total, CHUNK):
        n = min(CHUNK, total - start)
        here = slice(3 * start, 3 * (start + n))  # from index 0 on, loops over a chunk vectorize
        was, want, got = before[here], answer[here], output[here]
        _lab_chunk(got, n, p, q, r, marks, begins)
        edited = _edited(n, was, want, region)
        for turn in range(2 if edited else 1):  # one call of each function: every further one is compiled once more
            other, found = (want, words) if turn == 0 else (was, words2)
            _lab_chunk(other, n, u, v, w, marks, begins)
            _bins(n, p, q, r, u, v, w, found.view(np.uint8))
            _settle(n, got, other, found, memo)
        if levels.size:
            _levels(n, bins, region, levels[start : start + n])
        if not edited:
            for i in range(n):
                quiet[i & 3, bins[i]] += 1
            continue
        if edits.size:
            _count_edits(n, was, want, region, edits, memo)
        for i in range(n):
            if region[i]:
                counts[0, bins[i]] += 1
                counts[2, bins2[i]] += 1
            else:
                quiet[i & 3, bins[i]] += 1
    for k in range(BINS):
        counts[1, k] = quiet[0, k] + quiet[1, k] + quiet[2, k] + quiet[3, k]
        counts[2, k] += counts[1, k]  # where before = answer, one distance serves both
    return counts


@compiled(uses=USES)
def edit_distances(before: Bytes, answer: Bytes) -> Counts:
    """The histogram of ΔE(before, answer) over the pixels that differ; the rest is passed over."""
    counts = np.zeros(BINS, np.int64)
    region = np.empty(CHUNK, np.uint8)
    memo = np.full(2, -1, np.int64)
    total = answer.size // 3
    for start in range(0, total, CHUNK):
        n = min(CHUNK, total - start)
        was, want = before[3 * start : 3 * (start + n)], answer[3 * start : 3 * (start + n)]
        if _edited(n, was, want, region):
            _count_edits(n, was, want, region, counts, memo)
    return counts


@compiled(uses=USES)
def paint(levels: Bytes, tolerance: int, ghost: Bytes, colors: Bytes, out: Bytes) -> None:
    """Paint the error map at one tolerance: correct edits, missed edits and spill in their colors, else the ghost."""
    height, width = levels.shape
    for y in range(height):
        for x in range(width):
            level = levels[y, x]
            wrong = (level & LEVEL) > tolerance
            kind = (1 if wrong else 0) if level & IN_EDIT else (2 if wrong else 3)
            if kind < 3:
                for c in range(3):
                    out[y, x, c] = colors[kind, c]
                continue
            gray = 2.0 * ghost[y, x, 0] + 5.0 * ghost[y, x, 1] + 1.0 * ghost[y, x, 2]
            for c in range(3):
                out[y, x, c] = np.uint8(GHOST_DARK + GHOST_RANGE * gray / (8.0 * 255.0) + 0.5)


@compiled("u1[:, ::1], u1[:, :, ::1], i8", uses=USES)
def reduce_levels(levels: Bytes, out: Bytes, most_changes: int) -> bool:
    """The codes of the small level map (see ``errormap``), each from the block of levels that falls on its pixel.

    False, with the rest undone, as soon as its rows have more than ``most_changes``; below 0 there is no limit.
    """
    height, width = levels.shape
    high, wide = out.shape[0], out.shape[1]
    worst, worst_kept = np.zeros(width, np.uint8), np.zeros(width, np.uint8)
    total, total_kept = np.zeros(width, np.uint32), np.zeros(width, np.uint32)
    edited = np.zeros(width, np.uint32)
    edges = np.empty(wide + 1, np.int64)
    for x in range(wide + 1):
        edges[x] = x * width // wide
    changes = 0
    for y in range(high):
        top, bottom = y * height // high, (y + 1) * height // high
        for x in range(width):
            worst[x] = worst_kept[x] = 0
            total[x] = total_kept[x] = edited[x] = 0
        for row in range(top, bottom):
            source = levels[row]
            for x in range(width):
                inside = source[x] >> np.uint8(4)
                level = source[x] & LEVEL
                here = np.uint8(level * inside)
                kept = np.uint8(level - here)
                worst[x] = max(worst[x], here)
                worst_kept[x] = max(worst_kept[x], kept)
                total[x] += here
                total_kept[x] += kept
                edited[x] += inside
        for x in range(wide):
            left, right = edges[x], edges[x + 1]
            in_edit = kept_pixels = sums = sums_kept = last = last_kept = np.int64(0)
            for column in range(left, right):
                in_edit += edited[column]
                sums += total[column]
                sums_kept += total_kept[column]
                last = max(last, worst[column])
                last_kept = max(last_kept, worst_kept[column])
            kept_pixels = (bottom - top) * (right - left) - in_edit
            most = 1 if in_edit > kept_pixels else 0
            out[y, x, 0] = 2 * _pair(last, sums, in_edit) - 1 + most if in_edit else 0
            out[y, x, 1] = _pair(last_kept, sums_kept, kept_pixels) if kept_pixels else 0
            out[y, x, 2] = 0
            if x > 0:
                changes += (out[y, x, 0] != out[y, x - 1, 0]) + (out[y, x, 1] != out[y, x - 1, 1])
        if 0 <= most_changes < changes:
            return False
    return True


@compiled(inner=True, uses=USES)
def _pair(worst: int | np.int64, total: int | np.int64, number: int | np.int64) -> int | np.int64:
    """1 + the number of (worst, mean) among all pairs of levels with mean ≤ worst."""
    mean = (2 * total + number) // (2 * number)
    return 1 + worst * (worst + 1) // 2 + mean


@compiled(uses=USES)
def squared_differences(first: Bytes, second: Floats, keep: npt.NDArray[np.bool_]) -> float:
    """The sum of squared differences over the kept pixels, added one after the other: the same on every machine."""
    total = 0.0
    for r in range(first.shape[0]):
        for c in range(first.shape[1]):
            if keep[r, c]:
                for channel in range(3):
                    apart = np.float64(first[r, c, channel]) - np.float64(second[r, c, channel])
                    total += apart * apart
    return total


@compiled(uses=USES)
def squared_level_differences(first: Bytes, second: Bytes, keep: npt.NDArray[np.bool_]) -> int:
    """The same for pictures of whole numbers, whose sum is exact in any order."""
    total = 0
    for r in range(first.shape[0]):
        a, b, kept = first[r].reshape(-1), second[r].reshape(-1), keep[r]
        for c in range(len(kept)):
            red = np.int32(np.int32(a[3 * c]) - np.int32(b[3 * c]))
            green = np.int32(np.int32(a[3 * c + 1]) - np.int32(b[3 * c + 1]))
            blue = np.int32(np.int32(a[3 * c + 2]) - np.int32(b[3 * c + 2]))
            apart = np.int32(np.int32(red * red) + np.int32(green * green) + np.int32(blue * blue))
            total += apart if kept[c] else np.int32(0)  # type: ignore[assignment]
    return total
