"""Results of a run with repeats, beside its means: how much one case varies, and the best and worst of k edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import comb, isfinite
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.stats.bootstrap import hierarchical_bootstrap, percentile_interval
from editscope.stats.frame import Rows, column, column_names
from editscope.stats.hierarchy import Floats, Hierarchy
from editscope.stats.repeats import pass_at_k
from editscope.stats.small_groups import enough
from editscope.stats.summary import percent_scale, summarize

if TYPE_CHECKING:
    from editscope.cases import Aggregation, Group

Scores: TypeAlias = "Mapping[str, Sequence[float]]"
"""For each case its scores, one for each repeat that has one."""

RESAMPLES = 2_000


def by_repeat(rows: Rows, metric: str, exclude: Mapping[str, str], *, tag: str = "repeat") -> dict[str, list[float]]:
    """For each case its score in every repeat that has one: the mean of the rows of that repeat, a fraction.

    Cases whose tags contain ``exclude`` are left out.

    >>> rows = {"case_id": ["a", "a", "a", "b"], "repeat": [1, 1, 2, 1], "right": [1.0, 0.0, 1.0, None]}
    >>> by_repeat(rows, "right", {})
    {'a': [0.5, 1.0], 'b': []}
    """
    ids, repeats, values = (column(rows, name) for name in ("case_id", tag, metric))
    out = [False] * len(ids)
    if exclude:
        tags = zip(*(column(rows, name) for name in exclude), strict=True)
        out = [case == tuple(exclude.values()) for case in tags]
    by_case: dict[str, dict[Any, list[float]]] = {}
    for case_id, repeat, value, left_out in zip(ids, repeats, values, out, strict=True):
        if not left_out:
            own = by_case.setdefault(case_id, {}).setdefault(repeat, [])
            own += [float(value)] if value is not None and isfinite(value) else []
    return {
        case_id: [fmean(values) for _, values in sorted(repeats.items()) if values]
        for case_id, repeats in by_case.items()
    }


def spread_over_repeats(scores: Scores, metric: str = "", *, resamples: int = RESAMPLES, seed: int = 0) -> Any:
    """The spread over cases and the spread over the repeats of a case, in percent; None where no case has two scores.

    The variance components of ``variance_components``, with intervals that resample cases, each with all its repeats:
    scores pile up at 0 and 1, where intervals of the normal theory would be wrong. Fewer than five cases have none.
    ``within`` is the share of the
    variance that lies within cases, 1 - ICC: what of the difference between two edits is the seed's.

    >>> found = spread_over_repeats({"a": [0.01, 0.02], "b": [0.04, 0.05], "c": [0.07, 0.09]})
    >>> round(found["cases"]["sd"] ** 2, 3), round(found["repeats"]["sd"] ** 2, 3), round(found["within"]["share"], 3)
    (10.083, 1.0, 0.09)
    """
    cases = [np.array(values) for values in scores.values() if len(values)]
    if len(cases) < 2 or all(len(values) == 1 for values in cases):
        return None
    numbers = np.array([len(values) for values in cases], dtype=np.float64)
    means = np.array([values.mean() if np.ptp(values) else values[0] for values in cases])
    within = np.array([((values - mean) ** 2).sum() for values, mean in zip(cases, means, strict=True)])
    table = np.stack([numbers, 1 / numbers, within, means, means**2], axis=1)
    all_in_one = Hierarchy(np.zeros(len(cases), dtype=np.intp))
    (once,), (drawn,) = hierarchical_bootstrap(table, [""] * len(cases), [all_in_one], resamples=resamples, seed=seed)
    components = _components(once[0][:, None], len(cases))
    low, high = percentile_interval(_components(drawn[0], len(cases)))
    if not enough(len(cases)):
        low, high = np.full((2, len(low)), np.nan)
    scale = percent_scale(metric)

    def part(row: int, name: str, scale: float) -> dict[str, float | None]:
        three = {name: components[row, 0], "lo": low[row], "hi": high[row]}
        return {key: None if np.isnan(value) else round(float(value) * scale, 9) for key, value in three.items()}

    return {"cases": part(0, "sd", scale), "repeats": part(1, "sd", scale), "within": part(2, "share", 1.0)}


def _components(sums: Floats, cases: int) -> Floats:
    """Standard deviations over cases and over repeats, and the share of the latter's variance, for each column.

    ``sums`` are means over cases of: repeats, 1 / repeats, squared deviations from the case mean, it, and its square.
    """
    repeats, inverse, squares, mean, square = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        over_repeats = np.where(repeats > 1, squares / (repeats - 1), np.nan)
        of_means = np.maximum(0.0, cases / (cases - 1) * (square - mean**2))
        over_cases = np.maximum(0.0, of_means - over_repeats * inverse)
        total = over_cases + over_repeats
        share = np.where(total > 0, over_repeats / total, np.where(np.isnan(total), np.nan, 0.0))
    return np.stack([np.sqrt(over_cases), np.sqrt(over_repeats), share])


def best_of(values: Sequence[float], k: int) -> float:
    """The expected best of k of the values, drawn without replacement: Σ y₍ᵢ₎ C(i - 1, k - 1) / C(n, k), y sorted.

    >>> best_of([0.0, 1.0, 0.5], 1), best_of([0.0, 1.0, 0.5], 3), round(best_of([0.0, 1.0, 0.5], 2), 3)
    (0.5, 1.0, 0.833)
    """
    n = len(values)
    if not 1 <= k <= n:
        raise BadInput(f"the best of {k} needs at least {k} values and k of at least 1, here are {n}")
    ordered = sorted(values)
    if ordered[0] == ordered[-1]:
        return ordered[0]
    return sum(value * comb(place, k - 1) for place, value in enumerate(ordered)) / comb(n, k)


def worst_of(values: Sequence[float], k: int) -> float:
    """The expected worst of k of the values, drawn without replacement.

    >>> worst_of([0.0, 1.0, 0.5], 2)
    0.16666666666666666
    """
    return -best_of([-value for value in values], k) + 0.0


def repeat_curves(
    rows: Rows, aggregation: Aggregation, metric: str, scores: Scores, most: int, right: float
) -> dict[str, list[dict[str, Any]]]:
    """The overall mean when of k edits of each case the best counts, or the worst, or whether one is right; k to most.

    Each entry is a cell with its k and its interval; a case with fewer than k scores takes no part. The mean goes
    through the suite's own hierarchy as far as its tags are those of cases.
    """
    ways: dict[str, Callable[[Sequence[float], int], float]] = {
        "best_of": best_of,
        "worst_of": worst_of,
        # A mean of several full marks may miss the mark by its last bit.
        "pass": lambda values, k: pass_at_k(len(values), sum(value >= right - 1e-9 for value in values), k),
    }
    columns, group = _of_cases(rows, aggregation, list(scores))
    names = {(way, k): f"{way} {k}" for way in ways for k in range(1, most + 1)}
    for (way, k), name in names.items():
        columns[name] = [ways[way](values, k) if len(values) >= k else None for values in scores.values()]
    plan = replace(aggregation, overall=group, groups=())
    cells = summarize(columns, plan, list(names.values()))["overall"]
    return {way: [{"k": k, **cells[names[way, k]]} for k in range(1, most + 1)] for way in ways}


def _of_cases(rows: Rows, aggregation: Aggregation, ids: Sequence[str]) -> tuple[dict[str, list[Any]], Group]:
    """One row for each case with the tags that all of its rows share, and the overall mean over those tags."""
    known = column_names(rows)
    wanted = [tag for tag in (*aggregation.overall.over, *aggregation.strata, *aggregation.exclude) if tag in known]
    seen: dict[str, dict[str, set[Any]]] = {case_id: {tag: set() for tag in wanted} for case_id in ids}
    for tag in wanted:
        for case_id, value in zip(column(rows, "case_id"), column(rows, tag), strict=True):
            if case_id in seen:
                seen[case_id][tag].add(value)
    shared = [tag for tag in wanted if all(len(found[tag]) == 1 for found in seen.values())]
    columns: dict[str, list[Any]] = {tag: [next(iter(found[tag])) for found in seen.values()] for tag in shared}
    columns["case_id"] = list(ids)
    over = tuple(tag for tag in aggregation.overall.over if tag in shared and tag != "case_id")
    return columns, replace(aggregation.overall, over=over)
