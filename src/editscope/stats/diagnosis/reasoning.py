"""Reasoned right or wrong against drawn right or wrong: four counts, and the shares that follow from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from editscope.stats.diagnosis.averages import Interval
from editscope.stats.small_groups import wilson

Z = 1.959963984540054
"""The quantile of the normal distribution behind a 95 % interval."""


@dataclass(frozen=True, slots=True)
class ReasonedAndDrawn:
    """How many edits were reasoned right or wrong, and drawn right or wrong."""

    both: int
    only_reasoned: int
    only_drawn: int
    neither: int

    @classmethod
    def of(cls, edits: Iterable[tuple[bool, bool]]) -> ReasonedAndDrawn:
        """The counts of some edits: (reasoned right, drawn right).

        >>> ReasonedAndDrawn.of([(True, True), (True, False), (True, False), (False, False)])
        ReasonedAndDrawn(both=1, only_reasoned=2, only_drawn=0, neither=1)
        """
        known = list(edits)
        cells = ((True, True), (True, False), (False, True), (False, False))
        return cls(*(known.count(cell) for cell in cells))

    @property
    def n(self) -> int:
        """All edits."""
        return self.both + self.only_reasoned + self.only_drawn + self.neither

    @property
    def reasoned(self) -> Interval | None:
        """The share that was reasoned right, in percent."""
        return share(self.both + self.only_reasoned, self.n)

    @property
    def drawn_if_reasoned(self) -> Interval | None:
        """The share of those that were reasoned right that was drawn right too, in percent."""
        return share(self.both, self.both + self.only_reasoned)

    @property
    def drawn_if_not(self) -> Interval | None:
        """The share of those that were reasoned wrong that was drawn right all the same, in percent."""
        return share(self.only_drawn, self.only_drawn + self.neither)


def share(right: int, n: int) -> Interval | None:
    """A share in percent with Wilson's 95 % interval; None of nothing.

    >>> share(8, 10)
    Interval(mean=80.0, lo=49.016, hi=94.332)
    """
    if not n:
        return None
    low, high = wilson(right / n, n, Z)
    return Interval(100 * (right / n), round(100 * low, 3) + 0.0, round(100 * high, 3))
