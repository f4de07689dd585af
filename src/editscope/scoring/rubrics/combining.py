"""One value from several verdicts on one call (samples of one judge, or a panel), and how far they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editscope.cases import Status
from editscope.judges import Verdict


@dataclass(frozen=True, slots=True)
class Combined:
    """What the verdicts on one field come to: ``value`` is none, and ``status`` says why, where none of them is ok."""

    value: float | None
    status: Status = "ok"
    asked: int = 0
    answered: int = 0
    agreement: float | None = None

    def with_value(self, value: float | None) -> Combined:
        """The same verdicts, read as another value."""
        return replace(self, value=value)


def combine(verdicts: Sequence[Verdict], field: str) -> Combined:
    """The mean of a field over the verdicts that are ok; a yes counts 1, a no 0.

    Verdicts that are not ok take no part. Where none is ok, the status is that of the first; where none was asked
    for, ``error``.

    >>> said = [Verdict("ok", {"score": 4}), Verdict("ok", {"score": 5}), Verdict("unparsed")]
    >>> combine(said, "score")
    Combined(value=4.5, status='ok', asked=3, answered=2, agreement=0.0)
    >>> combine([Verdict("refused")], "score")
    Combined(value=None, status='refused', asked=1, answered=0, agreement=None)
    """
    values = [verdict.values[field] for verdict in verdicts if verdict.status == "ok" and field in verdict.values]
    if not values:
        status: Status = next((verdict.status for verdict in verdicts if verdict.status != "ok"), "error")
        return Combined(None, status, len(verdicts))
    return Combined(sum(values) / len(values), "ok", len(verdicts), len(values), agreement(values))


def agreement(values: Sequence[float]) -> float | None:
    """The share of pairs of verdicts that say the same; none for fewer than two.

    >>> agreement([5, 5, 4]), agreement([True])
    (0.3333333333333333, None)
    """
    pairs = len(values) * (len(values) - 1) // 2
    if not pairs:
        return None
    return sum(count * (count - 1) // 2 for count in Counter(values).values()) / pairs


def majority(share: float) -> float:
    """What most say when a share of them says yes: 1, 0, or ½ where they are even.

    >>> majority(2 / 3), majority(0.5), majority(0.25)
    (1.0, 0.5, 0.0)
    """
    return 0.5 if share == 0.5 else float(share > 0.5)
