"""Rankings: sizes that a person can tell apart, words for the shapes that are ranked, and others beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.paintbench.geometry import Box
from editscope.suites.paintbench.palette import Color
from editscope.suites.paintbench.placing import WIDE_GAP, Placing
from editscope.suites.paintbench.problem import require
from editscope.suites.paintbench.scene import Scene
from editscope.suites.paintbench.shapes import KINDS
from editscope.suites.paintbench.words import plural

PHRASE_FORMS = ("color only", "shape only", "color and shape")
MOST_OTHERS = 5


@dataclass(frozen=True, slots=True)
class Ranked:
    """The kind and color of all shapes in a ranking, and which of the two the instruction names."""

    kind: str
    color: Color
    form: str

    @staticmethod
    def random(rng: SeededRandom, colors: tuple[Color, ...]) -> Ranked:
        """A kind, a color and a way to name them, all equally likely."""
        return Ranked(rng.choice(KINDS), rng.choice(colors), rng.choice(PHRASE_FORMS))

    @property
    def words(self) -> str:
        """The shapes in words, in the plural."""
        named = "shapes" if self.form == "color only" else plural(self.kind)
        return named if self.form == "shape only" else f"{self.color.name} {named}"

    def fits(self, kind: str, color: Color) -> bool:
        """Whether the words fit a shape."""
        return (self.form == "color only" or kind == self.kind) and (self.form == "shape only" or color is self.color)


def least_step(n: int) -> float:
    """By which factor neighbors in a ranking of n must differ at least, so that a person can see it.

    >>> least_step(3), least_step(9)
    (1.25, 1.13)
    """
    return round(1.13 + 0.02 * max(0, 9 - n), 2)


def span(n: int) -> float:
    """By which factor the last of n ranks is larger than the first, at least."""
    return math.pow(least_step(n), n - 1)


def graded(rng: SeededRandom, n: int, low: float, high: float) -> list[float]:
    """n increasing values, one in each of n equal parts of [low, high] as far as the least step allows."""
    least = least_step(n)
    require(low * span(n) <= high, "so many ranks do not fit")
    values: list[float] = []
    for i in range(n):
        bottom = values[-1] * least if values else low
        top = high / least ** (n - 1 - i)
        start, stop = low + (high - low) * i / n, low + (high - low) * (i + 1) / n
        bottom = max(bottom, start) if start < top else bottom
        top = min(top, stop) if stop > bottom else top
        values.append(rng.uniform(bottom, top))
    return values


def add_others(scene: Scene, rng: SeededRandom, ranked: Ranked, keep_off: Iterable[Box] = ()) -> None:
    """Up to five shapes that the words do not fit; one that meets another shape is left out."""
    low, high = scene.sizes(scene.n)
    pairs = [(kind, color) for kind in KINDS for color in scene.pool if not ranked.fits(kind, color)]
    placing = Placing(scene.shapes, rng, scene.canvas, keep_off=keep_off, gap=WIDE_GAP)
    for _ in range(rng.integer(0, MOST_OTHERS)):
        kind, color = rng.choice(pairs)
        placing.try_to_place(scene.random_shape(rng, kind, color, rng.uniform(low, high)))
