"""Claims about lines and correlations between the scores of two suites."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr

from editscope.errors import BadInput
from editscope.stats import correlation, kendall_tau, ols, relate, spearman_rho
from editscope.stats.rank_correlation import kendall_rows, spearman_rows
from editscope.stats.relation import Method

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall")


def test_the_line_and_its_bands_are_those_of_statsmodels() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 20, 11)
    y = 0.9 * x + rng.normal(0, 1.5, 11)
    fit, witness = ols(x.tolist(), y.tolist()), sm.OLS(y, sm.add_constant(x)).fit()
    low, high = witness.conf_int()[:, 0], witness.conf_int()[:, 1]
    assert (fit.intercept, fit.slope) == pytest.approx(tuple(witness.params))
    assert (fit.intercept_lo, fit.slope_lo) == pytest.approx(tuple(low))
    assert (fit.intercept_hi, fit.slope_hi) == pytest.approx(tuple(high))
    assert (fit.r2, fit.p) == pytest.approx((witness.rsquared, witness.pvalues[1]))
    at = np.linspace(-5, 25, 7)
    said = witness.get_prediction(sm.add_constant(at, has_constant="add"))
    assert np.stack(fit.band(at), axis=1) == pytest.approx(said.conf_int())
    assert np.stack(fit.prediction_band(at), axis=1) == pytest.approx(said.conf_int(obs=True))
    assert fit.at([0.0])[0] == fit.intercept


def test_points_on_a_line_fit_it() -> None:
    fit = ols([1, 2, 3, 4], [3, 5, 7, 9])
    assert (fit.slope, fit.intercept, fit.r2) == pytest.approx((2.0, 1.0, 1.0))
    assert fit.residual_sd == pytest.approx(0.0, abs=1e-9)


def test_correlations_are_scipys_and_pearsons_interval_is_fishers() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0, 1, 25)
    y = x + rng.normal(0, 1, 25)
    for method, witness in zip(METHODS, (pearsonr, spearmanr, kendalltau), strict=True):
        found, said = correlation(x.tolist(), y.tolist(), method), witness(x, y)
        assert (found.value, found.p, found.n) == pytest.approx((said.statistic, said.pvalue, 25))
        assert found.lo is not None
        assert found.hi is not None
        assert -1 <= found.lo < found.value < found.hi <= 1
    found = correlation(x.tolist(), y.tolist())
    assert (found.lo, found.hi) == pytest.approx(tuple(pearsonr(x, y).confidence_interval()))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_every_resample_gets_the_rank_correlation_that_scipy_gives_it(points: list[tuple[int, int]]) -> None:
    x, y = (np.array([[p[i] for p in points]], dtype=float) for i in (0, 1))
    constant = len(set(x[0])) == 1 or len(set(y[0])) == 1
    for ours, scipys in ((spearman_rows, spearmanr), (kendall_rows, kendalltau)):
        expected = np.nan if constant else scipys(x[0], y[0]).statistic
        assert ours(x, y)[0] == pytest.approx(expected, nan_ok=True)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12))
def test_a_rank_correlation_is_that_of_scipy_and_none_where_one_side_is_constant(points: list[tuple[int, int]]) -> None:
    x, y = zip(*points, strict=True)
    for ours, scipys in ((spearman_rho, spearmanr), (kendall_tau, kendalltau)):
        value = ours(x, y)
        if len(set(x)) == 1 or len(set(y)) == 1:
            assert value is None
        else:
            assert value == pytest.approx(scipys(x, y).statistic, abs=1e-12)


@pytest.mark.slow
def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    inside = dict.fromkeys(METHODS, 0)
    truth = {"pearson": 0.6, "spearman": 6 / np.pi * np.arcsin(0.3), "kendall": 2 / np.pi * np.arcsin(0.6)}
    for seed in range(150):
        x, z = rng.normal(0, 1, (2, 40))
        y = 0.6 * x + 0.8 * z
        for method in METHODS:
            found = correlation(x.tolist(), y.tolist(), method, resamples=300, seed=seed)
            assert found.lo is not None
            assert found.hi is not None
            inside[method] += found.lo <= truth[method] <= found.hi
    assert all(132 <= number <= 149 for number in inside.values()), inside


def test_only_models_with_a_score_in_both_suites_take_part() -> None:
    found = relate({"a": 1.0, "b": 2.0, "c": 3.0, "only here": 9.0}, {"c": 3.5, "b": 2.0, "a": 1.0, "only there": 0.0})
    assert found.names == ("a", "b", "c")
    assert found.y == (1.0, 2.0, 3.5)
    assert found.pearson.lo is None  # Fisher's interval needs four points
    assert found.fit.n == 3


def test_the_two_benchmarks_of_the_paper_go_together_as_it_says() -> None:
    published = pytest.importorskip("editscope.published")
    scores: list[dict[str, float]] = [
        {row.model: row.value for row in published.leaderboard(suite, "miou")} for suite in ("paintbench", "tinygrafix")
    ]
    found = relate(*scores)
    assert len(found.names) == 11
    assert round(found.fit.r2, 2) == 0.91
    assert found.fit.p < 0.001


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1, 2], [1, 2], "at least 3 pairs"),
        ([1, 2, 3], [1, 2], "at least 3 pairs"),
        ([1, 1, 1], [1, 2, 3], "numbers that vary"),
        ([1, 2, float("nan")], [1, 2, 3], "finite"),
    ],
)
def test_numbers_without_a_relation_are_refused(x: list[float], y: list[float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        ols(x, y)


def test_without_scipy_one_sentence_says_what_to_install(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(BadInput, match=r"a fitted line needs scipy: pip install 'editscope\[report\]'"):
        ols([1, 2, 3], [1, 2, 4])
