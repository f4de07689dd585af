"""Outliers: the hardest and easiest cases, where two runs differ most, and a model's specialties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from editscope.stats.diagnosis.columns import has_column, has_output, numbers, taking_part
from editscope.stats.frame import column
from editscope.stats.summary import percent_scale

if TYPE_CHECKING:
    from editscope.stats.frame import Rows


@dataclass(frozen=True, slots=True)
class CaseValue:
    """One case and its score, in percent; ``variant`` names one of several instructions that a case has."""

    case_id: str
    value: float
    variant: str = ""


@dataclass(frozen=True, slots=True)
class CaseDifference:
    """One case in two runs, in percent: ``difference`` = b - a."""

    case_id: str
    a: float
    b: float
    difference: float
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Speciality:
    """One row of a table against the model's own mean: ``above`` points of percent (negative: below).

    ``clear`` says that the model's mean lies outside the row's interval [lo, hi]; a row of few cases has none.
    """

    key: str
    mean: float
    lo: float | None
    hi: float | None
    above: float
    clear: bool


def extremes(
    rows: Rows, metric: str, n: int = 10, *, exclude: Mapping[str, str] | None = None
) -> tuple[tuple[CaseValue, ...], tuple[CaseValue, ...]]:
    """The n cases with the lowest and the n with the highest score; ties by id.

    Missing outputs are neither hard nor easy and are left out; so are the diagnostic cases (``exclude``).

    >>> rows = {"case_id": ["a", "b", "c"], "status": ["ok", "ok", "no_output"], "miou": [0.5, 0.25, 0.0]}
    >>> extremes(rows, "miou", n=1)
    ((CaseValue(case_id='b', value=25.0, variant=''),), (CaseValue(case_id='a', value=50.0, variant=''),))
    """
    values = numbers(rows, metric) * percent_scale(metric)
    chosen = np.flatnonzero(has_output(rows) & taking_part(rows, exclude) & ~np.isnan(values)).tolist()
    ids = _ids(rows)
    cases = [CaseValue(ids[i][0], float(values[i]), ids[i][1]) for i in chosen]
    hardest = sorted(cases, key=lambda case: (case.value, case.case_id, case.variant))
    easiest = sorted(cases, key=lambda case: (-case.value, case.case_id, case.variant))
    return tuple(hardest[:n]), tuple(easiest[:n])


def largest_differences(
    a: Rows, b: Rows, metric: str, n: int = 10, *, exclude: Mapping[str, str] | None = None
) -> tuple[CaseDifference, ...]:
    """The n cases whose scores differ most between two runs, in either direction; ties by id.

    Cases are matched by id and variant, and where both have a fingerprint it must agree: another problem under
    the same name is not compared. Cases without a difference are not listed, nor diagnostic ones (``exclude``).

    >>> a = {"case_id": ["x", "y"], "miou": [0.5, 0.25]}
    >>> b = {"case_id": ["y", "x", "z"], "miou": [1.0, 0.5, 0.0]}
    >>> largest_differences(a, b, "miou")
    (CaseDifference(case_id='y', a=25.0, b=100.0, difference=75.0, variant=''),)
    """
    first, second = _by_case(a, metric, exclude), _by_case(b, metric, exclude)
    differences = []
    for key, (value, fingerprint) in first.items():
        if key not in second:
            continue
        other, other_fingerprint = second[key]
        if fingerprint and other_fingerprint and fingerprint != other_fingerprint:
            continue
        if value != other and not np.isnan(value) and not np.isnan(other):
            differences.append(CaseDifference(key[0], value, other, other - value, key[1]))
    return tuple(sorted(differences, key=lambda case: (-abs(case.difference), case.case_id, case.variant))[:n])


def specialties(summary: Mapping[str, Any], by: str = "task", metric: str = "miou") -> tuple[Speciality, ...]:
    """Every row of a table against the model's own mean, from what it does best to what it does worst.

    >>> cell = {"metric": "miou", "by": "task", "n": 12}
    >>> groups = [cell | {"key": "gradient", "mean": 1.4, "lo": 1, "hi": 2}]
    >>> groups += [cell | {"key": "removal", "mean": 50.6, "lo": 45, "hi": 56}]
    >>> best, worst = specialties({"overall": {"miou": {"mean": 16.3}}, "groups": groups})
    >>> best.key, round(best.above, 1), worst.key, round(worst.above, 1), worst.clear
    ('removal', 34.3, 'gradient', -14.9, True)
    """
    own = summary["overall"].get(metric, {}).get("mean")
    if own is None:
        return ()
    ranked = []
    for row in summary["groups"]:
        if (row["by"], row["metric"]) == (by, metric) and row["mean"] is not None:
            lo, hi = row["lo"], row["hi"]
            clear = lo is not None and not lo <= own <= hi
            ranked.append(Speciality(row["key"], row["mean"], lo, hi, row["mean"] - own, clear))
    return tuple(sorted(ranked, key=lambda row: (-row.above, row.key)))


def _by_case(rows: Rows, metric: str, exclude: Mapping[str, str] | None) -> dict[tuple[str, str], tuple[float, str]]:
    ids = _ids(rows)
    values = (numbers(rows, metric) * percent_scale(metric)).tolist()
    prints = column(rows, "fingerprint") if has_column(rows, "fingerprint") else [""] * len(ids)
    counts = taking_part(rows, exclude).tolist()
    return {
        key: (value, str(fingerprint or ""))
        for key, value, fingerprint, here in zip(ids, values, prints, counts, strict=True)
        if here
    }


def _ids(rows: Rows) -> list[tuple[str, str]]:
    """Case and variant of every row."""
    ids = [str(case_id) for case_id in column(rows, "case_id")]
    variants = column(rows, "variant") if has_column(rows, "variant") else [""] * len(ids)
    return [(case_id, str(variant or "")) for case_id, variant in zip(ids, variants, strict=True)]
