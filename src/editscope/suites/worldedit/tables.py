"""WorldEdit-Test as its paper prints it: modes against metrics."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.tables import OVERALL, FiguresByGroup, PaperTable
from editscope.suites.tables.judged import (
    At,
    Slice,
    by_group,
    measures_table,
    metric_blocks,
    model_table,
    slices,
    table_of,
)

METRICS = ("vc", "vq", "if", "kp")
FORMS = {"implicit": {"level": "", "setting": ""}, "paraphrase": {"level": "", "setting": "paraphrase"}}
"""The two forms of WorldEdit's instructions, as the published results name them."""


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """Modes and metrics for each form of instruction, then modes alone, forms side by side."""
    forms = [
        Slice(groups, cut.tag, cut.value, FORMS.get(cut.value, {})) if cut.tag else cut
        for cut in slices(groups, "level")
    ]
    about = "Scores from 1 to 5. A case is the mean of its four scores, a mode the mean of its cases"
    for cut in forms:
        form = f", {cut.value} instructions" if len(forms) > 1 else ""
        end = f"-{cut.value}" if len(forms) > 1 else ""
        rows = [*metric_blocks(cut, "mode", METRICS, "average")]
        rows.append(cut.row("overall", "Overall", At(*OVERALL, "average")))
        what = f"{about}, and overall is the mean of the modes{form}."
        yield table_of(
            groups,
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
    yield measures_table(groups, 2)
