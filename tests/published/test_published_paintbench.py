"""The printed tables of PaintBench: every average follows from its parts through our own aggregation."""

from __future__ import annotations

from functools import lru_cache

import pytest

from editscope import load_suite
from editscope.published import contradictions, leaderboard, matrix, results
from editscope.stats.summary import summarize
from editscope.suites.paintbench.catalog import CONDITIONS, MODES, object_count

HALF = 0.05  # what rounding to one decimal can take from a number

Cells = dict[tuple[str, str], dict[str, float]]
"""(by, group) of a row, and the value of each model."""


def printed(suite: str, table: int, metric: str) -> Cells:
    """The cells of one table."""
    cells: Cells = {}
    for row in results(suite, table=table, metric=metric):
        cells.setdefault((row.by, row.group), {})[row.model] = row.value
    assert cells
    assert all(len(row) == 11 for row in cells.values())
    return cells


@lru_cache
def tags(suite: str) -> dict[str, list[str | None]]:
    """The tags of all cases of a suite: what decides which case counts how much in which average."""
    made = load_suite(suite)
    names = {tag for group in made.aggregation.groups for tag in (*group.by, *group.over)}
    names |= {*made.aggregation.strata, *made.aggregation.exclude}
    return {name: [made.tags(case).get(name) for case in made.ids] for name in sorted(names)}


def averages(suite: str, parts: Cells, by: str) -> Cells:
    """Our summary of a set in which every case has the printed value of its group, one column for each model."""
    columns = tags(suite)
    fields = {"mode": ("task", "mode")}.get(by, (by,))
    keys = ["/".join(map(str, case)) for case in zip(*(columns[field] for field in fields), strict=True)]
    models = list(next(iter(parts.values())))
    values = {model: [parts[by, key][model] / 100 for key in keys] for model in models}
    summary = summarize({**columns, **values}, load_suite(suite).aggregation, models, resamples=0)
    means: Cells = {("overall", ""): {model: summary["overall"][model]["mean"] for model in models}}
    for row in summary["groups"]:
        means.setdefault((row["by"], row["key"]), {})[row["metric"]] = row["mean"]
    return means


def disagreeing(shown: Cells, computed: Cells, tolerance: float) -> set[str]:
    """The cells that are farther from what their parts give than rounding explains."""
    return {
        f"{model}, {group or by}"
        for (by, group), row in shown.items()
        for model, value in row.items()
        if abs(value - computed[by, group][model]) > tolerance + 1e-9
    }


def listed(table: int) -> set[str]:
    return {row.cell for row in contradictions("paintbench") if row.table == str(table)}


# An average of parts that are each off by at most HALF is off by at most HALF, and it is itself printed rounded.
AVERAGE = HALF + HALF
DIFFERENCE = 3 * HALF


@pytest.mark.parametrize(("suite", "table"), [("paintbench", 1), ("tinygrafix", 3)])
def test_averages_of_the_main_tables_follow_from_their_tasks(suite: str, table: int) -> None:
    shown = printed(suite, table, "miou")
    computed = averages(suite, shown, "task")
    assert {by for by, _ in shown} == {"overall", "task", "category" if suite == "paintbench" else "chart"}
    assert disagreeing(shown, computed, AVERAGE) == listed(table)


@pytest.mark.parametrize(
    ("suite", "table", "metric"),
    [
        ("tinygrafix", 22, "miou"),
        ("tinygrafix", 23, "edit_accuracy"),
        ("tinygrafix", 24, "preservation_accuracy"),
    ],
)
def test_averages_of_the_chart_tables_follow_from_their_tasks(suite: str, table: int, metric: str) -> None:
    shown = printed(suite, table, metric)
    assert disagreeing(shown, averages(suite, shown, "task"), AVERAGE) == listed(table)


@pytest.mark.parametrize(("table", "metric"), [(16, "miou"), (17, "edit_accuracy"), (18, "preservation_accuracy")])
def test_averages_of_the_mode_tables_follow_from_their_modes(table: int, metric: str) -> None:
    shown = printed("paintbench", table, metric)
    assert len([by for by, _ in shown if by == "mode"]) == 35
    assert disagreeing(shown, averages("paintbench", shown, "mode"), AVERAGE) == listed(table)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "table", "metric", "by"),
    [
        ("paintbench", 1, "miou", "category"),
        ("paintbench", 17, "edit_accuracy", "category"),
        ("paintbench", 18, "preservation_accuracy", "category"),
        ("tinygrafix", 3, "miou", "chart"),
        ("tinygrafix", 23, "edit_accuracy", "chart"),
        ("tinygrafix", 24, "preservation_accuracy", "chart"),
    ],
)
def test_the_benchmark_follows_from_its_printed_categories(suite: str, table: int, metric: str, by: str) -> None:
    shown = printed(suite, table, metric)
    whole = {key: row for key, row in shown.items() if key[0] == "overall"}
    assert disagreeing(whole, averages(suite, shown, by), AVERAGE) == set()


def test_tasks_of_table_1_follow_from_the_modes_of_table_16() -> None:
    """This is what shows that the slipped labels were put right: no other order of the modes' rows fits."""
    modes = printed("paintbench", 16, "miou")
    tasks = {key: row for key, row in printed("paintbench", 1, "miou").items() if key[0] == "task"}
    assert disagreeing(tasks, averages("paintbench", modes, "mode"), AVERAGE) == set()
    slipped = dict(modes)
    slipped["mode", "scaling/match"], slipped["mode", "shearing/default"] = (
        modes["mode", "shearing/default"],
        modes["mode", "scaling/match"],
    )
    assert disagreeing(tasks, averages("paintbench", slipped, "mode"), AVERAGE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "benchmark", "metric"),
    [(15, 1, "miou"), (19, 1, "miou"), (20, 17, "edit_accuracy"), (21, 18, "preservation_accuracy")],
)
def test_the_benchmark_follows_from_its_visual_conditions(table: int, benchmark: int, metric: str) -> None:
    """Every condition has the same number of problems of every task, so their mean is the benchmark."""
    conditions = printed("paintbench", table, metric)
    assert [group for _, group in conditions] == list(CONDITIONS)
    whole = {key: row for key, row in printed("paintbench", benchmark, metric).items() if key[0] == "overall"}
    computed = averages("paintbench", conditions, "condition")
    assert disagreeing(whole, computed, AVERAGE) == listed(table)


def test_differences_of_table_2_follow_from_table_19() -> None:
    conditions = printed("paintbench", 19, "miou")
    base = conditions["condition", "baseline"]
    assert printed("paintbench", 2, "miou")["condition", "baseline"] == base
    shown = printed("paintbench", 2, "miou_delta")
    assert len(shown) == 7
    computed = {key: {model: row[model] - base[model] for model in row} for key, row in conditions.items()}
    assert disagreeing(shown, computed, DIFFERENCE) == listed(2)


def test_gains_of_table_12_follow_from_its_columns() -> None:
    for metric in ("edit_accuracy@5", "preservation_accuracy@5"):
        before, after = (
            {row.group: row.value for row in results("paintbench", table=12, metric=metric) if row.setting == setting}
            for setting in ("earlier set", "earlier set, reasoning trace added")
        )
        gains = results("paintbench", table=12, metric=f"{metric}_gain")
        assert len(before) == len(after) == len(gains) == 16
        odd = {f"{row.group}" for row in gains if abs(row.value - (after[row.group] - before[row.group])) > DIFFERENCE}
        assert odd == listed(12)


@pytest.mark.parametrize(("suite", "table", "main"), [("paintbench", 13, 1), ("tinygrafix", 14, 3)])
def test_intervals_stand_around_the_averages_of_the_main_tables(suite: str, table: int, main: int) -> None:
    means, low, high = (printed(suite, table, metric) for metric in ("miou", "miou_lo", "miou_hi"))
    widths = {(r.by, r.group, r.model): r.half_width for r in results(suite, table=main) if r.half_width is not None}
    assert len(widths) == 11 * len(means)
    odd = set()
    for (by, group), row in means.items():
        for model, value in row.items():
            ends = low[by, group][model], high[by, group][model]
            same = value == printed(suite, main, "miou")[by, group][model]
            half = abs(widths[by, group, model] - (ends[1] - ends[0]) / 2) <= AVERAGE + 1e-9
            if not (same and half and ends[0] <= value <= ends[1]):
                odd.add(f"{model}, {group or by}")
    assert odd == listed(table)


def test_intervals_of_the_conditions_stand_around_their_means() -> None:
    means, low, high = (printed("paintbench", 15, metric) for metric in ("miou", "miou_lo", "miou_hi"))
    assert means == printed("paintbench", 19, "miou")
    for row in results("paintbench", table=15, metric="miou"):
        ends = low[row.by, row.group][row.model], high[row.by, row.group][row.model]
        assert ends[0] <= row.value <= ends[1]
        assert row.half_width == pytest.approx((ends[1] - ends[0]) / 2)


@pytest.mark.parametrize(("first", "second", "suite"), [(1, 16, "paintbench"), (3, 22, "tinygrafix")])
def test_tables_that_repeat_others_agree_with_them(first: int, second: int, suite: str) -> None:
    widths = [
        {(r.by, r.group, r.model): (r.value, r.half_width) for r in results(suite, table=table, metric="miou")}
        for table in (first, second)
    ]
    both = widths[0].keys() & widths[1].keys()
    assert len(both) == 11 * (5 if suite == "paintbench" else 26)
    assert {key for key in both if widths[0][key] != widths[1][key]} == set()


def test_the_one_contradiction_is_a_number_of_tasks() -> None:
    (odd,) = contradictions("paintbench")
    usual = [task for task in MODES if [object_count(task, level) for level in range(4)] == [3, 10, 25, 60]]
    assert (odd.table, odd.printed, odd.computed) == ("11", "17", str(len(usual)))


def test_the_two_benchmarks_are_related_as_the_paper_says() -> None:
    """R² = 0.91, p < 0.001 over the eleven models, from the printed averages."""
    pytest.importorskip("scipy")
    from editscope.stats.relation import relate

    shapes, charts = (
        {row.model: row.value for row in leaderboard(suite, "miou")} for suite in ("paintbench", "tinygrafix")
    )
    found = relate(shapes, charts)
    assert len(found.names) == 11
    assert round(found.fit.r2, 2) == 0.91
    assert found.fit.p < 0.001


def test_every_group_is_a_row_of_our_own_summaries() -> None:
    """A published number can stand beside a run only if both call the row the same."""
    for suite, tables in (("paintbench", (1, 16, 19)), ("tinygrafix", (3,))):
        parts = printed(suite, 16 if suite == "paintbench" else 3, "miou")
        ours = averages(suite, parts, "mode" if suite == "paintbench" else "task")
        rows = {(row.by, row.group) for table in tables for row in results(suite, table=table)}
        assert rows == {key for key in ours if key[0] != "operation"}  # the charts' operations are not in the paper


def test_a_table_is_laid_out_as_it_is_printed() -> None:
    table = matrix(results("paintbench", table=19))
    assert [row.group for row in table.rows] == list(CONDITIONS)
    assert [column.model for column in table.columns][:3] == ["Nano Banana 2", "GPT-Image-2", "Nano Banana"]
    assert all(cell is not None for row in table.rows for cell in row.cells)
