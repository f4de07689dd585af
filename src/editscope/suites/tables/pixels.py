"""The layout of a suite that has none of its own: its groups as the suite's aggregation nests them."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.stats.summary import DIAGNOSTIC
from editscope.suites.registry import suite_title
from editscope.suites.tables.figures import OVERALL, FiguresByGroup
from editscope.suites.tables.records import Column, PaperRow, PaperTable
from editscope.wording import metric_title, plain


def tables(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """A nested table of the headline metric, one for every group that does not nest, then the diagnostics."""
    metric = groups.headline
    nested, others = _chain(groups)
    yield nested_table(groups, nested, metric)
    for by in others:
        yield flat_table(groups, by, metric)
    yield from diagnostics(groups)


def nested_table(groups: FiguresByGroup, levels: list[str], metric: str) -> PaperTable:
    """Rows of the coarser group as headings with their average, the finer group inside them, the benchmark last."""
    rows: list[PaperRow] = []
    finest = plain(levels[-1]) if levels else ""
    title = f"{metric_title(metric)} by {finest.lower()}" if finest else metric_title(metric)
    what = f"{title}."
    if len(levels) == 2:
        outer, inner = levels
        what += f" An average row is the mean of its {plain(outer).lower()}; the last row is the benchmark."
        for key, members in groups.inside(outer, inner).items():
            rows.append(PaperRow("head", plain(key), groups.tags(outer, key)))
            rows.append(groups.row("average", "Average", outer, key, metric))
            rows += [groups.row("row", short_label(member, key), inner, member, metric, 1) for member in members]
    else:
        rows += [groups.row("row", plain(key), by, key, metric) for by in levels for key in groups.keys(by)]
    rows.append(groups.row("overall", suite_title(groups.suite), *OVERALL, metric))
    decimals = decimals_of(metric)
    return PaperTable("rows", title, groups.caption(what), groups.columns, tuple(rows), metric, decimals, stub=finest)


def flat_table(groups: FiguresByGroup, by: str, metric: str, *, name: str = "", source: str = "") -> PaperTable:
    """A table of one group, every figure with its half-width."""
    rows = tuple(groups.row("row", plain(key), by, key, metric) for key in groups.keys(by))
    title = f"{metric_title(metric)} by {plain(by).lower()}"
    return PaperTable(
        name or by,
        title,
        groups.caption(f"{title}."),
        groups.columns,
        rows,
        metric,
        decimals_of(metric),
        source=source,
        stub=plain(by),
        spread=("row", "average", "overall"),
    )


def diagnostics(groups: FiguresByGroup) -> Iterator[PaperTable]:
    """The cases that stay out of every average, if a run has any."""
    tags = dict(groups.excluded)
    rows = [
        PaperRow("row", metric_title(metric), tags, groups.cells(DIAGNOSTIC, key, metric))
        for key in groups.keys(DIAGNOSTIC)
        for metric in groups.metrics
    ]
    if rows:
        which = ", ".join(plain(value).lower() for value in tags.values())
        title = f"Diagnostic cases ({which}), outside every average"
        caption = groups.caption(f"{title}.", cases=False)
        metric = groups.headline
        yield PaperTable(
            "diagnostic", title, caption, groups.columns, tuple(rows), metric, stub="Metric", spread=("row",)
        )


def tasks_table(groups: FiguresByGroup, outer: str, metric: str, source: str) -> PaperTable:
    """Tasks under their category with its average, the benchmark last."""
    rows: list[PaperRow] = []
    for key, tasks in groups.inside(outer, "task").items():
        rows.append(PaperRow("head", plain(key), groups.tags(outer, key)))
        rows.append(groups.row("average", f"{plain(outer)} average", outer, key, metric))
        rows += [groups.row("row", short_label(task, key), "task", task, metric, 1) for task in tasks]
    rows.append(groups.row("overall", "Benchmark", *OVERALL, metric))
    what = (
        f"{metric_title(metric)} by task. Each {plain(outer).lower()} average is the mean of its tasks, and the "
        f"benchmark is the mean of those averages."
    )
    name = "tasks" if metric == groups.headline else f"tasks-{metric}"
    return metric_table(groups, name, f"{metric_title(metric)} by task", what, rows, metric, source, "Task")


def averages_table(groups: FiguresByGroup, outer: str, metric: str, source: str) -> PaperTable:
    """One row for each model: the averages and the benchmark, all with half-widths."""
    rows = [(outer, key) for key in groups.keys(outer)]
    columns = [Column(plain(key), filter=groups.tags(outer, key)) for _, key in rows] + [Column("Benchmark")]
    title = f"{metric_title(metric)} by {plain(outer).lower()}"
    return PaperTable(
        "averages",
        title,
        groups.caption(f"Averages of {metric_title(metric)} over each {plain(outer).lower()} and the benchmark."),
        tuple(columns),
        groups.models([*rows, OVERALL], metric),
        metric,
        decimals_of(metric),
        source=source,
        stub="Model",
        spread=("row",),
        models="rows",
    )


def metric_table(
    groups: FiguresByGroup, name: str, title: str, what: str, rows: list[PaperRow], metric: str, source: str, stub: str
) -> PaperTable:
    """A table of one metric with all columns of the groups."""
    return PaperTable(
        name,
        title,
        groups.caption(what),
        groups.columns,
        tuple(rows),
        metric,
        decimals_of(metric),
        source=source,
        stub=stub,
    )


def short_label(key: str, parent: str) -> str:
    """The label of a row inside another, without repeating it.

    >>> short_label("bar_chart_add_bar", "bar_chart"), short_label("border", "structural_manipulation")
    ('Add bar', 'Border')
    >>> short_label("removal/location", "removal")
    'Location'
    """
    for joint in ("_", "/"):
        if key.startswith(f"{parent}{joint}"):
            return plain(key.removeprefix(f"{parent}{joint}"))
    return plain(key)


def decimals_of(metric: str) -> int:
    """How many decimals a table shows: one for percentages, two for ratios."""
    return 2 if metric.endswith("_ratio") else 1


def _chain(groups: FiguresByGroup) -> tuple[list[str], list[str]]:
    """The groups that refine one another from the first, and the others."""
    chain: list[str] = []
    others: list[str] = []
    for group in groups.all_groups:
        nests = not chain or groups.refines(group.name, chain[-1])
        (chain if nests and len(chain) < 2 else others).append(group.name)
    return chain, others
