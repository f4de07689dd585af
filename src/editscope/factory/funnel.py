"""The funnel of a build: what came in, went on, was dropped and why, failed, and what it took, step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.factory.engine.counts import StepCounts
from editscope.factory.plan import BuildPlan

MOST_REASONS = 4
LONGEST_SETTINGS = 160


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One step of a funnel. ``seconds`` are those of its work, however many went on at a time."""

    step: str
    kind: str
    records_in: int
    records_out: int
    dropped: Mapping[str, int]
    pending: int
    cost_usd: float
    seconds: float
    attempts: int

    @property
    def dropped_in_words(self) -> str:
        """Reasons with their numbers, the most common first.

        >>> FunnelRow("s", "filter", 10, 4, {"too small": 5, "broken": 1}, 0, 0.0, 0.0, 0).dropped_in_words
        '6: 5 too small, 1 broken'
        >>> FunnelRow("s", "filter", 10, 4, {"too small": 6}, 0, 0.0, 0.0, 0).dropped_in_words
        '6: too small'
        """
        if not self.dropped:
            return ""
        ordered = sorted(self.dropped.items(), key=lambda item: (-item[1], item[0]))
        if len(ordered) == 1:
            return f"{ordered[0][1]:,}: {ordered[0][0]}"
        shown = [f"{number:,} {reason}" for reason, number in ordered[:MOST_REASONS]]
        rest = len(ordered) - MOST_REASONS
        more = f", {rest} more reasons" if rest > 0 else ""
        return f"{sum(self.dropped.values()):,}: {', '.join(shown)}{more}"

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> FunnelRow:
        """A row that a file kept."""
        names = {"in": "records_in", "out": "records_out"}
        return cls(**{names.get(key, key): value for key, value in row.items()})

    def to_json(self) -> dict[str, Any]:
        """The row for a file."""
        return {
            "step": self.step, "kind": self.kind, "in": self.records_in, "out": self.records_out,
            "dropped": dict(self.dropped), "pending": self.pending, "cost_usd": round(self.cost_usd, 6),
            "seconds": round(self.seconds, 3), "attempts": self.attempts,
        }  # fmt: skip


def funnel_rows(
    plan: BuildPlan,
    counts: Mapping[str, StepCounts],
    spent: Mapping[str, tuple[int, float, float, int]],
    *,
    stopped: bool = False,
) -> Sequence[FunnelRow]:
    """The funnel of a build, in the order of the plan.

    Chunks that a ``stopped`` build was in the middle of are not counted yet; for them, outcomes that are kept count as
    records that came in.
    """
    rows = []
    for step in plan.steps:
        one = counts.get(step.name, StepCounts())
        made, cost, seconds, attempts = spent.get(step.name, (0, 0.0, 0.0, 0))
        came = max(one.records_in, made) if stopped else one.records_in
        reasons = dict(sorted(one.dropped.items()))
        rows.append(
            FunnelRow(step.name, step.kind, came, one.records_out, reasons, one.pending, cost, seconds, attempts)
        )
    return rows


def largest_loss(plan: BuildPlan, rows: Sequence[FunnelRow]) -> str:
    """Where and why most records were lost, and what to look at, in a sentence; "" where none was."""
    if not rows or not rows[0].records_in:
        return "the source gave no records; look at [source] in the plan"
    row = max(rows, key=lambda one: sum(one.dropped.values()))
    waiting = max(rows, key=lambda one: one.pending)
    if waiting.pending:
        return f"{waiting.pending:,} wait at step {waiting.step!r} for people to accept them"
    if not row.dropped:
        return ""
    reason, number = max(row.dropped.items(), key=lambda item: item[1])
    step = plan.step(row.step)
    given = [(name, value) for name in step.decisive if (value := step.settings.get(name))]
    settings = ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in given)
    if len(settings) > LONGEST_SETTINGS:
        settings = f"{settings[: LONGEST_SETTINGS - 1]}…"
    look = f"at {settings} there" if settings else "at that step in the plan"
    lost = f"{number:,} of {row.records_in:,}"
    return f"most were lost at step {row.step!r}, {lost} for the reason {reason!r}; look {look}"
