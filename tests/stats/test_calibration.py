"""Judges calibrated by people: right however wrong the judge is, refused where labels cannot carry it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.stats.calibration import (
    HUMAN,
    SETTLED,
    calibrated_difference,
    calibrated_mean,
    prediction_powered_mean,
)

PLAN = Aggregation(Group("overall", (), ("task",)), (), strata=("task",), headline="score")
POOLED = Aggregation(Group("overall", ()), (), strata=(), headline="score")


def drawn_run(rng: np.random.Generator, n: int, labels: int, shift: float = 0.0, **fixed: Any) -> dict[str, list[Any]]:
    """A run of n cases in two tasks, one three times as large; the judge is kind, and kinder to the small one.

    People's mean of the mean of tasks is 0.5 + shift.
    """
    task = np.where(np.arange(n) % 4 == 0, "small", "large")
    quality = fixed.get("quality", rng.normal(0, 0.15, n)) + np.where(task == "small", 0.4, 0.6) + shift
    people = quality + rng.normal(0, 0.05, n)
    judge = 0.3 + 0.6 * quality + np.where(task == "small", 0.15, 0.0) + rng.normal(0, 0.05, n)
    chosen = fixed.get("chosen", rng.permutation(n)[:labels])
    human: list[float | None] = [None] * n
    for place in chosen:
        human[place] = float(people[place])
    ids = [f"c{i:04}" for i in range(n)]
    return {"case_id": ids, "task": task.tolist(), "score": judge.tolist(), HUMAN: human, SETTLED: [0] * n}


@pytest.mark.slow
def test_calibrated_intervals_cover_what_people_think_and_those_of_the_judge_do_not() -> None:
    rng = np.random.default_rng(7)
    calibrated = naive = 0
    rounds = 200
    for _ in range(rounds):
        rows = drawn_run(rng, 200, 60)
        found = calibrated_mean(rows, PLAN, "score")
        calibrated += found.lo <= 50 <= found.hi
        half = 100 * 1.96 * float(np.std(rows["score"])) / 200**0.5
        naive += abs(found.judged - 50) <= half
    assert 0.92 <= calibrated / rounds <= 0.99
    assert naive / rounds < 0.05


def test_a_case_with_every_label_needs_no_judge() -> None:
    rows = drawn_run(np.random.default_rng(1), 80, 80)
    found = calibrated_mean(rows, PLAN, "score")
    by_task = [
        np.mean([h for h, t in zip(rows[HUMAN], rows["task"], strict=True) if t == task]) for task in ("small", "large")
    ]
    assert found.mean == pytest.approx(100 * np.mean(by_task))


def test_the_plain_mean_is_the_formula_of_the_docstring() -> None:
    rng = np.random.default_rng(3)
    predicted, others = rng.random(50), rng.random(150)
    labels = predicted + rng.normal(0.1, 0.05, 50)
    found = prediction_powered_mean(labels.tolist(), predicted.tolist(), others.tolist(), tuning=1.0)
    everywhere = np.concatenate([predicted, others])
    assert found.mean == pytest.approx(everywhere.mean() + (labels - predicted).mean())
    tuned = prediction_powered_mean(labels.tolist(), predicted.tolist(), others.tolist())
    assert tuned.hi - tuned.lo <= (found.hi - found.lo) * 1.001
    alone = prediction_powered_mean(labels.tolist(), predicted.tolist(), others.tolist(), tuning=0.0)
    assert alone.mean == pytest.approx(labels.mean())
    assert tuned.hi - tuned.lo < alone.hi - alone.lo


@pytest.mark.slow
def test_labels_that_are_denser_in_one_task_count_by_task() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(60):
        small, large = np.flatnonzero(np.arange(240) % 4 == 0), np.flatnonzero(np.arange(240) % 4)
        chosen = [*rng.permutation(small)[:30], *rng.permutation(large)[:30]]
        found = calibrated_mean(drawn_run(rng, 240, 0, chosen=chosen), PLAN, "score")
        hits += found.lo <= 50 <= found.hi
    assert hits >= 54


def test_missing_edits_are_settled_and_pull_the_mean_without_a_label() -> None:
    rows = drawn_run(np.random.default_rng(2), 160, 80)
    whole = calibrated_mean(rows, POOLED, "score")
    without = {name: [*values] for name, values in rows.items()}
    for place in range(40):
        without["score"][place], without[HUMAN][place], without[SETTLED][place] = 0.0, None, 1
    found = calibrated_mean(without, POOLED, "score")
    assert found.mean == pytest.approx(0.75 * whole.mean, rel=0.1)


def test_the_difference_of_two_runs_is_paired() -> None:
    rng = np.random.default_rng(11)
    quality, chosen = rng.normal(0, 0.15, 200), rng.permutation(200)[:60]
    a = drawn_run(rng, 200, 0, quality=quality, chosen=chosen)
    b = drawn_run(rng, 200, 0, shift=0.04, quality=quality, chosen=chosen)
    together = calibrated_difference(a, b, PLAN, "score")
    assert together.decided and together.lo < 4 < together.hi and together.labels_needed is None
    apart = [calibrated_mean(rows, PLAN, "score") for rows in (a, b)]
    assert together.hi - together.lo < 0.7 * sum(one.hi - one.lo for one in apart) / 2**0.5


@pytest.mark.slow
def test_the_number_of_labels_that_is_named_decides() -> None:
    rng = np.random.default_rng(13)
    named, decided, rounds = [], 0, 40
    for _ in range(rounds):
        a, b = drawn_run(rng, 1200, 40), drawn_run(rng, 1200, 40, shift=0.05)
        found = calibrated_difference(a, b, POOLED, "score")
        if found.labels_needed and abs(found.difference - 5) < 1:
            named.append(found.labels_needed)
    needed = round(float(np.median(named)))
    for _ in range(rounds):
        a, b = drawn_run(rng, 1200, needed), drawn_run(rng, 1200, needed, shift=0.05)
        decided += calibrated_difference(a, b, POOLED, "score").decided
    assert decided / rounds > 0.65


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(BadInput, match=r"29 cases .* at least 30"):
        calibrated_mean(drawn_run(np.random.default_rng(1), 100, 29), PLAN, "score")
    with pytest.raises(BadInput, match="as many predictions"):
        prediction_powered_mean([1.0] * 40, [1.0] * 39, [])


def test_labels_of_chosen_cases_are_refused() -> None:
    rng = np.random.default_rng(1)
    rows = drawn_run(rng, 200, 0)
    best = np.argsort(rows["score"])[-40:]
    with pytest.raises(BadInput, match="scores of them are higher than chance"):
        calibrated_mean(drawn_run(np.random.default_rng(1), 200, 0, chosen=best), POOLED, "score")
    one_task = np.flatnonzero(np.arange(200) % 4 == 0)[:40]
    by_task = Aggregation(Group("overall", ()), (Group("task", ("task",)),), strata=(), headline="score")
    with pytest.raises(BadInput, match="no random choice"):
        calibrated_mean(drawn_run(rng, 200, 0, chosen=one_task), by_task, "score")


def test_a_judge_whose_errors_are_not_among_the_labels_still_has_an_interval() -> None:
    judged = [float(i % 3 > 0) for i in range(400)]
    found = prediction_powered_mean(judged[:50], judged[:50], judged[50:])
    assert found.hi - found.lo > 2 * 1.96 * float(np.std(judged)) / 400**0.5
