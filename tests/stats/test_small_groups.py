"""Small groups: fewer than five cases have a mean and n, and no interval, effect size or verdict."""

from __future__ import annotations

from typing import Any

import pytest

from editscope.cases import Aggregation, Group
from editscope.stats.paired import compare_rows
from editscope.stats.small_groups import FEW, LEAST_CASES, weakest
from editscope.stats.summary import summarize

PLAN = Aggregation(Group("overall", ()), (Group("task", ("task",)),), strata=("task",))


def rows(values: list[float], *, task: str = "border", questions: int = 1) -> dict[str, list[Any]]:
    """Cases of one task, each with as many equal rows."""
    ids = [f"{task}{i}" for i in range(len(values)) for _ in range(questions)]
    return {
        "case_id": ids,
        "variant": [f"q{place % questions}" for place in range(len(ids))],
        "task": [task] * len(ids),
        "miou": [value for value in values for _ in range(questions)],
    }


def overall(table: dict[str, list[Any]], plan: Aggregation = PLAN) -> dict[str, Any]:
    cell: dict[str, Any] = summarize(table, plan, ["miou"], resamples=200)["overall"]["miou"]
    return cell


def test_an_interval_begins_with_five_cases() -> None:
    four = overall(rows([0.1, 0.2, 0.3, 0.4]))
    assert four == {"mean": 25.0, "lo": None, "hi": None, "n": 4, FEW: 4}
    five = overall(rows([0.1, 0.2, 0.3, 0.4, 0.5]))
    assert five["lo"] < 30.0 < five["hi"]
    assert FEW not in five


def test_questions_of_one_case_are_no_more_cases() -> None:
    cell = overall(rows([0.1, 0.2, 0.3], questions=20))
    assert (cell["n"], cell[FEW], cell["lo"]) == (60, 3, None)


def test_a_case_alone_in_its_stratum_gives_nothing_to_resample() -> None:
    alone = rows([0.1, 0.2, 0.3, 0.4, 0.5])
    alone["task"] = [f"task{i}" for i in range(5)]
    cell = overall(alone)
    assert (cell["mean"], cell["lo"], cell["n"], cell[FEW]) == (30.0, None, 5, 0)


def test_a_case_without_a_value_does_not_count() -> None:
    table = rows([0.1, 0.2, 0.3, 0.4, 0.5])
    table["miou"][0] = None
    assert overall(table)[FEW] == 4


def test_a_row_without_any_value_is_empty_and_not_small() -> None:
    table = rows([0.1, 0.2])
    table["miou"] = [None, None]
    assert overall(table) == {"mean": None, "lo": None, "hi": None, "n": 0}


@pytest.mark.parametrize("cases", [1, 4, 5, 8])
def test_a_comparison_of_few_cases_has_no_interval_and_no_effect_size(cases: int) -> None:
    a = rows([0.1 * i for i in range(cases)])
    b = rows([0.1 * i + 0.01 * (i + 1) for i in range(cases)])
    found = compare_rows(a, b, PLAN, "miou", resamples=200)
    for paired in (found.overall, found.groups[0].paired):
        assert paired.few == (cases < LEAST_CASES)
        assert (paired.lo is None, paired.hi is None, paired.effect is None) == (paired.few,) * 3
        assert paired.difference == pytest.approx(cases / 2 + 0.5)


def row(key: str, mean: float, half: float | None) -> dict[str, Any]:
    lo, hi = (None, None) if half is None else (mean - half, mean + half)
    return {"key": key, "mean": mean, "lo": lo, "hi": hi, "n": 9}


def test_weakest_is_said_only_of_rows_that_are_surely_below_the_mean() -> None:
    table = [row("a", 40, 5), row("b", 48, 5), row("c", 60, 5), row("few", 1, None)]
    assert [found["key"] for found in weakest(table, 50.0)] == ["a"]


def test_nothing_is_weakest_where_scores_are_equal_or_there_is_one_row() -> None:
    assert weakest([row("a", 0, 0), row("b", 0, 0)], 0.0) == []
    assert weakest([row("a", 10, 1)], 50.0) == []
    assert weakest([], None) == []
