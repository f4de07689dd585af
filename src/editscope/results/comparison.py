"""Comparisons of runs case by case: which is better, by how much, where, and whether it could be chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from editscope.cases import Aggregation
from editscope.errors import BadInput, unknown
from editscope.results.run import CaseRecord, Run, open_runs
from editscope.runfolder.repeats import plain
from editscope.runfolder.run_json import aggregation_from
from editscope.runfolder.run_names import run_names as names_apart
from editscope.suites import parse_where
from editscope.wording import short_scale

if TYPE_CHECKING:
    from editscope.results.calibration.calibrated_runs import Calibration
    from editscope.stats.paired import Paired, PairedGroup, PairedTable

Rows: TypeAlias = "dict[str, list[Any]]"
Key: TypeAlias = "tuple[str, ...]"
"""A case id and a variant; of runs with judges also a metric and the key of the call that it came from."""

SHORT = 10
"""A scale that ends here or below is written with two decimals."""
VARIANT = "variant"
PAIRED_BY = ("case_id", VARIANT)
FINER = ("metric", "key")
"""What tells the rows of a run apart, and what tells them apart in a run with judges."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many cases of the runs take no part, by reason."""

    missing: int = 0
    changed: int = 0
    diagnostic: int = 0

    def __str__(self) -> str:
        parts = [
            f"{self.missing:,} not in every run" if self.missing else "",
            f"{self.changed:,} with other pixels or words (fingerprints differ)" if self.changed else "",
            f"{self.diagnostic:,} diagnostic" if self.diagnostic else "",
        ]
        return ", ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class CaseContrast:
    """One case in all runs: scores in percent (ratios as they are), failure modes and records by run.

    Of a run with repeats the score is the mean over them, the failure mode the most common, the record the first.
    """

    case_id: str
    variant: str
    instruction: str
    tags: Mapping[str, str]
    scores: tuple[float | None, ...]
    failures: tuple[str, ...]
    difference: float
    records: tuple[CaseRecord, ...]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Runs over the same cases against the first of them, on one metric.

    ``tables`` holds one paired table for each run after the first; ``overall`` and ``groups`` are those of
    the second run, which is all there is when two are compared. ``places`` says where each case that takes
    part is in the rows of each run, and ``taken`` are those rows. ``calibration`` is what people's labels make of it.
    """

    runs: tuple[Run, ...]
    names: tuple[str, ...]
    metric: str
    aggregation: Aggregation
    tables: tuple[PairedTable, ...]
    left_out: LeftOut
    places: Mapping[Key, tuple[int, ...]]
    taken: tuple[Rows, ...]
    calibration: Calibration | None = None
    across: bool = False
    """Whether edits by different instructions are paired, each case's one with its one."""

    @property
    def overall(self) -> Paired:
        """The difference of the second run to the first."""
        return self.tables[0].overall

    @property
    def groups(self) -> tuple[PairedGroup, ...]:
        """The same for every row of the suite's tables."""
        return self.tables[0].groups

    @property
    def scale(self) -> float:
        """What a fraction of the metric is multiplied by to be shown."""
        from editscope.stats.summary import percent_scale

        return percent_scale(self.metric)

    def kinds(self) -> tuple[str, ...]:
        """The kinds of groups that there are, such as category, task, mode."""
        return tuple(dict.fromkeys(group.by for table in self.tables for group in table.groups))

    def lines(self, *by: str) -> Iterator[tuple[str, str, tuple[Paired | None, ...]]]:
        """The rows of these kinds of groups, all kinds if none is named: kind, key, one Paired for each run."""
        for kind in by:
            if kind not in self.kinds():
                raise unknown("kind of group", kind, self.kinds())
        keys = dict.fromkeys((group.by, group.key) for table in self.tables for group in table.groups)
        for kind, key in keys:
            if not by or kind in by:
                yield kind, key, tuple(table.group(kind, key) for table in self.tables)

    def cases(self, n: int = 10) -> tuple[CaseContrast, ...]:
        """The n cases in which a run differs most from the first, largest difference first."""
        records = [_by_unit(run, self.across) for run in self.runs]
        units = {(key[0], key[1]): tuple(known[key[0], key[1]] for known in records) for key in self.places}
        folds = (
            self.runs[0].judged
            or any(run.repeats > 1 for run in self.runs)
            or any(self.metric not in run.metrics for run in self.runs)
        )
        scores = self._scores_by_unit() if folds else {}
        for unit, found in units.items():
            scores.setdefault(unit, tuple(repeats[0].metrics.get(self.metric) for repeats in found))
        apart = {unit: _largest_difference(*scores[unit]) for unit in units}
        ordered = sorted(apart, key=lambda unit: (-abs(apart[unit]), unit))
        return tuple(self._contrast(units[unit], scores[unit], apart[unit]) for unit in ordered[:n])

    def _scores_by_unit(self) -> dict[tuple[str, str], tuple[float | None, ...]]:
        """For each unit and run, the mean over what every run has a verdict on, as the tables pair it."""
        both: dict[tuple[str, str], list[tuple[float, ...]]] = {}
        for key, values in zip(self.places, zip(*(rows[self.metric] for rows in self.taken), strict=True), strict=True):
            scores = both.setdefault((key[0], key[1]), [])
            if None not in values:
                scores.append(values)
        return {
            unit: tuple(sum(column) / len(scores) for column in zip(*scores, strict=True))
            for unit, scores in both.items()
            if scores
        }

    def _contrast(
        self, found: tuple[list[CaseRecord], ...], scores: tuple[float | None, ...], difference: float
    ) -> CaseContrast:
        records = tuple(repeats[0] for repeats in found)
        return CaseContrast(
            case_id=records[0].case_id,
            variant=plain(records[0].variant)[0],
            instruction=records[0].instruction,
            tags=records[0].tags,
            scores=tuple(None if score is None else round(self.scale * score, 9) for score in scores),
            failures=tuple(_commonest([record.failure for record in repeats]) for repeats in found),
            difference=round(self.scale * difference, 9),
            records=records,
        )

    def notes(self) -> tuple[str, ...]:
        """What the comparison says, in sentences: one for each run after the first, then what to mind."""
        from editscope.results.comparison_text import notes

        return notes(self)

    def table(self, *by: str) -> Any:
        """The comparison as a table that prints itself, in a terminal or a notebook; ``by`` chooses the groups."""
        from editscope.results.comparison_text import TextTable

        return TextTable(self, by)

    def frame(self, kind: Any = None) -> Any:
        """One row for each run after the first and each group, as a pandas or Polars frame."""
        from editscope.results.frame import as_frame

        rows = list(self.rows())
        return as_frame({name: [row[name] for row in rows] for name in rows[0]}, kind)

    def rows(self, *by: str) -> Iterator[dict[str, Any]]:
        """One flat record for each run after the first and each group, overall first."""
        from dataclasses import asdict

        lines = [("overall", "", tuple(table.overall for table in self.tables)), *self.lines(*by)]
        for kind, key, found in lines:
            for name, paired in zip(self.names[1:], found, strict=True):
                if paired is not None:
                    about = {"baseline": self.names[0], "run": name, "metric": self.metric, "by": kind, "key": key}
                    yield {**about, **asdict(paired), "stars": paired.stars}

    def __repr__(self) -> str:
        return "\n".join([f"<Comparison of {', '.join(self.names)} on {self.metric}>", *self.notes()])

    def _repr_html_(self) -> str:
        from editscope.results.notebook import comparison_html

        return comparison_html(self)


def compare(
    first: Run | str | Path,
    *others: Run | str | Path,
    metric: str | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
    labels: str | Path | None = None,
    across: bool = False,
) -> Comparison:
    """Compare runs with the first of them, case by case: ``es.compare(run, "runs/last-week").table()``.

    Runs are runs, run folders or archives, over the same suite; a folder that holds runs stands for all of them. Only
    cases that all runs have, with the same fingerprint, take part; ``left_out`` counts the rest. ``metric`` is the
    suite's headline unless given; ``where={"task": "border"}`` takes a part of the cases. A case with repeats counts by
    their mean, so runs with different numbers of them can be compared. ``level`` is that of the intervals.
    ``labels`` is a file of human labels, by which the judge is calibrated; see ``editscope.results.calibration``.
    ``across`` pairs runs that were asked by different instructions, such as one on paraphrases: each has one edit of a
    case.
    """
    if labels is not None and where:
        raise BadInput("labels calibrate the mean over all cases; compare with labels, or a part of the cases")
    runs = tuple(open_runs(first, *others))
    if len(runs) < 2:
        raise BadInput("a comparison needs at least two runs; add another one")
    _check_suites(runs)
    aggregation = aggregation_from(runs[0].info)
    metric = _metric(runs, metric or aggregation.headline)
    shared, left_out = _shared(runs, aggregation, where, metric, across)
    match = tuple(name for name in _matched_by(runs[0]) if name != VARIANT or not across)
    tags = _tags(aggregation, _matched_by(runs[0]))
    taken = [_taken(run, [places[i] for places in shared.values()], tags, metric) for i, run in enumerate(runs)]

    from editscope.stats.paired import compare_rows

    tables = [
        compare_rows(taken[0], rows, aggregation, metric, match=match, resamples=resamples, level=level)
        for rows in taken[1:]
    ]
    names = run_names(runs)
    made = None if labels is None else _calibrated(runs, names, labels, metric)
    return Comparison(runs, names, metric, aggregation, tuple(tables), left_out, shared, tuple(taken), made, across)


def _calibrated(runs: Sequence[Run], names: Sequence[str], labels: str | Path, metric: str) -> Calibration:
    from editscope.results.calibration.calibrated_runs import calibration
    from editscope.results.calibration.labels_file import read_labels

    return calibration(runs, names, read_labels(labels), str(metric))


def _by_unit(run: Run, across: bool = False) -> dict[tuple[str, str], list[CaseRecord]]:
    """The records of each case and variant, one for each repeat; ``across`` variants they stand under the case."""
    records: dict[tuple[str, str], list[CaseRecord]] = {}
    for record in run.records():
        records.setdefault((record.case_id, "" if across else plain(record.variant)[0]), []).append(record)
    return records


def _commonest(modes: Sequence[str]) -> str:
    """How most repeats of a case ended, and how many of them where not all did; of equally many the first."""
    counted = Counter(modes)
    # Judges have no name for how an edit went; then this says what is missing.
    mode, often = Counter({m: n for m, n in counted.items() if m} or counted).most_common(1)[0]
    return mode if often == len(modes) else f"{mode} {often} of {len(modes)}"


def _largest_difference(first: float | None, *others: float | None) -> float:
    differences = [other - first for other in others if other is not None and first is not None]
    return max(differences, key=lambda d: (abs(d), d), default=0.0)


def run_names(runs: Sequence[Run]) -> tuple[str, ...]:
    """What to call each run: its editor, and what sets it apart where several have the same."""
    folders = [(run.archive or run.path).absolute().name for run in runs]
    return tuple(names_apart([run.info["editor"] for run in runs], folders))


def _check_suites(runs: Sequence[Run]) -> None:
    for run in runs:
        if not run.rows()["case_id"]:
            raise BadInput(f"{run.path} has no scored case yet; `editscope resume {run.path}` continues it")
        ours, theirs = runs[0].info["suite"]["name"], run.info["suite"]["name"]
        if ours != theirs:
            raise BadInput(
                f"{runs[0].path} is a run of {ours} and {run.path} one of {theirs}; only runs of one suite are compared"
            )
        if _protocol(run) != _protocol(runs[0]):
            raise BadInput(
                f"{runs[0].path} was scored by {_protocol(runs[0])} and {run.path} by {_protocol(run)}, whose numbers "
                "mean different things; `editscope rescore` judges the edits of one by the protocol of the other"
            )


def _protocol(run: Run) -> str:
    return f"the protocol {run.info['judging']['protocol']['name']}" if run.judged else "pixels"


def _matched_by(run: Run) -> tuple[str, ...]:
    return (*PAIRED_BY, *FINER) if run.judged else PAIRED_BY


def _metric(runs: Sequence[Run], metric: str) -> str:
    for run in runs:
        if not run.has_metric(metric):
            raise unknown(f"metric in {run.path}", metric, run.metrics)
    measures = (runs[0].info.get("judging") or {}).get("measures", ())
    mine = next((one for one in measures if one["name"] == metric), None)
    return metric if mine is None or (mine["best"] - mine["zero"]) * mine["scale"] > SHORT else short_scale(metric)


def _shared(
    runs: Sequence[Run],
    aggregation: Aggregation,
    where: Mapping[str, str | Sequence[str]] | None,
    metric: str,
    across: bool,
) -> tuple[dict[Key, tuple[int, ...]], LeftOut]:
    """Where each case that all runs have is in the rows of each, and how many cases are not so."""
    numbers = [_numbered(run, where, metric) for run in runs]
    if across:
        numbers = [_without_variants(run, number) for run, number in zip(runs, numbers, strict=True)]
    everyone = set().union(*numbers)
    common = [key for key in numbers[0] if all(key in number for number in numbers)]
    prints = [run.averaged_rows()["fingerprint"] for run in runs]
    shared = {}
    for key in common:
        places = tuple(number[key] for number in numbers)
        if len({column[place] for column, place in zip(prints, places, strict=True)}) == 1:
            shared[key] = places
    if not shared:
        raise BadInput(_why_nothing(runs, len(common)))
    rows, exclude = runs[0].averaged_rows(), aggregation.exclude
    diagnostic = sum(
        all(rows[tag][places[0]] == value for tag, value in exclude.items()) for places in shared.values() if exclude
    )
    return shared, LeftOut(len(everyone) - len(common), len(common) - len(shared), diagnostic)


def _why_nothing(runs: Sequence[Run], common: int) -> str:
    what = " and ".join(str(run.archive or run.path) for run in runs)
    if not common:
        return f"{what} have no case in common: every case id is missing from one of them; run both on the same cases"
    labels = [str(run.info["suite"].get("label") or run.info["suite"]["fingerprint"]) for run in runs]
    return (
        f"{what} share {common:,} case ids but no case: pixels or words differ in all of them, so they were made from "
        f"other seeds or data ({'; '.join(labels)}); run both on the same set"
    )


def _numbered(run: Run, where: Mapping[str, str | Sequence[str]] | None, metric: str) -> dict[Key, int]:
    """The row of each case of a run that passes a filter; in a run with judges, the rows that belong to a measure."""
    rows = run.averaged_rows()
    chosen = {} if where is None else parse_where(f"{tag}={_joined(values)}" for tag, values in where.items())
    for tag, wanted in chosen.items():
        if tag not in run.tags:
            raise unknown(f"tag in {run.path}", tag, run.tags)
        for value in wanted:
            if value not in rows[tag]:
                raise unknown(f"{tag} in {run.path}", value, {str(found) for found in rows[tag]})
    of_measure = run.metrics_of(metric)
    return {
        key: place
        for place, key in enumerate(zip(*(rows[name] for name in _matched_by(run)), strict=True))
        if (of_measure is None or rows["metric"][place] in of_measure)
        and all(rows[tag][place] in wanted for tag, wanted in chosen.items())
    }


def _without_variants(run: Run, numbers: Mapping[Key, int]) -> dict[Key, int]:
    """The rows by case alone; BadInput where a case has several edits."""
    plain_keys = {(key[0], "", *key[2:]): place for key, place in numbers.items()}
    if len(plain_keys) < len(numbers):
        raise BadInput(
            f"{run.path} has several edits of a case, which cannot be paired across instructions; run one form"
        )
    return plain_keys


def _joined(values: str | Sequence[str]) -> str:
    return values if isinstance(values, str) else ",".join(values)


def _tags(aggregation: Aggregation, matched_by: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*matched_by, *aggregation.tags]))


def _taken(run: Run, places: Sequence[int], tags: Sequence[str], metric: str) -> Rows:
    rows, names = run.averaged_rows(metric), [*tags, metric]
    for name in names:
        if name not in rows:
            raise BadInput(f"the cases of {run.path} have no {name!r}, which the tables of the first run need")
    return {name: [rows[name][place] for place in places] for name in names}
