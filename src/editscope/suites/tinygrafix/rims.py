"""Rims of thin lines and discs: changes too faint to be seen, which stay out of an edit, and the floor that is left."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.images import Pixels

UNSEEN = 3.0
"""A pixel at the rim of a line that would change by less than this ΔE76 does not change."""
FAINT = 10.0
"""The largest tolerance of the score: a change up to this ΔE76 counts as none at some tolerance."""
MOST = 0.05
"""The highest mIoU that an editor may get for changing nothing."""

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

_steps = np.arange(256) / 255.0
_LINEAR = np.where(_steps <= 0.04045, _steps / 12.92, ((_steps + 0.055) / 1.055) ** 2.4)
GROUP = 24
"""Bytes of eight pixels: three words, compared at once, since most of two pictures is the same."""


def settled(before: Pixels, after: Pixels, background: tuple[int, int, int], least: float = UNSEEN) -> float:
    """Undo, in place, changes of less than ``least``, and return the floor: what an editor gets for doing nothing.

    A pixel that is settled takes the background where one of the pictures shows it there, so that nothing is left of
    what was removed; otherwise it keeps the color that it has in the first picture. The floor is an mIoU, 0 to 1: the
    mean over t = 0 … 10 of |ΔE ≤ t| / |all that changes|.
    """
    flat, wanted = before.reshape(-1), after.reshape(-1)
    whole = len(flat) // GROUP * GROUP
    words = flat[:whole].view(np.uint64), wanted[:whole].view(np.uint64)
    within, changed = _settle(flat, wanted, *words, np.array(background, np.uint8), least)
    return within / 11 / changed if changed else 1.0


def distances(before: Pixels, after: Pixels) -> Floats:
    """ΔE76 between two pictures, pixel by pixel.

    >>> distances(np.full((1, 1, 3), 100, np.uint8), np.full((1, 1, 3), 110, np.uint8)).round(2).tolist()
    [[4.06]]
    """
    found = np.empty(before.shape[:2], np.float64)
    _distances(np.ascontiguousarray(before).reshape(-1), np.ascontiguousarray(after).reshape(-1), found.reshape(-1))
    return found


def floor_of(apart: Floats) -> float:
    """The floor of two pictures from their distances; see ``settled``.

    >>> round(floor_of(np.array([0.0, 4.06, 30.0])), 4) == round(6 / 11 / 2, 4)
    True
    """
    changes = apart[apart > 0]
    return float(np.maximum(0.0, 11 - np.ceil(changes)).mean() / 11) if changes.size else 1.0


@compiled()
def _curve(t: float) -> float:
    return math.pow(t, 1 / 3) if t > (6 / 29) ** 3 else t * (29 / 6) ** 2 / 3 + 4 / 29


@compiled()
def _apart(one: Bytes, two: Bytes, i: int) -> float:
    """ΔE76 between the pixels of two pictures that begin at a byte."""
    r, g, b = _LINEAR[one[i]], _LINEAR[one[i + 1]], _LINEAR[one[i + 2]]
    x0 = _curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y0 = _curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z0 = _curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    r, g, b = _LINEAR[two[i]], _LINEAR[two[i + 1]], _LINEAR[two[i + 2]]
    x1 = _curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047)
    y1 = _curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b)
    z1 = _curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883)
    dl, da, db = 116 * (y1 - y0), 500 * (x1 - y1 - x0 + y0), 200 * (y1 - z1 - y0 + z0)
    return math.sqrt(dl * dl + da * da + db * db)


@compiled()
def _same(one: Bytes, i: int, two: Bytes, j: int) -> bool:
    """Whether two pixels, each by its first byte, have the same color."""
    return bool(one[i] == two[j] and one[i + 1] == two[j + 1] and one[i + 2] == two[j + 2])


@compiled()
def _distances(before: Bytes, after: Bytes, found: Floats) -> None:
    for i in range(len(found)):
        found[i] = 0.0 if _same(before, 3 * i, after, 3 * i) else _apart(before, after, 3 * i)


@compiled()
def _equal(one: Words, i: int, two: Words, j: int) -> bool:
    """The same for eight pixels, each by its first word."""
    return bool(one[i] == two[j] and one[i + 1] == two[j + 1] and one[i + 2] == two[j + 2])


@compiled()
def _settle(before: Bytes, after: Bytes, words: Words, wanted: Words, ground: Bytes, least: float) -> tuple[int, int]:
    """At how many of the eleven tolerances the pixels that change count as right, in all; and how many change."""
    within, changed, last, times, run = 0, 0, -GROUP, 0, 0
    for start in range(0, len(before), GROUP):
        word = start // 8
        if word + 2 < len(words):
            if _equal(words, word, wanted, word):
                continue
            # Areas of one color are long runs of the same change: eight more like the eight before.
            like_before = run >= 8 and last == start - 3
            if like_before and _equal(words, word, words, word - 3) and _equal(wanted, word, wanted, word - 3):
                last = start + GROUP - 3
                changed += 8
                within += 8 * times
                continue
        for i in range(start, min(start + GROUP, len(before)), 3):
            if _same(before, i, after, i):
                continue
            if last == i - 3 and _same(before, i, before, last) and _same(after, i, after, last):
                run += 1
            else:
                apart = _apart(before, after, i)
                if apart < least:
                    if _same(after, i, ground, 0):
                        before[i : i + 3] = ground
                    else:
                        after[i : i + 3] = before[i : i + 3]
                    continue
                times, run = max(0, 11 - math.ceil(apart)), 1
            last = i
            changed += 1
            within += times
    return within, changed
