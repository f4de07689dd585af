"""RISEBench as the WorldEdit paper prints it, and its score with its parts."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.tables import OVERALL, FiguresByGroup, PaperRow, PaperTable
from editscope.suites.tables.judged import (
    At,
    Slice,
    by_group,
    measures_table,
    metric_blocks,
    model_table,
    runs_by,
    table_of,
)


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Accuracy by category, then the score and its parts."""
    cut = Slice(groups)
    about = "Accuracy is the share of cases with full marks on all that applies to them."
    title = "Accuracy (%) by category"
    columns = by_group(cut, "category", "accuracy")
    yield model_table(cut, "accuracy", title, f"{title}. {about}", columns, source="Table 5 of the WorldEdit paper")
    metrics = ("reasoning", "consistency", "plausibility")
    own = Slice(groups, published=False)
    rows = [*metric_blocks(own, "category", metrics, "score")]
    rows = [PaperRow(**{**row.__dict__, "label": "Score"}) if row.kind == "average" else row for row in rows]
    rows.append(own.row("overall", "Overall score", At(*OVERALL, "score")))
    what = "Scores from 0 to 100: (s − 1) × 25. The score of a case weighs its parts."
    yield table_of(
        groups, "scores", "Score by category", what, own.columns, rows, stub="Category", most=len(own.columns)
    )
    yield measures_table(groups)
    if len(groups.keys("subtask")) > 1:
        yield runs_by(groups, "subtask", "accuracy", about=about)
