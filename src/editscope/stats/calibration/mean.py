"""Prediction-powered mean of a run: the judge's mean, corrected by labels, with an interval that holds its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from editscope.errors import BadInput
from editscope.stats.calibration.influence import Influence, LabeledRows
from editscope.stats.calibration.rows import labeled_rows
from editscope.stats.frame import Rows
from editscope.stats.summary import percent_scale

if TYPE_CHECKING:
    from editscope.cases import Aggregation


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What people would score a run on average, with a 95 % interval, in percent (ratios as they are).

    ``judged`` is the judge's mean of the same cases, ``tuning`` how much the judge counts (λ, from 0 to 1), and
    ``labels`` of ``cases`` cases are labeled.
    """

    mean: float
    lo: float
    hi: float
    judged: float
    tuning: float
    labels: int
    cases: int


def calibrated_mean(
    rows: Rows, aggregation: Aggregation, metric: str, *, tuning: float | None = None, level: float = 0.95
) -> Calibrated:
    """The overall mean of a run as people would score it, through the suite's hierarchy.

    ``rows`` are those of the run with two more columns, ``HUMAN`` and ``SETTLED``. ``tuning`` is λ, by default the one
    that makes the variance smallest; 1 is plain prediction-powered inference and 0 the labels alone. The interval is
    mean ± t · √variance, with the degrees of freedom that the labels have.

    >>> from editscope.cases import Aggregation, Group
    >>> from editscope.stats.calibration import HUMAN, SETTLED
    >>> plan = Aggregation(Group("overall", ()), (), strata=())
    >>> judged = [0.6 + 0.4 * (i % 3 == 0) for i in range(120)]
    >>> human = [judged[i] - 0.2 + 0.1 * (i % 5 == 0) if i % 4 == 1 else None for i in range(120)]
    >>> rows = {"case_id": [f"c{i:03}" for i in range(120)], "score": judged, HUMAN: human, SETTLED: [0] * 120}
    >>> found = calibrated_mean(rows, plan, "score")
    >>> round(found.judged, 1), round(found.mean, 1), round(found.lo, 1), round(found.hi, 1)
    (73.3, 55.3, 51.5, 59.2)
    """
    return estimate(labeled_rows(rows, aggregation, metric), percent_scale(metric), tuning, level)


def prediction_powered_mean(
    labels: Sequence[float],
    predicted: Sequence[float],
    others: Sequence[float],
    *,
    tuning: float | None = None,
    level: float = 0.95,
) -> Calibrated:
    """The mean of labels and predictions, without a hierarchy, in the unit of the labels.

    ``labels`` and ``predicted`` are about a random part of the items, ``others`` are predictions of all the rest.

    θ = λ f̄ + (ȳ_L - λ f̄_L), with f̄ over all N items and the bars with L over the n labeled ones. Its variance is
    σ²(y) / N + (1/n - 1/N) · σ²(y - λf), which λ = cov(y, f) / var(f) makes smallest.

    >>> found = prediction_powered_mean([1, 0, 1, 1] * 10, [1, 1, 1, 1] * 5 + [1, 0, 1, 1] * 5, [1, 1, 0, 1] * 100)
    >>> round(found.judged, 3), round(found.mean, 3), round(found.tuning, 2), found.labels, found.cases
    (0.761, 0.658, 0.81, 40, 440)
    """
    if len(labels) != len(predicted):
        raise BadInput(f"{len(labels)} labels need as many predictions, not {len(predicted)}")
    n, whole = len(labels), len(labels) + len(others)
    nothing = np.zeros(whole, dtype=np.intp)
    human = np.full(whole, np.nan)
    human[:n] = labels
    rows = LabeledRows(
        names=tuple(range(whole)),
        judged=np.array([*predicted, *others], dtype=np.float64),
        human=human,
        weight=np.full(whole, 1 / max(whole, 1)),
        case=np.arange(whole, dtype=np.intp),
        stratum=nothing,
        node=nothing,
        label_stratum=nothing,
        settled=np.zeros(whole, dtype=np.bool_),
    )
    if n < 3:
        raise BadInput(f"{n} labels are too few for an interval; give at least 3, better some hundreds")
    return estimate(rows, 1.0, tuning, level)


def estimate(rows: LabeledRows, scale: float, tuning: float | None, level: float) -> Calibrated:
    """The mean of labeled rows with its interval."""
    influence = Influence.of(rows)
    chosen = influence.tuning if tuning is None else tuning
    mean = influence.mean(chosen)
    reach = student(influence.freedom(chosen), level) * sqrt(influence.variance(chosen))
    shown = [round(scale * value, 9) for value in (mean, mean - reach, mean + reach)]
    judged = round(scale * float((rows.weight * rows.judged).sum()), 9)
    return Calibrated(shown[0], shown[1], shown[2], judged, round(chosen, 9), rows.labeled_cases, rows.cases)


def student(freedom: float, level: float) -> float:
    """The two-sided quantile of Student's t, by the expansion of Cornish and Fisher; exact to 0.001 from 6 on.

    >>> round(student(10, 0.95), 3), round(student(100, 0.95), 3)
    (2.228, 1.984)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    n = max(freedom, 1.0)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return float(sum(term / n**power for power, term in enumerate(terms)))


def labels_needed(
    difference: float, variance: float, label_variance: float, labels: int, cases: int, *, power: float = 0.8
) -> int | None:
    """Labeled cases that would show a difference of this size; None where not even all cases would.

    The variance with n' labels in place of n is V - V_labels + V_labels · n/n'. It has to be at most
    (difference / (z₀.₉₇₅ + z_power))².

    >>> labels_needed(2.0, 1.5, 1.2, labels=200, cases=2000), labels_needed(1.0, 1.5, 1.2, labels=200, cases=2000)
    (1145, None)
    """
    reach = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(power)
    rest = (difference / reach) ** 2 - max(0.0, variance - label_variance)
    if rest <= 0:
        return None
    needed = ceil(label_variance * labels / rest)
    return needed if needed <= cases else None
