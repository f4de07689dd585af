"""Color gradients that can be read: linear in RGB, nowhere flat, nowhere close to the background."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.tinygrafix.colors import LEAST_APART, delta_e, hex_of, lab_of, random_color, rgb_of

ENDS_APART = 40.0
"""The two ends differ by more than this ΔE76."""
EIGHTH_APART = 4.0
"""So do any two points an eighth of the way apart."""
PATH_APART = LEAST_APART + 2.0
"""All along, the colors stay this far from those to avoid: 2 more, because only some points are looked at."""
_POINTS = [k / 16 for k in range(17)]


@dataclass(frozen=True, slots=True)
class Gradient:
    """Colors between two ends, linear in red, green and blue, each rounded to a whole number.

    >>> Gradient("#000000", "#FF8041").at(0.5)
    '#804020'
    """

    low: str
    high: str

    def shades(self, shares: Sequence[float] | npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """Red, green and blue at each share of the way from low to high: round(low + share · (high − low))."""
        low, high = np.array(rgb_of(self.low), np.float64), np.array(rgb_of(self.high), np.float64)
        return np.rint(low + np.asarray(shares, np.float64)[:, None] * (high - low)).astype(np.uint8)

    def at(self, share: float) -> str:
        """The color at a share of the way."""
        return self._colors([share])[0]

    def _colors(self, shares: Sequence[float]) -> list[str]:
        return [hex_of((r, g, b)) for r, g, b in self.shades(shares).tolist()]


def random_gradient(rng: SeededRandom, background: str, old: Gradient | None = None) -> Gradient:
    """A gradient that keeps clear of the background and, at every share, of the gradient that it replaces."""
    avoid = [background, *((old.low, old.high) if old else ())]
    before = [lab_of(color) for color in old._colors(_POINTS)] if old else []
    ground = lab_of(background)
    while True:
        gradient = Gradient(random_color(rng, avoid), random_color(rng, avoid))
        if delta_e(gradient.low, gradient.high) <= ENDS_APART:
            continue
        labs = [lab_of(color) for color in gradient._colors(_POINTS)]
        if (
            all(math.dist(a, b) > EIGHTH_APART for a, b in zip(labs, labs[2:], strict=False))
            and all(math.dist(lab, ground) > PATH_APART for lab in labs)
            and all(math.dist(a, b) > PATH_APART for a, b in zip(labs, before, strict=False))
        ):
            return gradient
