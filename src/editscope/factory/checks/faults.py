"""Faults of one frame: blank, nearly black or white, noise, and what decoders leave where data are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.factory.checks.flat_blocks import flat_fault
from editscope.factory.extra import factory_package
from editscope.images import Pixels

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

PLAIN_RANGE = 10.0
"""A frame is plain where averages over squares, 24 along its shorter side, differ by less than this, of 255."""
PLAIN_NOISE = 14.0
"""Standard deviation of single pixels that a plain frame may have; a fine pattern has more."""
DARK, LIGHT = 20.0, 244.0
"""A frame is black where 99.8 % of averages over small squares are below the first, white where as many are above the
second."""
PATTERN_LIKE = 0.55
NOISE_LIKE = 0.3
"""A frame is noise where neighboring pixels correlate less than this, and averages have only what noise leaves."""
SNOW_PART = 32
"""Pixels along the parts of a frame that are all alike in noise."""
SNOW_CONTRAST = 32.0
"""Standard deviation of snow, at least; grass, say, has less."""
GREEN = (0, 135, 0)
"""RGB of a frame whose YUV data are all zero."""
NO_REFERENCE = 130
"""Level of the gray of a frame whose YUV data are all 128: what decoders take for a frame that they do not have."""
FILLED_SHARE = 0.04
"""Share of a frame in the colors of missing data, as bands or blocks, from which it is broken."""
BLOCK = 16
BLOCK_SHARE, MOSAIC_SHARE = 0.02, 0.6
"""Shares of blocks that do not fit to any neighbor: from the first on a frame is broken, beyond the second it shows a
mosaic."""


def frame_fault(pixels: Pixels) -> str:
    """What is wrong with a frame, in a few words; "" where nothing is.

    One picture shows that data are missing where flat color, or rows that repeat, begin on the grid of blocks of a
    coder, and where blocks do not fit to their neighbors. It does not show that a part of it is frozen or belongs to
    another picture, that strips are shifted, or that a coder concealed damage well: the decoder has to tell those.

    >>> frame_fault(np.full((64, 64, 3), 90, np.uint8))
    'plain: one color'
    >>> frame_fault(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    'noise'
    """
    cv2 = factory_package("cv2", "measuring frames")
    gray: Floats = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return (
        _plain(pixels, cv2)
        or _noise(gray, cv2)
        or _snow(gray, cv2)
        or _missing(pixels, gray, cv2)
        or flat_fault(_without_bars(pixels))
        or _blocks(gray)
    )


def _plain(pixels: Pixels, cv2: Any) -> str:
    coarse, fine = (_means(pixels, parts, cv2) for parts in (24, 96))
    spread = float((coarse.max(axis=0) - coarse.min(axis=0)).max())
    if spread < PLAIN_RANGE and float(pixels.std(axis=(0, 1)).max()) < PLAIN_NOISE:
        level = float(coarse.mean())
        if level < DARK and _dim(pixels, cv2):
            return ""
        return "black" if level < DARK else "white" if level > LIGHT else "plain: one color"
    if float(np.percentile(fine.max(axis=1), 99.8)) < DARK and not _dim(pixels, cv2):
        return "black"
    if float(np.percentile(fine.min(axis=1), 0.2)) > LIGHT:
        return "white"
    return ""


def _dim(pixels: Pixels, cv2: Any) -> bool:
    """Whether a dark frame shows something: edges that stand out of what else differs between averages."""
    gray = cv2.GaussianBlur(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32), (0, 0), 4.0)[::6, ::6]
    steps = np.concatenate([np.abs(np.diff(gray, axis=0)).ravel(), np.abs(np.diff(gray, axis=1)).ravel()])
    return float((steps > 1.6).mean()) > 0.01


def _means(pixels: Pixels, parts: int, cv2: Any) -> Floats:
    """Averages over squares, about ``parts`` along the shorter side."""
    square = max(1, min(pixels.shape[:2]) // parts)
    size = (max(1, pixels.shape[1] // square), max(1, pixels.shape[0] // square))
    means: Floats = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA).reshape(-1, 3).astype(np.float32)
    return means


def _noise(gray: Floats, cv2: Any) -> str:
    """Noise has no neighbors: pixels beside each other are not alike, and averages of n pixels vary like 1/√n."""
    for step in (1, 2, 4):
        size = (gray.shape[1] // step, gray.shape[0] // step)
        small = gray if step == 1 else cv2.resize(gray, size, interpolation=cv2.INTER_AREA)
        if min(small.shape) < 32 or float(small.std()) < 4:
            return ""
        across, down = _correlation(small[:, :-1], small[:, 1:]), _correlation(small[:-1], small[1:])
        if step == 1 and max(abs(across), abs(down)) > PATTERN_LIKE:
            return ""  # a fine pattern of checks, say, which averages make look like noise
        if abs(across) > NOISE_LIKE or abs(down) > NOISE_LIKE:
            continue
        eighth = cv2.resize(small, (small.shape[1] // 8, small.shape[0] // 8), interpolation=cv2.INTER_AREA)
        ratio = float(eighth.std()) * 8 / float(small.std())
        if 0.3 < ratio < 2.5:
            return "noise"
    return ""


def _snow(gray: Floats, cv2: Any) -> str:
    """Noise of grains up to 6 pixels, or of rows that are noise each: all over alike, and nothing that comes again."""
    if min(gray.shape) < 4 * SNOW_PART or float(gray.std()) < SNOW_CONTRAST:
        return ""
    across, down = (
        [_correlation(g[:, :-lag], g[:, lag:]) for lag in range(1, SNOW_PART)]
        for g in (gray, np.ascontiguousarray(gray.T))
    )
    for one, other in ((across, down), (down, across)):
        grains = max(map(abs, one[5:])) < 0.1 and max(map(abs, other[5:])) < 0.1
        lines = max(map(abs, one[1:])) < 0.1 and max(map(abs, other[20:])) < 0.15
        if not grains and not lines:
            continue
        size = (gray.shape[1] // SNOW_PART, gray.shape[0] // SNOW_PART)
        means, squares = (cv2.resize(g, size, interpolation=cv2.INTER_AREA) for g in (gray, gray**2))
        spread = np.sqrt(np.maximum(squares - means**2, 0))
        if float(means.std()) < 0.25 * float(gray.std()) and float(spread.std()) < 0.2 * float(spread.mean()):
            return "noise"
    return ""


def _correlation(first: Floats, second: Floats) -> float:
    a, b = first - first.mean(), second - second.mean()
    return float((a * b).mean() / max(1e-6, float(a.std() * b.std())))


def _without_bars(pixels: Pixels) -> Pixels:
    """A frame without black bars of one height above and below it, or of one width beside it."""
    dark = pixels.max(axis=2) < DARK
    for axis in (0, 1):
        lines = dark.mean(axis=1 - axis) > 0.99
        before, after = _rows_at_end(lines[::-1]), _rows_at_end(lines)
        if before and abs(before - after) <= 2 and before + after < len(lines) - BLOCK:
            cut = slice(-(-before // BLOCK) * BLOCK, len(lines) - after)
            pixels, dark = (one[cut] if axis == 0 else one[:, cut] for one in (pixels, dark))
    return pixels


def _missing(pixels: Pixels, gray: Floats, cv2: Any) -> str:
    """Green or gray in place of missing data, and a last row that is drawn out to the bottom."""
    height = gray.shape[0]
    values = pixels.astype(np.int16)
    green: Mask = np.all(np.abs(values - np.asarray(GREEN, np.int16)) <= 14, axis=2)
    if _in_blocks(green) >= FILLED_SHARE:
        return "missing data: decoder green"
    exact = float((pixels == NO_REFERENCE).all(axis=2).mean())
    near = float((np.abs(values - NO_REFERENCE) <= 4).all(axis=2).mean())
    if exact > 0.3 or (exact > 0.1 and near > 0.5):
        return "missing data: decoder gray"
    middle: Mask = np.all(np.abs(values - 128) <= 2, axis=2)
    rows = middle.mean(axis=1) > 0.98
    band = _rows_at_end(rows)
    if band >= max(BLOCK, FILLED_SHARE * height) and band < height and not rows[: height - band].any():
        return "missing data: gray band"
    shown = cv2.cvtColor(_without_bars(pixels), cv2.COLOR_RGB2GRAY).astype(np.float32)
    if shown.shape[0] > 2 * BLOCK and _drawn_out(shown) >= max(BLOCK, FILLED_SHARE * height):
        return "missing data: drawn-out rows"
    return ""


def _drawn_out(gray: Floats) -> int:
    """How many rows at the end repeat the one above, below a picture that has detail in both directions.

    A flat shape at the edge of a drawing, or a shade from left to right, repeats rows, too, but not below a texture.
    """
    steps = np.abs(np.diff(gray, axis=0))
    rows = steps.mean(axis=1)
    most = 0
    for limit, least in ((0.03, 0.2), (0.5, 0.6)):
        drawn = _rows_at_end(np.concatenate([[False], rows < limit]))
        above = steps[: len(gray) - 1 - drawn]
        across = float((np.abs(np.diff(gray[-1])) >= 1).mean())
        if drawn and len(above) > BLOCK and across > 0.1 and float((above >= 1).mean()) > least:
            most = max(most, drawn)
    return max(most, _streaks(gray, steps))


def _streaks(gray: Floats, steps: Floats) -> int:
    """How many rows at the end are drawn out by a coder, from an edge of its blocks on.

    A few other rows may lie between, and in the last blocks, which lie half outside of the frame.
    """
    rows = steps.mean(axis=1)
    for begin in range(2 * BLOCK, len(gray) - 2 * BLOCK, BLOCK):
        tail, above = rows[begin : 1 - BLOCK], rows[begin - BLOCK : begin]
        if float((tail < 0.05).mean()) < 0.8 or float(tail.mean()) > 0.15 or float((above > 0.1).mean()) < 0.2:
            continue
        turns = np.diff(gray[begin + (len(gray) - begin) // 2])
        turns = turns[np.abs(turns) >= 1]
        if len(turns) > 0.1 * gray.shape[1] and int((turns[1:] * turns[:-1] < 0).sum()) >= 4:
            return len(gray) - begin
    return 0


def _rows_at_end(rows: Mask) -> int:
    """How many rows at the end are all true.

    >>> _rows_at_end(np.array([True, False, True, True]))
    2
    """
    wrong = np.flatnonzero(~rows)
    return len(rows) - (int(wrong[-1]) + 1 if wrong.size else 0)


def _in_blocks(mask: Mask) -> float:
    """The share of blocks of a frame that a mask fills."""
    height, width = (side // BLOCK * BLOCK for side in mask.shape)
    if not height or not width:
        return 0.0
    blocks = mask[:height, :width].reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).mean(axis=(1, 3))
    return float((blocks > 0.95).mean())


def _blocks(gray: Floats) -> str:
    """Blocks with a jump on all four sides, on the grid of the coder, between neighbors that fit to each other."""
    rows, columns = gray.shape[0] // BLOCK, gray.shape[1] // BLOCK
    if rows < 4 or columns < 4:
        return ""
    g = gray[: rows * BLOCK, : columns * BLOCK]
    down, across = np.abs(np.diff(g, axis=0)), np.abs(np.diff(g, axis=1))
    least = min(10.0, max(4.0, 0.35 * float(g.std())))
    # Mean jump over each side of each block, and the mean step inside of blocks beside it.
    top = down[BLOCK - 1 :: BLOCK].reshape(rows - 1, columns, BLOCK).mean(axis=2)
    left = across[:, BLOCK - 1 :: BLOCK].reshape(rows, BLOCK, columns - 1).mean(axis=1)
    near = [offset for offset in range(BLOCK - 4, BLOCK + 3) if offset != BLOCK - 1]
    top_in = np.mean([down[o::BLOCK][: rows - 1].reshape(rows - 1, columns, BLOCK).mean(axis=2) for o in near], axis=0)
    left_in = np.mean(
        [across[:, o::BLOCK][:, : columns - 1].reshape(rows, BLOCK, -1).mean(axis=1) for o in near], axis=0
    )
    jump_top, jump_left = top > 3 * top_in + least, left > 3 * left_in + least
    inner = jump_top[:-1, 1:-1].astype(int) + jump_top[1:, 1:-1] + jump_left[1:-1, :-1] + jump_left[1:-1, 1:]
    share = float((inner >= 3).mean())
    if BLOCK_SHARE <= share <= MOSAIC_SHARE and _aligned(g):
        return "broken blocks"
    edges = float(np.concatenate([jump_top.ravel(), jump_left.ravel()]).mean())  # larger blocks: two sides at a corner
    return "broken blocks" if 2 * BLOCK_SHARE <= edges <= MOSAIC_SHARE and _aligned(g, 2.0) else ""


def _aligned(gray: Floats, times: float = 1.15) -> bool:
    """Whether jumps lie on the grid of blocks more than on any other; a mosaic of finer tiles has them there, too."""
    down, across = np.abs(np.diff(gray, axis=0)).mean(axis=1), np.abs(np.diff(gray, axis=1)).mean(axis=0)
    for line in (down, across):
        *others, grid = (float(line[phase::BLOCK].mean()) for phase in range(BLOCK))
        if grid < times * max(others):
            return False
    return True
