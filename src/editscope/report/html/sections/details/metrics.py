"""Metrics side by side: all on one scale as a radar and with intervals, by sub-task, and divided into parts."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from editscope.report.figure_data.metric_means import MetricAxis, metric_grid, metric_profile
from editscope.report.figure_data.splits import SplitMeans, split_means, variant_label
from editscope.report.html.links import cases_link, cases_query
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Bars, BarSeries, Dots, Heat, Point, Radar, figure
from editscope.report.html.section_parts import FEW, badge, run_heat, section_card
from editscope.report.model import Cell, RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.report.paper_tables import main_groups
from editscope.stats.small_groups import is_few
from editscope.wording import ends, metric_name, metric_note, metric_title, plain, value

MOST_SPOKES = 14
MOST_BARS = 6
"""More bars in a row than this are a table."""


def metrics(sheet: Sheet, options: ReportOptions) -> Html | None:
    """What each metric says of each run, over all cases and by sub-task; the main table divided as its paper does."""
    parts: list[Child] = [_profile(sheet), _by_run(sheet), _grids(sheet)]
    outer, inner = main_groups(sheet)
    parts += [_split(sheet, split) for split in split_means(sheet, inner or outer)]
    parts = [part for part in parts if part]
    if not parts:
        return None
    hint = "Metrics that share the scale of the headline. Click a figure to see its cases."
    return section_card(sheet, "metrics", "Metric by metric", hint, parts)


def _profile(sheet: Sheet) -> Html | None:
    """A radar of the metrics, and the same with intervals; of many runs a table."""
    profile = metric_profile(sheet)
    if profile is None:
        return None
    labels = [axis.label for axis in profile.axes]
    title = "Means by metric"
    if len(sheet.runs) > FEW:
        cells = {view.index: of for view, of in profile.runs}

        def mean(row: int, view: RunView) -> float | None:
            cell = cells[view.index][row]
            return None if cell is None else float(cell["mean"])

        return run_heat(
            sheet, title, labels, mean, lambda row, view: f"#cases?{_query(sheet, profile.axes[row], view)}"
        )
    series = [
        (
            view.index,
            view.name,
            [
                _point(cell, axis.metric, axis.label, _query(sheet, axis, view))
                for axis, cell in zip(profile.axes, of, strict=True)
            ],
        )
        for view, of in profile.runs
    ]
    low, high = ends(sheet.headline)
    room = 0.015 * (high - low)
    dots = Dots(labels, series, f"Score ({low:g}–{high:g})", span=(low - room, high + room))
    bars = figure(title, dots.svg(title), dots.traces(), dots.layout(), note=_notes(profile.axes))
    if not 3 <= len(labels) <= MOST_SPOKES:
        return bars
    rings = [
        (view.index, view.name, profile.means(place), [_query(sheet, axis, view) for axis in profile.axes])
        for place, (view, _) in enumerate(profile.runs)
    ]
    largest = max((v for _, _, values, _ in rings for v in values if v is not None), default=0.0)
    full = high if high - low <= 10 else min(high, max(10.0, 10.0 * ceil(largest / 10.0)))
    radar = Radar(labels, rings, full, low)
    shape = figure("Profile", radar.svg("Profile of the metrics"), radar.traces(), radar.layout(), cls="small")
    return el("div", el("div", shape), el("div", bars), cls="beside")


def _notes(axes: Sequence[MetricAxis]) -> str:
    """What the rows below the metrics are, where the paper has some."""
    kinds = dict.fromkeys(plain(axis.by).lower() for axis in axes if axis.by)
    return f"below the metrics: {', '.join(f'the headline by {kind}' for kind in kinds)}" if kinds else ""


def _query(sheet: Sheet, axis: MetricAxis, view: RunView) -> str:
    group = next((group for group in sheet.aggregation.groups if group.name == axis.by), None)
    return cases_query(sheet.tags_of(group, axis.key) if group else {}, view=view)


def _point(cell: Cell | None, metric: str, label: str, link: str) -> Point | None:
    if cell is None:
        return None
    around = f" ({value(cell['lo'], metric)} – {value(cell['hi'], metric)})" if cell.get("lo") is not None else ""
    few = is_few(cell)
    tooltip = f"{label}: {value(cell['mean'], metric)}{around}\nn = {cell['n']:,}"
    return Point(cell["mean"], cell.get("lo"), cell.get("hi"), tooltip, link, strong=not few, faint=few)


def _by_run(sheet: Sheet) -> Html | None:
    """Runs against sub-tasks; of more runs the section of profiles has this table."""
    group = sheet.fine
    if group is None or not 2 <= len(sheet.runs) <= FEW:
        return None
    keys = sheet.keys(group.name)
    title = f"{metric_name(sheet.headline)} by {plain(group.name).lower()} and run"
    return run_heat(
        sheet,
        title,
        [_row_name(key) for key in keys],
        lambda row, view: view.cells(group.name, keys[row]).get(sheet.headline, {}).get("mean"),
        lambda row, view: cases_link(sheet.tags_of(group, keys[row]), view=view),
    )


def _grids(sheet: Sheet) -> Html | None:
    """Sub-tasks against metrics: a table for each run, those after the first folded."""
    group = sheet.fine
    grid = metric_grid(sheet, group.name) if group else None
    if grid is None or group is None:
        return None
    low, high = ends(sheet.headline)
    heads = [el("span", metric_name(metric), title=metric_note(metric)) for metric in grid.metrics]
    tables = []
    for place, (view, rows) in enumerate(grid.runs):
        means = [[None if cell is None else float(cell["mean"]) for cell in row] for row in rows]
        heat = Heat(
            "",
            heads,
            list(zip(map(_row_name, grid.keys), means, strict=True)),
            high,
            low=low,
            link=lambda i, j, view=view: cases_link(sheet.tags_of(group, grid.keys[i]), view=view),  # type: ignore[misc]
            text=lambda number: value(number, sheet.headline),
        )
        title = f"{plain(group.name)} by metric"
        table = heat.table(title if len(grid.runs) == 1 else f"{title}, {view.name}")
        name = [badge(view), " ", el("strong", view.name), f": {title.lower()}"]
        tables.append(table if len(grid.runs) == 1 else el("details", el("summary", name), table, open=place == 0))
    return el("div", tables, cls="metric-grids")


def _row_name(key: str) -> str:
    return " · ".join(plain(part) for part in key.split("/"))


def _split(sheet: Sheet, split: SplitMeans) -> Html | None:
    """Bars of the parts of each row; of many runs a table."""
    metric = sheet.headline
    title = f"{metric_name(metric)} by {plain(split.tag).lower()}"
    labels = [plain(row) if row else "All" for row in split.rows]
    places = [(row, part) for row in range(len(split.rows)) for part in range(len(split.values))]
    if len(split.runs) * len(split.values) > MOST_BARS:
        cells = {view.index: of for view, of in split.runs}
        names = [f"{labels[row]} · {variant_label(split.values[part])}" for row, part in places]

        def mean(place: int, view: RunView) -> float | None:
            row, part = places[place]
            cell = cells[view.index][row][part]
            return None if cell is None else float(cell["mean"])

        return run_heat(
            sheet, title, names, mean, lambda place, view: f"#cases?{_part_query(split, *places[place], view)}"
        )
    series = []
    for view, of in split.runs:
        for part, name in enumerate(split.values):
            points = [
                _point(
                    of[row][part],
                    metric,
                    f"{label}, {variant_label(name)}",
                    _part_query(split, row, part, view),
                )
                for row, label in enumerate(labels)
            ]
            alone = variant_label(name) if len(split.runs) == 1 else f"{view.letter} {variant_label(name)}"
            series.append(BarSeries(view.index, part, alone, points))
    plot = Bars(labels, series, metric_title(metric), ends(metric))
    parts = ", ".join(variant_label(name) for name in split.values)
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), note=f"from dark to pale: {parts}")


def _part_query(split: SplitMeans, row: int, part: int, view: RunView) -> str:
    tags = {split.tag: split.values[part], **({split.by: split.rows[row]} if split.rows[row] else {})}
    return cases_query(tags, view=view)
