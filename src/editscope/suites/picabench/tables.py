"""PICABench as its paper prints it: accuracy and consistency by law for each level, and the levels side by side."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.suites.tables import OVERALL, Column, FiguresByGroup, PaperRow, PaperTable
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

PAPER = "of the PICABench paper"
METRICS = ("accuracy", "consistency")
TABLES = {"superficial": "Table 1", "intermediate": "Table 5", "explicit": "Table 6"}
WHAT = (
    "Accuracy (%, right answers pooled over questions) and consistency (dB, PSNR outside the edited area, mean over "
    "cases) by law of physics."
)


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """A table of laws for each level, the levels side by side, then what the paper has no table of."""
    levels = slices(groups, "level")
    for cut in levels:
        level = cut.value or "superficial"
        source = f"{TABLES[level]} {PAPER}" if level in TABLES else ""
        title = f"Accuracy and consistency by law, {level} instructions"
        what = WHAT if not cut.tag else f"{WHAT} Instructions: {level}."
        name = "laws" if len(levels) == 1 else f"laws-{level}"
        yield model_table(cut, name, title, what, _laws(cut), source=source, decimals=2)
    if len(levels) > 1:
        yield _levels(groups, levels)
    yield measures_table(groups, 2)
    for by in ("dimension", "operation", "question_category"):
        if len(groups.keys(by)) > 1:
            yield runs_by(groups, by, "accuracy", about="Pooled over questions.", decimals=2)


def _laws(cut: Slice) -> list[tuple[Column, At]]:
    """Two columns for each law, and two for all."""
    columns = []
    for by, key in [*(("law", key) for key in cut.keys("law")), OVERALL]:
        above = plain(key) if key else "Overall"
        tags = cut.tags(by, key)
        columns += [(Column(short(metric), filter=tags, above=above), At(by, key, metric)) for metric in METRICS]
    return columns


def _levels(groups: FiguresByGroup, levels: list[Slice]) -> PaperTable:
    """Every model at every level, in rows."""
    whole = Slice(groups)
    columns = [
        (Column(c.label, filter=whole.tags(a.by, a.key), above=c.above), a) for c, a in _laws(whole) if whole.has(a)
    ]
    ats = [at for _, at in columns]
    unsorted = [row for cut in levels for row in cut.model_rows(ats, label=cut.value)]
    rows = sorted(unsorted, key=lambda row: (row.published, row.label.rsplit(", ", 1)[0] if row.published else ""))
    ours = sorted((row for row in rows if not row.published), key=lambda row: row.run_index or 0)
    several = [row for row in rows if row.published and _often(rows, row.label) > 1]
    title = "Accuracy and consistency at every level of instruction"
    return table_of(
        groups,
        "levels",
        title,
        f"{WHAT} Each model at each level.",
        tuple(column for column, _ in columns),
        [*ours, *several],
        stub="Model and level",
        models="rows",
        source=f"Table 2 {PAPER}",
        decimals=2,
    )


def _often(rows: list[PaperRow], label: str) -> int:
    model = label.rsplit(", ", 1)[0]
    return sum(row.label.rsplit(", ", 1)[0] == model for row in rows)
