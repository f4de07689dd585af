"""Influence of each case on a prediction-powered mean: what one case adds to it, and so how uncertain it is.

With weights ω that make the mean of a table (Σ ω = 1), a judge's scores f of all edits and people's scores y of some,

    θ(λ) = Σ ω·λf + Σ_h Ω_h · (ȳ_h - λ f̄_h),

where h are the strata of labels, Ω_h is the weight of all edits of a stratum, and ȳ_h and f̄_h are weighted means over
its labeled edits. λ = 1 is prediction-powered inference, λ = 0 the mean of the labels alone, and the λ that makes
the variance smallest is its power-tuned form. The estimate is right for every λ, however wrong the judge is. Its
variance is Σ_c (λu_c + v_c)² over cases c, where λu_c + v_c is the influence of a case: through the judge's scores,
centered within the strata that the bootstrap resamples, and through the labels, centered within theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from editscope.stats.hierarchy import Floats, Ints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Booleans = NDArray[np.bool_]

FEW_ERRORS = 10
"""With fewer labeled cases on which judge and people differ, their spread is not known well enough by itself."""
NO_ERROR = 1e-9


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """The rows of one mean. ``case``, ``stratum``, ``node`` and ``label_stratum`` number what each row belongs to.

    ``human`` is NaN where nobody labeled. ``settled`` rows need no judgement, such as the worst score of an edit
    that is missing: people would say the same. ``node`` is the mean that a row is first averaged into with rows of
    other cases. ``names`` are the cases, in the order of their numbers.
    """

    names: tuple[object, ...]
    judged: Floats
    human: Floats
    weight: Floats
    case: Ints
    stratum: Ints
    node: Ints
    label_stratum: Ints
    settled: Booleans

    @property
    def labeled(self) -> Booleans:
        """Which rows have a label that says something about the judge."""
        return np.isfinite(self.human) & ~self.settled

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return len(self.names)

    @property
    def labeled_cases(self) -> int:
        """How many cases have a label."""
        return len(np.unique(self.case[self.labeled]))


@dataclass(frozen=True, eq=False)
class Influence:
    """A mean as a function of λ, with the influence of every case: ``fixed + λ·sloped`` ± √Σ(λu + v)²."""

    fixed: float
    sloped: float
    judge_u: Floats
    judge_v: Floats
    label_u: Floats
    label_v: Floats
    guard: float
    label_stratum: Ints
    names: tuple[object, ...]

    @classmethod
    def of(cls, rows: LabeledRows) -> Influence:
        """The mean of some rows."""
        judgeable = ~rows.settled
        parts = (np.where(judgeable, rows.judged, 0.0), np.where(judgeable, 0.0, rows.judged))
        judge_u, judge_v = (_through_judge(rows, part) for part in parts)
        (label_f, mean_f), (label_y, mean_y) = (_through_labels(rows, values) for values in (rows.judged, rows.human))
        strata = len(np.unique(rows.label_stratum[rows.labeled]))
        sloped, fixed = (float((rows.weight * part).sum()) for part in parts)
        freedom = rows.labeled_cases - strata
        # λ is chosen from the same labels, which costs one degree of freedom more.
        widened = sqrt(freedom / (freedom - 1)) if freedom > 1 else float("inf")
        return cls(
            fixed=fixed + mean_y,
            sloped=sloped - mean_f,
            judge_u=judge_u,
            judge_v=judge_v,
            label_u=-widened * label_f,
            label_v=widened * label_y,
            guard=_guard(rows),
            label_stratum=_stratum_of_labels(rows),
            names=rows.names,
        )

    def over(self, names: tuple[object, ...]) -> Influence:
        """The same with the influence of these cases, in this order; a case that has no part in the mean has none."""
        places = {name: place for place, name in enumerate(self.names)}
        where = np.array([places.get(name, -1) for name in names], dtype=np.intp)

        def at(values: Floats) -> Floats:
            return np.where(where >= 0, values[where], 0.0)

        strata: Ints = np.where(where >= 0, self.label_stratum[where], -1)

        return replace(
            self,
            judge_u=at(self.judge_u),
            judge_v=at(self.judge_v),
            label_u=at(self.label_u),
            label_v=at(self.label_v),
            label_stratum=strata,
            names=names,
        )

    @property
    def tuning(self) -> float:
        """The λ between 0 and 1 that makes the variance smallest: -⟨u, v⟩ / ⟨u, u⟩."""
        u, v = self.judge_u + self.label_u, self.judge_v + self.label_v
        square = float(u @ u)
        return min(1.0, max(0.0, -float(u @ v) / square)) if square > 0 else 1.0

    def mean(self, tuning: float) -> float:
        """The estimate."""
        return self.fixed + tuning * self.sloped

    def variance(self, tuning: float) -> float:
        """The variance of the estimate."""
        influence = tuning * (self.judge_u + self.label_u) + self.judge_v + self.label_v
        return float(influence @ influence) + self.guard

    def freedom(self, tuning: float) -> float:
        """Degrees of freedom after Welch and Satterthwaite: V² / Σ_h V_h² / (n_h - 1) over the strata of labels.

        The judge's scores are many and add none; a stratum with few labels and much weight counts for what it is.
        """
        influence = tuning * self.label_u + self.label_v
        labeled = self.label_stratum >= 0
        parts = np.bincount(self.label_stratum[labeled], weights=influence[labeled] ** 2)
        number = np.bincount(self.label_stratum[labeled])
        several = number > 1
        below = float((parts[several] ** 2 / (number[several] - 1)).sum())
        most = float(labeled.sum() - several.sum())
        return min(most, self.variance(tuning) ** 2 / below) if below > 0 else most

    def label_variance(self, tuning: float) -> float:
        """The part of it that more labels would make smaller, in inverse proportion to their number."""
        influence = tuning * self.label_u + self.label_v
        return float(influence @ influence) + self.guard


def difference(first: Influence, second: Influence) -> Influence:
    """The second mean less the first, case by case with the same λ: what both share cancels out."""
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    first, second = first.over(names), second.over(names)
    return Influence(
        fixed=second.fixed - first.fixed,
        sloped=second.sloped - first.sloped,
        judge_u=second.judge_u - first.judge_u,
        judge_v=second.judge_v - first.judge_v,
        label_u=second.label_u - first.label_u,
        label_v=second.label_v - first.label_v,
        guard=first.guard + second.guard,
        label_stratum=np.where(first.label_stratum >= 0, first.label_stratum, second.label_stratum),
        names=names,
    )


def _through_judge(rows: LabeledRows, values: Floats) -> Floats:
    """What each case adds to the mean of the judge's scores, centered within its stratum: cases."""
    total = np.bincount(rows.node, weights=rows.weight)
    mean = np.bincount(rows.node, weights=rows.weight * values) / np.where(total > 0, total, 1.0)
    part = np.bincount(rows.case, weights=rows.weight * (values - mean[rows.node]), minlength=rows.cases)
    stratum = np.zeros(rows.cases, dtype=np.intp)
    stratum[rows.case] = rows.stratum
    size = np.bincount(stratum, minlength=stratum.max(initial=0) + 1)
    # Cases that are alone in their strata show no spread there; together they show it.
    stratum = np.where(size[stratum] > 1, stratum + 1, 0)
    size = np.bincount(stratum)
    center = np.bincount(stratum, weights=part) / np.maximum(size, 1)
    return (part - center[stratum]) * np.sqrt(size / np.maximum(size - 1, 1))[stratum]


def _through_labels(rows: LabeledRows, values: Floats) -> tuple[Floats, float]:
    """What each labeled case adds to the weighted mean over labeled rows, and that mean times its weight."""
    parts, total = np.zeros(rows.cases), 0.0
    for stratum in np.unique(rows.label_stratum[rows.labeled]):
        here = rows.label_stratum == stratum
        whole = float(rows.weight[here & ~rows.settled].sum())
        mine = here & rows.labeled
        weight = rows.weight[mine] / rows.weight[mine].sum()
        mean = float((weight * values[mine]).sum())
        n = len(np.unique(rows.case[mine]))
        share = np.bincount(rows.case[mine], weights=weight * (values[mine] - mean), minlength=rows.cases)
        parts += whole * share * sqrt(n / max(n - 1, 1))
        total += whole * mean
    return parts, total


def _stratum_of_labels(rows: LabeledRows) -> Ints:
    """The stratum of labels of each case that has one, -1 for the others."""
    stratum = np.full(rows.cases, -1, dtype=np.intp)
    stratum[rows.case[rows.labeled]] = rows.label_stratum[rows.labeled]
    return stratum


def _guard(rows: LabeledRows) -> float:
    """A variance for errors too rare to be among the labels: that of two more labels, one wrong in each direction."""
    mine = rows.labeled
    wrong = rows.case[mine][np.abs(rows.human[mine] - rows.judged[mine]) > NO_ERROR]
    if len(np.unique(wrong)) >= FEW_ERRORS or not mine.any():
        return 0.0
    known = np.concatenate([rows.judged, rows.human[mine]])
    share = float(rows.weight[~rows.settled].sum())
    return 2.0 * (float(np.ptp(known)) * share / (rows.labeled_cases + 2)) ** 2
