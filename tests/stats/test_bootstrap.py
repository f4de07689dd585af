"""Claims about the means of a hierarchy and their intervals."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from editscope.cases import Aggregation, Group
from editscope.errors import EditscopeError
from editscope.stats import bootstrap, hierarchy, summarize
from editscope.stats.bootstrap import draws, hierarchical_bootstrap, percentile_interval
from editscope.stats.hierarchy import Hierarchy
from editscope.stats.small_groups import LEAST_CASES

PLAN = Aggregation(
    overall=Group("overall", (), ("task", "category")),
    groups=(
        Group("category", ("category",), ("task",)),
        Group("task", ("task",)),
        Group("mode", ("task", "mode")),
        Group("condition", ("condition",), ("task",)),
    ),
    strata=("task", "mode"),
    exclude={"split": "preservation"},
)
HOME = {"border": "structure", "removal": "structure", "recolor": "color", "legend": "symbol"}

Row = dict[str, Any]


def columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def hierarchical_mean(rows: Sequence[Row], metric: str, over: Sequence[str]) -> float | None:
    """The definition, read aloud: split by the coarsest tag, average what is below, then average those."""
    if not over:
        values = [row[metric] for row in rows if row[metric] is not None]
        return fmean(values) if values else None
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(row[over[-1]], []).append(row)
    means = [hierarchical_mean(part, metric, over[:-1]) for part in parts.values()]
    known = [mean for mean in means if mean is not None]
    return fmean(known) if known else None


def plain_summary(rows: Sequence[Row], plan: Aggregation, metric: str, resamples: int) -> dict[Any, Any]:
    """Every aggregate, one resample at a time, from the same draws."""
    used = [r for r in rows if not all(r[t] == v for t, v in plan.exclude.items())]
    groups = (plan.overall, *plan.groups)
    cells: dict[tuple[str, str], list[Row]] = {}
    spread: dict[tuple[str, str], list[float]] = {}
    over = {group.name: group.over for group in groups}
    for group in groups:
        for row in used:
            cells.setdefault((group.name, "/".join(row[t] for t in group.by)), []).append(row)
    strata: dict[str, list[Row]] = {}
    for row in _in_drawing_order(rows, plan):
        strata.setdefault("/".join(row[t] for t in plan.strata), []).append(row)
    blocks = {name: np.concatenate(list(draws(0, name, len(s), resamples))) for name, s in strata.items()}
    for b in range(resamples):
        drawn = [s[i] for name, s in strata.items() for i in blocks[name][b].tolist()]
        drawn = [r for r in drawn if not all(r[t] == v for t, v in plan.exclude.items())]
        for group in groups:
            parts: dict[str, list[Row]] = {}
            for row in drawn:
                parts.setdefault("/".join(row[t] for t in group.by), []).append(row)
            for key, part in parts.items():
                mean = hierarchical_mean(part, metric, group.over)
                if mean is not None:
                    spread.setdefault((group.name, key), []).append(mean)
    result = {}
    for cell, members in cells.items():
        stratum = {row["case_id"]: "/".join(row[t] for t in plan.strata) for row in used if row[metric] is not None}
        known = [row for row in members if row[metric] is not None]
        shared = [row for row in known if list(stratum.values()).count(stratum[row["case_id"]]) > 1]
        low = high = np.nan
        if len(shared) >= LEAST_CASES:
            low, high = np.percentile(spread[cell], [2.5, 97.5]) * 100
            if hides_spread([row[metric] for row in known], [row[metric] for row in shared], high - low):
                low = high = np.nan
        mean = hierarchical_mean(members, metric, over[cell[0]])
        n = sum(row[metric] is not None for row in members)
        result[cell] = (np.nan if mean is None else mean * 100, low, high, n)
    return result


def hides_spread(known: Sequence[float], shared: Sequence[float], width: float) -> bool:
    """Whether scores differ, and no resample shows it or those that cannot be resampled hold most of the spread."""
    if max(known) - min(known) <= 1e-12:
        return False
    mean = sum(known) / len(known)
    every, seen = (sum((value - mean) ** 2 for value in part) for part in (known, shared))
    return width <= 1e-10 or 2 * (every - seen) > every


def _in_drawing_order(rows: Sequence[Row], plan: Aggregation) -> list[Row]:
    """Within a stratum, cases are drawn from in the order of the plan's cells, then of their ids."""
    first_seen: dict[str, dict[Any, int]] = {}
    for row in rows:
        for tag, value in row.items():
            seen = first_seen.setdefault(tag, {})
            seen.setdefault(value, len(seen))

    def place(row: Row) -> tuple[Any, ...]:
        left_out = all(row[t] == v for t, v in plan.exclude.items())
        groups = (plan.overall, *plan.groups)
        cells = [
            [-1] * len(group.by + group.over) if left_out else [first_seen[t][row[t]] for t in group.by + group.over]
            for group in groups
        ]
        return (*cells, row["case_id"])

    return sorted(rows, key=place)


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    fraction = st.none() | st.floats(0, 1)
    case = st.tuples(
        st.sampled_from(sorted(HOME)),
        st.sampled_from("xy"),
        st.sampled_from("pqr"),
        st.booleans(),
        fraction,
        fraction,
    )
    return [
        {
            "case_id": f"{i:03}",
            "category": HOME[task],
            "task": task,
            "mode": mode,
            "condition": condition,
            "split": "preservation" if apart else "test",
            "miou": miou,
            "edit_accuracy": edit,
        }
        for i, (task, mode, condition, apart, miou, edit) in enumerate(draw(st.lists(case, min_size=1, max_size=25)))
    ]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(tables())
def test_every_mean_and_interval_equals_the_plain_version(rows: list[Row]) -> None:
    metrics = ["miou", "edit_accuracy"]
    fast = summarize(columns(rows), PLAN, metrics, resamples=60)
    for metric in metrics:
        plain = plain_summary(rows, PLAN, metric, resamples=60)
        found = {(g["by"], g["key"]): g for g in fast["groups"] if g["metric"] == metric and g["by"] != "diagnostic"}
        if any(row["split"] == "test" for row in rows):
            found["overall", ""] = fast["overall"][metric]
        assert found.keys() == plain.keys()
        for cell, expected in plain.items():
            got = [np.nan if found[cell][k] is None else found[cell][k] for k in ("mean", "lo", "hi", "n")]
            assert got == pytest.approx(expected, abs=1e-8, nan_ok=True), cell


@settings(max_examples=25, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[Row], random: Any) -> None:
    orders = {tag: tuple(sorted({row[tag] for row in rows})) for tag in ("task", "category", "mode", "condition")}
    plan = Aggregation(PLAN.overall, PLAN.groups, PLAN.strata, PLAN.exclude, orders=orders)
    shuffled = random.sample(rows, len(rows))
    assert summarize(columns(rows), plan, ["miou"], resamples=50) == summarize(
        columns(shuffled), plan, ["miou"], resamples=50
    )


def one_task(values: Sequence[float | None], metric: str = "miou") -> Mapping[str, Any]:
    plan = Aggregation(Group("overall", ()), (), strata=("task",))
    result: Mapping[str, Any] = summarize({"task": ["t"] * len(values), metric: values}, plan, [metric])
    return result["overall"][metric]  # type: ignore[no-any-return]


def test_the_interval_of_a_share_is_the_binomial_one() -> None:
    values = [1.0] * 30 + [0.0] * 70
    expected = [binom.ppf(q, 100, 0.3) for q in (0.025, 0.975)]
    got = one_task(values)
    assert (got["mean"], got["n"]) == (30.0, 100)
    assert [got["lo"], got["hi"]] == pytest.approx(expected, abs=1.0)  # one case more or less


def test_constant_scores_have_an_interval_of_no_width() -> None:
    assert one_task([0.3] * 7) == {"mean": 30.0, "lo": 30.0, "hi": 30.0, "n": 7}


def test_all_right_is_exactly_100_and_all_wrong_exactly_0() -> None:
    assert one_task([1.0] * 96)["lo"] == 100.0
    assert one_task([0.0] * 96)["hi"] == 0.0


def test_cases_without_a_value_are_not_zeros() -> None:
    assert one_task([1.0] * 5 + [None, float("nan"), float("inf")]) == {
        "mean": 100.0,
        "lo": 100.0,
        "hi": 100.0,
        "n": 5,
    }
    assert one_task([None, None]) == {"mean": None, "lo": None, "hi": None, "n": 0}


def test_ratios_are_not_percentages() -> None:
    assert one_task([2.5, 2.5], metric="over_edit_ratio")["mean"] == 2.5


def test_huge_ratios_keep_nine_figures() -> None:
    assert one_task([1e6, 3.0], metric="over_edit_ratio")["mean"] == pytest.approx(500001.5, rel=1e-12)


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    plan = Aggregation(Group("overall", (), ("task",)), (), strata=("task",))
    tasks = [f"t{i % 5}" for i in range(200)]
    truth = [0.1, 0.3, 0.5, 0.7, 0.9]
    inside = 0
    for seed in range(200):
        scores = [float(rng.random() < truth[i % 5]) for i in range(200)]
        got = summarize({"task": tasks, "miou": scores}, plan, ["miou"], resamples=400, seed=seed)["overall"]["miou"]
        inside += got["lo"] <= 50.0 <= got["hi"]
    assert 180 <= inside <= 199  # 95 % of 200 is 190; outside this band has a chance below 0.1 %


def test_cases_kept_apart_leave_the_averages_alone_and_get_their_own_row() -> None:
    rows = [
        {"task": "border", "split": "test", "miou": 0.5},
        {"task": "preservation", "split": "preservation", "miou": 1.0},
    ]
    plan = Aggregation(
        Group("overall", (), ("task",)), (Group("task", ("task",)),), ("task",), {"split": "preservation"}
    )
    result = summarize(columns(rows), plan, ["miou"])
    assert result["overall"]["miou"]["mean"] == 50.0
    assert [(g["by"], g["key"], g["mean"]) for g in result["groups"]] == [
        ("task", "border", 50.0),
        ("diagnostic", "preservation", 100.0),
    ]


def test_keys_follow_the_suites_order_then_their_first_appearance() -> None:
    plan = Aggregation(Group("overall", ()), (Group("mode", ("task", "mode")),), ("task",), orders={"task": ("b", "a")})
    rows = {"task": ["z", "a", "a", "b"], "mode": ["m", "n", "m", "m"], "miou": [0.1] * 4}
    assert [g["key"] for g in summarize(rows, plan, ["miou"])["groups"]] == ["b/m", "a/m", "a/n", "z/m"]


def test_cases_without_a_tag_have_no_row_of_that_tag() -> None:
    plan = Aggregation(Group("overall", ()), (Group("condition", ("condition",)),), strata=())
    result = summarize({"condition": ["baseline", None], "miou": [0.2, 0.4]}, plan, ["miou"])
    assert [(g["key"], g["n"]) for g in result["groups"]] == [("baseline", 1)]
    assert result["overall"]["miou"]["mean"] == pytest.approx(30.0)


def test_an_arrow_table_gives_what_a_mapping_gives() -> None:
    import pyarrow as pa

    rows = {"task": ["a", "a", "b"], "miou": [0.1, None, 0.4]}
    plan = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), ("task",))
    assert summarize(pa.table(rows), plan, ["miou"]) == summarize(rows, plan, ["miou"])


def test_a_missing_column_is_named() -> None:
    plan = Aggregation(Group("overall", (), ("law",)), (), ("law",))
    with pytest.raises(EditscopeError, match="'law'"):
        summarize({"task": ["a"], "miou": [1.0]}, plan, ["miou"])


def test_every_case_of_a_stratum_is_drawn_equally_often() -> None:
    size, resamples = 7, 20_000
    counts = np.bincount(np.concatenate(list(draws(0, "s", size, resamples))).ravel().astype(int), minlength=size)
    statistic = float(((counts - resamples) ** 2 / resamples).sum())
    assert statistic < chi2.ppf(0.999, size - 1)


def test_strata_and_seeds_have_streams_of_their_own() -> None:
    first: Callable[[int, str], Any] = lambda seed, name: next(islice(draws(seed, name, 50, 20), 1)).tolist()  # noqa: E731
    assert first(0, "a") == first(0, "a")
    assert first(0, "a") != first(0, "b")
    assert first(0, "a") != first(1, "a")


def test_the_percentile_interval_is_numpys_and_skips_what_is_missing() -> None:
    rng = np.random.default_rng(0)
    samples = rng.random((4, 101))
    samples[1, ::3] = np.nan
    samples[2] = np.nan
    low, high = percentile_interval(samples)
    expected = [np.nanpercentile(row, [2.5, 97.5]) if not np.isnan(row).all() else [np.nan] * 2 for row in samples]
    assert np.stack([low, high], axis=1) == pytest.approx(np.array(expected), nan_ok=True)


PINNED = """
from editscope.cases import Aggregation, Group
from editscope.stats import bootstrap, hierarchy, summarize
plan = Aggregation(Group("overall", (), ("task",)), (), strata=("task",))
rows = {"task": [f"t{i % 3}" for i in range(90)], "miou": [(i * 37 % 101) / 101 for i in range(90)]}
print(summarize(rows, plan, ["miou"])["overall"]["miou"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_interval_of_seed_0_is_pinned_whatever_the_threads(threads: str) -> None:
    env = {**os.environ, "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": threads}
    printed = subprocess.run([sys.executable, "-c", PINNED], env=env, capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "{'mean': 49.086908691, 'lo': 43.278327833, 'hi': 55.038778878, 'n': 90}"


@pytest.mark.parametrize("most_drawn", [1, 50, 700, 10**9])
@pytest.mark.parametrize("most_products", [1, 40, 10**9])
def test_results_are_the_same_to_the_bit_in_blocks_of_any_size(
    most_drawn: int, most_products: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    values = rng.random((60, 3))
    values[rng.random(values.shape) < 0.1] = np.nan
    strata = [f"s{n % 3 if n < 50 else 0}" for n in range(60)]
    units = [n // 2 if n < 12 else n for n in range(60)]
    strata[:12] = ["s0"] * 12
    tables = [Hierarchy(np.arange(60) % 7, (np.arange(7) % 2,)), Hierarchy(np.arange(60) % 5 - 1)]

    def samples() -> list[bytes]:
        means, resampled = hierarchical_bootstrap(values, strata, tables, units=units, resamples=1_501)
        return [array.tobytes() for array in (*means, *resampled)]

    expected = samples()
    monkeypatch.setattr(bootstrap, "MOST_DRAWN", most_drawn)
    monkeypatch.setattr(hierarchy, "MOST_PRODUCTS", most_products)
    assert samples() == expected


@pytest.mark.parametrize("block", [2, 4, 40, 250, 1_000, 5_000])
def test_blocks_of_draws_are_parts_of_one_stream(block: int) -> None:
    whole = np.concatenate(list(draws(0, "border", 7, 1_503)))
    assert np.array_equal(np.concatenate(list(draws(0, "border", 7, 1_503, block))), whole)


def test_large_runs_count_their_draws_by_compiled_code_and_get_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    values = np.where(rng.random((211, 3)) < 0.1, np.nan, rng.random((211, 3)))
    strata = [f"s{i % 7}" for i in range(211)]
    tree = Hierarchy(leaf=np.arange(211) % 14, parents=(np.arange(14) // 7,))
    usual = hierarchical_bootstrap(values, strata, [tree], resamples=1_500, seed=3)
    monkeypatch.setattr("editscope.stats.bootstrap.LARGE", 1)
    large = hierarchical_bootstrap(values, strata, [tree], resamples=1_500, seed=3)
    for one, other in zip(usual, large, strict=True):
        assert one[0].tobytes() == other[0].tobytes()
