"""Claims about ratings from pairwise votes."""

from __future__ import annotations

from itertools import combinations
from math import exp, log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.errors import BadInput
from editscope.stats import Match, bradley_terry, elo, expected_share

STRENGTHS = {"first": 1.2, "second": 0.6, "third": 0.2, "fourth": -0.4, "last": -1.6}


def study(seed: int, items: int = 60, votes: int = 5) -> list[Match]:
    """Every pair of models on every item, judged by voters who prefer by the true strengths."""
    rng = np.random.default_rng(seed)
    matches = []
    for item in range(items):
        for a, b in combinations(STRENGTHS, 2):
            won = int(rng.binomial(votes, 1 / (1 + exp(STRENGTHS[b] - STRENGTHS[a]))))
            matches.append(Match(a, b, won, votes - won, item=f"{item}"))
    return matches


def test_both_ratings_recover_a_known_order() -> None:
    for seed in range(3):
        assert [r.model for r in elo(study(seed))] == list(STRENGTHS)
        assert [r.model for r in bradley_terry(study(seed), resamples=0)] == list(STRENGTHS)


@pytest.mark.slow
def test_bradley_terry_recovers_known_strengths_within_its_intervals() -> None:
    inside = total = 0
    for seed in range(40):
        for rating in bradley_terry(study(seed, items=30), resamples=300, seed=seed):
            truth = 1000 + 400 * (STRENGTHS[rating.model] - np.mean(list(STRENGTHS.values()))) / np.log(10)
            assert abs(rating.rating - truth) < 90
            assert rating.lo is not None
            assert rating.hi is not None
            inside += rating.lo <= truth <= rating.hi
            total += 1
    assert 0.90 <= inside / total <= 0.99


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30))
def test_two_models_differ_by_the_logarithm_of_their_votes(won: int, lost: int) -> None:
    found = {r.model: r.rating for r in bradley_terry([Match("a", "b", won, lost)], resamples=0)}
    assert found["a"] - found["b"] == pytest.approx(400 * log10(won / lost), abs=1e-2)
    assert found["a"] + found["b"] == pytest.approx(2000)
    assert expected_share(found["a"], found["b"]) == pytest.approx(won / (won + lost), abs=1e-4)


def test_the_likelihood_has_its_maximum_at_the_ratings() -> None:
    # At the maximum every model has as many votes as its ratings promise.
    matches = study(5, items=10)
    ratings = {r.model: r.rating for r in bradley_terry(matches, resamples=0)}
    for model in ratings:
        got = sum(m.votes_a if m.a == model else m.votes_b for m in matches if model in (m.a, m.b))
        owed = sum(
            m.votes * expected_share(ratings[model], ratings[m.b if m.a == model else m.a])
            for m in matches
            if model in (m.a, m.b)
        )
        assert got == pytest.approx(owed, abs=1e-3)


def test_one_elo_match_moves_both_by_the_step_times_the_surprise() -> None:
    found = {r.model: r.rating for r in elo([Match("a", "b", 5, 0)])}
    assert found == {"a": 1012.0, "b": 988.0}
    found = {r.model: r.rating for r in elo([Match("a", "b", 2, 1)])}  # three votes: K = 24 · 3/5
    assert found["a"] == pytest.approx(1000 + 14.4 * (2 / 3 - 1 / 2))
    found = {r.model: r.rating for r in elo([Match("a", "b", 1, 0, ties=4)])}  # a tie is half a vote for each
    assert found["a"] == pytest.approx(1000 + 24 * (3 / 5 - 1 / 2))


def test_elo_is_the_mean_and_spread_over_shuffled_replays_from_a_fresh_start() -> None:
    matches = [Match("a", "b", 5, 0), Match("b", "c", 5, 0)]
    orders = []
    for order in (matches, matches[::-1]):
        ratings = dict.fromkeys("abc", 1000.0)
        for m in order:
            gain = 24 * (m.share_a - expected_share(ratings[m.a], ratings[m.b]))
            ratings[m.a] += gain
            ratings[m.b] -= gain
        orders.append(ratings)
    found = {r.model: r for r in elo(matches, rounds=400)}
    for model in "abc":
        low, high = sorted(ratings[model] for ratings in orders)
        rating = found[model]
        assert low <= rating.rating <= high
        assert rating.sd == pytest.approx((high - low) / 2, rel=0.02)  # half of the replays each way
    assert elo(matches, rounds=1)[0].sd == 0.0


def test_no_elo_rating_falls_below_the_floor() -> None:
    found = {r.model: r.rating for r in elo([Match("a", "b", 5, 0)] * 300)}
    assert found["b"] == 700.0
    assert found["a"] > 1100


def test_ratings_do_not_depend_on_who_is_called_a_and_are_the_same_every_time() -> None:
    matches = study(1, items=8)
    turned = [Match(m.b, m.a, m.votes_b, m.votes_a, item=m.item) for m in matches]
    for one, other in zip(elo(matches), elo(turned), strict=True):
        assert one.model == other.model
        assert one.rating == pytest.approx(other.rating)
    assert elo(matches) == elo(matches)
    assert bradley_terry(matches) == bradley_terry(matches)
    assert elo(matches, seed=1) != elo(matches, seed=2)


def test_what_a_rating_rests_on_is_counted() -> None:
    found = {
        r.model: r for r in bradley_terry([Match("a", "b", 3, 1, ties=1), Match("a", "b", 0, 0), Match("b", "a", 2, 3)])
    }
    assert (found["a"].matches, found["a"].votes) == (2, 10.0)
    assert found["a"].share == pytest.approx(0.65)


def test_models_that_never_met_are_said_to_have_no_common_rating() -> None:
    with pytest.raises(BadInput, match=r"no match connects a, b with c, d"):
        bradley_terry([Match("a", "b", 3, 2), Match("c", "d", 3, 2)])


def test_a_lead_without_a_finite_size_is_said_and_a_prior_makes_it_finite() -> None:
    matches = [Match("a", "b", 5, 0), Match("b", "c", 3, 2)]
    with pytest.raises(BadInput, match=r"a got every vote against b, c"):
        bradley_terry(matches)
    found = bradley_terry(matches, prior=1.0)
    assert [r.model for r in found] == ["a", "b", "c"]
    assert found[0].rating < 2000


@pytest.mark.parametrize(
    ("matches", "message"),
    [
        ([Match("a", "a", 1, 0)], "against itself"),
        ([Match("a", "b", -1, 0)], "negative"),
        ([Match("a", "b", 0, 0)], "at least one match that has votes"),
        ([], "at least one match that has votes"),
    ],
)
def test_votes_that_cannot_be_are_refused(matches: list[Match], message: str) -> None:
    for rate in (elo, bradley_terry):
        with pytest.raises(BadInput, match=message):
            rate(matches)
