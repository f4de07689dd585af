"""The figures of an audit are what slow, plain code and SciPy say they are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from editscope.audit.drift import Session, compare
from editscope.audit.findings import (
    PairChoice,
    ScoredEdit,
    findings,
    kendall,
    leans,
    rank_accuracy,
    sorted_verdicts,
    spearman,
)
from editscope.audit.known_edit_set import AuditProblem, KnownEditSet, StoredKnownEdit
from editscope.audit.means import mean_over_problems
from editscope.judges import Verdict

LEVELS = ("oracle", "light", "medium", "heavy", "none")
MIOUS = (1.0, 0.75, 0.5, 0.25, 0.0)

score = st.one_of(st.none(), st.integers(1, 5))


@st.composite
def scored(draw: Callable[..., list[list[list[int | None]]]], samples: int = 2) -> list[ScoredEdit]:
    row = st.lists(st.lists(score, min_size=samples, max_size=samples), min_size=5, max_size=5)
    problems = draw(st.lists(row, min_size=1, max_size=6))
    return [
        ScoredEdit(number, level, miou, tuple(given))
        for number, problem in enumerate(problems)
        for level, miou, given in zip(LEVELS, MIOUS, problem, strict=True)
    ]


def problems_of(said: list[ScoredEdit]) -> int:
    return 1 + max(one.problem for one in said)


@settings(max_examples=60, deadline=None)
@given(scored())
def test_rank_accuracy_is_the_share_of_pairs_in_the_right_order(said: list[ScoredEdit]) -> None:
    points: list[float] = []
    for a, b in combinations(said, 2):
        if a.problem != b.problem:
            continue
        better, worse = (a, b) if a.miou > b.miou else (b, a)
        for x, y in zip(better.scores, worse.scores, strict=True):
            if x is not None and y is not None:
                points.append(1.0 if x > y else 0.5 if x == y else 0.0)
    found = rank_accuracy(said, problems_of(said))
    assert found.value == (pytest.approx(mean(points), abs=1e-6) if points else None)


@settings(max_examples=60, deadline=None)
@given(scored(samples=1))
def test_kendall_is_that_of_scipy_within_each_problem(said: list[ScoredEdit]) -> None:
    taus = []
    for number in range(problems_of(said)):
        own = [(one.miou, one.scores[0]) for one in said if one.problem == number and one.scores[0] is not None]
        if len(own) > 1:
            x, y = zip(*own, strict=True)
            taus.append(0.0 if len(set(y)) == 1 else float(stats.kendalltau(x, y).statistic))
    found = kendall(said, problems_of(said))
    assert found.value == (pytest.approx(mean(taus), abs=1e-6) if taus else None)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(scored())
def test_spearman_is_that_of_scipy_over_all_exhibits(said: list[ScoredEdit]) -> None:
    kept: dict[int, list[tuple[float, float]]] = {}
    for one in said:
        given_scores = [s for s in one.scores if s is not None]
        if given_scores:
            kept.setdefault(one.problem, []).append((one.miou, mean(given_scores)))
    points = [point for own in kept.values() if len(own) > 1 for point in own]
    found = spearman(said, problems_of(said)).value
    if len({y for _, y in points}) < 2:
        assert found is None
    else:
        assert found == pytest.approx(float(stats.spearmanr(*zip(*points, strict=True)).statistic), abs=1e-6)


def test_the_interval_is_that_of_problems_drawn_whole() -> None:
    dice = np.random.default_rng(4)
    effect = dice.normal(0, 1, 30)  # values of one problem go together
    values = [(number, float(effect[number] + dice.normal(0, 0.1))) for number in range(30) for _ in range(8)]
    found = mean_over_problems(values, 30, share=False)
    by_problem = [mean(value for number, value in values if number == k) for k in range(30)]
    slow = [mean(dice.choice(by_problem, 30)) for _ in range(4000)]
    assert found.lo == pytest.approx(np.quantile(slow, 0.025), abs=0.06)
    assert found.hi == pytest.approx(np.quantile(slow, 0.975), abs=0.06)
    assert found.n == 30


def test_a_share_of_all_or_nothing_has_an_interval_all_the_same() -> None:
    always = mean_over_problems([(n, 1.0) for n in range(20)], 20)
    never = mean_over_problems([(n, 0.0) for n in range(20)], 20)
    exact = stats.binomtest(20, 20).proportion_ci(method="exact")
    assert always.lo == pytest.approx(exact.low, abs=1e-6) and always.hi == 1.0
    assert never.lo == 0.0 and never.hi == pytest.approx(1 - exact.low, abs=1e-6)


@pytest.mark.parametrize(
    ("guesses", "for_first", "least", "most"), [(0.5, 0.5, 0, 3), (1.0, 0.5, 0, 3), (0.8, 0.8, 97, 100)]
)
def test_a_bias_is_found_where_there_is_one_and_seldom_where_there_is_none(
    guesses: float, for_first: float, least: int, most: int
) -> None:
    """A hundred judges that guess so often, and then take the first place so often; 40 problems, two pairs each."""
    dice = np.random.default_rng(0)
    found = 0
    for _ in range(100):
        guessed = dice.random((40, 4)) < guesses
        first = np.where(guessed, dice.random((40, 4)) < for_first, [1, 0, 1, 0])
        found += leans(mean_over_problems([(k, float(x)) for k in range(40) for x in first[k]], 40))
    assert least <= found <= most


# --- from verdicts to figures ---------------------------------------------------------------------


def problem(name: str) -> AuditProblem:
    edits = tuple(StoredKnownEdit(level, miou, f"{level}.png", "") for level, miou in zip(LEVELS, MIOUS, strict=True))
    return AuditProblem(name, "Do it.", {}, "undone", StoredKnownEdit("source", 0.0, "source.png", ""), edits)


def chose(place: int) -> Verdict:
    return Verdict("ok", {"better": place})


def test_a_duel_knows_who_was_chosen_in_each_order() -> None:
    said = {
        ("a", "pair:oracle:none", 0): chose(1),  # the better one, as first
        ("a", "pair:none:oracle", 0): chose(1),  # the worse one, as first
        ("a", "pair:oracle:light", 0): chose(2),
        ("a", "pair:light:oracle", 0): Verdict("refused"),
    }
    _, duels = sorted_verdicts([problem("a")], said)
    assert duels == [PairChoice(0, "oracle", "none", True, False), PairChoice(0, "oracle", "light", False, None)]
    found = findings("j", [problem("a")], said)
    assert found.chose_first.value == 1.0 and found.pair_accuracy.value == 0.5  # the half duel is in neither
    assert found.same_in_both_orders.value == 0.0


def test_drift_is_the_change_of_the_mean_of_each_exhibit() -> None:
    shown = KnownEditSet(Path(), "s", "f", 0, (problem("a"), problem("b")))

    def session(day: str, *scores: tuple[int | None, ...]) -> Session:
        names = [f"{one}:{level}" for one in "ab" for level in LEVELS]
        return Session("j", "p", ("m",), day, day, dict(zip(names, scores, strict=True)))

    then = session("2030-01-01", *[(3, 3)] * 10)
    now = session("2031-01-01", (4, 4), (3, 4), (None, 3), *[(3, 3)] * 6, (None, None))
    found = compare(then, now, shown)
    assert found.exhibits == 9 and found.change.value == pytest.approx((1 + 0.5) / 9, abs=1e-6)
    # of 2·2 + 2·2 + 1·2 + 6·(2·2) pairs of one asking then and one now, 4 + 2 differ
    assert found.changed.value == pytest.approx(6 / 34, abs=1e-6)
    assert found.noise.value == pytest.approx(1 / (10 + 8), abs=1e-6)
