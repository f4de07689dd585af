"""Checks of whether labeled cases can be a random choice: before anybody labels, they must look like the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np

from editscope.stats.calibration.influence import LabeledRows
from editscope.stats.hierarchy import Floats

CHANCE = 0.0001
"""How rarely a random choice of cases is refused, over all checks together."""
MOST_VALUES = 40
"""A tag with more values than this, such as an id, is not checked."""
EXPECTED = 10
"""Labeled edits with a certain tag that a random choice would have, from which on none at all is a flaw."""


def sampling_flaw(rows: LabeledRows, tags: Mapping[str, Sequence[object]]) -> str:
    """Why labeled cases cannot be a random choice, in a sentence; "" where nothing speaks against it.

    Two things are compared with what a random choice within the strata of labels gives: the judge's mean score, and
    how many cases have each value of each tag.
    """
    judged = ~rows.settled
    checks = [("", "", _by_case(rows, np.where(judged, rows.judged, 0.0)))]
    missing = []
    for tag, values in tags.items():
        known = list(dict.fromkeys(values))
        if not 1 < len(known) <= MOST_VALUES:
            continue
        array = np.array([known.index(value) for value in values])
        for number, value in enumerate(known):
            has = (array == number) & judged
            checks.append((tag, str(value), _by_case(rows, has.astype(np.float64))))
            expected = has.sum() * rows.labeled.sum() / max(judged.sum(), 1)
            if expected >= EXPECTED and not (has & rows.labeled).any():
                missing.append((tag, str(value)))
    limit = NormalDist().inv_cdf(1 - CHANCE / 2 / len(checks))
    for tag, value, of_cases in checks:
        z, labeled, everywhere = _distance(rows, of_cases)
        if abs(z) <= limit:
            continue
        if not tag:
            side = "lower" if labeled < everywhere else "higher"
            return (
                f"the labeled cases are no random choice: the judge's scores of them are {side} than chance explains "
                f"({abs(z):.1f} standard errors); label cases that were chosen at random"
            )
        return _tag_sentence(tag, value, "few" if labeled < everywhere else "many")
    return _tag_sentence(*missing[0], "no") if missing else ""


def _tag_sentence(tag: str, value: str, how_many: str) -> str:
    amount = "no" if how_many == "no" else f"too {how_many}"
    return (
        f"the labeled cases are no random choice: {amount} labels are on edits with {tag} {value!r}; "
        "label cases that were chosen at random"
    )


def _by_case(rows: LabeledRows, values: Floats) -> Floats:
    """The mean of each case over the rows that need a judgement; NaN for a case that has none."""
    judged = ~rows.settled
    total = np.bincount(rows.case[judged], weights=values[judged], minlength=rows.cases)
    number = np.bincount(rows.case[judged], minlength=rows.cases)
    return np.where(number > 0, total / np.maximum(number, 1), np.nan)


def _distance(rows: LabeledRows, values: Floats) -> tuple[float, float, float]:
    """How far the labeled cases lie from what a random choice gives: in standard errors, and both sums."""
    stratum = np.zeros(rows.cases, dtype=np.intp)
    stratum[rows.case] = rows.label_stratum
    labeled = np.zeros(rows.cases, dtype=np.bool_)
    labeled[rows.case[rows.labeled]] = True
    seen = expected = variance = 0.0
    for number in np.unique(stratum):
        here = (stratum == number) & np.isfinite(values)
        chosen = here & labeled
        n, whole = int(chosen.sum()), int(here.sum())
        if not n or whole < 2:
            continue
        seen += float(values[chosen].sum())
        expected += n * float(values[here].mean())
        variance += n * (1 - n / whole) * float(values[here].var(ddof=1))
    return ((seen - expected) / variance**0.5 if variance > 1e-12 else 0.0), seen, expected
