"""Paired comparison of two runs over the same cases: the difference, its interval, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from editscope.errors import BadInput
from editscope.stats.bootstrap import RESAMPLES, hierarchical_bootstrap, percentile_interval
from editscope.stats.frame import UNIT, Frame, MeanTable, Rows, by_frame, column, column_names
from editscope.stats.hierarchy import Floats
from editscope.stats.multiple import holm
from editscope.stats.signflip import sign_flip_test
from editscope.stats.small_groups import HIDDEN, enough, spreads
from editscope.stats.summary import percent_scale

if TYPE_CHECKING:
    from editscope.cases import Aggregation

STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
A, B, DIFFERENCE, OF = " a", " b", " b - a", " of"  # columns beside the tags; no tag starts with a space
ROUNDING = 1e-12  # of a value: two values that are nearer to each other are one


@dataclass(frozen=True, slots=True)
class Paired:
    """What two runs have in common and how they differ, b - a, in percent (ratios as they are).

    ``n`` pairs have a value in both runs. ``mean_a``, ``mean_b`` and ``difference`` go through the suite's
    own hierarchy; ``lo`` and ``hi`` are its 95 % paired-bootstrap interval and ``p`` its sign-flip test.
    ``wins``, ``ties``, ``losses`` count cases where b is higher, equal, lower, a case with several pairs (its
    questions, its languages) by the mean of their differences; ``p_sign`` is the exact sign test of those.
    ``p_holm`` is ``p`` corrected over the rows of the same table. ``effect`` is Cohen's d_z = mean(d) / sd(d)
    over cases, None where no spread can be seen. With fewer than five cases there is no effect size, and with fewer
    than five to resample no interval: ``lo`` and ``hi`` are None. Where resampling cannot vary the cases that differ
    there is neither.
    """

    n: int
    mean_a: float
    mean_b: float
    difference: float
    lo: float | None
    hi: float | None
    wins: int
    ties: int
    losses: int
    p: float
    p_sign: float
    p_holm: float
    effect: float | None

    @property
    def cases(self) -> int:
        """How many cases the pairs are of."""
        return self.wins + self.ties + self.losses

    @property
    def few(self) -> bool:
        """Whether there are too few cases for a verdict."""
        return not enough(self.cases)

    @property
    def stars(self) -> str:
        """``***``, ``**`` or ``*`` where the corrected p-value is below 0.001, 0.01 or 0.05, else nothing."""
        return next((mark for level, mark in STARS if self.p_holm < level), "")


@dataclass(frozen=True, slots=True)
class PairedGroup:
    """One row of a table of differences."""

    by: str
    key: str
    paired: Paired


@dataclass(frozen=True, slots=True)
class PairedTable:
    """The differences of two runs: overall and in every group that has pairs.

    ``only_a`` and ``only_b`` count rows whose case is in one run alone, ``valueless`` those that are in both
    but lack a value in one: neither takes part. Rows of judged runs that hold another measure are not counted.
    """

    metric: str
    overall: Paired
    groups: tuple[PairedGroup, ...]
    only_a: int = 0
    only_b: int = 0
    valueless: int = 0

    def group(self, by: str, key: str) -> Paired | None:
        """One row by its kind and key, or None."""
        return next((g.paired for g in self.groups if g.by == by and g.key == key), None)


def compare_rows(
    a: Rows,
    b: Rows,
    aggregation: Aggregation,
    metric: str,
    *,
    match: Sequence[str] = ("case_id", "variant"),
    tolerance: float = 0.0,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> PairedTable:
    """Compare two runs case by case on one metric: b - a.

    Rows are matched on the columns of ``match`` that both runs have; those without a partner, or without a
    value in one of the runs, take no part. Rows of one case (its levels, its questions) are drawn and flipped
    together. Differences of at most ``tolerance`` (in percent, as shown) are ties. ``level`` is that of the intervals.

    >>> from editscope.cases import Aggregation, Group
    >>> plan = Aggregation(Group("overall", (), ("task",)), (Group("task", ("task",)),), strata=("task",))
    >>> ids, task = [f"c{i}" for i in range(8)], ["border"] * 4 + ["removal"] * 4  # too few in a task for its interval
    >>> a = {"case_id": ids, "task": task, "miou": [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5]}
    >>> b = {"case_id": ids, "task": task, "miou": [0.3, 0.3, 0.6, 0.5, 0.5, 0.5, 0.7, 0.7]}
    >>> table = compare_rows(a, b, plan, "miou")
    >>> found = table.overall
    >>> found.mean_a, found.mean_b, found.difference, found.lo, found.hi
    (37.5, 51.25, 13.75, 7.5, 20.0)
    >>> found.wins, found.ties, found.losses, found.p, found.p_sign
    (6, 2, 0, 0.03125, 0.03125)
    >>> [(g.by, g.key, g.paired.difference, g.paired.p, g.paired.p_holm, g.paired.lo) for g in table.groups]
    [('task', 'border', 17.5, 0.125, 0.25, None), ('task', 'removal', 10.0, 0.5, 0.5, None)]
    """
    if resamples < 1:
        raise BadInput(f"a comparison needs at least one resample, not {resamples}; leave it at {RESAMPLES:,}")
    pairs, only_a, only_b = matched(a, b, aggregation, metric, match)
    known = np.isfinite(pairs[DIFFERENCE])
    if not known.any():
        raise BadInput(
            f"no case has a {metric!r} in both runs, so there is nothing to compare: compare runs of one suite"
        )
    frame = Frame.of(pairs, aggregation, [A, B, DIFFERENCE], UNIT)
    tables = frame.tables(aggregation)
    rows: list[list[Paired | None]] = [[] for _ in tables]
    for part, places in by_frame(tables):
        for place, found in zip(
            places, _rows(part, [tables[p] for p in places], metric, tolerance, resamples, seed, level), strict=True
        ):
            rows[place] = found
    overall = rows[0][0] if rows[0] else None
    if overall is None:
        raise BadInput(f"no case that counts for an average has a {metric!r} in both runs; compare runs of one suite")
    groups = [
        PairedGroup(table.name, key, paired)
        for table, found in zip(tables[1:], rows[1:], strict=True)
        for key, paired in zip(table.keys, _corrected(found), strict=True)
        if paired is not None
    ]
    return PairedTable(metric, overall, tuple(groups), only_a, only_b, _valueless(pairs, known))


def _valueless(pairs: dict[str, Any], known: np.ndarray) -> int:
    """How many pairs lack a value; in judged runs, of those whose rows hold a value of this measure at all."""
    kinds = pairs.get(OF, [None] * len(known))
    valued = {kind for kind, there in zip(kinds, known, strict=True) if there}
    return sum(kind in valued for kind, there in zip(kinds, known, strict=True) if not there)


def sign_test(wins: int, losses: int) -> float:
    """The exact two-sided sign test: the chance of a split as uneven as this when each side is equally likely.

    p = min(1, 2 · Σ_{k ≤ min(wins, losses)} C(n, k) / 2ⁿ) with n = wins + losses; ties do not count.

    >>> sign_test(8, 1)
    0.0390625
    >>> sign_test(0, 0)
    1.0
    """
    n = wins + losses
    term = total = 1
    for k in range(min(wins, losses)):
        term = term * (n - k) // (k + 1)  # C(n, k + 1) from C(n, k)
        total += term
    p: float = 2 * total / 2**n
    return min(1.0, p)


def effect_size(differences: Floats) -> float | None:
    """Cohen's d_z of paired differences: mean / standard deviation (n - 1); None where it has no meaning.

    >>> effect_size(np.array([1.0, 2.0, 3.0]))
    2.0
    >>> effect_size(np.array([0.0, 0.0])), effect_size(np.array([1.0, 1.0]))
    (0.0, None)
    """
    if not differences.any():
        return 0.0
    if len(differences) < 2 or np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        return None
    return round(float(differences.mean() / differences.std(ddof=1)), 9)


def matched(
    a: Rows, b: Rows, aggregation: Aggregation, metric: str, match: Sequence[str]
) -> tuple[dict[str, Any], int, int]:
    """The rows that both runs have, with both values and their difference, and how many rows have no partner."""
    both = [name for name in match if name in column_names(a) and name in column_names(b)]
    if not both:
        raise BadInput(f"the runs share none of the columns {', '.join(match)}, so their cases cannot be matched")
    place_a, place_b = _places(a, both), _places(b, both)
    keys = [key for key in place_a if key in place_b]
    used = {*aggregation.tags, *([UNIT] if UNIT in column_names(a) else [])}
    pairs: dict[str, Any] = {}
    for tag in sorted(used):
        entries = column(a, tag)
        pairs[tag] = [entries[place_a[key]] for key in keys]
    if "metric" in column_names(a):
        entries = column(a, "metric")
        pairs[OF] = [entries[place_a[key]] for key in keys]
    values_a, values_b = _values(a, metric), _values(b, metric)
    first = np.array([values_a[place_a[key]] for key in keys])
    second = np.array([values_b[place_b[key]] for key in keys])
    difference = second - first
    # Means over repeats agree to their last bits only; what is left between them is not a difference.
    difference[np.abs(difference) <= ROUNDING * np.abs(first)] = 0.0
    known = np.isfinite(difference)
    pairs[A], pairs[B] = np.where(known, first, np.nan), np.where(known, second, np.nan)
    pairs[DIFFERENCE] = difference
    return pairs, len(place_a) - len(keys), len(place_b) - len(keys)


def _places(rows: Rows, names: Sequence[str]) -> dict[tuple[Any, ...], int]:
    places: dict[tuple[Any, ...], int] = {}
    for place, key in enumerate(zip(*(column(rows, name) for name in names), strict=True)):
        if key in places:
            raise BadInput(
                f"{' '.join(map(str, key)).strip()!r} has more than one row in a run; name the columns that tell its "
                f"rows apart (matched on {', '.join(names)})"
            )
        places[key] = place
    return places


def _values(rows: Rows, metric: str) -> list[float]:
    return [np.nan if value is None else float(value) for value in column(rows, metric)]


def _rows(
    frame: Frame, tables: Sequence[MeanTable], metric: str, tolerance: float, resamples: int, seed: int, level: float
) -> list[list[Paired | None]]:
    """Every row of some tables over one frame, not yet corrected for their number."""
    hierarchies = [table.hierarchy for table in tables]
    means, _ = hierarchical_bootstrap(frame.values, frame.strata, hierarchies, resamples=0)
    differences = np.ascontiguousarray(frame.values[:, 2:])
    strata, units = frame.strata, frame.units
    _, samples = hierarchical_bootstrap(differences, strata, hierarchies, units=units, resamples=resamples, seed=seed)
    ps = sign_flip_test(differences, strata, hierarchies, units=units, resamples=resamples, seed=seed)
    by_table = []
    for table, mean, sample, p in zip(tables, means, samples, ps, strict=True):
        low, high = percentile_interval(sample[:, 0], level)
        gaps = [spread[2].gap(lo, hi) for spread, lo, hi in zip(spreads(table), low, high, strict=True)]
        row_of = table.hierarchy.row_of
        rows = []
        for row in range(len(mean)):
            here = np.flatnonzero((row_of == row) & np.isfinite(differences[:, 0]))
            ends = (np.nan, np.nan) if gaps[row] else (low[row], high[row])
            numbers = (*mean[row], *ends, p[row, 0])
            of_cases = _by_unit(differences[here, 0], None if units is None else [units[place] for place in here])
            paired = _paired(len(here), of_cases, numbers, percent_scale(metric), tolerance)
            # Where resampling does not show how the differences spread, a size relative to their spread says nothing.
            rows.append(replace(paired, effect=None) if paired and HIDDEN in gaps[row] else paired)
        by_table.append(rows)
    return by_table


def _by_unit(differences: Floats, units: Sequence[Any] | None) -> Floats:
    """The mean difference of each unit: what is judged of one case is not evidence apart from each other."""
    if units is None or len(set(units)) == len(units):
        return differences
    by_unit: dict[Any, list[float]] = {}
    for unit, difference in zip(units, differences, strict=True):
        by_unit.setdefault(unit, []).append(float(difference))
    return np.array([sum(values) / len(values) for values in by_unit.values()])


def _paired(n: int, differences: Floats, numbers: Sequence[float], scale: float, tolerance: float) -> Paired | None:
    if not n:
        return None
    mean_a, mean_b, difference = (_rounded(number, scale) for number in numbers[:3])
    lo, hi = (None if np.isnan(end) else _rounded(end, scale) for end in numbers[3:5])
    apart = differences * scale
    wins = int((apart > tolerance + 1e-9).sum())
    losses = int((apart < -tolerance - 1e-9).sum())
    p = float(numbers[5])
    return Paired(
        n=n,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=difference,
        lo=lo,
        hi=hi,
        wins=wins,
        ties=len(differences) - wins - losses,
        losses=losses,
        p=p,
        p_sign=sign_test(wins, losses),
        p_holm=p,
        effect=effect_size(differences) if enough(len(differences)) else None,
    )


def _rounded(number: float, scale: float) -> float:
    """Nine decimals hide the last bits of a division; adding 0 turns -0.0 into 0.0."""
    return round(float(number) * scale, 9) + 0.0


def _corrected(rows: Sequence[Paired | None]) -> list[Paired | None]:
    corrected = iter(holm([paired.p for paired in rows if paired is not None]))
    return [None if paired is None else replace(paired, p_holm=next(corrected)) for paired in rows]
