"""Random choices that are the same on every machine and every Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class SeededRandom:
    """Choices drawn from a seed.

    Python promises the stream of ``Random.random`` for ever, but not how ``choice`` or ``shuffle`` use it;
    so they are spelled out here.

    >>> SeededRandom(7).integer(1, 6), SeededRandom(7).choice("abc")
    (2, 'a')
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def uniform(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        return low + (high - low) * self._random()

    def log_uniform(self, low: float, high: float) -> float:
        """A number in [low, high) whose logarithm is uniform."""
        return math.exp(self.uniform(math.log(low), math.log(high)))

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both possible."""
        return low + int(self._random() * (high - low + 1))

    def tenth(self, low: float, high: float) -> float:
        """A number in [low, high] with one decimal, so that the sentence can say exactly what was used."""
        return self.integer(math.ceil(low * 10), math.floor(high * 10)) / 10

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[int(self._random() * len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        rest = list(items)
        for i in range(len(rest) - 1, 0, -1):
            j = int(self._random() * (i + 1))
            rest[i], rest[j] = rest[j], rest[i]
        return rest

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """k of the items, each at most once."""
        return self.shuffled(items)[:k]
