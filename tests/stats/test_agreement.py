"""Claims about how far raters agree, with other libraries as the witnesses."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from editscope.errors import BadInput
from editscope.stats import cohen_kappa, krippendorff_alpha, percent_agreement

LEVELS = ("nominal", "ordinal", "interval")


@st.composite
def ratings(draw: st.DrawFn) -> list[list[int | None]]:
    raters, items = draw(st.integers(2, 4)), draw(st.integers(2, 12))
    rating = st.none() | st.integers(1, 5)
    return [draw(st.lists(rating, min_size=items, max_size=items)) for _ in range(raters)]


@settings(max_examples=80, deadline=None)
@given(ratings(), st.sampled_from(LEVELS))
def test_alpha_is_that_of_the_krippendorff_package(rows: list[list[int | None]], level: Any) -> None:
    table = np.array([[np.nan if v is None else v for v in row] for row in rows], dtype=float)
    paired = table[:, (~np.isnan(table)).sum(axis=0) >= 2]
    assume(len(np.unique(paired[~np.isnan(paired)])) > 1)
    # Values that only unpaired ratings have change nothing but the package's own distances.
    expected = krippendorff.alpha(paired, level_of_measurement=level)
    assert krippendorff_alpha(rows, level, resamples=0).value == pytest.approx(expected, abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
def test_kappa_is_that_of_statsmodels(pairs: list[tuple[int, int]]) -> None:
    assume(len({v for pair in pairs for v in pair}) > 1)
    table = np.zeros((4, 4))
    for pair in pairs:
        table[pair] += 1
    a, b = ([pair[i] for pair in pairs] for i in (0, 1))
    expected = cohens_kappa(table, return_results=False)
    assert cohen_kappa(a, b, resamples=0).value == pytest.approx(expected, abs=1e-9)
    for weights in ("linear", "quadratic"):
        expected = cohens_kappa(table, wt=weights, return_results=False)
        assert cohen_kappa(a, b, weights, resamples=0).value == pytest.approx(expected, abs=1e-9)


def test_raters_who_agree_throughout_agree_throughout() -> None:
    rows = [["yes", "no", "yes"]] * 3
    assert krippendorff_alpha(rows).value == 1.0
    assert percent_agreement(rows).value == 100.0
    assert cohen_kappa(rows[0], rows[1]).value == 1.0
    assert krippendorff_alpha([["yes"] * 3] * 2).value == 1.0


def test_raters_who_toss_coins_agree_by_chance_only() -> None:
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(1, 6, 800).tolist() for _ in range(3))
    for level in LEVELS:
        found = krippendorff_alpha([a, b, c], level)  # type: ignore[arg-type]
        assert found.lo is not None
        assert found.hi is not None
        assert found.lo < 0.0 < found.hi or abs(found.value) < 0.05
    assert abs(cohen_kappa(a, b).value) < 0.06
    assert percent_agreement([a, b, c]).value == pytest.approx(20.0, abs=2.5)


def test_intervals_hold_the_value_and_narrow_with_more_items() -> None:
    rng = np.random.default_rng(1)

    def width(items: int) -> float:
        truth = rng.integers(1, 6, items)
        noisy = [np.where(rng.random(items) < 0.7, truth, rng.integers(1, 6, items)).tolist() for _ in range(3)]
        found = krippendorff_alpha(noisy, "ordinal")
        assert found.lo is not None
        assert found.hi is not None
        assert found.lo < found.value < found.hi
        return found.hi - found.lo

    assert width(800) < 0.5 * width(50)


def test_words_have_distances_only_in_an_order() -> None:
    a, b = ["bad", "good", "fair", "good"], ["bad", "fair", "fair", "good"]
    order = ["bad", "fair", "good"]
    numbers = [[order.index(v) for v in row] for row in (a, b)]
    assert cohen_kappa(a, b, "quadratic", order=order) == cohen_kappa(numbers[0], numbers[1], "quadratic")
    assert krippendorff_alpha([a, b], "interval", order=order) == krippendorff_alpha(numbers, "interval")
    with pytest.raises(BadInput, match="give their order"):
        cohen_kappa(a, b, "linear")
    with pytest.raises(BadInput, match="'good' is not in the order"):
        cohen_kappa(a, b, "linear", order=["bad", "fair"])


def test_ordinal_words_need_their_order_too() -> None:
    with pytest.raises(BadInput, match="give their order"):
        krippendorff_alpha([["bad", "good"], ["good", "good"]], "ordinal")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2, 3]], "two raters or more"),
        ([[1, 2], [1]], "one entry"),
        ([[1, None], [None, 2]], "two raters rated"),
    ],
)
def test_too_few_ratings_are_refused(rows: list[list[int | None]], message: str) -> None:
    for agreement in (krippendorff_alpha, percent_agreement):
        with pytest.raises(BadInput, match=message):
            agreement(rows)
