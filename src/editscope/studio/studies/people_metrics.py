"""People against metrics: how the votes of a study agree with what a metric or a judge says about the same edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import get_args

from editscope.errors import BadInput, unknown
from editscope.results import Run, open_run
from editscope.runfolder.repeats import plain
from editscope.stats.relation import Method, correlation, grouped_correlation
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.records import Study, Vote
from editscope.studio.studies.results import battles_of, mean_scores, preferences

OVER_MODELS, OVER_CASES = "models", "cases"
ELO, BRADLEY_TERRY, WON, MEAN = "elo", "bradley-terry", "share won", "mean of scales"
Point = tuple[str, str, str]
"""A case, its level and a model."""


@dataclass(frozen=True, slots=True)
class PeopleCorrelation:
    """A correlation of what people and a metric say, over models or over the edits of cases."""

    over: str
    people: str
    metric: str
    method: Method
    value: float
    lo: float | None
    hi: float | None
    n: int


@dataclass(frozen=True, slots=True)
class PeopleAgainstMetric:
    """The points of a plot and their correlations. ``labels`` are models, or cases with models."""

    over: str
    people: str
    metric: str
    labels: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    correlations: tuple[PeopleCorrelation, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class MetricValues:
    """What a metric says: over all of a run for each model, and for each edit."""

    metric: str
    judge: str
    by_model: Mapping[str, float]
    by_edit: Mapping[Point, float]


def runs_of(study: Study, named: Mapping[str, Path] | None = None) -> dict[str, Run]:
    """The run of each model: those given, else those that the study was made from."""
    places = dict(named or {model["name"]: Path(model["run"]) for model in study.models if model["run"]})
    if strange := places.keys() - set(study.model_names):
        raise unknown("model in the study", min(strange), study.model_names)
    if not places:
        raise BadInput(f"{study.name} was not made from runs; name one for each model with --run MODEL=RUN")
    return {name: open_run(path) for name, path in places.items()}


def metric_values(runs: Mapping[str, Run], metric: str = "") -> MetricValues:
    """What a metric says about the edits of the runs; without a name, the headline of the first run."""
    first = next(iter(runs.values()))
    name = metric or str(first.info["aggregation"]["headline"])
    by_model: dict[str, float] = {}
    by_edit: dict[Point, float] = {}
    for model, run in runs.items():
        known = dict.fromkeys(known for record in run.records() for known in record.metrics)
        if name not in known:
            raise unknown("metric", name, known, of=f"the run of {model}")
        if name in run.summary["overall"]:
            by_model[model] = float(run.summary["overall"][name]["mean"])
        for record in run.records():
            variant, repeat = plain(record.variant)
            if repeat == 0 and name in record.metrics:
                by_edit[record.case_id, variant, model] = float(record.metrics[name])
    return MetricValues(name, str(first.info.get("judge") or ""), by_model, by_edit)


def people_by_model(design: StudyDesign, votes: Sequence[Vote]) -> dict[str, dict[str, float]]:
    """What people say about each model, by how it is measured."""
    if design.kind == "pairwise":
        rated = preferences(design, battles_of(votes), resamples=0)
        ratings = {ELO: rated.elo, BRADLEY_TERRY: rated.bradley_terry}
        return {how: {one.model: one.rating for one in found} for how, found in ratings.items()}
    means = {
        scale.name: {mean.model: mean.mean for mean in mean_scores(votes, scale.name, resamples=1)}
        for scale in design.scales
    }
    if len(means) > 1:
        models = next(iter(means.values()))
        means[MEAN] = {model: fmean(scale[model] for scale in means.values() if model in scale) for model in models}
    return means


def people_by_edit(design: StudyDesign, votes: Sequence[Vote]) -> dict[str, dict[Point, float]]:
    """What people say about each edit: the share of its votes that it won, or its mean score on each scale."""
    given: dict[str, dict[Point, list[float]]] = defaultdict(lambda: defaultdict(list))
    for vote in votes:
        if design.kind == "pairwise":
            won = {"first": 1.0, "second": 0.0}.get(vote.choice, 0.5)
            given[WON][vote.case_id, vote.level, vote.first_model].append(won)
            given[WON][vote.case_id, vote.level, vote.second_model].append(1.0 - won)
            continue
        for scale, score in vote.scores.items():
            given[scale][vote.case_id, vote.level, vote.first_model].append(float(score))
        if len(design.scales) > 1:
            given[MEAN][vote.case_id, vote.level, vote.first_model].append(fmean(vote.scores.values()))
    return {how: {point: fmean(values) for point, values in points.items()} for how, points in given.items()}


def compare_with_metric(study: Study, votes: Sequence[Vote], values: MetricValues) -> list[PeopleAgainstMetric]:
    """People against a metric, over models and over edits, for each way to measure people."""
    found = []
    for how, ratings in people_by_model(study.design, votes).items():
        names = [name for name in study.model_names if name in ratings and name in values.by_model]
        x, y = [values.by_model[name] for name in names], [ratings[name] for name in names]
        found.append(_over_models(how, values.metric, names, x, y))
    for how, scores in people_by_edit(study.design, votes).items():
        matched = _matched(scores, values.by_edit)
        labels = [f"{case}@{level} · {model}" if level else f"{case} · {model}" for (case, level, model), _ in matched]
        x, y = [value for _, value in matched], [scores[point] for point, _ in matched]
        found.append(_over_cases(how, values.metric, labels, x, y, [case for (case, _, _), _ in matched]))
    return found


def _matched(scores: Mapping[Point, float], metric: Mapping[Point, float]) -> list[tuple[Point, float]]:
    """The edits that both speak about. The first level of a benchmark has no variant in its runs."""
    variants = {variant for _, variant, _ in metric}
    keys = {point: (point[0], point[1] if point[1] in variants else "", point[2]) for point in scores}
    return [(point, metric[key]) for point, key in keys.items() if key in metric]


def _over_models(how: str, metric: str, names: list[str], x: list[float], y: list[float]) -> PeopleAgainstMetric:
    made: list[PeopleCorrelation] = []
    note = ""
    try:
        for method in get_args(Method):
            one = correlation(x, y, method)
            made.append(PeopleCorrelation(OVER_MODELS, how, metric, method, one.value, one.lo, one.hi, one.n))
    except BadInput as error:
        note = str(error)
    return PeopleAgainstMetric(OVER_MODELS, how, metric, tuple(names), tuple(x), tuple(y), tuple(made), note)


def _over_cases(
    how: str, metric: str, labels: list[str], x: list[float], y: list[float], cases: list[str]
) -> PeopleAgainstMetric:
    made: list[PeopleCorrelation] = []
    note = ""
    try:
        for method in get_args(Method):
            value, lo, hi = grouped_correlation(x, y, cases, method)
            made.append(PeopleCorrelation(OVER_CASES, how, metric, method, value, lo, hi, len(x)))
    except BadInput as error:
        note = str(error)
    return PeopleAgainstMetric(OVER_CASES, how, metric, tuple(labels), tuple(x), tuple(y), tuple(made), note)
