"""Panel of judges: each call goes to all of them, every verdict is kept, and their agreement is measured."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.errors import BadInput
from editscope.judges.records import Call, Estimate, Judge, Verdict, ask_judge, check_judge
from editscope.judges.registry import load_judge
from editscope.transport.budget import Budget

if TYPE_CHECKING:
    from editscope.stats.agreement import Agreement, Level


def load_panel(
    specs: Sequence[str],
    *,
    cache: str | Path | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    **options: Any,
) -> tuple[Judge, ...]:
    """The judges that some specs name, with one budget for all of them; options as for ``load_judge``."""
    if not specs:
        raise BadInput("a panel needs at least one judge, such as openai:gpt-4o")
    judges = tuple(load_judge(spec, cache=cache, max_cost=max_cost, max_calls=max_calls, **options) for spec in specs)
    names = [judge.spec for judge in judges]
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"the judge {name} is named twice; to ask one judge several times use --samples")
    shared = Budget(max_cost, max_calls)
    for judge in judges:
        judge.use_budget(shared)
    return judges


class Panel:
    """Several judges as one: a call goes to all of them at once.

    It decides nothing. What the verdicts come to is the rubric's business, and ``agreement`` says how far to trust it.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self.judges = tuple(judges)

    @property
    def specs(self) -> tuple[str, ...]:
        """The specs of the judges, in order."""
        return tuple(judge.spec for judge in self.judges)

    def estimate(self, calls: Iterable[Call], samples: int = 1) -> Estimate:
        """What the calls will take, all judges together."""
        listed = list(calls)
        first, *others = (judge.estimate(listed, samples) for judge in self.judges)
        return sum(others, first)

    async def check(self) -> None:
        """Raise BadInput where one of them cannot be asked."""
        for judge in self.judges:
            await check_judge(judge)

    async def ask(self, call: Call, sample: int = 0) -> tuple[Verdict, ...]:
        """What each of them says, in order. A judge that has no verdict does not keep the others from having one."""
        return tuple(await asyncio.gather(*(ask_judge(judge, call, sample) for judge in self.judges)))

    async def close(self) -> None:
        """Release all of them."""
        for judge in self.judges:
            await judge.close()


def ratings(verdicts: Mapping[Any, Sequence[Verdict]], field: str, specs: Sequence[str]) -> list[list[float | None]]:
    """One row for each judge, one entry for each item: what it said (the mean of its samples), None where nothing.

    >>> said = {"q1": [Verdict("ok", {"score": 4}, judge="a"), Verdict("ok", {"score": 2}, judge="b")],
    ...         "q2": [Verdict("ok", {"score": 5}, judge="a"), Verdict("refused", judge="b")]}
    >>> ratings(said, "score", ["a", "b"])
    [[4.0, 5.0], [2.0, None]]
    """
    rows: list[list[float | None]] = []
    for spec in specs:
        row: list[float | None] = []
        for given in verdicts.values():
            own = [float(v.values[field]) for v in given if v.judge == spec and v.status == "ok" and field in v.values]
            row.append(sum(own) / len(own) if own else None)
        rows.append(row)
    return rows


def agreement(
    verdicts: Mapping[Any, Sequence[Verdict]],
    field: str,
    specs: Sequence[str],
    level: Level = "interval",
    *,
    resamples: int = 2_000,
    seed: int = 0,
) -> Agreement | None:
    """Krippendorff's alpha of the judges on one field, over the items that at least two of them answered.

    ``verdicts`` holds all verdicts on each item. ``level`` is "nominal" for yes and no, "interval" or "ordinal" for
    scores. None where no item has two judges' answers.

    >>> def said(a, b):
    ...     return [Verdict("ok", {"score": a}, judge="a"), Verdict("ok", {"score": b}, judge="b")]
    >>> found = agreement({1: said(1, 1), 2: said(5, 5), 3: said(3, 4)}, "score", ["a", "b"])
    >>> round(found.value, 3), found.items, found.raters
    (0.95, 3, 2)
    """
    rows = ratings(verdicts, field, specs)
    if not any(sum(value is not None for value in item) >= 2 for item in zip(*rows, strict=True)):
        return None
    from editscope.stats.agreement import krippendorff_alpha

    return krippendorff_alpha(rows, level, resamples=resamples, seed=seed)
