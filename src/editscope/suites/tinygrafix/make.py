"""From a slot to a problem: every seed gives one, there is nothing to search."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from editscope.suites.dice import Dice
from editscope.suites.made import Made
from editscope.suites.tinygrafix.canvas import Canvas, plain_settings, the_canvas
from editscope.suites.tinygrafix.catalog import CHARTS, seed_of
from editscope.suites.tinygrafix.change import Change, Chart, chart_named
from editscope.suites.tinygrafix.slots import Slot


@dataclass(frozen=True, slots=True)
class Drawn:
    """A problem before it is drawn: the chart type, what changes, and the seed."""

    chart: Chart
    change: Change[Any]
    seed: int


def plan(slot: Slot, namespace: str, canvas: Canvas) -> Drawn:
    """Everything about a problem but its pixels."""
    seed = seed_of(namespace, slot.chart, slot.task, slot.slot)
    dice = Dice(seed)
    chart = chart_named(slot.chart)
    state = chart.build(dice, canvas, slot.task)
    return Drawn(chart, chart.TASKS[slot.task](state, dice, canvas), seed)


def make(slot: Slot, namespace: str = "tinygrafixbench") -> Made:
    """The problem of a slot."""
    canvas = the_canvas()
    with plain_settings():
        drawn = plan(slot, namespace, canvas)
        chart, change = drawn.chart, drawn.change
        before, after = canvas.draw_pair(
            chart.shared(canvas, change.before),
            chart.content(canvas, change.before),
            chart.content(canvas, change.after),
        )
    sidecar = {
        "instruction": change.instruction,
        "category": slot.chart,
        "task": slot.folder,
        "mode": "default",
        "operation": CHARTS[slot.chart][slot.task],
        "problem_id": slot.slot,
        "seed": drawn.seed,
        **change.details,
        "state": written(change.before),
        "answer_state": written(change.after),
        "touched": [[round(v, 2) for v in box] for box in change.touched],
    }
    return Made(before, after, sidecar)


def written(value: Any) -> Any:
    """A state as JSON can hold it; what ``dataclasses.asdict`` gives, without its deep copies.

    >>> written(Slot("bar_chart", "add_bar", 3))
    {'chart': 'bar_chart', 'task': 'add_bar', 'slot': 3}
    """
    if isinstance(value, (str, float, int)) or value is None:
        return value
    if isinstance(value, (tuple, list)):
        return [written(item) for item in value]
    if is_dataclass(value):
        return {field.name: written(getattr(value, field.name)) for field in fields(value)}
    return {key: written(item) for key, item in value.items()}
