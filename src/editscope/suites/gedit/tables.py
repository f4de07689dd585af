"""GEdit-Bench as its paper prints it: models against metrics in each language, and the groups one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from editscope.suites.gedit.rubric import REST, SHARED, SUBSET
from editscope.suites.tables import OVERALL, Column, FiguresByGroup, PaperCell, PaperRow, PaperTable
from editscope.suites.tables.judged import At, Slice, by_group, measures_table, model_table, slices, table_of
from editscope.wording import plain

METRICS = {"sc": "SC", "pq": "PQ", "overall": "O"}
LANGUAGES = {"en": "English", "cn": "Chinese"}
SOURCES = {"en": "Table 2", "cn": "Table 3"}
ABOUT = (
    "Scores from 0 to 10. SC and PQ are the lower of two scores each, O is √(SC · PQ), edit by edit; a group is the "
    "mean of its edits, and the whole the mean of its groups."
)


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """For each language the three metrics, then the groups: overall alone, and all three."""
    for cut in slices(groups, "language"):
        end, language = cut.value or "all", LANGUAGES.get(cut.value, cut.value) or "all"
        title = f"SC, PQ and overall, {language} instructions"
        yield _scores(cut, f"scores-{end}", title)
        ours = replace(cut, published=False)
        title = f"Overall by group, {language} instructions"
        columns = by_group(ours, "group", "overall")
        yield model_table(ours, f"groups-{end}", title, f"{title}. {ABOUT}", columns, decimals=2)
        title = f"Metrics by group, {language} instructions"
        yield table_of(
            groups,
            f"metrics-{end}",
            title,
            f"{title}. {ABOUT}",
            ours.columns,
            list(_blocks(ours)),
            stub="Group and metric",
            decimals=2,
        )
    yield measures_table(groups, 2)


def _scores(cut: Slice, name: str, title: str) -> PaperTable:
    """Models as rows: the metrics over the intersection, and over the full set unless the runs are without it."""
    parts = []
    keys = cut.keys(SUBSET)
    if SHARED in keys:
        shared = replace(cut, named={"setting": SHARED})
        parts.append(("Intersection", shared, {m: At(SUBSET, SHARED, m) for m in METRICS}))
    if REST in keys or not parts:
        parts.append(("Full set", cut, {m: At(*OVERALL, m) for m in METRICS}))
    columns, cells = [], []
    heads: dict[str, Column] = {}
    for above, part, places in parts:
        heads |= {column.label: column for column in part.columns}
        for metric, at in places.items():
            columns.append(Column(METRICS[metric], filter=part.tags(at.by, at.key), above=above))
            cells.append(_by_model(part, at))
    rows = [
        PaperRow(
            "row",
            head.label,
            {},
            tuple(by_model.get(head.label) for by_model in cells),
            head.note,
            0,
            head.run_index,
            head.published,
        )
        for head in sorted(heads.values(), key=lambda head: head.published)
    ]
    source = f"{SOURCES[cut.value]} of the Step1X-Edit paper" if cut.value in SOURCES else ""
    return table_of(
        cut.groups,
        name,
        title,
        f"{title}. {ABOUT} The intersection holds the edits that every model of the paper returned.",
        tuple(columns),
        rows,
        stub="Model",
        models="rows",
        source=source,
        decimals=2,
    )


def _by_model(part: Slice, at: At) -> dict[str, PaperCell | None]:
    """A figure of each model by its label. Papers print the figures of a subset as those of a whole."""
    printed = part.cells(replace(at, by=OVERALL[0], key=OVERALL[1]))
    ours = part.cells(at)
    return {
        column.label: theirs if column.published else own
        for column, own, theirs in zip(part.columns, ours, printed, strict=True)
    }


def _blocks(cut: Slice) -> Iterator[PaperRow]:
    """For each group a heading and its three metrics, then those of the whole."""
    for by, key in [*(("group", key) for key in cut.keys("group")), OVERALL]:
        yield PaperRow("head", plain(key) if key else "All groups", cut.tags(by, key))
        for metric, label in METRICS.items():
            yield cut.row("average" if metric == "overall" else "row", label, At(by, key, metric), 1)
