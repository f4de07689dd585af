"""Layout of a suite that has none of its own: its groups as the suite's aggregation nests them."""

from __future__ import annotations

from collections.abc import Iterator

from editscope.report.paper_tables.group_figures import OVERALL, GroupFigures
from editscope.stats.summary import DIAGNOSTIC
from editscope.suites.tables import PaperRow, PaperTable
from editscope.wording import metric_title, plain, suite_name


def tables(groups: GroupFigures) -> Iterator[PaperTable]:
    """A nested table of the headline metric, one for every group that does not nest, then the diagnostics."""
    metric = groups.sheet.headline
    nested, others = _chain(groups)
    yield nested_table(groups, nested, metric)
    for by in others:
        yield flat_table(groups, by, metric)
    yield from diagnostics(groups)


def nested_table(groups: GroupFigures, levels: list[str], metric: str) -> PaperTable:
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
    rows.append(groups.row("overall", suite_name(groups.sheet.suite), *OVERALL, metric))
    decimals = decimals_of(metric)
    return PaperTable("rows", title, groups.caption(what), groups.columns, tuple(rows), metric, decimals, stub=finest)


def flat_table(groups: GroupFigures, by: str, metric: str, *, name: str = "", source: str = "") -> PaperTable:
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


def diagnostics(groups: GroupFigures) -> Iterator[PaperTable]:
    """The cases that stay out of every average, if a run has any."""
    tags = dict(groups.sheet.aggregation.exclude)
    rows = [
        PaperRow("row", metric_title(metric), tags, groups.cells(DIAGNOSTIC, key, metric))
        for key in groups.keys(DIAGNOSTIC)
        for metric in groups.metrics
    ]
    if rows:
        which = ", ".join(plain(value).lower() for value in tags.values())
        title = f"Diagnostic cases ({which}), outside every average"
        caption = groups.caption(f"{title}.", cases=False)
        metric = groups.sheet.headline
        yield PaperTable(
            "diagnostic", title, caption, groups.columns, tuple(rows), metric, stub="Metric", spread=("row",)
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


def _chain(groups: GroupFigures) -> tuple[list[str], list[str]]:
    """The groups that refine one another from the first, and the others."""
    chain: list[str] = []
    others: list[str] = []
    for group in groups.sheet.aggregation.groups:
        nests = not chain or groups.refines(group.name, chain[-1])
        (chain if nests and len(chain) < 2 else others).append(group.name)
    return chain, others
