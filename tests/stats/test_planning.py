"""Claims about how many cases are needed, what missing verdicts could change, and what repeats add."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.stats import (
    cases_needed,
    cases_needed_for_shares,
    design_spread,
    missing_bounds,
    pairs_needed_for_shares,
    pass_at_k,
    pass_rate,
    repeat_means,
    repeat_spread,
    smallest_difference,
    summarize,
    variance_components,
)
from editscope.stats.bootstrap import hierarchical_bootstrap
from editscope.stats.frame import Frame

TASKS = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), strata=("task",))
Columns = dict[str, list[Any]]


@pytest.mark.parametrize("effect", [0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("power", [0.8, 0.95])
def test_cases_needed_are_those_of_students_test(effect: float, power: float) -> None:
    witness = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=power)
    assert cases_needed(effect, 1.0, power=power) == pytest.approx(witness, abs=1.5)


@settings(max_examples=50, deadline=None)
@given(st.integers(5, 5000), st.floats(0.5, 80))
def test_the_smallest_difference_of_n_cases_needs_n_cases(n: int, spread: float) -> None:
    assert abs(cases_needed(smallest_difference(n, spread), spread) - n) <= 1


def test_shares_of_models_that_fail_on_the_same_cases_need_fewer_of_them() -> None:
    alike, apart = (pairs_needed_for_shares(0.5, 0.55, discordant=d) for d in (0.1, 0.5))
    assert alike < apart / 4
    assert cases_needed_for_shares(0.5, 0.55) == pytest.approx(1565, abs=2)  # the textbook's two-sample number


def test_mcnemars_sample_size_gives_the_power_it_promises() -> None:
    rng = np.random.default_rng(0)
    n = pairs_needed_for_shares(0.5, 0.6, discordant=0.3)
    outcome = rng.choice(3, size=(4000, n), p=[0.2, 0.1, 0.7])  # b alone right, a alone right, both alike
    wins, losses = (outcome == 0).sum(axis=1), (outcome == 1).sum(axis=1)
    seen = (wins - losses) ** 2 / (wins + losses) > 3.8415
    assert seen.mean() == pytest.approx(0.8, abs=0.03)


def test_the_spread_of_a_design_is_that_of_its_bootstrap() -> None:
    rng = np.random.default_rng(1)
    task = [f"t{i % 4}" for i in range(200)]
    tags: Columns = {"case_id": [f"{i:03}" for i in range(200)], "task": task}
    a = {**tags, "miou": rng.random(200).tolist()}
    b = {
        **tags,
        "miou": [v + int(t[1]) / 4 for v, t in zip(rng.random(200), task, strict=True)],
    }  # tasks gain unequally
    frame = Frame.of({**tags, "d": (np.array(b["miou"]) - np.array(a["miou"])).tolist()}, TASKS, ["d"])
    _, (samples,) = hierarchical_bootstrap(
        frame.values, frame.strata, [frame.table(TASKS.overall).hierarchy], resamples=4_000
    )
    found = design_spread(a, b, TASKS, "miou")
    assert found / 200**0.5 == pytest.approx(100 * samples.std(), rel=0.05)
    plain = 100 * np.std(np.array(b["miou"]) - np.array(a["miou"]), ddof=1)
    assert found < 0.9 * plain  # what tasks differ in does not count


@pytest.mark.parametrize(
    "ask",
    [
        lambda: cases_needed(0.0, 1.0),
        lambda: cases_needed(1.0, -1.0),
        lambda: cases_needed(1.0, 1.0, power=1.0),
        lambda: smallest_difference(1, 1.0),
        lambda: pairs_needed_for_shares(0.5, 0.5),
        lambda: pairs_needed_for_shares(0.2, 0.6, discordant=0.1),
        lambda: pass_at_k(3, 4, 1),
        lambda: pass_at_k(3, 1, 4),
        lambda: variance_components([[1.0], [2.0]]),
    ],
)
def test_questions_without_an_answer_are_refused(ask: Any) -> None:
    with pytest.raises(BadInput):
        ask()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.floats(0, 1)), min_size=1, max_size=20), st.data())
def test_whatever_the_missing_verdicts_were_the_mean_lies_within_its_bounds(
    cases: list[tuple[str, float | None]], data: st.DataObject
) -> None:
    rows: Columns = {"task": [c[0] for c in cases], "miou": [c[1] for c in cases]}
    table = missing_bounds(rows, TASKS, "miou")
    filled = [v if v is not None else data.draw(st.floats(0, 1)) for v in rows["miou"]]
    true = summarize({**rows, "miou": filled}, TASKS, ["miou"], resamples=0)
    assert table.overall.worst - 1e-6 <= true["overall"]["miou"]["mean"] <= table.overall.best + 1e-6
    assert (table.overall.n, table.overall.missing) == (len(cases) - rows["miou"].count(None), rows["miou"].count(None))
    for group, cell in zip(table.groups, true["groups"], strict=True):
        assert group.key == cell["key"]
        assert group.bounds.worst - 1e-6 <= cell["mean"] <= group.bounds.best + 1e-6
    assert table.overall.mean == summarize(rows, TASKS, ["miou"], resamples=0)["overall"]["miou"]["mean"]


def test_bounds_of_complete_data_are_the_mean() -> None:
    found = missing_bounds({"task": ["a", "b"], "miou": [0.25, 0.75]}, TASKS, "miou").overall
    assert (found.mean, found.worst, found.best, found.missing) == (50.0, 50.0, 50.0, 0)


def test_bounds_know_other_scales_and_rows_of_one_case() -> None:
    by_case = Aggregation(Group("overall", (), ("case_id",)), (), strata=())
    rows: Columns = {"case_id": ["a", "a", "b"], "score_ratio": [5.0, None, 3.0]}
    found = missing_bounds(rows, by_case, "score_ratio", worst=1.0, best=5.0).overall
    assert (found.mean, found.worst, found.best, found.n, found.missing) == (4.0, 3.0, 4.0, 2, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_subsets_with_a_right_one(n: int, data: st.DataObject) -> None:
    right, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    edits = [True] * right + [False] * (n - right)
    assert pass_at_k(n, right, k) == pytest.approx(fmean(any(some) for some in combinations(edits, k)))


def test_pass_at_k_goes_through_the_hierarchy_and_counts_every_case_once() -> None:
    rows: Columns = {
        "case_id": ["a", "a", "b", "b", "b", "c"],
        "task": ["x", "x", "x", "x", "x", "y"],
        "miou": [1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    }
    found = pass_rate(rows, TASKS, "miou", 1, threshold=0.9)
    assert found["overall"]["pass@1"]["mean"] == pytest.approx((0.25 + 1.0) / 2 * 100)
    assert pass_rate(rows, TASKS, "miou", 2, threshold=0.9)["overall"]["pass@2"]["n"] == 2  # c was edited once only


def test_the_spread_over_repeats_is_told_from_the_spread_over_cases() -> None:
    rng = np.random.default_rng(3)
    inside = {"cases": 0, "repeats": 0, "share": 0}
    for _ in range(300):
        cases = [(rng.normal(0, 2.0) + rng.normal(0, 1.0, 3)).tolist() for _ in range(25)]
        found = variance_components(cases)
        inside["cases"] += found.between_cases.lo <= 2.0 <= found.between_cases.hi
        inside["repeats"] += found.between_repeats.lo <= 1.0 <= found.between_repeats.hi
        inside["share"] += found.share_lo <= 0.8 <= found.share_hi
    assert all(276 <= number <= 297 for number in inside.values()), inside  # 95 % of 300 is 285


def test_an_editor_that_always_does_the_same_has_no_spread_over_repeats() -> None:
    rows: Columns = {"case_id": ["a", "a", "b", "b"], "variant": ["1", "2"] * 2, "miou": [0.1, 0.1, 0.5, 0.5]}
    found = repeat_spread(rows, "miou")
    assert (found.between_repeats.sd, found.share, found.cases, found.rows) == (0.0, 1.0, 2, 4)
    assert found.between_cases.sd == pytest.approx(100 * np.std([0.1, 0.5], ddof=1))
    plan = Aggregation(Group("overall", ()), (), strata=())
    assert repeat_means(rows, plan, "miou").sd == 0.0


def test_an_editor_that_is_all_chance_has_no_spread_over_cases() -> None:
    rng = np.random.default_rng(4)
    found = variance_components(rng.normal(0, 1, (200, 4)).tolist())
    assert found.share_lo == 0.0
    assert found.between_cases.lo == 0.0
    assert found.share < 0.1


def test_cases_may_have_unequally_many_repeats() -> None:
    rng = np.random.default_rng(5)
    estimates = []
    for _ in range(200):
        cases = [(rng.normal(0, 1.0) + rng.normal(0, 0.5, 1 + i % 4)).tolist() for i in range(40)]
        estimates.append(variance_components(cases).between_cases.sd ** 2)
    assert fmean(estimates) == pytest.approx(1.0, abs=0.06)
