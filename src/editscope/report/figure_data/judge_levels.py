"""Scores that judges gave, in five levels from worst to best: shares of each level, and what the levels are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import floor

from editscope.cases import NOTHING
from editscope.report.judged_runs import scales_of
from editscope.report.model import RunView, Sheet
from editscope.results.accounting import accounting_of

LEVELS = ("level 1", "level 2", "level 3", "level 4", "level 5")
"""Fifths of a scale, from worst to best."""


def level_shares(
    view: RunView, metric: str, worst: float, best: float, of: Mapping[str, str] = NOTHING
) -> dict[str, float]:
    """Percentages of a metric's numbers by level, or by status where there is none; empty for a computed metric.

    ``of`` are tags that a number must have to count. The released accounting has numbers for pictures that are missing,
    and leaves numbers out although a judge was asked.
    """
    rows = view.scores
    released = accounting_of(view.run.info) == "released"
    counts: Counter[str] = Counter()
    columns = (rows[name] for name in ("metric", "key", "value", "status", "edit_status"))
    for place, (name, key, score, status, edit) in enumerate(zip(*columns, strict=True)):
        if name == metric and key and all(rows[tag][place] == value for tag, value in of.items()):
            missing = edit if edit != "ok" else status if status != "ok" else "left_out"
            counted = score is not None and (released or edit == "ok")
            counts[LEVELS[level_of(score, worst, best)] if counted else missing] += 1
    total = sum(counts.values())
    return {part: 100 * number / total for part, number in counts.items()}


def level_of(value: float, worst: float, best: float) -> int:
    """In which fifth of its scale a score lies, 0 (worst) to 4; a mean of several marks lies where the nearest does.

    >>> [level_of(mark, 1, 5) for mark in (1, 2, 3, 4, 5)], [level_of(mark, 1, 10) for mark in (1, 2, 3, 10)]
    ([0, 1, 2, 3, 4], [0, 0, 1, 4])
    >>> level_of(0, 0, 1), level_of(1, 0, 1)
    (0, 4)
    """
    steps = floor(value - worst + 0.5)
    return min(4, int(5 * steps / (best - worst)))


def level_labels(sheet: Sheet) -> dict[str, str]:
    """What the levels are called: right and wrong, marks, or fifths where metrics have different scales."""
    scales = {
        (worst, best)
        for metric, (_, worst, best) in scales_of(sheet.runs[0].run.info).items()
        if any(level_shares(view, metric, worst, best) for view in sheet.runs)
    }
    if scales == {(0.0, 1.0)}:
        return {"level 1": "Wrong", "level 5": "Right"}
    if len(scales) == 1 and (scale := next(iter(scales)))[1] - scale[0] < 20:
        marks: dict[str, list[int]] = {level: [] for level in LEVELS}
        for mark in range(round(scale[0]), round(scale[1]) + 1):
            marks[LEVELS[level_of(mark, *scale)]].append(mark)
        return {level: f"{own[0]}" if len(own) == 1 else f"{own[0]}–{own[-1]}" for level, own in marks.items() if own}
    return dict(zip(LEVELS, ("Lowest fifth", "Second", "Middle", "Fourth", "Highest fifth"), strict=True))
