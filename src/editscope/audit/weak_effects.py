"""Effects about which a judge is surely right less often than about the others, though many are looked at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil, comb, floor
from typing import TYPE_CHECKING, TypeAlias

from editscope.audit.means import mean_over_problems
from editscope.stats.multiple import holm
from editscope.stats.small_groups import enough

if TYPE_CHECKING:
    from editscope.audit.question_findings import GivenAnswer

WEAK = 0.75
"""A judge that is right less often than that about a kind of effect may not see it."""
ALARM = 0.05
"""How often a judge that errs alike about all effects may be said to be weak on any of them."""
NEARLY = 1e-9
"""Sums of shares that are nearer to a whole number are it."""

Wrong: TypeAlias = Mapping[bool, tuple[float, int]]
"""For questions whose true answer is Yes (True) or No: how many were answered wrongly, of how many."""


def weak_effects(given: Sequence[GivenAnswer]) -> list[str]:
    """The effects that a judge is weak on, in the order of their names.

    It is right about less than 75 %, and errs more often than about all other effects: the interval leaves out the
    share there, and so many errors have a chance below 5 % if it errs alike about all, by an exact test with Holm's
    correction. An effect in fewer than five problems is not looked at.
    """
    looked_at = [name for name in sorted({one.effect for one in given}) if enough(_problems(given, name))]
    apart = {
        name: ([one for one in given if one.effect == name], [one for one in given if one.effect != name])
        for name in looked_at
    }
    apart = {name: both for name, both in apart.items() if enough(len({one.problem for one in both[1] if one.said}))}
    chances = holm([chance_of_errors(_wrong(here), _wrong(others)) for here, others in apart.values()])
    return [
        name for (name, both), chance in zip(apart.items(), chances, strict=True) if chance < ALARM and _below(*both)
    ]


def chance_of_errors(here: Wrong, others: Wrong) -> float:
    """How likely a judge errs here at least as often as it does, if it errs here as it does about the others.

    Fisher's exact test, with the questions whose true answer is Yes and those where it is No as two strata.

    >>> seldom = {True: (4.0, 40), False: (4.0, 40)}
    >>> round(chance_of_errors({True: (2.0, 4), False: (2.0, 4)}, seldom), 3)
    0.011
    >>> round(chance_of_errors({True: (1.0, 2), False: (1.0, 2)}, seldom), 3)
    0.069
    """
    ways = [1.0]
    for truth, (wrong, n) in here.items():
        there, more = others.get(truth, (0.0, 0))
        errors, every = ceil(wrong + there - NEARLY), n + more
        chances = [comb(errors, k) * comb(every - errors, n - k) / comb(every, n) for k in range(n + 1)]
        ways = [
            sum(ways[i] * chances[total - i] for i in range(len(ways)) if 0 <= total - i <= n)
            for total in range(len(ways) + n)
        ]
    return sum(ways[floor(sum(wrong for wrong, _ in here.values()) + NEARLY) :])


def _wrong(given: Sequence[GivenAnswer]) -> Wrong:
    """Errors by the true answer. Answers about one effect of one problem of which the same is true count once.

    They are about much the same crop, so a judge that errs in one errs in the others too.
    """
    together: dict[tuple[bool, int, str], list[bool]] = defaultdict(list)
    for one in given:
        together[one.truth, one.problem, one.effect] += [answer != one.truth for answer in one.said]
    shares: dict[bool, list[float]] = {True: [], False: []}
    for (truth, _, _), wrong in together.items():
        if wrong:
            shares[truth].append(sum(wrong) / len(wrong))
    return {truth: (sum(some), len(some)) for truth, some in shares.items()}


def _below(here: Sequence[GivenAnswer], others: Sequence[GivenAnswer]) -> bool:
    """Whether the share of right answers is low, and its interval lies below the share about the others."""
    right, right_there = (
        [(one.problem, float(a == one.truth)) for one in some for a in one.said] for some in (here, others)
    )
    found = mean_over_problems(right, 1 + max(problem for problem, _ in right))
    there = sum(value for _, value in right_there) / len(right_there)
    return found.value is not None and found.value < WEAK and found.below(there)


def _problems(given: Sequence[GivenAnswer], effect: str) -> int:
    return len({one.problem for one in given if one.effect == effect and one.said})
