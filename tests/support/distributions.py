"""Compare what a generator draws with the release: p-values from quantiles and shares, and the file that holds them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from support.places import DATA

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
FILE = DATA / "distributions.json"


@cache
def known() -> dict[str, Any]:
    """The measured distributions: ``[suite][task-mode]["release" or "version_1"]`` with n, numbers and shares."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def same_numbers(values: Sequence[float], quantiles: Sequence[float], n: int) -> float:
    """p of a two-sample Kolmogorov–Smirnov test against a sample of which five quantiles are known.

    The distance is taken at these quantiles only, so it is at most the true one. Where values repeat, a quantile stands
    anywhere within the jump of the distribution, and only what lies outside the jump counts.
    """
    distance = 0.0
    for level, quantile in zip(LEVELS, quantiles, strict=True):
        # Quantiles of the file have four digits.
        slack = 1e-3 * abs(quantile) + 1e-9
        below = sum(value < quantile - slack for value in values) / len(values)
        at_most = sum(value <= quantile + slack for value in values) / len(values)
        # In the other sample at least ``level`` lies at or below the quantile and at most ``level`` below it.
        distance = max(distance, level - at_most, below - level)
    from scipy.stats import kstwo

    together = len(values) * n / (len(values) + n)
    return float(kstwo.sf(distance, max(1, round(together)))) if distance > 0 else 1.0


def same_shares(counts: Mapping[str, int], shares: Mapping[str, float], n: int) -> float:
    """p of a χ² test that two samples have the same shares; rare classes are put together."""
    from scipy.stats import chi2

    ours = sum(counts.values())
    names = sorted({*counts, *shares})
    rows = [(counts.get(name, 0), n * shares.get(name, 0.0)) for name in names]
    common = [row for row in rows if sum(row) * min(ours, n) / (ours + n) >= 5]
    rare = [row for row in rows if row not in common]
    if rare:
        common.append((sum(row[0] for row in rare), sum(row[1] for row in rare)))
    totals = [sum(column) for column in zip(*common, strict=True)]
    whole = sum(totals)
    statistic = 0.0
    for row in common:
        for side in (0, 1):
            expected = sum(row) * totals[side] / whole
            if expected > 0:
                statistic += (row[side] - expected) ** 2 / expected
    return float(chi2.sf(statistic, len(common) - 1)) if len(common) > 1 else 1.0


def counted(values: Iterable[str]) -> dict[str, int]:
    """How often each value stands in a list."""
    return dict(Counter(values))


def bonferroni(p: Mapping[str, float], level: float = 0.001) -> dict[str, float]:
    """The comparisons that differ, p below ``level`` shared by all of them."""
    return {name: value for name, value in p.items() if value < level / max(1, len(p)) or math.isnan(value)}
