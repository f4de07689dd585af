"""Claims about bar charts: values that can be told apart, labels that fit, edits that touch nothing else."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

from drills import counts
from editscope.suites.tinygrafix.axes import BOTTOM, TICK_SIZE, TOP
from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH, plain_settings, the_canvas
from editscope.suites.tinygrafix.change import Change
from editscope.suites.tinygrafix.charts import bar_chart
from editscope.suites.tinygrafix.charts.bar_chart import BarChart
from editscope.suites.tinygrafix.colors import contrast, delta_e
from editscope.suites.tinygrafix.make import make, plan
from editscope.suites.tinygrafix.slots import ChartSlot
from editscope.suites.tinygrafix.wording import decimal, sig3

pytestmark = [pytest.mark.slow, pytest.mark.drill]

TASKS = tuple(bar_chart.TASKS)
MANY = counts.times(usual=200, full=1_000)


def changes(task: str, count: int) -> list[Change[BarChart]]:
    canvas = the_canvas()
    with plain_settings():
        return [plan(ChartSlot("bar_chart", task, i), "rules", canvas).change for i in range(count)]


@pytest.mark.parametrize("task", TASKS)
def test_bars_can_be_told_apart_by_value_color_and_name(task: str) -> None:
    for change in changes(task, MANY):
        state = change.after if task == "add_bar" else change.before
        top = state.scale.high
        for one, two in itertools.combinations(state.bars, 2):
            assert abs(one.value - two.value) >= 0.05 * top - 1e-12
            assert delta_e(one.color, two.color) > 20
            assert one.label.lower() != two.label.lower()
        assert 4 <= len(state.bars) <= 7
        assert max(bar.value for bar in state.bars) * 1.12 == pytest.approx(top, rel=1e-5)
        for bar in state.bars:
            assert 0.005 * top < bar.value, "three pixels at least"
            assert bar.value == sig3(bar.value)
            assert 0 < bar.value <= top
            assert delta_e(bar.color, state.theme.background) > 20
        assert contrast(state.theme.background, state.theme.text) >= 5


@pytest.mark.parametrize("task", TASKS)
def test_labels_fit_under_their_bars(task: str) -> None:
    canvas = the_canvas()
    for change in changes(task, 300):
        count = len(change.after.bars)
        ends = -np.inf
        for place, bar in enumerate(change.after.bars):
            x0, x1 = bar_chart._sides(count, place)
            half = canvas.text_size(bar.label, TICK_SIZE)[0] / 2
            assert (x0 + x1) / 2 - half > ends + 4
            ends = (x0 + x1) / 2 + half
        assert ends < WIDTH


def test_a_bar_fills_eight_tenths_of_its_place() -> None:
    for count in range(4, 8):
        sides = [bar_chart._sides(count, place) for place in range(count)]
        for (x0, x1), (x2, _) in itertools.pairwise(sides):
            assert (x1 - x0) / (x2 - x0) == pytest.approx(0.8)
        assert sides[0][0] - bar_chart.LEFT == pytest.approx(bar_chart.RIGHT - sides[-1][1]), "in the middle"


def test_the_added_bar_is_the_one_that_the_sentence_describes() -> None:
    for change in changes("add_bar", MANY):
        found = re.fullmatch(
            r'Add the missing bar above the label "(\w+)": value ([\d.]+), color (#[0-9A-F]{6}), as wide as the other '
            r"bars\. Everything else stays as it is\.",
            change.instruction,
        )
        assert found
        (place,) = [i for i, bar in enumerate(change.before.bars) if not bar.shown]
        bar = change.after.bars[place]
        assert (found[1], float(found[2]), found[3]) == (bar.label, bar.value, bar.color)
        assert decimal(bar.value) == found[2]
        assert all(b.shown for b in change.after.bars)
        assert all(b.named for state in (change.before, change.after) for b in state.bars), "the label shows where"


def test_sorting_moves_something_and_ends_in_order() -> None:
    for change in changes("sort_bars", MANY):
        values = [bar.value for bar in change.after.bars]
        assert values == sorted(values, reverse="from the highest" in change.instruction)
        assert change.before.bars != change.after.bars
        assert set(change.before.bars) == set(change.after.bars)


def test_removing_takes_the_named_bar_only() -> None:
    for change in changes("remove_bar", MANY):
        gone = [b for b, a in zip(change.before.bars, change.after.bars, strict=True) if b.shown != a.shown]
        assert len(gone) == 1
        assert f'"{gone[0].label}"' in change.instruction
        assert all(bar.named == bar.shown for state in (change.before, change.after) for bar in state.bars)


def test_the_new_color_is_one_that_no_bar_has() -> None:
    for change in changes("recolor_bar", MANY):
        color = re.findall(r"#[0-9A-F]{6}", change.instruction)[0]
        painted = [a for b, a in zip(change.before.bars, change.after.bars, strict=True) if a != b]
        assert [bar.color for bar in painted] == [color]
        assert all(delta_e(color, bar.color) > 20 for bar in change.before.bars)


def differing(slot: ChartSlot, namespace: str) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], Any]:
    made = make(slot, namespace)
    assert isinstance(made.input, np.ndarray)
    assert isinstance(made.answer, np.ndarray)
    return np.any(made.input != made.answer, axis=2), made


@pytest.mark.parametrize("task", TASKS)
def test_pixels_change_only_where_the_edit_may_touch(task: str) -> None:
    canvas = the_canvas()
    for i in range(25):
        slot = ChartSlot("bar_chart", task, i)
        changed, made = differing(slot, "rules")
        assert np.count_nonzero(changed) >= 40
        allowed = np.zeros((HEIGHT, WIDTH), np.bool_)
        with plain_settings():
            change = plan(slot, "rules", canvas).change
            for x0, y0, x1, y1 in change.touched:
                allowed[int(y0) : int(np.ceil(y1)), int(x0) : int(np.ceil(x1))] = True
            again = canvas.draw(bar_chart.shared(canvas, change.after), bar_chart.content(canvas, change.after))
        assert not np.any(changed & ~allowed)
        assert np.array_equal(again, made.answer)


def test_a_bar_is_as_tall_as_its_value() -> None:
    for i in range(25):
        _, made = differing(ChartSlot("bar_chart", "recolor_bar", i), "rules")
        state = made.sidecar["answer_state"]
        for place, bar in enumerate(state["bars"]):
            x0, x1 = bar_chart._sides(len(state["bars"]), place)
            rgb = tuple(int(bar["color"][k : k + 2], 16) for k in (1, 3, 5))
            column = made.answer[:, int((x0 + x1) / 2)]
            height = np.count_nonzero(np.all(column == rgb, axis=1))
            wanted = bar["value"] / state["scale"]["high"] * (BOTTOM - TOP)
            assert abs(height - wanted) <= 1.5
