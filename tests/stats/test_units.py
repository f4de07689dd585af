"""Claims about rows that belong together: questions, metrics and repeats of one case are drawn as one."""

from __future__ import annotations

from collections import Counter
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.cases import Aggregation, Group
from editscope.errors import EditscopeError
from editscope.stats import summarize
from editscope.stats.bootstrap import draws
from editscope.stats.hierarchy import Hierarchy, weights

Columns = dict[str, list[Any]]
POOLED = Aggregation(Group("overall", ()), (Group("law", ("law",)),), strata=("law",))
CASE_FIRST = Aggregation(Group("overall", (), ("case_id",)), (Group("law", ("law",), ("case_id",)),), strata=("law",))
METRICS = Aggregation(Group("overall", (), ("metric", "law")), (), strata=("law",))


@st.composite
def questions(draw: st.DrawFn) -> Columns:
    """Cases of two laws, each with one to four questions of two metrics, some without a verdict."""
    value = st.none() | st.integers(0, 4).map(lambda v: v / 4)
    cases = draw(
        st.lists(st.tuples(st.sampled_from("pq"), st.lists(value, min_size=1, max_size=4)), min_size=1, max_size=9)
    )
    rows = [(f"c{i}", law, f"m{j % 2}", v) for i, (law, values) in enumerate(cases) for j, v in enumerate(values)]
    return {name: [row[k] for row in rows] for k, name in enumerate(("case_id", "law", "metric", "right"))}


def plain(rows: Columns, resamples: int, mean: Any) -> list[list[float]]:
    """Resample cases law by law, in the order of their ids, and average what was drawn; one list per resample."""
    laws = sorted(set(rows["law"]))
    of = {law: sorted({c for c, l in zip(rows["case_id"], rows["law"], strict=True) if l == law}) for law in laws}
    blocks = {law: np.concatenate(list(draws(0, law, len(of[law]), resamples))).astype(int) for law in laws}
    entries: dict[str, list[tuple[str, str, float | None]]] = {}
    for case, law, metric, value in zip(*rows.values(), strict=True):
        entries.setdefault(case, []).append((law, metric, value))
    found = []
    for b in range(resamples):
        drawn = [entries[of[law][i]] for law in laws for i in blocks[law][b]]
        found.append(mean(drawn))
    return found


def interval(samples: list[Any]) -> list[float]:
    known = [s for s in samples if s is not None]
    return [float(x) * 100 for x in np.percentile(known, [2.5, 97.5])] if known else []


def pooled_mean(drawn: list[Any]) -> float | None:
    values = [v for case in drawn for _, _, v in case if v is not None]
    return fmean(values) if values else None


def case_mean(drawn: list[Any]) -> float | None:
    cases = [[v for _, _, v in case if v is not None] for case in drawn]
    return fmean([fmean(case) for case in cases if case]) if any(cases) else None


def _by_id(rows: Columns) -> Columns:
    """Cases in an order in which the ranks of laws follow their names, as the plain version takes them."""
    order = sorted(range(len(rows["law"])), key=lambda i: (rows["law"][i], rows["case_id"][i]))
    return {name: [column[i] for i in order] for name, column in rows.items()}


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(questions())
def test_pooled_questions_and_case_means_equal_the_plain_version(rows: Columns) -> None:
    rows = _by_id(rows)
    for plan, mean in ((POOLED, pooled_mean), (CASE_FIRST, case_mean)):
        got = summarize(rows, plan, ["right"], resamples=40)["overall"]["right"]
        if got["lo"] is not None or got["mean"] is None:
            ends = [x for x in (got["lo"], got["hi"]) if x is not None]
            assert ends == pytest.approx(interval(plain(rows, 40, mean)))
        else:  # of the cases with a value, fewer than five share their law with another, or those are all alike
            known = {i for i, v in zip(rows["case_id"], rows["right"], strict=True) if v is not None}
            law = {i: at for i, at in zip(rows["case_id"], rows["law"], strict=True) if i in known}
            together = Counter(law.values())
            shared = sum(together[law[i]] > 1 for i in known)
            assert got.get("few_cases", shared) == shared
            assert ("few_cases" in got) == (shared < 5) == ("hidden_spread" not in got)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(questions(), st.randoms(use_true_random=False))
def test_the_order_of_long_rows_does_not_matter(rows: Columns, random: Any) -> None:
    orders = {"law": ("p", "q"), "metric": ("m0", "m1"), "case_id": tuple(f"c{i}" for i in range(9))}
    order = random.sample(range(len(rows["law"])), len(rows["law"]))
    shuffled = {name: [column[i] for i in order] for name, column in rows.items()}
    for plan in (POOLED, CASE_FIRST, METRICS):
        plan = Aggregation(plan.overall, plan.groups, plan.strata, orders=orders)
        assert summarize(rows, plan, ["right"], resamples=30) == summarize(shuffled, plan, ["right"], resamples=30)


def test_cases_of_one_row_give_the_same_bytes_with_and_without_units() -> None:
    rng = np.random.default_rng(3)
    rows: Columns = {
        "case_id": [f"{i:03}" for i in range(80)],
        "law": [f"l{i % 3}" for i in range(80)],
        "right": rng.random(80).tolist(),
    }
    assert summarize(rows, POOLED, ["right"], unit=None) == summarize(rows, POOLED, ["right"], unit="case_id")


def test_questions_that_say_the_same_make_the_interval_no_narrower() -> None:
    rng = np.random.default_rng(4)
    right = (rng.random(60) < 0.6).tolist()
    once = {"case_id": [f"{i:02}" for i in range(60)], "law": ["l"] * 60, "right": right}
    thrice = {name: [v for v in column for _ in range(3)] for name, column in once.items()}
    one, three = (summarize(rows, POOLED, ["right"])["overall"]["right"] for rows in (once, thrice))
    assert (three["mean"], three["lo"], three["hi"]) == (one["mean"], one["lo"], one["hi"])
    assert (one["n"], three["n"]) == (60, 180)
    alone = summarize(thrice, POOLED, ["right"], unit=None)["overall"]["right"]
    assert alone["hi"] - alone["lo"] < 0.7 * (one["hi"] - one["lo"])


def test_wiseedits_average_is_the_mean_over_tasks_of_metric_means() -> None:
    # Nano Banana Pro, English: (87.3 + 83.3 + 76.6) / 3 = 82.4, each task from its four metric means.
    tasks = {
        "awareness": (85.4, 88.6, 83.9, 91.4),
        "interpretation": (80.0, 82.0, 84.0, 87.2),
        "imagination": (76.6,) * 4,
    }
    rows: Columns = {"case_id": [], "law": [], "metric": [], "score": []}
    for task, means in tasks.items():
        for case, off in enumerate((-0.05, 0.05, 0.0)):
            for m, mean in enumerate(means):
                for name, value in zip(rows, (f"{task}{case}", task, f"m{m}", mean / 100 + off), strict=True):
                    rows[name].append(value)
    found = summarize(rows, METRICS, ["score"])["overall"]["score"]
    assert round(found["mean"], 1) == 82.4
    assert found["lo"] < 82.4 < found["hi"]


def test_a_case_that_was_drawn_twice_counts_twice() -> None:
    rows: Columns = {"case_id": ["a", "a", *"bcde"], "law": ["l"] * 6, "right": [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]}
    found = summarize(rows, CASE_FIRST, ["right"])["overall"]["right"]
    assert (found["mean"], found["lo"], found["hi"], found["n"]) == (10.0, 0.0, 30.0, 5)


def test_rows_of_a_case_in_two_strata_are_an_error_with_a_fix() -> None:
    plan = Aggregation(Group("overall", ()), (), strata=("metric",))
    rows: Columns = {"case_id": ["a", "a"], "metric": ["x", "y"], "right": [1.0, 0.0]}
    with pytest.raises(EditscopeError, match="name as strata only tags that all rows of a case share"):
        summarize(rows, plan, ["right"])


def test_a_unit_with_many_rows_keeps_exact_sums() -> None:
    ids = ["big"] * 500 + [f"small{i}" for i in range(4)]
    rows: Columns = {"case_id": ids, "law": ["l"] * 504, "right": [1.0] * 500 + [0.0] * 4}
    found = summarize(rows, POOLED, ["right"])["overall"]["right"]
    assert (found["lo"], found["hi"]) == pytest.approx((0.0, 100 * 1500 / 1502), abs=0.1)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.floats(0, 1)), min_size=1, max_size=20))
def test_weights_give_the_mean_of_means(cases: list[tuple[int, bool, float]]) -> None:
    places = sorted({leaf for leaf, _, _ in cases})
    leaf = np.array([places.index(leaf) for leaf, _, _ in cases])
    present = np.array([here for _, here, _ in cases])
    values = np.array([value for _, _, value in cases])
    hierarchy = Hierarchy(leaf, (np.arange(len(places)) // 2, np.zeros((len(places) + 1) // 2, dtype=np.intp)))
    leaves = [values[(leaf == i) & present] for i in range(len(places))]
    nodes = [[part.mean() for part in leaves[i : i + 2] if len(part)] for i in range(0, len(places), 2)]
    expected = fmean([fmean(node) for node in nodes if node]) if present.any() else 0.0
    assert float(weights(hierarchy, present) @ values) == pytest.approx(expected)
