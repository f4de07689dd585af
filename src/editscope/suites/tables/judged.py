"""Layouts of judged suites: figures at one level or in one language, in either orientation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from editscope.cases import NOTHING
from editscope.suites.registry import suite_title
from editscope.suites.tables.figures import OVERALL, FiguresByGroup
from editscope.suites.tables.records import Column, Kind, PaperCell, PaperRow, PaperTable
from editscope.wording import decimals, metric_name, metric_note, plain

MANY = 6
"""With more columns half-widths would make a table too wide; they stand in the table of measures."""
SHORT = {
    "accuracy": "Acc",
    "accuracy_by_case": "Acc by case",
    "average": "Avg",
    "consistency": "Con",
    "overall": "Avg",
    "overall_without_sp": "Avg without SP",
}
"""Names of measures that papers shorten; those of two letters are written in capitals."""


@dataclass(frozen=True)
class At:
    """A figure of every model: a group of cases, its key, and a measure."""

    by: str
    key: str
    metric: str


@dataclass(frozen=True, eq=False)
class Slice:
    """The runs of a group and the published results that may stand beside them, all of one level or language.

    ``tag`` is ``level`` or ``language`` and ``value`` which; both empty where cases have one instruction. ``named`` is
    what papers call this level, where they have another name or a setting for it; without ``published`` there are
    runs alone.
    """

    groups: FiguresByGroup
    tag: str = ""
    value: str = ""
    named: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    published: bool = True

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Which columns of the groups belong here."""
        wanted = {"level": "", "language": "", "setting": "", self.tag: self.value, **self.named}
        wanted |= {"judge": self.groups.judge}
        wanted.pop("", None)
        return tuple(
            place
            for place, column in enumerate(self.groups.columns)
            if not column.published
            or (self.published and all(column.edition.get(name) == value for name, value in wanted.items()))
        )

    @property
    def columns(self) -> tuple[Column, ...]:
        """The models as columns."""
        columns = [self.groups.columns[place] for place in self.places]
        return tuple(
            Column(column.edition["model"], column.note, published=True) if column.published else column
            for column in columns
        )

    def keys(self, by: str) -> list[str]:
        """The rows of a group at this level or in this language, in the order of the tables."""
        if not self.tag:
            return self.groups.keys(by)
        before = f"{self.value}/"
        keys = [key for key in self.groups.keys(f"{self.tag}/{by}") if key.startswith(before)]
        return [key.removeprefix(before) for key in keys]

    def cells(self, at: At) -> tuple[PaperCell | None, ...]:
        """One figure for each model."""
        ours = (*self._inside(at.by, at.key), at.metric)
        theirs = (at.by, at.key, at.metric)
        figures = ((self.groups.columns[p], self.groups.figures[p]) for p in self.places)
        return tuple(found.get(theirs if column.published else ours) for column, found in figures)

    def tags(self, by: str, key: str) -> dict[str, str]:
        """What the cases of a group have in common."""
        own = {self.tag: self.value} if self.tag else {}
        return {**own, **self.groups.tags(*self._inside(by, key))}

    def row(self, kind: Kind, label: str, at: At, depth: int = 0) -> PaperRow:
        """A row with one figure for each model."""
        return PaperRow(kind, label, self.tags(at.by, at.key), self.cells(at), depth=depth)

    def model_rows(self, ats: Sequence[At], kind: Kind = "row", label: str = "") -> tuple[PaperRow, ...]:
        """One row for each model; with a label, the rows of runs say it after their name."""
        figures = [self.cells(at) for at in ats]
        rows = []
        for number, column in enumerate(self.columns):
            cells = tuple(found[number] for found in figures)
            if any(cell is not None for cell in cells):
                name = f"{column.label}, {label}" if label else column.label
                own = {self.tag: self.value} if self.tag else {}
                rows.append(PaperRow(kind, name, own, cells, column.note, 0, column.run_index, column.published))
        return tuple(rows)

    def has(self, at: At) -> bool:
        """Whether a run has this figure."""
        cells = zip(self.columns, self.cells(at), strict=True)
        return any(not column.published and cell is not None and cell.n for column, cell in cells)

    def _inside(self, by: str, key: str) -> tuple[str, str]:
        """The group and key of the same cases at this level or in this language, as the runs' summaries have them."""
        if not self.tag:
            return by, key
        return (self.tag, self.value) if by == "overall" else (f"{self.tag}/{by}", f"{self.value}/{key}")


def slices(groups: FiguresByGroup, tag: str) -> list[Slice]:
    """One slice for each level or language of the runs; a single one of everything where they have none."""
    return [Slice(groups, tag, value) for value in groups.keys(tag)] or [Slice(groups)]


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """The layout of cases that have no paper: all measures; by each group, all of one run or the first of several."""
    yield measures_table(groups, _decimals(groups))
    alone = len(groups.runs) == 1 and len(groups.all_metrics) > 1
    for group in groups.shown_groups:
        if len(groups.keys(group.name)) > 1:
            table = runs_by(groups, group.name, groups.headline, decimals=_decimals(groups))
            yield _measures_by(groups, group.name) if alone else table


def _measures_by(groups: FiguresByGroup, by: str) -> PaperTable:
    """The rows of a group against all measures, of the one run that there is."""
    cut = Slice(groups, published=False)
    metrics = [metric for metric in groups.all_metrics if cut.has(At(*OVERALL, metric))]
    columns = tuple(Column(metric_name(metric), run_index=groups.runs[0]) for metric in metrics)
    keys = [*((by, key) for key in groups.keys(by)), OVERALL]
    rows = [
        PaperRow(
            "row" if key else "overall",
            plain(key) if key else suite_title(groups.suite),
            cut.tags(group, key),
            tuple(replace(cell, ranked=False) if (cell := cut.cells(At(group, key, m))[0]) else None for m in metrics),
        )
        for group, key in keys
    ]
    title = f"All measures by {plain(by).lower()}"
    return table_of(groups, f"all-{by}", title, f"{title}.", columns, rows, stub=plain(by), decimals=_decimals(groups))


def _decimals(groups: FiguresByGroup) -> int:
    return decimals(groups.headline)


def model_table(
    cut: Slice,
    name: str,
    title: str,
    what: str,
    columns: Sequence[tuple[Column, At]],
    *,
    source: str = "",
    decimals: int = 1,
) -> PaperTable:
    """Models as rows; a column stands for a group and a measure, and is left out where no run has it."""
    shown = [(column, at) for column, at in columns if cut.has(at)]
    rows = cut.model_rows([at for _, at in shown])
    heads = tuple(column for column, _ in shown)
    return table_of(
        cut.groups, name, title, what, heads, rows, stub="Model", models="rows", source=source, decimals=decimals
    )


def table_of(
    groups: FiguresByGroup,
    name: str,
    title: str,
    what: str,
    columns: tuple[Column, ...],
    rows: Sequence[PaperRow],
    *,
    stub: str,
    models: Literal["columns", "rows"] = "columns",
    source: str = "",
    decimals: int = 1,
    most: int = MANY,
) -> PaperTable:
    """A table with the caption of its groups; figures have half-widths where ``most`` columns or fewer leave room."""
    spread: tuple[Kind, ...] = ("row", "average", "overall") if len(columns) <= most else ()
    heads: Sequence[Column | PaperRow] = rows if models == "rows" else columns
    notes = [head.note for head in heads if head.published]
    return PaperTable(
        name,
        title,
        groups.caption(what, spread=bool(spread), notes=notes),
        columns,
        tuple(rows),
        groups.headline,
        decimals,
        source=source,
        stub=stub,
        spread=spread,
        models=models,
    )


def measures_table(groups: FiguresByGroup, decimals: int = 1, metrics: Sequence[str] = ()) -> PaperTable:
    """Every run with all its measures over the whole suite, each with its half-width."""
    cut = Slice(groups, published=False)
    ats = [At(*OVERALL, metric) for metric in metrics or groups.all_metrics]
    shown = [(Column(metric_name(at.metric)), at) for at in ats if cut.has(at)]
    rows = cut.model_rows([at for _, at in shown])
    notes = {metric_name(at.metric): metric_note(at.metric) for _, at in shown}
    legend = "; ".join(f"{label}: {note.rstrip('.')}" for label, note in notes.items() if note)
    what = f"All measures over the whole suite.{f' {legend}.' if legend else ''}"
    heads = tuple(column for column, _ in shown)
    return table_of(
        groups,
        "measures",
        "All measures",
        what,
        heads,
        rows,
        stub="Run",
        models="rows",
        decimals=decimals,
        most=len(heads),
    )


def metric_blocks(
    cut: Slice, by: str, metrics: Sequence[str], average: str, *, depth: int = 0, keys: Sequence[str] = ()
) -> Iterator[PaperRow]:
    """For each group a heading, a row for each measure that applies to it, and their average."""
    for key in keys or cut.keys(by):
        yield PaperRow("head", plain(key), cut.tags(by, key), depth=depth)
        for metric in metrics:
            if cut.has(At(by, key, metric)):
                yield cut.row("row", short(metric), At(by, key, metric), depth + 1)
        yield cut.row("average", "Avg", At(by, key, average), depth + 1)


def runs_by(groups: FiguresByGroup, by: str, metric: str, *, about: str = "", decimals: int = 1) -> PaperTable:
    """One measure of every run by a tag, and over the whole suite."""
    cut = Slice(groups, published=False)
    rows = [cut.row("row", plain(key), At(by, key, metric)) for key in groups.keys(by)]
    rows.append(cut.row("overall", suite_title(groups.suite), At(*OVERALL, metric)))
    title = f"{metric_name(metric)} by {plain(by).lower()}"
    what = f"{title}. {about}".strip()
    return table_of(
        groups,
        f"{metric}-{by}",
        title,
        what,
        cut.columns,
        rows,
        stub=plain(by),
        decimals=decimals,
        most=len(cut.columns),
    )


def by_group(cut: Slice, by: str, metric: str) -> list[tuple[Column, At]]:
    """A column for each row of a group, and one for the whole."""
    columns = [(Column(plain(key), filter=cut.tags(by, key)), At(by, key, metric)) for key in cut.keys(by)]
    return [*columns, (Column("Overall"), At(*OVERALL, metric))]


def short(metric: str) -> str:
    """A measure as the papers head a narrow column.

    >>> short("accuracy"), short("kp"), short("reasoning")
    ('Acc', 'KP', 'Reasoning')
    """
    return SHORT.get(metric) or (metric.upper() if len(metric) == 2 else metric_name(metric))
