"""The change that an edit made, against the one that was asked for: how strong it is, and whether it moved.

I, A and O are input, answer and output; ‖·‖ is the Euclidean norm of a pixel's linear red, green and blue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Effect
from editscope.images import Pixels
from editscope.scoring._lab import LINEAR64

Mask: TypeAlias = npt.NDArray[np.bool_]

PLAIN = 5
"""Levels of 8 bits from which on a change is not noise."""


def strength_of(before: Pixels, answer: Pixels, output: Pixels, mask: Mask) -> tuple[float, float]:
    """The s that brings I + s (A − I) nearest to the output, and 1 − Σ‖O − I − s (A − I)‖ / Σ‖I − A‖, cut at 0."""
    start = LINEAR64[before[mask]]
    asked, made = LINEAR64[answer[mask]] - start, LINEAR64[output[mask]] - start
    energy = float((asked * asked).sum())
    if not energy:
        return 0.0, 0.0
    share = float((made * asked).sum()) / energy
    left = np.sqrt(((made - share * asked) ** 2).sum(axis=-1)).sum()
    return share, max(0.0, 1.0 - float(left / np.sqrt((asked * asked).sum(axis=-1)).sum()))


def moved_light(
    before: Pixels, answer: Pixels, output: Pixels, effects: Sequence[Effect], scored: Mask
) -> tuple[float, float]:
    """How much of the light that should come and go did, and the share of the change outside all masks.

    Both are about pixels that no direct effect changes. The light that comes and the light that goes are summed apart,
    channel by channel, as c; then the first is 1 − Σ|c(O) − c(A)| / Σ c(A), cut at 0. So a thing that only moves
    changes light too. Changes of fewer than ``PLAIN`` levels are left out: noise is everywhere.
    """
    counted, inside = scored.copy(), np.zeros_like(scored)
    for effect in effects:
        if effect.direct:
            counted &= ~effect.mask
        inside |= effect.mask
    asked, made = (_plain_change(before, after, counted) for after in (answer, output))
    light_asked, light_made = (
        _comes_and_goes(before, after, where) for after, where in ((answer, asked), (output, made))
    )
    whole = float(light_asked.sum())
    same = max(0.0, 1.0 - float(np.abs(light_made - light_asked).sum()) / whole) if whole else 0.0
    change = distance(output[made], before[made])
    return same, distance(output[made & ~inside], before[made & ~inside]) / change if change else 0.0


def _plain_change(before: Pixels, after: Pixels, counted: Mask) -> Mask:
    """The counted pixels that change by at least ``PLAIN`` levels in a channel."""
    apart = np.maximum(before, after) - np.minimum(before, after)
    return np.asarray(counted & (apart.max(axis=2) >= PLAIN))


def _comes_and_goes(before: Pixels, after: Pixels, where: Mask) -> npt.NDArray[np.float64]:
    """The light that comes, and that which goes, in each channel."""
    change = LINEAR64[after[where]] - LINEAR64[before[where]]
    return np.array([np.maximum(change, 0).sum(axis=0), np.maximum(-change, 0).sum(axis=0)])


def distance(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8]) -> float:
    """Σ‖first − second‖ over some pixels, in linear light."""
    apart = LINEAR64[first] - LINEAR64[second]
    return float(np.sqrt((apart * apart).sum(axis=-1)).sum())
