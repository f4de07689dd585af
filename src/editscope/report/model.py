"""Model of a report: which runs stand side by side, their tables, and their cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.report.columns import Columns, from_records
from editscope.report.judged_runs import judged_metrics, protocol_of, with_repeat_tags, with_unit_tags
from editscope.results.case_record import CaseRecord
from editscope.results.run import Run
from editscope.runfolder import run_names
from editscope.runfolder.repeats import folded
from editscope.runfolder.run_json import aggregation_from
from editscope.stats.summary import DIAGNOSTIC, resampled_within
from editscope.suites import suite_title
from editscope.wording import METRICS, listed, part_note, parts_of_cases

if TYPE_CHECKING:
    from editscope.results.calibration import HumanLabels
    from editscope.results.calibration.calibrated_runs import Calibration

Cell: TypeAlias = dict[str, Any]
"""``{"mean", "lo", "hi", "n"}``."""
Cells: TypeAlias = dict[str, Cell]
"""Cells by metric."""
Tags: TypeAlias = "Mapping[str, str]"

Value = TypeVar("Value")

MOST_ROWS = 40
VARIANT_TAGS = ("level", "language")
"""Tags that set the edits of one case apart."""
MATCH = ("case_id", "variant", "fingerprint")
"""What must agree for two cases to be the same one."""


@dataclass(frozen=True, eq=False)
class RunView:
    """A run as the report names it: a letter, a color by ``index``, and a name that no other run has."""

    index: int
    name: str
    run: Run
    records: Sequence[CaseRecord]
    summary: Mapping[str, Any]

    @property
    def letter(self) -> str:
        """A, B, C … by which small places call the run."""
        return letters(self.index)

    @property
    def part(self) -> str:
        """ "40 of 1,920 cases" where the run is on a part of its suite or not yet done, else ""."""
        return part_note(self.run.info["selection"], self.run.coverage.get("pending", 0))

    def cells(self, by: str, key: str) -> Cells:
        """The cells of one table row."""
        return self.summary["index"].get((by, key), {})  # type: ignore[no-any-return]

    @cached_property
    def by_id(self) -> Mapping[str, CaseRecord]:
        """The first record of every case."""
        return {record.case_id: record for record in reversed(self.records)}

    @cached_property
    def by_edit(self) -> Mapping[tuple[str, str], CaseRecord]:
        """The record of every case and variant."""
        return {(record.case_id, record.variant): record for record in self.records}

    @cached_property
    def _memory(self) -> dict[str, Any]:
        return {}

    def once(self, what: str, make: Callable[[], Value]) -> Value:
        """What ``make`` gives, made the first time only: several sections need the same figures."""
        if what not in self._memory:
            self._memory[what] = make()
        return self._memory[what]  # type: ignore[no-any-return]

    @cached_property
    def rows(self) -> Columns:
        """One column per name, one entry per case (per edit of it that is judged): what ``stats.diagnosis`` takes."""
        if not self.run.judged:
            return self.run.rows()
        # A measure has its column even where no case has a value, as when an editor takes none of the inputs.
        nothing: Columns = {metric: [None] * len(self.records) for metric in self.summary["overall"]}
        return nothing | from_records(self.records)

    @cached_property
    def scores(self) -> Columns:
        """The same with one entry per number where judges gave several, and the mean over repeats where there are
        any: what is averaged and compared."""
        if self.run.repeats > 1:
            return self.run.averaged_rows()
        return self.run.rows() if self.run.judged else self.rows

    @cached_property
    def by_case(self) -> Columns:
        """``rows`` with each case once, by the mean over its repeats where there are any."""
        return folded(self.rows, list(self.summary["overall"]))


@dataclass(frozen=True, eq=False)
class TableRow:
    """A row of a table with one entry per run; ``filter`` is what its cases have in common."""

    label: str
    filter: Tags
    cells: Sequence[Cells]
    children: tuple[TableRow, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """A table of rows, nested or not. ``kinds`` names the levels of its rows."""

    kinds: tuple[str, ...]
    rows: tuple[TableRow, ...]


@dataclass(frozen=True, eq=False)
class Sheet:
    """Runs over one set of cases: what may be compared."""

    suite: str
    fingerprint: str
    label: str
    aggregation: Aggregation
    runs: tuple[RunView, ...]
    metrics: tuple[str, ...]
    calibration: Calibration | None = None
    """What people's labels make of its runs, in their order, where a report has labels."""

    @property
    def headline(self) -> str:
        """The metric that comes first."""
        first = self.aggregation.headline
        return next((metric for metric in self.metrics if metric == first), first)

    def headline_cell(self, view: RunView) -> Cell:
        """The headline of a run: what people would score it where their labels say so, else as its summary has it."""
        cell: Cell = view.summary["overall"].get(self.headline) or {"mean": None, "lo": None, "hi": None, "n": 0}
        estimate = None if self.calibration is None else self.calibration.runs[self.runs.index(view)].estimate
        if estimate is None:
            return cell
        return {"mean": estimate.mean, "lo": estimate.lo, "hi": estimate.hi, "n": cell["n"], "judged": estimate.judged}

    @property
    def judged(self) -> bool:
        """Whether judges gave its scores."""
        return self.runs[0].run.judged

    @property
    def match(self) -> tuple[str, ...]:
        """The columns of ``scores`` that must agree for two numbers to be of the same thing."""
        return (*MATCH, "metric", "key") if self.judged else MATCH

    @property
    def key(self) -> int:
        """A number that tells this set from the others of a report, for ids on the page."""
        return self.runs[0].index

    @property
    def has_curves(self) -> bool:
        """Whether its cases have counts of pixels, from which curves and regions come."""
        return any("hits" in record.evidence for view in self.runs for record in view.records[:50])

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of its tables, without levels and languages where it has one of them only."""
        alone = {tag for tag in VARIANT_TAGS if len(self.keys(tag)) < 2}
        return tuple(g for g in self.aggregation.groups if not self.judged or g.by[:1] not in {(t,) for t in alone})

    @property
    def coarse(self) -> Group | None:
        """The group that comes first, into few rows."""
        return self.aggregation.groups[0] if self.aggregation.groups else None

    @property
    def fine(self) -> Group | None:
        """The group of tasks, or else the one with the most rows that a plot can still show."""
        groups = [group for group in self.groups if 1 < len(self.keys(group.name)) <= MOST_ROWS]
        if self.judged:  # its tables cross every tag with levels and languages: too fine for a plot
            groups = [group for group in groups if len(group.by) == 1] or groups
        tasks = [group for group in groups if group.by == ("task",)]
        return next(iter(tasks), max(groups, key=lambda group: len(self.keys(group.name)), default=None))

    def tags_of(self, group: Group, key: str) -> dict[str, str]:
        """What the cases of one row have in common."""
        return dict(zip(group.by, key.split("/"), strict=False))

    def keys(self, by: str) -> list[str]:
        """The rows of a group in the order of the tables."""
        return list(dict.fromkeys(key for view in self.runs for name, key in view.summary["index"] if name == by))

    @property
    def n_cases(self) -> int:
        """How many cases the largest of its runs has; of a judged one each may have several edits."""
        return max(len({record.case_id for record in view.records}) for view in self.runs)

    @property
    def cases_in_words(self) -> str:
        """How many cases its runs have, of how many where that is a part of the suite."""
        whole = max(view.run.info["selection"].get("of") or 0 for view in self.runs)
        numbers = [len({record.case_id for record in view.records}) for view in self.runs]
        return parts_of_cases([{"n": n, **({"of": whole} if whole else {})} for n in numbers])

    @property
    def headline_cases_in_words(self) -> str:
        """The same, with how many of them have the headline where some cannot, such as consequences without any."""
        having = [len({one.case_id for one in view.records if self.headline in one.metrics}) for view in self.runs]
        every = [len({one.case_id for one in view.records if one.metrics}) for view in self.runs]
        if self.judged or not any(having) or having == every:
            return self.cases_in_words
        return f"{self.cases_in_words} ({listed(sorted({f'{n:,}' for n in having}))} of them have this score)"

    @property
    def resampling(self) -> str:
        """Within what intervals were resampled, in words; run by run where an older run did it otherwise."""
        within = [resampled_within(aggregation_from(dict(view.run.info))) for view in self.runs]
        if len(set(within)) == 1:
            return within[0]
        return "; ".join(f"{view.letter} {words}" for view, words in zip(self.runs, within, strict=True))

    def single_strata(self) -> tuple[int, int]:
        """How many strata hold one case only, of how many: what resampling cannot see the spread of."""
        strata = self.aggregation.strata
        cases = {r.case_id: r for r in self.averaged(self.runs[0])}
        sizes = Counter(tuple(r.tags.get(tag) for tag in strata) for r in cases.values())
        return sum(size == 1 for size in sizes.values()), len(sizes)

    def averaged(self, view: RunView) -> list[CaseRecord]:
        """The cases of a run that take part in its averages."""
        return [record for record in view.records if not is_diagnostic(record.tags, self.aggregation)]

    def tables(self) -> list[ScoreTable]:
        """The nested table of groups that refine one another, then the others, then the diagnostics."""
        records = [record for view in self.runs for record in self.averaged(view)]
        samples: dict[tuple[str, str], Tags] = {(r.case_id, r.variant): r.tags for r in records}
        chain: list[Group] = []
        others: list[Group] = []
        for group in self.groups:
            nested = not chain or _refines(group, chain[-1], samples.values())
            (chain if nested else others).append(group)
        tables = [
            ScoreTable(tuple(g.name for g in groups), _rows(self.runs, groups, list(samples.values()), {}))
            for groups in (chain, *([other] for other in others))
        ]
        diagnostics = self._diagnostics()
        return [*(t for t in tables if t.rows), *([diagnostics] if diagnostics else [])]

    def _diagnostics(self) -> ScoreTable | None:
        exclude = self.aggregation.exclude
        cells = [view.cells(DIAGNOSTIC, "/".join(exclude.values())) for view in self.runs]
        if not any(cells):
            return None
        return ScoreTable((DIAGNOSTIC,), (TableRow("/".join(exclude.values()), dict(exclude), cells),))


@dataclass(frozen=True, eq=False)
class Model:
    """Everything in a report."""

    title: str
    sheets: tuple[Sheet, ...]
    runs: tuple[RunView, ...] = field(default=())


def gather(runs: Sequence[Run], title: str | None, labels: HumanLabels | None = None) -> Model:
    """Read runs and put those over the same cases side by side; ``labels`` calibrate the judges of theirs."""
    if not runs:
        raise BadInput("a report needs at least one run; add a run folder")
    names = _names(runs)
    views = []
    for index, run in enumerate(runs):
        records = with_repeat_tags(run.info, with_unit_tags(run, list(run.records())))
        if not records:
            raise BadInput(f"{run.path} has no finished case yet; `editscope resume {run.path}` continues it")
        views.append(RunView(index, names[index], run, records, _indexed(run.summary)))
    sets: dict[tuple[str, str, str], list[RunView]] = {}
    for view in views:
        suite = view.run.info["suite"]
        sets.setdefault((suite["name"], suite["fingerprint"], protocol_of(view.run.info)), []).append(view)
    sheets = tuple(_sheet(name, fingerprint, members) for (name, fingerprint, _), members in sets.items())
    if labels is not None:
        sheets = tuple(_with_people(sheet, labels, alone=len(views) == 1) for sheet in sheets)
        if all(sheet.calibration is None for sheet in sheets):
            raise BadInput(f"no run of this report was judged, so that {labels.path} calibrates nothing")
    suites = listed(list(dict.fromkeys(suite_title(sheet.suite) for sheet in sheets)))
    all_names = listed(list(dict.fromkeys(names)))
    what = all_names if len(all_names) <= 50 else f"{len(views)} runs"
    return Model(title or f"{what} on {suites}", sheets, tuple(views))


def is_diagnostic(tags: Tags, aggregation: Aggregation) -> bool:
    """Whether a case stays out of every average."""
    exclude = aggregation.exclude
    return bool(exclude) and all(tags.get(tag) == value for tag, value in exclude.items())


def letters(index: int) -> str:
    """A name for the index-th of several things, as columns of a spreadsheet have them.

    >>> letters(0), letters(25), letters(26)
    ('A', 'Z', 'AA')
    """
    rest, last = divmod(index, 26)
    return (letters(rest - 1) if rest else "") + chr(ord("A") + last)


def shown_spec(run: Run) -> str:
    """The editor's spec, without the folders above a folder of outputs: a report is sent to others."""
    return run_names.shown_spec(run.info["editor"])


def _sheet(name: str, fingerprint: str, views: Sequence[RunView]) -> Sheet:
    info = views[0].run.info
    aggregation = aggregation_from(dict(info))
    known = dict.fromkeys(metric for view in views for metric in view.summary["overall"])
    first = (aggregation.headline, "direct", "gap", "edit_accuracy", "preservation_accuracy")
    ordered = [m for m in (*first, *METRICS) if m in known]
    metrics: tuple[str, ...] = judged_metrics(info, known) or tuple(dict.fromkeys([*ordered, *known]))
    return Sheet(name, fingerprint, str(info["suite"].get("label", "")), aggregation, tuple(views), metrics)


def _with_people(sheet: Sheet, labels: HumanLabels, *, alone: bool) -> Sheet:
    from editscope.results.calibration.calibrated_runs import calibration

    if not sheet.judged:
        return sheet
    names = ["" if alone else view.name for view in sheet.runs]
    return replace(sheet, calibration=calibration([view.run for view in sheet.runs], names, labels))


def _indexed(summary: Mapping[str, Any]) -> dict[str, Any]:
    index: dict[tuple[str, str], Cells] = {}
    for row in summary["groups"]:
        index.setdefault((row["by"], row["key"]), {})[row["metric"]] = row
    return {**summary, "index": index}


def _names(runs: Sequence[Run]) -> list[str]:
    """What to call each run; the same editor on another set keeps its name, since it stands in other tables.

    ``editscope compare`` says the same names, so that a terminal and a page can be read side by side.
    """
    sets = [(run.info["suite"]["name"], run.info["suite"]["fingerprint"]) for run in runs]
    folders = [(run.archive or run.path).absolute().name for run in runs]
    return run_names.run_names([run.info["editor"] for run in runs], folders, sets)


def _key(group: Group, tags: Tags) -> str:
    return "/".join(str(tags.get(tag)) for tag in group.by)


def _refines(fine: Group, coarse: Group, cases: Iterable[Tags]) -> bool:
    """Whether cases that share a row of ``fine`` always share one of ``coarse``."""
    home: dict[str, str] = {}
    return all(home.setdefault(_key(fine, tags), _key(coarse, tags)) == _key(coarse, tags) for tags in cases)


def _rows(runs: Sequence[RunView], groups: Sequence[Group], cases: Sequence[Tags], above: Tags) -> tuple[TableRow, ...]:
    """Rows of the first group, in the order of the summary, each with the rows of the next group inside it."""
    if not groups:
        return ()
    group, *finer = groups
    members: dict[str, list[Tags]] = {}
    for tags in cases:
        members.setdefault(_key(group, tags), []).append(tags)
    order = dict.fromkeys(key for view in runs for by, key in view.summary["index"] if by == group.name)
    rows = []
    for key in order:
        if key not in members:
            continue
        shared = {**above, **{tag: members[key][0][tag] for tag in group.by}}
        own = [shared[tag] for tag in group.by if tag not in above] or [key]
        children = _rows(runs, finer, members[key], shared)
        rows.append(
            TableRow(
                "/".join(own),
                shared,
                [view.cells(group.name, key) for view in runs],
                children if len(children) > 1 else (),
            )
        )
    return tuple(rows)
