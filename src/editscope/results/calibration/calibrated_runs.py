"""Runs with the labels of people beside the judge's scores: their calibrated means and differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.cases import Aggregation
from editscope.errors import BadInput, unknown
from editscope.results.calibration.labels_file import HumanLabel, HumanLabels, read_labels
from editscope.results.run import Run, open_run
from editscope.runfolder.run_json import aggregation_from
from editscope.scoring.rubrics import Measure
from editscope.stats.agreement import Agreement, krippendorff_alpha
from editscope.stats.calibration import (
    HUMAN,
    SETTLED,
    Calibrated,
    CalibratedDifference,
    calibrated_difference,
    calibrated_mean,
)
from editscope.suites.protocol import measures_from

Columns = dict[str, list[Any]]
MATCH = ("case_id", "variant", "fingerprint", "metric", "key")


@dataclass(frozen=True, eq=False)
class LabeledRun:
    """A run with its labels on one measure: ``rows`` are those that are averaged, with what people said beside."""

    name: str
    rows: Columns
    raters: int
    agreement: Agreement | None
    unmatched: int
    estimate: Calibrated | None
    refused: str = ""


@dataclass(frozen=True, eq=False)
class Calibration:
    """Runs over the same cases, calibrated by people on one measure."""

    metric: str
    runs: tuple[LabeledRun, ...]
    aggregation: Aggregation
    _differences: dict[tuple[int, int], CalibratedDifference | str] = field(default_factory=dict)

    def difference(self, first: int, second: int) -> CalibratedDifference | str:
        """The second run less the first as people see them, or a sentence that says why nobody can tell."""
        key = first, second
        if key not in self._differences:
            self._differences[key] = self._difference(self.runs[first], self.runs[second])
        return self._differences[key]

    def _difference(self, first: LabeledRun, second: LabeledRun) -> CalibratedDifference | str:
        for run in (first, second):
            if run.estimate is None:
                return f"{run.name}: {run.refused}"
        try:
            return calibrated_difference(first.rows, second.rows, self.aggregation, self.metric, match=MATCH)
        except BadInput as error:
            return str(error)


def calibrate(run: Run | str, labels: HumanLabels | str, *, metric: str = "") -> Calibrated:
    """What people would score a run on average, from their labels of a random part of its cases.

    ``labels`` is a file of labels, CSV or JSONL; ``metric`` a measure of the run, its headline by default. BadInput
    where labels are too few, or no random part of the cases.
    """
    opened = run if isinstance(run, Run) else open_run(run)
    labels = labels if isinstance(labels, HumanLabels) else read_labels(labels)
    found = calibration([opened], [""], labels, metric).runs[0]
    if found.estimate is None:
        raise BadInput(found.refused)
    return found.estimate


def calibration(runs: Sequence[Run], names: Sequence[str], labels: HumanLabels, metric: str = "") -> Calibration:
    """Runs of one suite with their labels; BadInput where the labels fit none of them."""
    first = runs[0]
    for run in runs:
        if not run.judged:
            raise BadInput(
                f"{run.archive or run.path} was scored by pixels, which need no calibration; labels calibrate judges"
            )
    aggregation = aggregation_from(first.info)
    measure = _measure(first, metric or aggregation.headline)
    alone = len(runs) == 1
    made = [
        _labeled(run, name, labels.of_run(run, name, alone=alone), measure, labels)
        for run, name in zip(runs, names, strict=True)
    ]
    if all(run.estimate is None for run in made):
        raise BadInput("; ".join(f"{run.name}: {run.refused}" if run.name else run.refused for run in made))
    return Calibration(measure.name, tuple(made), aggregation)


def _measure(run: Run, name: str) -> Measure:
    measures = {measure.name: measure for measure in measures_from(run.info["judging"])}
    if name not in measures:
        raise unknown(f"measure in {run.path}", name, measures)
    return measures[name]


def _labeled(run: Run, name: str, labels: Sequence[HumanLabel], measure: Measure, source: HumanLabels) -> LabeledRun:
    chosen = _of_measure(run, labels, measure, source)
    by_edit = _by_edit(chosen, measure)
    rows, unmatched = _with_labels(run, measure, by_edit)
    estimate, refused = None, ""
    try:
        if labels and unmatched == len(by_edit):
            raise BadInput(
                f"no label of {source.path} is on an edit of this run; its cases are named as in "
                f"{rows['case_id'][0]!r}"
                + (f", its variants as in {rows['variant'][0]!r}" if rows["variant"][0] else "")
            )
        estimate = calibrated_mean(rows, aggregation_from(run.info), measure.name)
    except BadInput as error:
        refused = str(error)
    raters = len({label.rater for label in chosen})
    return LabeledRun(name, rows, raters, _agreement(by_edit), unmatched, estimate, refused)


def _of_measure(run: Run, labels: Sequence[HumanLabel], measure: Measure, source: HumanLabels) -> list[HumanLabel]:
    """The labels on a measure, or on the metrics that it is made of; those that name none are on the measure."""
    mine = {"", measure.name, *measure.metrics}
    chosen = [label for label in labels if label.metric in mine]
    if labels and not chosen:
        named = dict.fromkeys(label.metric for label in labels)
        raise BadInput(
            f"{source.path} has no label on {measure.name!r} of {run.archive or run.path}, only on "
            f"{', '.join(map(repr, named))}; name the measure in a column 'metric'"
        )
    low, high = sorted((measure.worst, measure.best))
    for label in chosen:
        if not low <= label.score <= high:
            raise BadInput(
                f"{label.where}: the score {label.score:g} lies outside the scale of {measure.name!r}, {low:g} to "
                f"{high:g}; people must score on the judge's scale"
            )
    return chosen


Edit = tuple[str, str, str, str]
"""Case, variant, key of a question or "", and metric or ""."""


def _by_edit(labels: Sequence[HumanLabel], measure: Measure) -> dict[Edit, dict[str, list[float]]]:
    """The scores of each edit by rater, on the judge's scale."""
    by_edit: dict[Edit, dict[str, list[float]]] = {}
    for label in labels:
        metric = "" if label.metric == measure.name else label.metric
        raters = by_edit.setdefault((label.case, label.variant, label.key, metric), {})
        raters.setdefault(label.rater, []).append(label.score)
    return by_edit


def _with_labels(
    run: Run, measure: Measure, by_edit: Mapping[Edit, Mapping[str, Sequence[float]]]
) -> tuple[Columns, int]:
    """The rows of a measure with what people said: the mean over raters of the edit, or of its question."""
    rows = run.averaged_rows()
    mine = [place for place, metric in enumerate(rows["metric"]) if metric in measure.metrics]
    columns = {name: [values[place] for place in mine] for name, values in rows.items()}
    human: list[float | None] = []
    used: set[Edit] = set()
    levels = columns.get("level") or [None] * len(mine)
    names = zip(*(columns[name] for name in ("case_id", "variant", "key", "metric")), levels, strict=True)
    for case, variant, key, metric, level in names:
        # The only instruction of a case is the variant "", and has a level that people's files may name instead.
        variants = (variant, level) if level and not variant else (variant,)
        edits = [(case, v, k, m) for v in variants for k in (key, "") for m in (metric, "")]
        edit = next((edit for edit in edits if edit in by_edit), None)
        if edit is None:
            human.append(None)
            continue
        used.add(edit)
        by_rater = [sum(scores) / len(scores) for scores in by_edit[edit].values()]
        human.append(measure.shown(sum(by_rater) / len(by_rater)) / 100)
    columns[HUMAN] = human
    columns[SETTLED] = [int(status != "ok") for status in columns["edit_status"]]
    return columns, len(by_edit) - len(used)


def _agreement(by_edit: Mapping[Edit, Mapping[str, Sequence[float]]]) -> Agreement | None:
    """How far raters agree, where some edits have several."""
    raters = sorted({rater for scores in by_edit.values() for rater in scores})
    if len(raters) < 2 or all(len(scores) < 2 for scores in by_edit.values()):
        return None
    means = [{rater: sum(scores) / len(scores) for rater, scores in of_edit.items()} for of_edit in by_edit.values()]
    return krippendorff_alpha([[of_edit.get(rater) for of_edit in means] for rater in raters], "interval")
