"""Sample sizes: how many cases you need to see a difference, and how small a difference your cases can show."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from editscope.errors import BadInput
from editscope.stats.frame import UNIT, Frame, Rows
from editscope.stats.hierarchy import weights
from editscope.stats.paired import DIFFERENCE, matched
from editscope.stats.summary import percent_scale

if TYPE_CHECKING:
    from editscope.cases import Aggregation


def cases_needed(difference: float, spread: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Pairs of cases that show a true difference with the given power in a two-sided test.

    n = ⌈((z₁₋α⁄₂ + z_power) · spread / difference)² + z²₁₋α⁄₂ / 2⌉, where ``spread`` is the standard deviation of
    the paired differences over cases (or ``design_spread`` of two runs), both in the same unit; the last term
    stands for the spread not being known beforehand.

    >>> cases_needed(1.0, 20.0)  # one point, when single cases differ by 20 points up or down
    3142
    >>> cases_needed(2.0, 20.0)
    787
    """
    if difference == 0:
        raise BadInput("no number of cases shows a difference of 0; ask for a difference above 0")
    return ceil((_reach(power, alpha) * _not_negative(spread) / difference) ** 2 + _unknown_spread(alpha))


def smallest_difference(n: int, spread: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The true difference that n pairs of cases show with the given power.

    (z₁₋α⁄₂ + z_power) · spread / √(n - z²₁₋α⁄₂ / 2), the inverse of ``cases_needed``

    >>> round(smallest_difference(1920, 20.0), 2)
    1.28
    """
    reach, left = _reach(power, alpha), n - _unknown_spread(alpha)
    if left <= 0:
        raise BadInput(f"{n} cases are too few to show any difference at a level of {alpha:g}; take more")
    return reach * _not_negative(spread) / sqrt(left)


def pairs_needed_for_shares(
    first: float, second: float, *, discordant: float | None = None, power: float = 0.8, alpha: float = 0.05
) -> int:
    """Cases that both models answer, to tell two shares of right answers apart (McNemar's test).

    n = ⌈((z₁₋α⁄₂ √ψ + z_power √(ψ - d²)) / d)²⌉ with d = second - first and ψ the share of cases on which the
    two differ; by default what two models that err independently have: p₁(1 - p₂) + p₂(1 - p₁).

    >>> pairs_needed_for_shares(0.55, 0.60)
    1537
    >>> pairs_needed_for_shares(0.55, 0.60, discordant=0.15)  # models that mostly fail on the same cases
    469
    """
    d = _difference_of_shares(first, second)
    psi = first * (1 - second) + second * (1 - first) if discordant is None else discordant
    if not abs(d) <= psi <= 1:
        raise BadInput(f"shares that differ by {abs(d):g} need a discordant share from {abs(d):g} to 1, not {psi:g}")
    normal = NormalDist()
    reach = normal.inv_cdf(1 - alpha / 2) * sqrt(psi) + normal.inv_cdf(power) * sqrt(psi - d * d)
    return ceil((reach / d) ** 2)


def cases_needed_for_shares(first: float, second: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Cases *for each* of two models that answer different cases, to tell two shares of right answers apart.

    n = ⌈((z₁₋α⁄₂ √(2p̄(1 - p̄)) + z_power √(p₁(1 - p₁) + p₂(1 - p₂))) / (p₂ - p₁))²⌉ with p̄ the mean of both.

    >>> cases_needed_for_shares(0.55, 0.60)
    1534
    """
    d, mean = _difference_of_shares(first, second), (first + second) / 2
    normal = NormalDist()
    chance = normal.inv_cdf(1 - alpha / 2) * sqrt(2 * mean * (1 - mean))
    seen = normal.inv_cdf(power) * sqrt(first * (1 - first) + second * (1 - second))
    return ceil(((chance + seen) / d) ** 2)


def design_spread(a: Rows, b: Rows, aggregation: Aggregation, metric: str) -> float:
    """The spread per case that the overall difference of two runs has through its hierarchy, in percent.

    √(n · Var(D)) with D = Σ wᵢ dᵢ, where wᵢ is what case i counts for, and Var(D) = Σ_strata m/(m - 1) ·
    Σᵢ (wᵢ dᵢ - mean of the stratum)² over its m cases: what varies between strata does not make D uncertain.
    ``cases_needed`` with it says how many cases of the same make-up are needed. Strata of one case say nothing
    about their spread and are given that of the others.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", (), ("task",)), (), strata=("task",))
    >>> ids, task = [f"c{i}" for i in range(4)], ["border", "border", "removal", "removal"]
    >>> a = {"case_id": ids, "task": task, "miou": [0.0, 0.0, 0.0, 0.0]}
    >>> b = {"case_id": ids, "task": task, "miou": [0.1, 0.1, 0.7, 0.9]}
    >>> round(design_spread(a, b, plan, "miou"), 6)  # tasks differ much, cases of one task little
    10.0
    """
    pairs, _, _ = matched(a, b, aggregation, metric, ("case_id", "variant"))
    table = Frame.of(pairs, aggregation, [DIFFERENCE], UNIT).table(aggregation.overall)
    values = table.frame.values[:, 0]
    weight = weights(table.hierarchy, np.isfinite(values))
    parts: dict[tuple[str, object], float] = {}
    units = table.frame.units or list(range(len(values)))
    for stratum, unit, w, value in zip(table.frame.strata, units, weight.tolist(), values.tolist(), strict=True):
        if w > 0:
            parts[stratum, unit] = parts.get((stratum, unit), 0.0) + w * value
    strata: dict[str, list[float]] = {}
    for (stratum, _), part in parts.items():
        strata.setdefault(stratum, []).append(part)
    several = [np.array(members) for members in strata.values() if len(members) > 1]
    if not several:
        raise BadInput(f"no stratum has two cases with a {metric!r} in both runs, so that their spread cannot be seen")
    variance = sum(len(m) * float(m.var(ddof=1)) for m in several)
    counted = sum(map(len, several))
    return sqrt(variance * len(parts) / counted * len(parts)) * percent_scale(metric)


def _reach(power: float, alpha: float) -> float:
    for name, value in (("power", power), ("alpha", alpha)):
        if not 0 < value < 1:
            raise BadInput(f"{name} must lie between 0 and 1, not {value:g}")
    return NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)


def _unknown_spread(alpha: float) -> float:
    return NormalDist().inv_cdf(1 - alpha / 2) ** 2 / 2


def _not_negative(spread: float) -> float:
    if spread < 0:
        raise BadInput(f"a spread is never negative, but {spread:g} was given")
    return spread


def _difference_of_shares(first: float, second: float) -> float:
    if not (0 <= first <= 1 and 0 <= second <= 1) or first == second:
        raise BadInput(f"two different shares between 0 and 1 are needed, not {first:g} and {second:g}")
    return second - first
