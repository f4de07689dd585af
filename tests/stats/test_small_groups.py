"""Small groups: fewer than five cases have a mean and n, and no interval, effect size or verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from editscope.cases import Aggregation, Group
from editscope.stats.diagnosis import deltas
from editscope.stats.diagnosis.averages import average
from editscope.stats.paired import compare_rows
from editscope.stats.small_groups import (
    FEW,
    HIDDEN,
    LEAST_CASES,
    few_in_words,
    is_few,
    leaves_out,
    weakest,
    weakest_in_words,
)
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


def in_tasks(*tasks: list[float], condition: str = "baseline") -> dict[str, list[Any]]:
    """Cases of several tasks, one list of scores for each."""
    scores = [(task, value) for task, values in enumerate(tasks) for value in values]
    return {
        "case_id": [f"{condition}{i:03}" for i in range(len(scores))],
        "task": [f"task{task}" for task, _ in scores],
        "condition": [condition] * len(scores),
        "miou": [value for _, value in scores],
    }


PAIRS_OF_ZEROS = [[0.0, 0.0]] * 4


def test_a_case_that_differs_and_is_alone_leaves_no_interval() -> None:
    cell = overall(in_tasks(*PAIRS_OF_ZEROS, [1.0]))
    assert cell == {"mean": pytest.approx(100 / 9), "lo": None, "hi": None, "n": 9, HIDDEN: True}
    assert is_few(cell)
    assert few_in_words(cell) == " (n = 9, no interval: resampling cannot vary the cases that differ)"


def test_a_little_noise_in_the_others_does_not_bring_the_interval_back() -> None:
    cell = overall(in_tasks(*[[0.0, 0.01]] * 4, [1.0]))
    assert (cell["lo"], cell["hi"], cell[HIDDEN]) == (None, None, True)


def test_scores_that_differ_only_between_strata_leave_no_interval() -> None:
    cell = overall(in_tasks([0.0] * 5, [1.0] * 5))
    assert (cell["mean"], cell["lo"], cell["hi"], cell[HIDDEN]) == (50.0, None, None, True)


def test_equal_scores_keep_their_interval_of_no_width() -> None:
    cell = overall(in_tasks(*PAIRS_OF_ZEROS, [0.0]))
    assert cell == {"mean": 0.0, "lo": 0.0, "hi": 0.0, "n": 9}


def test_questions_that_differ_alike_in_every_case_are_equal_scores() -> None:
    table = rows([0.5] * 6, questions=2)
    table["miou"] = [1.0, 0.0] * 6
    assert overall(table) == {"mean": 50.0, "lo": 50.0, "hi": 50.0, "n": 12}


def test_a_case_alone_among_many_leaves_the_interval_as_it_is() -> None:
    cell = overall(in_tasks([0.1, 0.9] * 5, [0.5]))
    assert cell["lo"] < cell["mean"] < cell["hi"]
    assert not is_few(cell)


def test_a_case_whose_partner_has_no_value_is_alone() -> None:
    table = in_tasks([0.1, 0.9, 0.2, 0.8], [0.4, 0.5])
    table["miou"][-1] = None
    assert overall(table)[FEW] == 4


def test_a_difference_of_one_case_alone_has_no_interval_and_no_effect_size() -> None:
    a, b = in_tasks(*PAIRS_OF_ZEROS, [0.0]), in_tasks(*PAIRS_OF_ZEROS, [0.5])
    paired = compare_rows(a, b, PLAN, "miou", resamples=200).overall
    assert (paired.lo, paired.hi, paired.effect, paired.p) == (None, None, None, 1.0)
    assert paired.difference == pytest.approx(50 / 9)
    assert not paired.few  # the sign-flip test does not rest on strata
    same = compare_rows(a, a, PLAN, "miou", resamples=200).overall
    assert (same.lo, same.hi) == (0.0, 0.0)


def test_two_columns_of_one_row_are_contrasted_by_the_same_rule() -> None:
    table = in_tasks(*PAIRS_OF_ZEROS, [0.0])
    values = np.zeros((9, 3))
    values[8, 1] = 0.5
    values[:, 2] = [0.1, 0.3] * 4 + [0.2]
    averages = average(table, PLAN, PLAN.overall, values, resamples=200)
    assert averages.contrast(0, 1, 0).lo is None
    other = averages.contrast(0, 2, 0)
    assert leaves_out(other.lo, other.hi)
    assert averages.contrast(0, 0, 0).lo == 0.0


def test_no_effect_of_a_scene_rests_on_a_row_without_an_interval() -> None:
    plan = Aggregation(
        Group("overall", (), ("task",)), (Group("condition", ("condition",), ("task",)),), strata=("task", "condition")
    )
    scenes = [
        in_tasks(*PAIRS_OF_ZEROS, [1.0]),  # the one that differs is alone
        in_tasks(*PAIRS_OF_ZEROS, [0.0], condition="horizontal"),
        in_tasks(*[[0.2, 0.4]] * 5, condition="striped"),
    ]
    table = {name: [entry for scene in scenes for entry in scene[name]] for name in scenes[0]}
    effects = {delta.value: delta for delta in deltas(table, plan, "miou", resamples=200)}
    assert effects["horizontal"].difference == -20.0
    assert all(not leaves_out(delta.lo, delta.hi) and delta.lo is None for delta in effects.values())
    sure = {delta.value: delta for delta in deltas(table, plan, "miou", baseline="horizontal", resamples=200)}
    assert leaves_out(sure["striped"].lo, sure["striped"].hi)
    assert sure["baseline"].lo is None


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
    assert [found["key"] for found in weakest(table, 50.0)[0]] == ["a"]


def test_nothing_is_weakest_where_scores_are_equal_or_there_is_one_row() -> None:
    assert weakest([row("a", 0, 0), row("b", 0, 0)], 0.0) == ([], 0)
    assert weakest([row("a", 10, 1)], 50.0) == ([], 0)
    assert weakest([], None) == ([], 0)


def test_rows_that_share_the_lowest_score_are_counted_and_not_named() -> None:
    table = [row(f"task{i}", 0, 0) for i in range(15)] + [row("a", 40, 1), row("b", 60, 1)]
    assert weakest(table, 10.0) == ([], 15)
    assert weakest_in_words(table, 10.0, kind="tasks") == "15 of 17 tasks at 0.0"
    table += [row("small", 0, None)]  # without an interval, and at 0.0 too
    assert weakest_in_words(table, 10.0) == "16 of 18 at 0.0"


def test_a_tie_that_does_not_fit_is_left_out_whole() -> None:
    table = [row("worst", 1, 0.5), *(row(f"task{i}", 2, 0.5) for i in range(9)), row("best", 60, 1)]
    assert weakest_in_words(table, 10.0) == "worst 1.0"
