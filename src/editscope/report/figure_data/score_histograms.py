"""Histograms of single scores, metric by metric: the marks that judges gave, or the percentages of pixel cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from editscope.report.figure_data.metric_means import metrics_on_one_scale
from editscope.report.judged_runs import scales_of
from editscope.report.model import RunView, Sheet
from editscope.stats.summary import percent_scale
from editscope.wording import ends, metric_name

WIDEST = 12
"""A scale with more steps than this is not a scale of marks."""
BINS = 10
"""Into how many parts percentages fall."""


@dataclass(frozen=True, eq=False)
class ScoreHistogram:
    """How often each step of a metric's scale was reached: for each run the counts, and how many scores are missing.

    ``steps`` are marks, or the ends of bins, one more than there are bins. ``means`` are those of each run in steps: 0
    is the first bar, 0.5 lies between it and the second.
    """

    metric: str
    label: str
    steps: tuple[str, ...]
    runs: tuple[tuple[RunView, tuple[int, ...], int], ...]
    means: tuple[float | None, ...]

    def shares(self, place: int) -> list[float]:
        """The steps of one run in percent of the scores that there are."""
        counts = self.runs[place][1]
        total = sum(counts) or 1
        return [100 * count / total for count in counts]


def score_histograms(sheet: Sheet) -> list[ScoreHistogram]:
    """One histogram for each metric that has scores: by mark where judges gave them, else by tenths of the scale."""
    return _of_marks(sheet) if sheet.judged else _of_percentages(sheet)


def _of_marks(sheet: Sheet) -> list[ScoreHistogram]:
    histograms = []
    for metric, (label, low, high) in scales_of(sheet.runs[0].run.info).items():
        by_run = [score_counts(view, metric) for view in sheet.runs]
        if not any(by_run) or abs(high - low) > WIDEST:
            continue
        steps = marks_of(low, high)
        runs = tuple(
            (view, nearest_marks(counts, tuple(steps)), counts[""])
            for view, counts in zip(sheet.runs, by_run, strict=True)
        )
        means = tuple(_mean_mark(counts, list(steps)) for counts in by_run)
        histograms.append(ScoreHistogram(metric, label, tuple(steps.values()), runs, means))
    return histograms


def score_counts(view: RunView, metric: str) -> Counter[str]:
    """How many edits have which score of a metric that a judge gave, by the score as text; "" for no verdict."""
    counts: Counter[str] = Counter()
    for record in view.records:
        for row in record.rows:
            if row["metric"] == metric and row.get("key") and row.get("asked"):
                counts["" if row["value"] is None else f"{row['value']:g}"] += 1
    return counts


def marks_of(low: float, high: float) -> dict[str, str]:
    """The scores of a scale with what they are called: a question is right or wrong, anything else a number.

    >>> marks_of(0, 1), list(marks_of(1, 5))
    ({'0': 'wrong', '1': 'right'}, ['1', '2', '3', '4', '5'])
    """
    if (low, high) == (0.0, 1.0):
        return {"0": "wrong", "1": "right"}
    first, last = sorted((round(low), round(high)))
    return {f"{mark:g}": f"{mark:g}" for mark in range(first, last + 1)}


def nearest_marks(counts: Counter[str], marks: Sequence[str]) -> tuple[int, ...]:
    """The counts by mark; a mean of several verdicts stands at the nearest one.

    >>> nearest_marks(Counter({"1": 2, "4.5": 1, "": 3}), ("1", "2", "3", "4", "5"))
    (2, 0, 0, 1, 0)
    """
    steps = dict.fromkeys(marks, 0)
    for text, number in counts.items():
        if text:
            steps[min(marks, key=lambda mark: abs(float(mark) - float(text)))] += number
    return tuple(steps.values())


def _mean_mark(counts: Counter[str], marks: Sequence[str]) -> float | None:
    """Where the mean of the scores lies among the marks.

    >>> _mean_mark(Counter({"1": 1, "4": 1, "": 9}), ("1", "2", "3", "4", "5"))
    1.5
    """
    known = {float(text): number for text, number in counts.items() if text}
    total = sum(known.values())
    return sum(mark * number for mark, number in known.items()) / total - float(marks[0]) if total else None


def _of_percentages(sheet: Sheet) -> list[ScoreHistogram]:
    """Cases that take part in averages, by tenths; 100 belongs to the last."""
    histograms = []
    for metric in metrics_on_one_scale(sheet):
        low, high = ends(metric)
        runs, means = [], []
        for view in sheet.runs:
            values = [record.metrics.get(metric) for record in sheet.averaged(view)]
            known = [percent_scale(metric) * value for value in values if value is not None]
            counts = [0] * BINS
            for value in known:
                counts[min(max(int(BINS * (value - low) / (high - low)), 0), BINS - 1)] += 1
            runs.append((view, tuple(counts), len(values) - len(known)))
            mean = sum(known) / len(known) if known else None
            means.append(None if mean is None else BINS * (mean - low) / (high - low) - 0.5)
        steps = tuple(f"{low + (high - low) * place / BINS:g}" for place in range(BINS + 1))
        if any(sum(counts) for _, counts, _ in runs):
            histograms.append(ScoreHistogram(metric, metric_name(metric), steps, tuple(runs), tuple(means)))
    return histograms
