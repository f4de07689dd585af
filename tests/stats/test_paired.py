"""Claims about the comparison of two runs, case by case."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import astuple
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel
from statsmodels.stats.multitest import multipletests

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.stats import Paired, PairedTable, compare_rows, holm, sign_test, summarize
from editscope.stats.hierarchy import Hierarchy
from editscope.stats.signflip import sign_flip_test

PLAN = Aggregation(
    Group("overall", (), ("task", "category")),
    (
        Group("category", ("category",), ("task",)),
        Group("task", ("task",)),
        Group("condition", ("condition",), ("task",)),
    ),
    strata=("task",),
    exclude={"split": "preservation"},
    orders={
        "task": ("border", "legend", "recolor", "removal"),
        "category": ("structure", "color", "symbol"),
        "condition": ("x", "y"),
    },
)
HOME = {"border": "structure", "removal": "structure", "recolor": "color", "legend": "symbol"}
Columns = dict[str, list[Any]]


@st.composite
def two_runs(draw: st.DrawFn) -> tuple[Columns, Columns]:
    value = st.none() | st.integers(0, 8).map(lambda v: v / 8)
    case = st.tuples(st.sampled_from(sorted(HOME)), st.sampled_from("xy"), st.booleans(), value, value)
    cases = draw(st.lists(case, min_size=1, max_size=24))
    # At least one pair that counts, so that there is something to compare.
    cases.append(("border", "x", False, 0.25, 0.5))
    tags: Columns = {
        "case_id": [f"{i:02}" for i in range(len(cases))],
        "task": [c[0] for c in cases],
        "category": [HOME[c[0]] for c in cases],
        "condition": [c[1] for c in cases],
        "split": ["preservation" if c[2] else "test" for c in cases],
    }
    return {**tags, "miou": [c[3] for c in cases]}, {**tags, "miou": [c[4] for c in cases]}


def rows_of(table: PairedTable) -> dict[tuple[str, str], Paired]:
    return {("overall", ""): table.overall} | {(g.by, g.key): g.paired for g in table.groups}


def shuffled(rows: Columns, random: Any) -> Columns:
    order = random.sample(range(len(rows["case_id"])), len(rows["case_id"]))
    return {name: [column[i] for i in order] for name, column in rows.items()}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(two_runs())
def test_the_other_way_round_every_difference_has_the_other_sign(runs: tuple[Columns, Columns]) -> None:
    a, b = runs
    there = rows_of(compare_rows(a, b, PLAN, "miou", resamples=200))
    back = rows_of(compare_rows(b, a, PLAN, "miou", resamples=200))
    assert there.keys() == back.keys()
    for key, one in there.items():
        other = back[key]
        assert (one.mean_a, one.mean_b, one.wins, one.losses) == (other.mean_b, other.mean_a, other.losses, other.wins)
        assert one.difference == pytest.approx(-other.difference, abs=1e-8)
        ends = [None if end is None else pytest.approx(-end, abs=1e-8) for end in (other.hi, other.lo)]
        assert [one.lo, one.hi] == ends
        assert (one.p, one.p_sign, one.p_holm, one.ties) == (other.p, other.p_sign, other.p_holm, other.ties)
        assert one.effect == (None if other.effect is None else pytest.approx(-other.effect))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(two_runs(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(runs: tuple[Columns, Columns], random: Any) -> None:
    a, b = runs
    expected = compare_rows(a, b, PLAN, "miou", resamples=100)
    assert compare_rows(shuffled(a, random), shuffled(b, random), PLAN, "miou", resamples=100) == expected


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(two_runs())
def test_means_are_those_of_a_summary_over_the_pairs(runs: tuple[Columns, Columns]) -> None:
    a, b = runs
    both = [x is not None and y is not None for x, y in zip(a["miou"], b["miou"], strict=True)]
    kept = [{**run, "miou": [v if here else None for v, here in zip(run["miou"], both, strict=True)]} for run in runs]
    summaries = [summarize(run, PLAN, ["miou"], resamples=0) for run in kept]
    means = [
        {("overall", ""): s["overall"]["miou"], **{(g["by"], g["key"]): g for g in s["groups"]}} for s in summaries
    ]
    table = compare_rows(a, b, PLAN, "miou", resamples=20)
    for key, paired in rows_of(table).items():
        assert (paired.mean_a, paired.mean_b) == (means[0][key]["mean"], means[1][key]["mean"])
        assert paired.n == means[0][key]["n"]
        assert paired.difference == pytest.approx(paired.mean_b - paired.mean_a, abs=1e-8)
        assert paired.wins + paired.ties + paired.losses == paired.n
    assert table.valueless == both.count(False)


def test_rows_of_another_measure_are_no_scores_that_were_left_out() -> None:
    names = [f"{i:04}" for i in range(6)]
    both: Columns = {"case_id": names * 2, "metric": ["average"] * 6 + ["kept"] * 6, "key": [""] * 6 + ["kept"] * 6}
    a: Columns = {**both, "miou": [0.1] * 6 + [None] * 6}
    b: Columns = {**both, "miou": [0.2] * 5 + [None] * 7}
    plan = Aggregation(Group("overall", ()), (), ())
    table = compare_rows(a, b, plan, "miou", match=("case_id", "key"), resamples=20)
    assert (table.overall.n, table.valueless) == (5, 1)


def flat(values: list[float]) -> Columns:
    return {"case_id": [f"{i:04}" for i in range(len(values))], "miou": list(values)}


FLAT = Aggregation(Group("overall", ()), (), strata=())


def difference(values: list[float], **options: Any) -> Paired:
    return compare_rows(flat([0.0] * len(values)), flat(values), FLAT, "miou", **options).overall


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
@example([1, 2, -3])  # thirds do not add up to 0 exactly
def test_few_cases_are_tested_over_every_pattern_of_signs(steps: list[int]) -> None:
    real = abs(sum(steps))
    patterns = [
        abs(sum(s * v for s, v in zip(signs, steps, strict=True))) for signs in product((-1, 1), repeat=len(steps))
    ]
    expected = sum(total >= real for total in patterns) / len(patterns)
    assert difference([s / 6 for s in steps], resamples=10).p == pytest.approx(expected)


def test_the_randomization_test_agrees_with_students_test_where_that_holds() -> None:
    rng = np.random.default_rng(0)
    for shift in (0.0, 0.02, 0.04):
        values = rng.normal(shift, 0.1, 80)
        expected = ttest_rel(values, np.zeros(80)).pvalue
        assert difference(values.tolist()).p == pytest.approx(expected, abs=0.02)


def test_the_sampled_p_value_agrees_with_the_exact_one() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0.05, 0.1, (12, 1))
    hierarchy = Hierarchy(np.zeros(12, dtype=np.intp))
    ((exact,),) = sign_flip_test(values, ["s"] * 12, [hierarchy])[0]
    twice = np.concatenate([values, np.full((9, 1), 1e-15)])  # nine more cases that add nothing but are not zero
    ((sampled,),) = sign_flip_test(twice, ["s"] * 21, [Hierarchy(np.zeros(21, dtype=np.intp))])[0]
    assert sampled == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 10_000) ** 0.5 + 1e-3)


def test_a_difference_everywhere_has_the_smallest_p_value_that_the_resamples_allow() -> None:
    found = difference([0.1 + 0.001 * i for i in range(50)])
    assert found.p == pytest.approx(1 / 10_001)
    assert found.stars == "***"
    assert (found.wins, found.ties, found.losses) == (50, 0, 0)


def test_runs_that_are_the_same_do_not_differ() -> None:
    found = difference([0.0] * 20)
    assert astuple(found) == (20, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 20, 0, 1.0, 1.0, 1.0, 0.0)
    assert found.stars == ""


def test_rows_of_a_case_that_cancel_and_means_that_differ_by_rounding_are_no_difference() -> None:
    ids = [f"c{i}" for i in range(8) for _ in range(3)]
    plan = Aggregation(Group("overall", (), ()), (), strata=())
    tags = {"case_id": ids, "key": ["q1", "q2", "q3"] * 8}
    a = {**tags, "right": [0.7, 0.7, 0.7] * 8}
    b = {**tags, "right": [0.8, 0.7, 0.6] * 8}  # 0.8 - 0.7 and 0.6 - 0.7 do not cancel to the last bit
    assert (0.8 - 0.7) + (0.6 - 0.7) != 0.0
    found = compare_rows(a, b, plan, "right", match=("case_id", "key")).overall
    assert (found.difference, found.ties, found.p) == (0.0, 8, 1.0)
    one = {"case_id": list("abcdefgh")}
    three = (0.1 + 0.1 + 0.1) / 3
    assert three != 0.1
    found = compare_rows({**one, "right": [0.1] * 8}, {**one, "right": [three] * 8}, plan, "right").overall
    assert (found.ties, found.p, found.effect) == (8, 1.0, 0.0)


def test_a_constant_difference_has_no_effect_size_and_an_interval_of_no_width() -> None:
    found = difference([0.25] * 5)
    assert (found.difference, found.lo, found.hi, found.effect) == (25.0, 25.0, 25.0, None)


def test_small_differences_are_ties_when_asked() -> None:
    values = [0.001, -0.001, 0.02, -0.02, 0.3]
    assert (difference(values).wins, difference(values).ties) == (3, 0)
    found = difference(values, tolerance=0.5)
    assert (found.wins, found.ties, found.losses) == (2, 2, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_the_binomial_one(wins: int, losses: int) -> None:
    expected = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_test(wins, losses) == pytest.approx(expected)


def test_the_sign_test_holds_for_thousands_of_cases() -> None:
    assert sign_test(1074, 846) == pytest.approx(binomtest(1074, 1920).pvalue)
    assert sign_test(5000, 0) == 2.0**-4999 or sign_test(5000, 0) == 0.0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_never_lowers_a_p_value_keeps_their_order_and_is_its_definition(p: list[float]) -> None:
    found = holm(p)
    assert all(corrected >= raw for corrected, raw in zip(found, p, strict=True))
    pairs = sorted(zip(p, found, strict=True))
    assert all(x <= y for (_, x), (_, y) in pairwise(pairs))
    for raw, corrected in zip(p, found, strict=True):
        smaller = [max(min(1.0, sum(other >= one for other in p) * one), 0.0) for one in p if one <= raw]
        assert corrected == pytest.approx(max(smaller))


@pytest.mark.parametrize("seed", range(4))
def test_holm_equals_statsmodels(seed: int) -> None:  # which collects all garbage at each call
    p = (np.random.default_rng(seed).random(20) ** 3).round(seed).tolist()
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_p_values_are_corrected_among_the_rows_of_one_table() -> None:
    rng = np.random.default_rng(1)
    tasks = ["border", "removal", "recolor", "legend"] * 12
    tags: Columns = {
        "case_id": [f"{i:02}" for i in range(48)],
        "task": tasks,
        "category": [HOME[t] for t in tasks],
        "condition": ["x"] * 48,
        "split": ["test"] * 48,
    }
    a = {**tags, "miou": rng.random(48).tolist()}
    b = {**tags, "miou": (np.array(a["miou"]) + rng.normal(0.05, 0.1, 48)).tolist()}
    table = compare_rows(a, b, PLAN, "miou", resamples=2_000)
    for by in ("task", "category", "condition"):
        rows = [g.paired for g in table.groups if g.by == by]
        assert [r.p_holm for r in rows] == list(holm([r.p for r in rows]))
    assert table.overall.p_holm == table.overall.p
    assert table.group("task", "border") is not None
    assert table.group("task", "nothing") is None


def test_cases_without_a_partner_take_no_part_and_are_counted() -> None:
    a = {"case_id": ["1", "2", "3"], "miou": [0.1, 0.2, 0.3]}
    b = {"case_id": ["3", "2", "4"], "miou": [0.5, 0.2, 0.9]}
    table = compare_rows(a, b, FLAT, "miou")
    assert (table.overall.n, table.only_a, table.only_b) == (2, 1, 1)
    assert table.overall.difference == pytest.approx(10.0)


def test_variants_of_a_case_are_pairs_of_their_own_and_flip_together() -> None:
    ids = [f"c{i // 3}" for i in range(12)]
    a = {"case_id": ids, "variant": ["x", "y", "z"] * 4, "miou": [0.0] * 12}
    b = {**a, "miou": [0.1, 0.2, 0.1, 0.3, 0.2, 0.2, 0.1, 0.1, 0.1, 0.2, 0.1, 0.2]}
    found = compare_rows(a, b, FLAT, "miou").overall
    assert found.n == 12
    assert found.p == 2 / 2**4  # four cases, not twelve


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ({"case_id": ["1"], "miou": [0.5]}, {"case_id": ["2"], "miou": [0.5]}, "nothing to compare"),
        ({"case_id": ["1"], "miou": [None]}, {"case_id": ["1"], "miou": [0.5]}, "nothing to compare"),
        ({"case_id": ["1", "1"], "miou": [0.1, 0.2]}, {"case_id": ["1"], "miou": [0.5]}, "'1' has more than one row"),
        ({"name": ["1"], "miou": [0.1]}, {"case_id": ["1"], "miou": [0.5]}, "cannot be matched"),
    ],
)
def test_runs_that_cannot_be_compared_say_why(a: Columns, b: Columns, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        compare_rows(a, b, FLAT, "miou")


PINNED = """
from editscope.cases import Aggregation, Group
from editscope.stats import compare_rows
plan = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), strata=("task",))
tags = {"case_id": [f"{i:02}" for i in range(90)], "task": [f"t{i % 3}" for i in range(90)]}
a = {**tags, "miou": [(i * 37 % 101) / 101 for i in range(90)]}
b = {**tags, "miou": [(i * 53 % 101) / 101 + 0.07 * (i % 3) for i in range(90)]}
table = compare_rows(a, b, plan, "miou")
print(table.overall.lo, table.overall.hi, table.overall.p, [g.paired.p_holm for g in table.groups])
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_intervals_and_p_values_of_seed_0_are_pinned_whatever_the_threads(threads: str) -> None:
    env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
    printed = subprocess.run([sys.executable, "-c", PINNED], env=env, capture_output=True, text=True, check=True)
    assert (
        printed.stdout.strip()
        == "-1.273652365 14.051980198 0.1166883311668833 [0.8247175282471753, 0.8247175282471753, 0.08669133086691332]"
    )


@pytest.mark.slow
def test_two_real_runs_are_compared_through_their_own_hierarchy(tmp_path: Path, make_set: Any) -> None:
    import editscope as es
    from editscope.runfolder.run_json import aggregation_from

    suite = es.load_suite("paintbench", root=make_set(tmp_path / "set"))
    same, right = (es.run(suite, f"ref:{name}", out=tmp_path / name) for name in ("identity", "oracle"))
    table = compare_rows(same.rows(), right.rows(), aggregation_from(same.info), "miou")
    assert table.overall.mean_a == same.summary["overall"]["miou"]["mean"]
    assert table.overall.mean_b == right.summary["overall"]["miou"]["mean"] == 100.0
    assert (table.overall.n, table.overall.wins, table.overall.p) == (12, 12, 2 / 2**12)
    assert [g.key for g in table.groups if g.by == "task"] == [
        g["key"] for g in same.summary["groups"] if (g["by"], g["metric"]) == ("task", "miou")
    ]
