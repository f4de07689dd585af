"""The layout of a suite that has none of its own: its groups as the suite's aggregation nests them."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.stats.summary import DIAGNOSTIC
from editscope.suites.registry import suite_title
from editscope.suites.tables.figures import OVERALL, GroupFigures
from editscope.suites.tables.records import Column, PaperRow, PaperTable
from editscope.wording import metric_title, plain


def tables(board: GroupFigures) -> Iterator[PaperTable]:
    """A nested table of the headline metric, one for every group that does not nest, then the diagnostics."""
    metric = board.headline
    nested, others = _chain(board)
    yield nested_table(board, nested, metric)
    for by in others:
        yield flat_table(board, by, metric)
    yield from diagnostics(board)


def nested_table(board: GroupFigures, levels: list[str], metric: str) -> PaperTable:
    """Rows of the coarser group as headings with their average, the finer group inside them, the benchmark last."""
    rows: list[PaperRow] = []
    finest = plain(levels[-1]) if levels else ""
    title = f"{metric_title(metric)} by {finest.lower()}" if finest else metric_title(metric)
    what = f"{title}."
    if len(levels) == 2:
        outer, inner = levels
        what += f" An average row is the mean of its {plain(outer).lower()}; the last row is the benchmark."
        for key, members in board.inside(outer, inner).items():
            rows.append(PaperRow("head", plain(key), board.tags(outer, key)))
            rows.append(board.row("average", "Average", outer, key, metric))
            rows += [board.row("row", short_label(member, key), inner, member, metric, 1) for member in members]
    else:
        rows += [board.row("row", plain(key), by, key, metric) for by in levels for key in board.keys(by)]
    rows.append(board.row("overall", suite_title(board.suite), *OVERALL, metric))
    decimals = decimals_of(metric)
    return PaperTable("rows", title, board.caption(what), board.columns, tuple(rows), metric, decimals, stub=finest)


def flat_table(board: GroupFigures, by: str, metric: str, *, name: str = "", source: str = "") -> PaperTable:
    """A table of one group, every figure with its half-width."""
    rows = tuple(board.row("row", plain(key), by, key, metric) for key in board.keys(by))
    title = f"{metric_title(metric)} by {plain(by).lower()}"
    return PaperTable(
        name or by,
        title,
        board.caption(f"{title}."),
        board.columns,
        rows,
        metric,
        decimals_of(metric),
        source=source,
        stub=plain(by),
        spread=("row", "average", "overall"),
    )


def diagnostics(board: GroupFigures) -> Iterator[PaperTable]:
    """The cases that stay out of every average, if a run has any."""
    tags = dict(board.excluded)
    rows = [
        PaperRow("row", metric_title(metric), tags, board.cells(DIAGNOSTIC, key, metric))
        for key in board.keys(DIAGNOSTIC)
        for metric in board.metrics
    ]
    if rows:
        which = ", ".join(plain(value).lower() for value in tags.values())
        title = f"Diagnostic cases ({which}), outside every average"
        caption = board.caption(f"{title}.", cases=False)
        metric = board.headline
        yield PaperTable(
            "diagnostic", title, caption, board.columns, tuple(rows), metric, stub="Metric", spread=("row",)
        )


def tasks_table(board: GroupFigures, outer: str, metric: str, source: str) -> PaperTable:
    """Tasks under their category with its average, the benchmark last."""
    rows: list[PaperRow] = []
    for key, tasks in board.inside(outer, "task").items():
        rows.append(PaperRow("head", plain(key), board.tags(outer, key)))
        rows.append(board.row("average", f"{plain(outer)} average", outer, key, metric))
        rows += [board.row("row", short_label(task, key), "task", task, metric, 1) for task in tasks]
    rows.append(board.row("overall", "Benchmark", *OVERALL, metric))
    what = (
        f"{metric_title(metric)} by task. Each {plain(outer).lower()} average is the mean of its tasks, and the "
        f"benchmark is the mean of those averages."
    )
    name = "tasks" if metric == board.headline else f"tasks-{metric}"
    return metric_table(board, name, f"{metric_title(metric)} by task", what, rows, metric, source, "Task")


def averages_table(board: GroupFigures, outer: str, metric: str, source: str) -> PaperTable:
    """One row for each model: the averages and the benchmark, all with half-widths."""
    groups = [(outer, key) for key in board.keys(outer)]
    columns = [Column(plain(key), filter=board.tags(outer, key)) for _, key in groups] + [Column("Benchmark")]
    title = f"{metric_title(metric)} by {plain(outer).lower()}"
    return PaperTable(
        "averages",
        title,
        board.caption(f"Averages of {metric_title(metric)} over each {plain(outer).lower()} and the benchmark."),
        tuple(columns),
        board.models([*groups, OVERALL], metric),
        metric,
        decimals_of(metric),
        source=source,
        stub="Model",
        spread=("row",),
        models="rows",
    )


def metric_table(
    board: GroupFigures, name: str, title: str, what: str, rows: list[PaperRow], metric: str, source: str, stub: str
) -> PaperTable:
    """A table of one metric with all columns of the board."""
    return PaperTable(
        name,
        title,
        board.caption(what),
        board.columns,
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


def _chain(board: GroupFigures) -> tuple[list[str], list[str]]:
    """The groups that refine one another from the first, and the others."""
    chain: list[str] = []
    others: list[str] = []
    for group in board.all_groups:
        nests = not chain or board.refines(group.name, chain[-1])
        (chain if nests and len(chain) < 2 else others).append(group.name)
    return chain, others
