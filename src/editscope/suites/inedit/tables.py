"""InEdit-Bench as its paper prints it: categories, metrics and sub-tasks."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.tables import OVERALL, Column, FiguresByGroup, PaperRow, PaperTable
from editscope.suites.tables.judged import (
    At,
    Slice,
    measures_table,
    metric_blocks,
    model_table,
    short,
    table_of,
)
from editscope.wording import metric_name, plain

METRICS = ("ac", "pq", "sc", "lc", "sp")
PAIRS = "process_plausibility"
CHECKED = ("dynamic_process", "scientific_simulation")


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Categories with overall and accuracy, metrics by category, and the accuracy of sub-tasks."""
    cut = Slice(groups)
    about = (
        "Scores from 0 to 100: (s − 1)/4 × 100. A category is the mean of its metric means, overall that of all six."
    )
    columns = [*_categories(cut), (Column("Overall"), At(*OVERALL, "overall"))]
    columns.append((Column("Accuracy (%)"), At(*OVERALL, "accuracy")))
    title = "Scores by category, overall and accuracy"
    yield model_table(cut, "categories", title, about, columns, source="Table 1 of the InEdit-Bench paper", decimals=2)
    tasks = [key for key in cut.keys("category") if key != PAIRS]
    rows = [*metric_blocks(cut, "category", METRICS, "overall", keys=tasks)] if tasks else []
    yield table_of(
        groups,
        "metrics",
        "Metrics by category",
        about,
        cut.columns,
        rows,
        stub="Category and metric",
        source="Table 2 of the InEdit-Bench paper",
    )
    if groups.keys("subtask"):
        yield _subtasks(groups, cut, tasks)
    yield measures_table(groups, 2)


def _categories(cut: Slice) -> Iterator[tuple[Column, At]]:
    """A column for each category; beside it without SP where that applies, and PP for the pairs of paths."""
    for key in cut.keys("category"):
        tags, above = cut.tags("category", key), plain(key)
        if key == PAIRS:
            yield Column(short("pp"), filter=tags, above=above), At("category", key, "pp")
            continue
        yield Column("Avg", filter=tags, above=above), At("category", key, "overall")
        if key in CHECKED:
            yield (
                Column("without SP", filter=tags, above=above),
                At("category", key, "overall_without_sp"),
            )


def _subtasks(groups: FiguresByGroup, cut: Slice, tasks: list[str]) -> PaperTable:
    """The share of full marks in each sub-task, under its category."""
    rows: list[PaperRow] = []
    inside = groups.inside("category", "subtask")
    for category in tasks:
        rows.append(PaperRow("head", plain(category), cut.tags("category", category)))
        subtasks = [(key, At("subtask", key, "accuracy")) for key in inside.get(category, ())]
        rows += [cut.row("row", plain(key), at, 1) for key, at in subtasks if cut.has(at)]
        rows.append(cut.row("average", "Avg", At("category", category, "accuracy"), 1))
    rows.append(cut.row("overall", "Overall", At(*OVERALL, "accuracy")))
    title = f"{metric_name('accuracy')} (%) by sub-task"
    what = f"{title}: the share of cases with 5 on every metric that applies; a missing verdict is not a full mark."
    return table_of(
        groups,
        "subtasks",
        title,
        what,
        cut.columns,
        rows,
        stub="Sub-task",
        source="Table 3 of the InEdit-Bench paper",
        decimals=2,
    )
