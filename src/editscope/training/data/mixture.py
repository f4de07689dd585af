"""Mixtures: which part each example comes from, and which of its examples it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from editscope.training.data.settings import PartSettings


@dataclass(frozen=True, slots=True)
class Draw:
    """One example of a mixture: its part, and how many were drawn from this part before."""

    part: int
    turn: int


class Mixture:
    """Draws from parts, in exact proportions: after t draws, each part has its share of t.

    The part that is furthest behind its share comes next, so that no part is ever off by as many examples as there are
    parts. The position in a mixture is therefore the number of examples drawn from each part.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        exact = [Fraction(str(weight)) for weight in weights]
        self._shares = [weight / sum(exact) for weight in exact]
        self.taken = [0] * len(exact)

    def next(self) -> Draw:
        """The next draw.

        >>> mixture = Mixture([2, 1])
        >>> [mixture.next().part for _ in range(6)]
        [0, 1, 0, 0, 1, 0]
        """
        total = sum(self.taken) + 1
        behind = [share * total - taken for share, taken in zip(self._shares, self.taken, strict=True)]
        part = max(range(len(behind)), key=lambda place: (behind[place], -place))
        draw = Draw(part, self.taken[part])
        self.taken[part] += 1
        return draw


def number_of(turn: int, entries: int | None, settings: PartSettings, seed: int) -> int:
    """Which example of a part a draw gives: each epoch has every record ``repeats`` times, in an order of its own."""
    if entries is None:
        return turn
    epoch, place = divmod(turn, entries * settings.repeats)
    if not settings.shuffle:
        return place % entries
    return int(_order(entries * settings.repeats, settings.label, seed, epoch)[place]) % entries


@lru_cache(maxsize=16)
def _order(count: int, label: str, seed: int, epoch: int) -> npt.NDArray[np.int64]:
    """The order of an epoch. The bits of ``RandomState`` are fixed for ever, those of newer generators are not."""
    key = sha256(f"{seed}|order|{label}|{epoch}".encode()).digest()
    order: npt.NDArray[np.int64] = np.random.RandomState(np.frombuffer(key, np.uint32)).permutation(count)
    return order
