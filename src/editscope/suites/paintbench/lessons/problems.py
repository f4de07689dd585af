"""Problems of the default set, for measuring an editor while it trains."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from editscope.images import Pixels
from editscope.suites.paintbench.catalog import CATEGORY_OF
from editscope.suites.paintbench.lessons.lesson import lesson_at
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from editscope.suites.paintbench.suite import PaintBenchSuite


def problem_at(slot: PaintSlot, overrides: Overrides = Overrides()) -> tuple[Pixels, Pixels, str]:
    """Input, answer and instruction of a slot."""
    lesson = lesson_at(slot, overrides)
    after = lesson.after if lesson.after.ndim == 3 else lesson.colors[lesson.after]
    return lesson.colors[lesson.before], after, lesson.instruction


def default_slots(every: int = 1) -> list[PaintSlot]:
    """The slots of the default set, or each ``every``-th of them."""
    from editscope.suites.paintbench.data import load

    suite = load()
    assert isinstance(suite, PaintBenchSuite)
    return list(suite.slots.values())[::every]


def hierarchical_means(scores: Sequence[tuple[str, float]]) -> dict[str, float]:
    """The mean of each task, of scores with the names of their tasks, and over all by the benchmark's hierarchy."""
    by_task: dict[str, list[float]] = {}
    for task, score in scores:
        by_task.setdefault(task, []).append(score)
    tasks = {task: fmean(values) for task, values in sorted(by_task.items())}
    categories: dict[str, list[float]] = {}
    for task, value in tasks.items():
        categories.setdefault(CATEGORY_OF[task], []).append(value)
    return {"all": fmean(fmean(values) for values in categories.values()), **tasks}
