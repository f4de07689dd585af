"""WorldEdit-Test, InEdit-Bench, KRIS-Bench and RISEBench as papers print them: groups of cases against metrics."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.report.paper_tables.any_judged_suite import (
    At,
    Slice,
    by_group,
    measures_table,
    metric_blocks,
    model_table,
    runs_by,
    short,
    slices,
    table_of,
)
from editscope.report.paper_tables.group_figures import OVERALL, GroupFigures
from editscope.report.paper_tables.registry import layout
from editscope.suites.tables import Column, PaperRow, PaperTable
from editscope.wording import metric_name, plain

FOUR = ("vc", "vq", "if", "kp")
INEDIT = ("ac", "pq", "sc", "lc", "sp")
PAIRS = "process_plausibility"
CHECKED = ("dynamic_process", "scientific_simulation")
FORMS = {"implicit": {"level": "", "setting": ""}, "paraphrase": {"level": "", "setting": "paraphrase"}}
"""The two forms of WorldEdit's instructions, as the published results name them."""


@layout("worldedit")
def worldedit(board: GroupFigures) -> Iterator[PaperTable]:
    """Modes and metrics for each form of instruction, then modes alone, forms side by side."""
    forms = [
        Slice(board, cut.tag, cut.value, FORMS.get(cut.value, {})) if cut.tag else cut for cut in slices(board, "level")
    ]
    about = "Scores from 1 to 5. A case is the mean of its four scores, a mode the mean of its cases"
    for cut in forms:
        form = f", {cut.value} instructions" if len(forms) > 1 else ""
        end = f"-{cut.value}" if len(forms) > 1 else ""
        rows = [*metric_blocks(cut, "mode", FOUR, "average")]
        rows.append(cut.row("overall", "Overall", At(*OVERALL, "average")))
        what = f"{about}, and overall is the mean of the modes{form}."
        yield table_of(
            board,
            f"modes{end}",
            f"Metrics by mode{form}",
            what,
            cut.columns,
            rows,
            stub="Mode and metric",
            source="Table 1 of the WorldEdit paper",
            decimals=2,
        )
        yield model_table(
            cut,
            f"averages{end}",
            f"Averages by mode{form}",
            what,
            by_group(cut, "mode", "average"),
            source="Table 2 of the WorldEdit paper",
            decimals=2,
        )
    yield measures_table(board, 2)


@layout("kris")
def kris(board: GroupFigures) -> Iterator[PaperTable]:
    """Dimensions and metrics under their kind of knowledge, with its average; then the twenty categories."""
    cut = Slice(board)
    about = "Scores from 0 to 100: (s − 1) × 25. Every average is over cases, and a case is the mean of its metrics."
    rows: list[PaperRow] = []
    for knowledge, dimensions in board.inside("knowledge", "dimension").items():
        for dimension in dimensions:
            heading, *rest = metric_blocks(cut, "dimension", FOUR, "average", keys=[dimension])
            rows.append(PaperRow("head", f"{plain(knowledge)}: {heading.label.lower()}", heading.filter))
            rows += rest
        rows.append(cut.row("overall", f"{plain(knowledge)} average", At("knowledge", knowledge, "average")))
    rows.append(cut.row("overall", "Overall average", At(*OVERALL, "average")))
    yield table_of(
        board,
        "dimensions",
        "Metrics by dimension of knowledge",
        about,
        cut.columns,
        rows,
        stub="Dimension and metric",
        source="Table 4 of the WorldEdit paper",
        decimals=2,
    )
    yield measures_table(board, 2)
    if len(board.keys("category")) > 1:
        yield runs_by(board, "category", "average", about=about, decimals=2)


@layout("rise")
def rise(board: GroupFigures) -> Iterator[PaperTable]:
    """Accuracy by category, then the score and its parts."""
    cut = Slice(board)
    about = "Accuracy is the share of cases with full marks on all that applies to them."
    title = "Accuracy (%) by category"
    columns = by_group(cut, "category", "accuracy")
    yield model_table(cut, "accuracy", title, f"{title}. {about}", columns, source="Table 5 of the WorldEdit paper")
    metrics = ("reasoning", "consistency", "plausibility")
    own = Slice(board, published=False)
    rows = [*metric_blocks(own, "category", metrics, "score")]
    rows = [PaperRow(**{**row.__dict__, "label": "Score"}) if row.kind == "average" else row for row in rows]
    rows.append(own.row("overall", "Overall score", At(*OVERALL, "score")))
    what = "Scores from 0 to 100: (s − 1) × 25. The score of a case weighs its parts."
    yield table_of(
        board, "scores", "Score by category", what, own.columns, rows, stub="Category", most=len(own.columns)
    )
    yield measures_table(board)
    if len(board.keys("subtask")) > 1:
        yield runs_by(board, "subtask", "accuracy", about=about)


@layout("inedit")
def inedit(board: GroupFigures) -> Iterator[PaperTable]:
    """Categories with overall and accuracy, metrics by category, and the accuracy of sub-tasks."""
    cut = Slice(board)
    about = (
        "Scores from 0 to 100: (s − 1)/4 × 100. A category is the mean of its metric means, overall that of all six."
    )
    columns = [*_categories(cut), (Column("Overall"), At(*OVERALL, "overall"))]
    columns.append((Column("Accuracy (%)"), At(*OVERALL, "accuracy")))
    title = "Scores by category, overall and accuracy"
    yield model_table(cut, "categories", title, about, columns, source="Table 1 of the InEdit-Bench paper", decimals=2)
    tasks = [key for key in cut.keys("category") if key != PAIRS]
    rows = [*metric_blocks(cut, "category", INEDIT, "overall", keys=tasks)] if tasks else []
    yield table_of(
        board,
        "metrics",
        "Metrics by category",
        about,
        cut.columns,
        rows,
        stub="Category and metric",
        source="Table 2 of the InEdit-Bench paper",
    )
    if board.keys("subtask"):
        yield _subtasks(board, cut, tasks)
    yield measures_table(board, 2)


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


def _subtasks(board: GroupFigures, cut: Slice, tasks: list[str]) -> PaperTable:
    """The share of full marks in each sub-task, under its category."""
    rows: list[PaperRow] = []
    inside = board.inside("category", "subtask")
    for category in tasks:
        rows.append(PaperRow("head", plain(category), cut.tags("category", category)))
        found = [(key, At("subtask", key, "accuracy")) for key in inside.get(category, ())]
        rows += [cut.row("row", plain(key), at, 1) for key, at in found if cut.has(at)]
        rows.append(cut.row("average", "Avg", At("category", category, "accuracy"), 1))
    rows.append(cut.row("overall", "Overall", At(*OVERALL, "accuracy")))
    title = f"{metric_name('accuracy')} (%) by sub-task"
    what = f"{title}: the share of cases with 5 on every metric that applies; a missing verdict is not a full mark."
    return table_of(
        board,
        "subtasks",
        title,
        what,
        cut.columns,
        rows,
        stub="Sub-task",
        source="Table 3 of the InEdit-Bench paper",
        decimals=2,
    )
