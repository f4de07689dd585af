"""Findings about one judge that every audit has: calls and how they ended, what they cost, and weaknesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from editscope.judges import Verdict

STEADY = 0.8
"""A judge that is asked again says the same at least so often."""
GAPS = 0.05
"""So many calls may end without a verdict."""


@dataclass(frozen=True)
class JudgeFindings:
    """What an audit says about one judge; what it found of its verdicts is in the subclasses."""

    judge: str
    snapshots: tuple[str, ...]
    statuses: Mapping[str, int]
    spent: Mapping[str, float | None]
    flags: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def asked(self) -> int:
        """Calls that were made."""
        return sum(self.statuses.values())

    def share(self, status: str) -> float:
        """The share of calls that ended so."""
        return self.statuses.get(status, 0) / max(1, self.asked)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def call_facts(judge: str, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The fields of ``JudgeFindings``, without weaknesses."""
    return {
        "judge": judge,
        "snapshots": tuple(sorted({verdict.snapshot for verdict in verdicts if verdict.snapshot})),
        "statuses": dict(sorted(Counter(verdict.status for verdict in verdicts).items())),
        "spent": _spent(verdicts),
    }


def gap_flag(found: JudgeFindings) -> dict[str, str]:
    """The weakness of a judge that leaves many calls without a verdict; nothing for others."""
    gaps = 1 - found.share("ok")
    if not found.asked or gaps <= GAPS:
        return {}
    return {"gaps": f"{100 * gaps:.1f} % of the calls ended without a verdict."}


def _spent(verdicts: Sequence[Verdict]) -> dict[str, float | None]:
    """What the verdicts took when they were asked for, those from the cache too: in all, and each that is ok."""
    answered = max(1, sum(verdict.status == "ok" for verdict in verdicts))
    used = [verdict.usage for verdict in verdicts]
    costs = [one.cost_usd for one in used]
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if known and len(known) == len(costs) else None
    return {
        "cost_usd": None if cost is None else round(cost, 9),
        "cost_per_verdict_usd": None if cost is None else round(cost / answered, 9),
        "input_tokens_per_verdict": round(sum(one.input_tokens for one in used) / answered, 1),
        "output_tokens_per_verdict": round(sum(one.output_tokens for one in used) / answered, 1),
        "seconds_per_verdict": round(sum(one.latency_s for one in used) / answered, 4),
        "requests_per_verdict": round(sum(one.attempts for one in used) / answered, 4),
        "from_cache": sum(verdict.cached for verdict in verdicts),
    }
