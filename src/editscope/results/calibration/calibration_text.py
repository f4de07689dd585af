"""Calibrated means and differences in words, as terminal and report say them."""

from __future__ import annotations

from editscope.results.calibration.calibrated_runs import Calibration, LabeledRun
from editscope.stats.calibration import CalibratedDifference
from editscope.wording import count, signed, signed_range, value

ROUNDED_TO = 2


def mean_in_words(run: LabeledRun, metric: str) -> str:
    """What people would score a run, from how many labels, and what the judge alone says; or why nobody can tell."""
    found = run.estimate
    if found is None:
        return f"no estimate of what people would score: {run.refused}"
    raters = f" by {count(run.raters, 'rater')}" if run.raters > 1 else ""
    return (
        f"people would score {value(found.mean, metric)} ({value(found.lo, metric)} … {value(found.hi, metric)}), from "
        f"labels of {found.labels:,} of {count(found.cases, 'case')}{raters}; the judge alone says "
        f"{value(found.judged, metric)}"
    )


def agreement_in_words(run: LabeledRun) -> str:
    """How far the raters of a run agree; "" where no edit has two."""
    if run.agreement is None:
        return ""
    ends = "" if run.agreement.lo is None else f" ({run.agreement.lo:.2f} … {run.agreement.hi:.2f})"
    return f"Krippendorff's alpha of its raters is {run.agreement.value:.2f}{ends}".replace("-", "−")


def difference_in_words(calibration: Calibration, first: int, second: int, metric: str) -> str:
    """Which of two runs people would score higher; or that the labels cannot rank them, and how many would."""
    found = calibration.difference(first, second)
    one, other = calibration.runs[first].name, calibration.runs[second].name
    if isinstance(found, str):
        return f"{other} and {one} cannot be ranked by what people think: {found}."
    size = f"{value(abs(found.difference), metric)} points"
    span = signed_range(found.lo, found.hi, metric)
    alone = f"the judge alone says {signed(found.judged, metric)}"
    if found.decided:
        word = "higher" if found.difference > 0 else "lower"
        return (
            f"People would score {other} {word} than {one} by {size} ({span}), from labels of "
            f"{count(found.labels, 'case')}; {alone}."
        )
    return (
        f"{other} and {one} cannot be ranked: people would score them {size} apart ({span}), and the judge's error is "
        f"as large; {alone}. {what_would_decide(found)}"
    )


def what_would_decide(found: CalibratedDifference) -> str:
    """How many labels would decide a comparison, in a sentence."""
    if found.labels_needed is None:
        return (
            f"Not even labels of all {found.cases:,} cases would show a difference of this size; it takes more cases."
        )
    return (
        f"To show a difference of this size would take labels of about {_rounded(found.labels_needed):,} cases of each "
        f"run; there are {found.labels:,}."
    )


def _rounded(number: int) -> int:
    """Two digits are all that such a number is worth.

    >>> _rounded(1145), _rounded(47)
    (1100, 47)
    """
    return int(round(number, -max(0, len(str(number)) - ROUNDED_TO)))
