"""Counts of a step: how many records came in, went on, were dropped for which reason, and are pending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST_REASON = 120


@dataclass(slots=True)
class StepCounts:
    """What happened at one step. A record that failed is pending: it is neither kept nor dropped."""

    records_in: int = 0
    records_out: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    pending: int = 0

    def drop(self, reason: str) -> None:
        """Count a record that was dropped; of a reason with details, what stands before the colon counts.

        >>> counts = StepCounts()
        >>> counts.drop("two predicates: 'and' joins them"), counts.dropped
        (None, Counter({'two predicates': 1}))
        """
        said = " ".join(reason.partition(": ")[0].split())  # what a model wrote may have lines, and be long
        self.dropped[said if len(said) <= LONGEST_REASON else f"{said[: LONGEST_REASON - 1]}…"] += 1

    def add(self, other: StepCounts) -> None:
        """Count what another part of the build counted."""
        self.records_in += other.records_in
        self.records_out += other.records_out
        self.dropped += other.dropped
        self.pending += other.pending

    def to_json(self) -> dict[str, Any]:
        """The counts as a store keeps them."""
        return {"in": self.records_in, "out": self.records_out, "dropped": dict(self.dropped), "pending": self.pending}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> StepCounts:
        """Counts that a store kept."""
        return cls(kept["in"], kept["out"], Counter(kept["dropped"]), kept["pending"])


def total(parts: Iterable[Mapping[str, StepCounts]]) -> dict[str, StepCounts]:
    """The counts of several chunks together, by step."""
    whole: dict[str, StepCounts] = {}
    for counts in parts:
        for step, one in counts.items():
            whole.setdefault(step, StepCounts()).add(one)
    return whole
