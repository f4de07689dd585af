"""The spread over repeats apart from the spread over cases: what is put into data comes out again."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.results.repeats_summary import about_repeats, repeats_in_words
from editscope.runfolder.repeats import folded
from editscope.stats import variance_components
from editscope.stats.over_repeats import best_of, by_repeat, repeat_curves, spread_over_repeats, worst_of
from editscope.stats.summary import summarize

PLAN = Aggregation(Group("overall", (), ("task",)), (), strata=("task",))
SCORES = st.floats(0, 1, allow_nan=False)


def drawn(cases: int, repeats: int, between: float, within: float, seed: int) -> dict[str, list[float]]:
    """Scores with known standard deviations between cases and within them."""
    rng = np.random.default_rng(seed)
    means = 0.5 + between * rng.standard_normal(cases)
    return {f"c{i}": (mean + within * rng.standard_normal(repeats)).tolist() for i, mean in enumerate(means)}


def rows_of(scores: dict[str, list[float]]) -> dict[str, list[object]]:
    rows: dict[str, list[object]] = {name: [] for name in ("case_id", "variant", "repeat", "task", "miou")}
    for case_id, values in scores.items():
        for place, value in enumerate(values):
            variant = f"~{place + 1}" if place else ""
            line = (case_id, variant, place + 1, f"t{int(case_id[1:]) % 3}", value)
            for name, entry in zip(rows, line, strict=True):
                rows[name].append(entry)
    return rows


def test_simulated_data_give_back_the_spreads_that_were_put_in() -> None:
    found = [spread_over_repeats(drawn(200, 4, 0.2, 0.1, seed), resamples=200, seed=seed) for seed in range(40)]
    assert fmean(one["cases"]["sd"] for one in found) == pytest.approx(20, rel=0.03)
    assert fmean(one["repeats"]["sd"] for one in found) == pytest.approx(10, rel=0.02)
    assert fmean(one["within"]["share"] for one in found) == pytest.approx(0.2, rel=0.06)
    # 40 intervals of 95 % hold the truth 38 times; fewer than 33 would be worse than one in a thousand of such lots.
    for part, truth in (("cases", 20.0), ("repeats", 10.0)):
        assert sum(one[part]["lo"] <= truth <= one[part]["hi"] for one in found) >= 33


@pytest.mark.slow
@given(st.lists(st.lists(SCORES, min_size=1, max_size=5), min_size=2, max_size=12).filter(lambda c: any(map(len, c))))
@settings(deadline=None, max_examples=60)
def test_the_components_are_those_of_the_normal_theory(cases: list[list[float]]) -> None:
    scores = {f"c{i}": values for i, values in enumerate(cases)}
    found = spread_over_repeats(scores, resamples=10)
    if all(len(values) == 1 for values in cases):
        assert found is None
        return
    theory = variance_components(cases, scale=100.0)
    assert found["repeats"]["sd"] == pytest.approx(theory.between_repeats.sd, abs=1e-5)
    assert found["cases"]["sd"] ** 2 == pytest.approx(theory.between_cases.sd**2, abs=1e-5)


@given(st.lists(st.lists(SCORES, min_size=1, max_size=4), min_size=2, max_size=10))
@settings(deadline=None, max_examples=40)
def test_unequal_repeats_count_every_case_once(cases: list[list[float]]) -> None:
    rows = folded(rows_of({f"c{i}": values for i, values in enumerate(cases)}), ["miou"])
    assert rows["variant"] == [""] * len(cases)
    plain = Aggregation(Group("overall", ()), (), strata=())
    cell = summarize(rows, plain, ["miou"], resamples=0)["overall"]["miou"]
    assert cell["n"] == len(cases)
    assert cell["mean"] == pytest.approx(100 * fmean(map(fmean, cases)), abs=1e-6)


@given(st.lists(SCORES, min_size=1, max_size=6), st.data())
def test_the_best_of_k_is_the_mean_over_all_ways_to_draw_k(values: list[float], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    ways = list(combinations(values, k))
    assert best_of(values, k) == pytest.approx(fmean(map(max, ways)))
    assert worst_of(values, k) == pytest.approx(fmean(map(min, ways)))


def test_more_tries_than_there_are_is_an_error_with_a_sentence() -> None:
    with pytest.raises(BadInput, match="the best of 3 needs at least 3 values"):
        best_of([0.1, 0.2], 3)


def test_curves_over_k_rise_for_the_best_and_fall_for_the_worst() -> None:
    scores = drawn(60, 4, 0.2, 0.2, seed=1)
    rows = rows_of(scores)
    found = repeat_curves(rows, PLAN, "miou", scores, 4, right=0.7)
    best, worst, right = ([cell["mean"] for cell in found[way]] for way in ("best_of", "worst_of", "pass"))
    mean = summarize(folded(rows, ["miou"]), PLAN, ["miou"])["overall"]["miou"]
    assert best[0] == pytest.approx(mean["mean"])
    assert worst[0] == pytest.approx(mean["mean"])
    assert found["best_of"][0]["lo"] == pytest.approx(mean["lo"])
    assert best == sorted(best)
    assert worst == sorted(worst, reverse=True)
    assert right == sorted(right)
    assert [cell["n"] for cell in found["pass"]] == [60] * 4


def test_a_case_with_fewer_repeats_than_k_takes_no_part_in_the_best_of_k() -> None:
    scores = {"c0": [0.5, 0.7], "c1": [0.1]}
    found = repeat_curves(rows_of(scores), Aggregation(Group("overall", ()), (), ()), "miou", scores, 2, right=0.9)
    assert [cell["n"] for cell in found["best_of"]] == [2, 1]
    assert found["best_of"][1]["mean"] == pytest.approx(70)


def test_diagnostic_cases_stay_out_of_the_spread() -> None:
    rows = {
        "case_id": ["a", "a", "b", "b"],
        "split": ["test", "test", "preservation", "preservation"],
        "repeat": [1, 2, 1, 2],
        "miou": [0.1, 0.2, 0.9, 0.9],
    }
    assert by_repeat(rows, "miou", {"split": "preservation"}) == {"a": [0.1, 0.2]}


def test_a_run_with_one_repeat_done_so_far_has_no_spread_to_tell() -> None:
    rows = rows_of({"c0": [0.5], "c1": [0.25]})
    found = about_repeats(rows, PLAN, ["miou"], 3, right=0.9)
    assert found["repeats"]["spread"] == {}
    assert repeats_in_words(found, "mIoU") == "3 repeats: too few are done to tell their spread"
    assert about_repeats(rows, PLAN, ["miou"], 1, right=0.9) == {}
