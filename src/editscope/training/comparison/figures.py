"""Figures of a comparison: means of every arm, and paired differences from the base, by judge, level and group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from editscope.errors import BadInput, unknown
from editscope.results import Run
from editscope.results.comparison import Comparison, compare
from editscope.runfolder.run_json import aggregation_from
from editscope.stats.paired import Paired
from editscope.stats.summary import summarize
from editscope.suites.registry import known_benchmark
from editscope.suites.tables import OVERALL
from editscope.training.comparison.arms import Arm
from editscope.training.comparison.evaluations import ArmRun, ArmRuns, judge_names
from editscope.training.comparison.settings import ArmEvaluation, ComparisonPlan

At: TypeAlias = "tuple[str, str, str]"
"""A kind of group, a key of it, and a metric."""
LEVEL = "level"


@dataclass(frozen=True, slots=True)
class ArmFigure:
    """One mean of one arm; None if no verdict gave a value. ``missing`` verdicts are in no mean.

    ``difference`` is that to the base over the cases that both have, with its paired interval; None for the base, and
    where no case has a value in both.
    """

    mean: float | None
    lo: float | None
    hi: float | None
    n: int
    missing: int
    difference: Paired | None = None


@dataclass(frozen=True, eq=False)
class ComparedLevel:
    """One table: all arms on one evaluation by one judge at one level ("" if there is only one)."""

    level: str
    columns: tuple[At, ...]
    figures: Mapping[str, Mapping[At, ArmFigure]]
    """By the name of the arm."""


@dataclass(frozen=True, eq=False)
class ComparedJudge:
    """All arms on one evaluation by one judge: its tables, and what is missing in each run."""

    evaluation: ArmEvaluation
    judge: str
    judge_name: str
    suite: str
    metrics: tuple[str, ...]
    by: str
    preserved: str
    headline: str
    across: bool
    levels: tuple[ComparedLevel, ...]
    runs: Mapping[str, Run]
    unpaired: Mapping[str, str] = field(default_factory=dict)
    """Why an arm has no differences, by its name."""

    def missing(self, arm: str) -> dict[str, dict[str, int]]:
        """Edits and verdicts of an arm that are not there, by status."""
        summary = self.runs[arm].summary
        counts = {"edits": summary.get("edits") or summary.get("coverage") or {}, "verdicts": summary.get("verdicts")}
        lacking = {
            what: {str(status): int(n) for status, n in (found or {}).items() if status != "ok" and n}
            for what, found in counts.items()
        }
        return {what: found for what, found in lacking.items() if found}


def compared_judges(plan: ComparisonPlan, arms: Sequence[Arm], runs: ArmRuns) -> Iterator[ComparedJudge]:
    """The figures of every evaluation and judge whose base is finished, with the arms that are."""
    for evaluation in plan.evaluations:
        for judge, name in judge_names(evaluation.judges).items():
            there = {arm.name: runs.of(evaluation, arm, judge) for arm in arms}
            done = {arm: run for arm, run in there.items() if run.complete}
            if arms[0].name in done:
                yield _compared(evaluation, judge, name, done, arms[0].name)


def _compared(evaluation: ArmEvaluation, judge: str, name: str, done: Mapping[str, ArmRun], base: str) -> ComparedJudge:
    opened = {arm: run.opened() for arm, run in done.items()}
    runs = {arm: run for arm, run in opened.items() if run is not None}
    info = runs[base].info
    suite, headline = str(info["suite"]["name"]), aggregation_from(info).headline
    metrics = _metrics(evaluation, runs[base], suite, headline)
    specs = {evaluation.spec_for(arm) for arm in runs}
    by = _by(evaluation, runs[base], suite)
    unpaired: dict[str, str] = {}
    pairs: dict[str, dict[str, Comparison]] = {}
    for arm, run in runs.items():
        across = evaluation.spec_for(arm) != evaluation.spec_for(base)
        try:
            pairs[arm] = {} if arm == base else {m: compare(runs[base], run, metric=m, across=across) for m in metrics}
        except BadInput as error:
            unpaired[arm], pairs[arm] = str(error), {}
    return ComparedJudge(
        evaluation,
        judge,
        name,
        suite,
        metrics,
        by,
        _preserved(evaluation, metrics, suite),
        headline,
        len(specs) > 1,
        tuple(_levels(runs, pairs, metrics, by, across=len(specs) > 1)),
        runs,
        unpaired,
    )


def _metrics(evaluation: ArmEvaluation, run: Run, suite: str, headline: str) -> tuple[str, ...]:
    """The metrics of the tables: those of the plan, those of the benchmark's before/after figure, or the headline."""
    record = known_benchmark(suite)
    chosen = evaluation.metrics or (record.figures.changes if record else ()) or (headline,)
    for metric in chosen:
        if not run.has_metric(metric):
            raise unknown("metric", metric, run.metrics, of=f"evaluation {evaluation.label!r}")
    return tuple(chosen)


def _by(evaluation: ArmEvaluation, run: Run, suite: str) -> str:
    """The kind of group whose keys are columns: that of the plan, or the finer one of the benchmark's main table."""
    known = [group.name for group in aggregation_from(run.info).groups]
    if evaluation.by:
        if evaluation.by not in known:
            raise unknown("group", evaluation.by, known, of=f"evaluation {evaluation.label!r}")
        return evaluation.by
    record = known_benchmark(suite)
    main = (record.main_groups or ("", ""))[1] if record else ""
    return main if main in known else next(iter(known), "")


def _preserved(evaluation: ArmEvaluation, metrics: Sequence[str], suite: str) -> str:
    record = known_benchmark(suite)
    changes = record.figures.changes if record else ()
    chosen = evaluation.preserved or (changes[1] if len(changes) > 1 else "")
    return chosen if chosen in metrics else ""


def _levels(
    runs: Mapping[str, Run],
    pairs: Mapping[str, Mapping[str, Comparison]],
    metrics: Sequence[str],
    by: str,
    *,
    across: bool,
) -> Iterator[ComparedLevel]:
    """A table for each level of instruction; a single table if there is only one level."""
    summaries = {arm: cells_of(run, metrics) for arm, run in runs.items()}
    first = next(iter(summaries.values()))
    levels = [] if across else list(dict.fromkeys(key for kind, key, _ in first if kind == LEVEL))
    for level in levels if len(levels) > 1 else [""]:
        inside = f"{LEVEL}/{by}" if level else by
        before = f"{level}/" if level else ""
        keys = dict.fromkeys(
            key.removeprefix(before)
            for cells in summaries.values()
            for kind, key, _ in cells
            if kind == inside and key.startswith(before)
        )
        columns = tuple((kind, key, m) for kind, key in [*((by, key) for key in keys), OVERALL] for m in metrics)
        figures = {
            arm: {at: _figure(cells, pairs[arm].get(at[2]), at, level) for at in columns}
            for arm, cells in summaries.items()
        }
        yield ComparedLevel(level, columns, figures)


def cells_of(run: Run, metrics: Sequence[str]) -> dict[At, Mapping[str, Any]]:
    """The cells of a run's tables, with metrics that only the journal has, such as ``edit_accuracy@5``."""
    cells: dict[At, Mapping[str, Any]] = {}
    beyond = [metric for metric in metrics if metric not in run.metrics]
    made = (summarize(run.averaged_rows(metric), aggregation_from(run.info), [metric]) for metric in beyond)
    for summary in (run.summary, *made):
        cells |= {(*OVERALL, metric): cell for metric, cell in summary["overall"].items()}
        cells |= {(row["by"], row["key"], row["metric"]): row for row in summary["groups"]}
    return cells


def _figure(cells: Mapping[At, Mapping[str, Any]], pair: Comparison | None, at: At, level: str) -> ArmFigure:
    by, key, metric = at
    if level:
        by, key = (LEVEL, level) if (by, key) == OVERALL else (f"{LEVEL}/{by}", f"{level}/{key}")
    cell = cells.get((by, key, metric), {})
    paired = None
    if pair is not None:
        paired = pair.overall if (by, key) == OVERALL else pair.tables[0].group(by, key)
    return ArmFigure(
        cell.get("mean"), cell.get("lo"), cell.get("hi"), int(cell.get("n") or 0), int(cell.get("missing") or 0), paired
    )
