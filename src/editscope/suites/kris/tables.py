"""KRIS-Bench as the WorldEdit paper prints it: dimensions of knowledge against metrics."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.tables import OVERALL, FiguresByGroup, PaperRow, PaperTable
from editscope.suites.tables.judged import (
    At,
    Slice,
    measures_table,
    metric_blocks,
    runs_by,
    table_of,
)
from editscope.wording import plain

METRICS = ("vc", "vq", "if", "kp")


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Dimensions and metrics under their kind of knowledge, with its average; then the twenty categories."""
    cut = Slice(groups)
    about = "Scores from 0 to 100: (s − 1) × 25. Every average is over cases, and a case is the mean of its metrics."
    rows: list[PaperRow] = []
    for knowledge, dimensions in groups.inside("knowledge", "dimension").items():
        for dimension in dimensions:
            heading, *rest = metric_blocks(cut, "dimension", METRICS, "average", keys=[dimension])
            rows.append(PaperRow("head", f"{plain(knowledge)}: {heading.label.lower()}", heading.filter))
            rows += rest
        rows.append(cut.row("overall", f"{plain(knowledge)} average", At("knowledge", knowledge, "average")))
    rows.append(cut.row("overall", "Overall average", At(*OVERALL, "average")))
    yield table_of(
        groups,
        "dimensions",
        "Metrics by dimension of knowledge",
        about,
        cut.columns,
        rows,
        stub="Dimension and metric",
        source="Table 4 of the WorldEdit paper",
        decimals=2,
    )
    yield measures_table(groups, 2)
    if len(groups.keys("category")) > 1:
        yield runs_by(groups, "category", "average", about=about, decimals=2)
