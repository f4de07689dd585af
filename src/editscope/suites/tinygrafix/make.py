"""Problems from slots: every seed gives one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from editscope.images import Pixels
from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.generated.suite import MOST_FLOOR, GeneratedProblem
from editscope.suites.tinygrafix.canvas import Canvas, plain_settings, the_canvas
from editscope.suites.tinygrafix.catalog import CHARTS, seed_of
from editscope.suites.tinygrafix.change import Change, Chart, chart_named
from editscope.suites.tinygrafix.colors import rgb_of
from editscope.suites.tinygrafix.rims import settle_rims
from editscope.suites.tinygrafix.slots import ChartSlot


@dataclass(frozen=True, slots=True)
class ChartProblem:
    """A problem before it is drawn: the chart type, what changes, and the seed."""

    chart: Chart
    change: Change[Any]
    seed: int


def attempts(slot: ChartSlot, namespace: str, canvas: Canvas) -> Iterator[ChartProblem]:
    """Problems for a slot, one after another, all from its seed; the first that can be seen well is taken."""
    seed = seed_of(namespace, slot.chart, slot.task, slot.slot)
    rng = SeededRandom(seed)
    chart = chart_named(slot.chart)
    while True:
        state = chart.build(rng, canvas, slot.task)
        yield ChartProblem(chart, chart.TASKS[slot.task](state, rng, canvas), seed)


def plan(slot: ChartSlot, namespace: str, canvas: Canvas) -> ChartProblem:
    """The first attempt at a problem: everything about it but its pixels."""
    return next(attempts(slot, namespace, canvas))


def draw(slot: ChartSlot, namespace: str, canvas: Canvas) -> tuple[ChartProblem, Pixels, Pixels]:
    """The problem of a slot with both pictures. Edits so faint that doing nothing would score are drawn again."""
    for drawn in attempts(slot, namespace, canvas):
        chart, change = drawn.chart, drawn.change
        before, after = canvas.draw_pair(
            chart.shared(canvas, change.before),
            chart.content(canvas, change.before),
            chart.content(canvas, change.after),
        )
        if chart.UNSEEN is None:
            return drawn, before, after
        background = rgb_of(change.before.theme.background)
        if settle_rims(before, after, background, chart.UNSEEN) <= MOST_FLOOR:
            return drawn, before, after
    raise AssertionError("attempts never end")


def make(slot: ChartSlot, namespace: str = "tinygrafixbench") -> GeneratedProblem:
    """The problem of a slot."""
    canvas = the_canvas()
    with plain_settings():
        drawn, before, after = draw(slot, namespace, canvas)
    change = drawn.change
    sidecar = {
        "instruction": change.instruction,
        "category": slot.chart,
        "task": slot.folder,
        "mode": "default",
        "operation": CHARTS[slot.chart][slot.task],
        "problem_id": slot.slot,
        "seed": drawn.seed,
        **change.details,
        "state": as_json(change.before),
        "answer_state": as_json(change.after),
        "touched": [[round(v, 2) for v in box] for box in change.touched],
    }
    return GeneratedProblem(before, after, sidecar)


def as_json(value: Any) -> Any:
    """A state as JSON can hold it; what ``dataclasses.asdict`` gives, without its deep copies.

    >>> as_json(ChartSlot("bar_chart", "add_bar", 3))
    {'chart': 'bar_chart', 'task': 'add_bar', 'slot': 3}
    """
    if isinstance(value, (str, float, int)) or value is None:
        return value
    if isinstance(value, (tuple, list)):
        return [as_json(item) for item in value]
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    return {key: as_json(item) for key, item in value.items()}
