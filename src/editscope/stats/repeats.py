"""Several edits of one case: the spread over repeats apart from the spread over cases, and the best of k."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, isfinite, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from editscope.errors import BadInput
from editscope.stats.extras import needs
from editscope.stats.frame import Rows, column, column_names
from editscope.stats.summary import percent_scale, summarize

if TYPE_CHECKING:
    from editscope.cases import Aggregation


@dataclass(frozen=True, slots=True)
class Component:
    """A standard deviation with its interval."""

    sd: float
    lo: float
    hi: float


@dataclass(frozen=True, slots=True)
class Spread:
    """How much scores vary from case to case and, for one case, from repeat to repeat.

    ``share`` is the part of the variance that lies between cases (the intraclass correlation), 0 … 1;
    ``cases`` and ``rows`` are how many of each there are. Standard deviations are in percent.
    """

    between_cases: Component
    between_repeats: Component
    share: float
    share_lo: float
    share_hi: float
    cases: int
    rows: int


@dataclass(frozen=True, slots=True)
class RepeatMeans:
    """The overall mean of each repeat, and their standard deviation: what running again would change."""

    means: tuple[tuple[str, float], ...]
    mean: float
    sd: float


def variance_components(groups: Sequence[Sequence[float]], *, level: float = 0.95, scale: float = 1.0) -> Spread:
    """One-way random effects, yᵢⱼ = μ + caseᵢ + repeatᵢⱼ, from the repeats of each case.

    With a cases, N rows, mᵢ repeats of case i, h their harmonic mean, s² the variance of the case means:
    repeats² = MSW = Σ(yᵢⱼ - ȳᵢ)² / (N - a) and cases² = max(0, s² - MSW / h), share = cases² / (cases² + repeats²).
    The interval of repeats² is the χ² one; those of cases² (Williams and Tukey) and of the share come from the
    F distribution of F = h s² / MSW with a - 1 and N - a degrees of freedom, exact for normal data with
    equally many repeats, close otherwise (Thomas and Hultquist). Needs SciPy.

    >>> found = variance_components([[1.0, 2.0], [4.0, 5.0], [7.0, 9.0]])
    >>> round(found.between_cases.sd ** 2, 3), round(found.between_repeats.sd ** 2, 3), round(found.share, 3)
    (10.083, 1.0, 0.91)
    """
    stats = needs("scipy.stats", "the spread over repeats")
    groups = [list(group) for group in groups if len(group)]
    a, rows = len(groups), sum(map(len, groups))
    if a < 2 or rows == a:
        raise BadInput(
            "the spread over repeats needs at least two cases and one with two repeats; run with --repeats 2"
        )
    means = [fmean(group) for group in groups]
    within = sum((value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group)
    h = a / sum(1 / len(group) for group in groups)
    msw, s2 = within / (rows - a), stdev(means) ** 2
    f = h * s2 / msw if msw > 0 else float("inf") if s2 > 0 else 0.0
    tails = ((1 - level) / 2, (1 + level) / 2)
    chi_w = [float(stats.chi2.ppf(q, rows - a)) for q in tails]
    chi_b = [float(stats.chi2.ppf(q, a - 1)) for q in tails]
    f_at = [float(stats.f.ppf(q, a - 1, rows - a)) for q in tails]
    between = max(0.0, s2 - msw / h)
    low = max(0.0, (a - 1) * (s2 - f_at[1] * msw / h) / chi_b[1])
    high = max(0.0, (a - 1) * (s2 - f_at[0] * msw / h) / chi_b[0])
    total = between + msw
    return Spread(
        Component(scale * sqrt(between), scale * sqrt(low), scale * sqrt(high)),
        Component(scale * sqrt(msw), scale * sqrt(within / chi_w[1]), scale * sqrt(within / chi_w[0])),
        share=between / total if total else 0.0,
        share_lo=_share(f / f_at[1], h),
        share_hi=_share(f / f_at[0], h),
        cases=a,
        rows=rows,
    )


def _share(f: float, h: float) -> float:
    return 1.0 if f == float("inf") else max(0.0, (f - 1) / (f - 1 + h))


def repeat_spread(rows: Rows, metric: str) -> Spread:
    """The variance components of a run whose cases have several variants: rows that share a ``case_id``."""
    cases = list(_by_case(rows, metric).values())
    return variance_components(cases, scale=percent_scale(metric))


def repeat_means(rows: Rows, aggregation: Aggregation, metric: str, *, tag: str = "variant") -> RepeatMeans:
    """The overall mean of every repeat through the suite's hierarchy, and how much they differ, in percent.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", ()), (), strata=())
    >>> rows = {"case_id": ["a", "b", "a", "b"], "variant": ["1", "1", "2", "2"], "miou": [0.1, 0.3, 0.2, 0.4]}
    >>> found = repeat_means(rows, plan, "miou")
    >>> found.means, round(found.sd, 3)
    ((('1', 20.0), ('2', 30.0)), 7.071)
    """
    repeats = column(rows, tag)
    columns = {name: column(rows, name) for name in column_names(rows)}
    means = []
    for repeat in sorted(set(repeats), key=_in_order):
        here = [i for i, value in enumerate(repeats) if value == repeat]
        part = {name: [entries[i] for i in here] for name, entries in columns.items()}
        mean = summarize(part, aggregation, [metric], resamples=0)["overall"][metric]["mean"]
        if mean is not None:
            means.append((str(repeat), float(mean)))
    if not means:
        raise BadInput(f"no repeat has a {metric!r}")
    values = [mean for _, mean in means]
    return RepeatMeans(tuple(means), fmean(values), stdev(values) if len(values) > 1 else 0.0)


def _in_order(repeat: Any) -> tuple[int, str]:
    return (repeat, "") if isinstance(repeat, int) else (0, str(repeat))


def pass_at_k(n: int, right: int, k: int) -> float:
    """The chance that k of n edits, drawn without replacement, hold at least one right one: unbiased for pass@k.

    1 - C(n - right, k) / C(n, k)

    >>> pass_at_k(n=4, right=1, k=2)
    0.5
    """
    if not (1 <= k <= n and 0 <= right <= n):
        raise BadInput(f"pass@k needs 1 ≤ k ≤ n and 0 ≤ right ≤ n, not k = {k}, n = {n}, right = {right}")
    failed: float = comb(n - right, k) / comb(n, k)
    return 1.0 - failed


def pass_rate(
    rows: Rows, aggregation: Aggregation, metric: str, k: int, *, threshold: float = 0.5, **options: Any
) -> dict[str, Any]:
    """pass@k in every row of a suite's tables: a repeat is right when its metric is at least ``threshold``.

    The result has the shape of ``summarize``, under the metric ``pass@k``; each case counts once, whatever
    number of repeats it has. A case with fewer than k repeats that have a value has none itself.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", ()), (), strata=())
    >>> rows = {"case_id": ["a", "a", "b", "b"], "miou": [0.9, 0.1, 0.2, 0.3]}
    >>> pass_rate(rows, plan, "miou", 1)["overall"]["pass@1"]["mean"]
    25.0
    >>> pass_rate(rows, plan, "miou", 2)["overall"]["pass@2"]["mean"]
    50.0
    """
    by_case = _by_case(rows, metric)
    name = f"pass@{k}"
    ids = column(rows, "case_id")
    first = {case_id: i for i, case_id in reversed(list(enumerate(ids)))}
    folded: dict[str, list[Any]] = {"case_id": list(by_case)}
    for tag in sorted({*aggregation.tags} - {"case_id"}):
        entries = column(rows, tag)
        folded[tag] = [entries[first[case_id]] for case_id in by_case]
    folded[name] = [
        pass_at_k(len(values), sum(v >= threshold for v in values), k) if len(values) >= k else None
        for values in by_case.values()
    ]
    return summarize(folded, aggregation, [name], **options)


def _by_case(rows: Rows, metric: str) -> dict[Any, list[float]]:
    by_case: dict[Any, list[float]] = {}
    for case_id, value in zip(column(rows, "case_id"), column(rows, metric), strict=True):
        values = by_case.setdefault(case_id, [])
        if value is not None and isfinite(value):
            values.append(float(value))
    return by_case
