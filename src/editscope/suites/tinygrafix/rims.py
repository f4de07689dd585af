"""Rims of thin lines and discs: changes too faint to be seen, which stay out of an edit, and the floor that is left."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from editscope.compiled import compiled
from editscope.images import Pixels, lab
from editscope.images.lab import difference

UNSEEN = 3.0
"""A pixel at the rim of a line that would change by less than this ΔE76 does not change."""
FAINT = 10.0
"""The largest tolerance of the score: a change up to this ΔE76 counts as none at some tolerance."""

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

GROUP = 24
"""Bytes of eight pixels: three words, compared at once, since most of two pictures is the same."""


def settle_rims(before: Pixels, after: Pixels, background: tuple[int, int, int], least: float = UNSEEN) -> float:
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


def floor_of(apart: Floats) -> float:
    """The floor of two pictures from their distances; see ``settle_rims``.

    >>> round(floor_of(np.array([0.0, 4.06, 30.0])), 4) == round(6 / 11 / 2, 4)
    True
    """
    changes = apart[apart > 0]
    return float(np.maximum(0.0, 11 - np.ceil(changes)).mean() / 11) if changes.size else 1.0


@compiled(inner=True)
def _same(one: Bytes, i: int, two: Bytes, j: int) -> bool:
    """Whether two pixels, each by its first byte, have the same color."""
    return bool(one[i] == two[j] and one[i + 1] == two[j + 1] and one[i + 2] == two[j + 2])


@compiled(inner=True)
def _equal(one: Words, i: int, two: Words, j: int) -> bool:
    """The same for eight pixels, each by its first word."""
    return bool(one[i] == two[j] and one[i + 1] == two[j + 1] and one[i + 2] == two[j + 2])


@compiled("u1[::1], u1[::1], u8[::1], u8[::1], u1[::1], f8", uses=(lab,))
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
                apart = difference(before, after, i)
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
