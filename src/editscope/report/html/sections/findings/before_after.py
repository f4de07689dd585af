"""Before and after: where the metrics that matter stood, where they went, and how sure the difference is."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from editscope.report.figure_data.changes import (
    MetricChange,
    change_metrics,
    changes_between,
    changes_of_variants,
    run_pairs,
)
from editscope.report.figure_data.statistics import resamples_for_page
from editscope.report.html.links import cases_query
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Choices, Dots, Point, figure
from editscope.report.html.section_parts import FEW, section_card
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.report.paper_tables import main_groups
from editscope.stats.paired import Paired
from editscope.wording import ends, metric_title, plain, signed, signed_range, value

MOST_ROWS = 40


def before_after(sheet: Sheet, options: ReportOptions) -> Html | None:
    """The metrics that the paper shows the change of, for up to four runs, or for levels and languages of one."""
    if len(sheet.runs) > FEW:
        return None
    outer, inner = main_groups(sheet)
    by = inner or outer
    by = by if len(sheet.keys(by)) <= MOST_ROWS else ""
    resamples = resamples_for_page(sheet)
    plots = []
    offered = set()
    for metric in change_metrics(sheet):
        if len(sheet.runs) > 1:
            changes = changes_between(sheet, run_pairs(sheet), metric, by, resamples)
        else:
            changes = changes_of_variants(sheet, sheet.runs[0], metric, by, resamples)
        if changes:
            plots.append(_plot(sheet, by, changes))
            offered.add(tuple((one.before, one.after) for one in changes))
    if not plots:
        return None
    hint = (
        "Open: before. Filled: after. The whisker is the 95 % interval of the difference (paired bootstrap, "
        f"{resamples:,} resamples), drawn from the open mark. Where it does not reach that mark, the difference is "
        "clear."
    )
    group = "changes" if len(offered) == 1 else None  # one choice of a pair for all metrics
    return section_card(
        sheet, "changes", "Before and after", hint, [el("div", plots, cls="plots three", data_group=group)]
    )


def _plot(sheet: Sheet, by: str, changes: Sequence[MetricChange]) -> Html:
    """Dumbbells by row for the pair that one chooses."""
    metric = changes[0].metric
    keys = list(dict.fromkeys(key for change in changes for key, _ in change.rows))
    labels = ["All" if not key else " · ".join(plain(part) for part in key.split("/")) for key in keys]
    versions = [(f"{one.before} → {one.after}", _dots(sheet, by, one, keys, labels)) for one in changes]
    pair, plot = versions[0]
    title = f"{metric_title(metric)}: {pair}" if len(versions) == 1 else metric_title(metric)
    return figure(
        title,
        plot.svg(f"{metric_title(metric)}, {pair}"),
        plot.traces(),
        {
            **plot.layout(),
            "xaxis": plot.layout()["xaxis"] | ({} if len(versions) == 1 else {"range": _widest(versions)}),
        },
        choices=Choices("Pair", [(name, dots.traces()) for name, dots in versions]) if len(versions) > 1 else None,
    )


def _widest(versions: Sequence[tuple[str, Dots]]) -> list[float]:
    """An axis that holds every version, so that it stays when one chooses another."""
    spans = [dots.range() for _, dots in versions]
    return [min(low for low, _ in spans), max(high for _, high in spans)]


def _dots(sheet: Sheet, by: str, change: MetricChange, keys: Sequence[str], labels: Sequence[str]) -> Dots:
    group = next((group for group in sheet.aggregation.groups if group.name == by), None)
    before: list[Point | None] = []
    after: list[Point | None] = []
    for key, label in zip(keys, labels, strict=True):
        paired = change.row(key)
        if paired is None:
            before.append(None)
            after.append(None)
            continue
        tags = sheet.tags_of(group, key) if group is not None and key else {}
        link = cases_query(tags, view=change.view)
        said = f"{label}: {_said(paired, change.metric)}"
        lo = None if paired.lo is None else paired.mean_a + paired.lo
        hi = None if paired.hi is None else paired.mean_a + paired.hi
        before.append(Point(paired.mean_a, None, None, said, link, strong=False, faint=paired.few))
        after.append(Point(paired.mean_b, lo, hi, said, link, faint=paired.few))
    index = change.view.index
    return Dots(
        labels,
        [(index, change.before, before), (index, change.after, after)],
        metric_title(change.metric),
        span=_span(change),
        bold=1,
        joined=True,
    )


def _span(change: MetricChange) -> tuple[float, float]:
    """From the lowest to the highest mark, with some room, and never beyond the scale of the metric."""
    low, high = ends(change.metric, inf if change.metric.endswith("_ratio") else 100.0)
    marks = [mark for _, paired in change.rows for mark in _marks(paired)]
    room = 0.05 * ((max(marks) - min(marks)) or 1.0)
    return max(min(marks), low) - room, min(max(marks), high) + room


def _marks(paired: Paired) -> list[float]:
    ends_of = [] if paired.lo is None or paired.hi is None else [paired.mean_a + paired.lo, paired.mean_a + paired.hi]
    return [paired.mean_a, paired.mean_b, *ends_of]


def _said(paired: Paired, metric: str) -> str:
    around = f" ({span})" if (span := signed_range(paired.lo, paired.hi, metric)) else ""
    means = f"{value(paired.mean_a, metric)} → {value(paired.mean_b, metric)}"
    return f"{means}, {signed(paired.difference, metric)}{around} {paired.stars}\n{paired.cases} cases".replace(
        " \n", "\n"
    )
