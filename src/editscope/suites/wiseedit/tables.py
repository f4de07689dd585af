"""WiseEdit as its paper prints it: tasks and metrics in each language, single inputs apart, and the complex set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from editscope.suites.tables import OVERALL, Column, FiguresByGroup, PaperCell, PaperRow, PaperTable, difference
from editscope.suites.tables.judged import (
    At,
    Slice,
    measures_table,
    model_table,
    runs_by,
    short,
    slices,
    table_of,
)
from editscope.wording import plain

PAPER = "of the WiseEdit paper"
METRICS = ("if", "dp", "vq", "kf", "cf")
AVERAGE = "average"
LANGUAGES = {"en": "English", "cn": "Chinese"}
SCALE = "Scores from 0 to 100, from 1 to 10 as judged: (s − 1)/9 × 100."
SINGLE = "single"


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Tasks and metrics in each language, then what differs: inputs, languages, kinds of knowledge."""
    languages = slices(groups, "language")
    for cut in languages:
        language = LANGUAGES.get(cut.value, cut.value) or "all"
        title = f"Tasks and metrics, {language} instructions"
        what = f"{SCALE} AVG of a task is the mean of its metric means, overall the mean of the tasks. {title}."
        yield model_table(cut, f"tasks-{cut.value or 'all'}", title, what, _tasks(cut), source=f"Table 2 {PAPER}")
    for cut in languages:
        if SINGLE in cut.keys("inputs") and len(cut.keys("inputs")) > 1:
            yield _inputs(cut)
    if len(languages) > 1:
        yield _languages(groups, languages)
    yield measures_table(groups)
    for by in ("images", "knowledge", "domain", "subtask"):
        if len(groups.keys(by)) > 1:
            yield runs_by(groups, by, AVERAGE, about=SCALE)


def complex_tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """All five metrics in both languages, and the mean of the two."""
    languages = slices(groups, "language")
    columns, cells = [], []
    heads: dict[str, Column] = {}
    whole = Slice(groups)
    for cut in languages:
        for metric in (*METRICS, AVERAGE):
            at = At(*OVERALL, metric)
            if cut.has(at):
                filter_ = {cut.tag: cut.value} if cut.tag else {}
                columns.append(Column(_name(metric), filter=filter_, above=LANGUAGES.get(cut.value, "")))
                cells.append(_named(cut, at))
    if len(languages) > 1:
        columns.append(Column("AVG", above="Overall"))
        cells.append(_named(whole, At(*OVERALL, AVERAGE)))
    for cut in (whole, *languages):
        heads |= {column.label: column for column in cut.columns}
    order = sorted(heads.values(), key=lambda column: column.published)
    rows = [
        PaperRow(
            "row",
            column.label,
            {},
            tuple(found.get(column.label) for found in cells),
            column.note,
            0,
            column.run_index,
            column.published,
        )
        for column in order
        if any((cell := found.get(column.label)) is not None and cell.value is not None for found in cells)
    ]
    what = f"{SCALE} AVG is the mean of the metric means of a language, overall that of the two languages."
    if absent := [column.label for column in order if column.label not in {row.label for row in rows}]:
        what += f" Without a row, since it cannot take the inputs of every case: {', '.join(absent)}."
    yield table_of(
        groups,
        "complex",
        "WiseEdit-Complex",
        what,
        tuple(columns),
        rows,
        stub="Model",
        models="rows",
        source=f"Table 3 {PAPER}",
    )
    yield measures_table(groups)
    for by in ("images", "knowledge"):
        if len(groups.keys(by)) > 1:
            yield runs_by(groups, by, AVERAGE, about=SCALE)


def _named(cut: Slice, at: At) -> dict[str, PaperCell | None]:
    return {column.label: cell for column, cell in zip(cut.columns, cut.cells(at), strict=True)}


def _tasks(cut: Slice) -> list[tuple[Column, At]]:
    """The metrics of each task with their mean, and the mean of the tasks."""
    columns = [
        (Column(_name(metric), filter=cut.tags("task", task), above=plain(task)), At("task", task, metric))
        for task in cut.keys("task")
        for metric in (*METRICS, AVERAGE)
    ]
    return [*columns, (Column("Overall"), At(*OVERALL, AVERAGE))]


def _inputs(cut: Slice) -> PaperTable:
    """Of each run all cases, then those with one input, and the difference."""
    cut = replace(cut, published=False)
    columns = [(column, at) for column, at in _tasks(cut) if cut.has(at)]
    every = cut.model_rows([at for _, at in columns])
    rows: list[PaperRow] = []
    alone = {
        row.label: row
        for row in cut.model_rows(
            [
                At("inputs", SINGLE, at.metric)
                if at.by == "overall"
                else At("inputs/task", f"{SINGLE}/{at.key}", at.metric)
                for _, at in columns
            ]
        )
    }
    for row in every:
        single = alone.get(row.label)
        if single is None:
            continue
        rows.append(PaperRow("head", row.label))
        rows.append(replace(row, label="All inputs", depth=1))
        rows.append(replace(single, label="Single image", depth=1, filter={**single.filter, "inputs": SINGLE}))
        gaps = tuple(difference(one, all_) for one, all_ in zip(single.cells, row.cells, strict=True))
        rows.append(replace(single, label="Single − all", depth=1, cells=gaps))
    language = LANGUAGES.get(cut.value, cut.value) or "all"
    number = "6" if cut.value == "cn" else "5"
    title = f"All inputs and single images, {language} instructions"
    return table_of(
        cut.groups,
        f"inputs-{cut.value or 'all'}",
        title,
        f"{SCALE} The same runs over all cases and over those with one input image.",
        tuple(column for column, _ in columns),
        rows,
        stub="Cases",
        models="rows",
        source=f"Table {number} {PAPER}",
    )


def _languages(groups: FiguresByGroup, languages: list[Slice]) -> PaperTable:
    """Task averages in each language, and the difference of the second to the first."""
    first, second = (replace(cut, published=False) for cut in (languages[0], languages[-1]))
    rows: list[PaperRow] = []
    for by, key in [*(("task", key) for key in first.keys("task")), OVERALL]:
        rows.append(PaperRow("head", plain(key) if key else "Overall"))
        pair = []
        for cut in (first, second):
            row = cut.row("row", LANGUAGES.get(cut.value, cut.value), At(by, key, AVERAGE), 1)
            rows.append(row)
            pair.append(row.cells)
        gaps = tuple(difference(b, a) for a, b in zip(*pair, strict=True))
        label = f"{LANGUAGES.get(second.value, second.value)} − {LANGUAGES.get(first.value, first.value)}"
        rows.append(PaperRow("row", label, {}, gaps, depth=1))
    title = "AVG by language"
    return table_of(
        groups, "languages", title, f"{SCALE} {title}.", first.columns, rows, stub="Language", most=len(first.columns)
    )


def _name(metric: str) -> str:
    return "AVG" if metric == AVERAGE else short(metric)
