"""Where a model is strong and weak: by task, by size of the edit, by condition, over cases, and for what price."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

from editscope.report.cached_statistics import condition_deltas, kept, palettes, region_sizes
from editscope.report.html.links import cases_link, cases_query
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Dots, Heat, Line, Lines, Point, Radar, Violin, Violins, figure
from editscope.report.html.sections.overview import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import Options
from editscope.stats.diagnosis import Delta, Fidelity, Gap, PaletteGap, SizeBin
from editscope.stats.summary import percent_scale
from editscope.wording import Metric, ends, metric_name, metric_title, plain, signed, value

FEW = 4
"""As many runs as dots with intervals show side by side; more become a table of colored cells."""
LEAST = 0.1
"""The lowest over-editing ratio of a logarithmic scale."""


def profile(sheet: Sheet, options: Options) -> Html | None:
    """The shape of a model: its categories as a radar, its cases as violins, its tasks as dots with intervals."""
    side = [made for made in (_radar(sheet), _spread(sheet)) if made]
    tasks = _tasks(sheet)
    if not side and not tasks:
        return None
    few = len(sheet.runs) <= FEW
    return _card(
        sheet,
        "profile",
        "Strengths and weaknesses",
        "Each row of the tables against the others. Dotted lines are the runs’ own overall means."
        if few
        else "Each row of the tables, run by run; the stronger the color, the better.",
        [el("div", el("div", side), el("div", tasks), cls="beside")]
        if side and tasks and few
        else [el("div", side, cls="plots"), tasks],
    )


def _card(sheet: Sheet, name: str, title: str, hint: str, parts: Sequence[Child]) -> Html:
    return el(
        "section",
        el("header", el("h2", title), cls="section-head"),
        el("p", hint, cls="hint"),
        list(parts),
        cls="card",
        id=f"{name}-{sheet.key}",
    )


def _radar(sheet: Sheet) -> Html | None:
    group, metric = sheet.coarse, sheet.headline
    keys = sheet.keys(group.name) if group else []
    if group is None or not 3 <= len(keys) <= 12:
        return None
    rings = []
    for view in sheet.runs:
        values = [view.cells(group.name, key).get(metric, {}).get("mean") for key in keys]
        links = [cases_query(sheet.tags_of(group, key), view=view) for key in keys]
        rings.append((view.index, view.name, values, links))
    largest = max((v for _, _, values, _ in rings for v in values if v is not None), default=0.0)
    low, full = ends(metric, max(10.0, 10.0 * ceil(largest / 10.0)))
    plot = Radar([plain(key) for key in keys], rings, full, low)
    title = f"{metric_name(metric)} by {plain(group.name).lower()}"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), cls="small")


def _tasks(sheet: Sheet) -> Html | None:
    group, metric = sheet.fine, sheet.headline
    if group is None:
        return None
    keys = sheet.keys(group.name)
    title = f"{metric_name(metric)} by {plain(group.name).lower()}"
    labels = [" · ".join(plain(part) for part in key.split("/")) for key in keys]
    if len(sheet.runs) > FEW:
        return _run_heat(
            sheet,
            title,
            labels,
            lambda i, view: view.cells(group.name, keys[i]).get(metric, {}).get("mean"),
            lambda i, view: cases_link(sheet.tags_of(group, keys[i]), view=view),
        )
    series = []
    for view in sheet.runs:
        points = []
        for key in keys:
            cell = view.cells(group.name, key).get(metric)
            link = cases_query(sheet.tags_of(group, key), view=view)
            points.append(_cell_point(cell, metric, plain(key), link))
        series.append((view.index, view.name, points))
    means = [(view.summary["overall"][metric]["mean"], view.index) for view in sheet.runs]
    rules = [(mean, index) for mean, index in means if mean is not None]
    plot = Dots(labels, series, metric_title(metric), span=_span(metric), lines=rules)
    return figure(title, plot.svg(title), plot.traces(), plot.layout())


def _span(metric: str) -> tuple[float, float] | None:
    """The axis of a metric: its whole scale with a little room; None for one without an upper end."""
    if metric.endswith("_ratio") or (isinstance(metric, Metric) and metric.unit == "dB"):
        return None
    low, high = ends(metric)
    room = 0.015 * (high - low)
    return low - room, high + room


def _cell_point(cell: dict[str, Any] | None, metric: str, label: str, link: str) -> Point | None:
    if not cell or cell["mean"] is None:
        return None
    said = f"{label}: {value(cell['mean'], metric)}"
    if cell.get("lo") is not None:
        said += f" ({value(cell['lo'], metric)} – {value(cell['hi'], metric)})"
    return Point(cell["mean"], cell.get("lo"), cell.get("hi"), f"{said}\n{cell['n']:,} cases", link)


def _run_heat(
    sheet: Sheet,
    title: str,
    labels: Sequence[str],
    number: Callable[[int, RunView], float | None],
    link: Callable[[int, RunView], str],
    *,
    diverging: bool = False,
    said: Callable[[int, RunView], str] | None = None,
) -> Html:
    rows = [(label, [number(i, view) for view in sheet.runs]) for i, label in enumerate(labels)]
    largest = max((abs(v) for _, values in rows for v in values if v is not None), default=1.0)
    heat = Heat(
        "",
        [[badge(view), el("span", view.name)] for view in sheet.runs],
        rows,
        largest,
        low=0.0 if diverging else ends(sheet.headline)[0],
        diverging=diverging,
        link=lambda i, j: link(i, sheet.runs[j]),
        said=None if said is None else lambda i, j: said(i, sheet.runs[j]),
        text=signed if diverging else partial(value, metric=sheet.headline),
    )
    return heat.table(title)


def sizes(sheet: Sheet, options: Options) -> Html | None:
    """Over-editing and mIoU by the size of the region that should change."""
    if not sheet.has_curves:
        return None
    found = [(view, region_sizes(sheet, view)) for view in sheet.runs]
    bins = [i for i in range(len(found[0][1])) if any(made[i].n for _, made in found)]
    if len(bins) < 2:
        return None
    return _card(
        sheet,
        "sizes",
        "Small edits and large ones",
        "Cases by the number of pixels that should change. Over-editing is how many change (ΔE > 5) for each that "
        "should, the median of cases: 1 is right, less is too little. mIoU is their mean. Bars are 95 % intervals.",
        [el("div", _size_plots(found, bins), cls="plots")],
    )


def _size_plots(found: Sequence[tuple[RunView, Sequence[SizeBin]]], bins: Sequence[int]) -> list[Html]:
    ticks = [found[0][1][i].label for i in bins]
    made = []
    for title, field in (("Over-editing ratio", "over_edit"), ("mIoU", "miou")):
        lines = []
        for view, sized in found:
            cells = [getattr(sized[i], field) for i in bins]
            said = [
                f"{sized[i].label} pixels: {cell.mean:.2f} ({cell.lo:.2f} – {cell.hi:.2f}), {sized[i].n:,} cases"
                if cell
                else ""
                for i, cell in zip(bins, cells, strict=True)
            ]
            three = [[None if c is None else getattr(c, side) for c in cells] for side in ("mean", "lo", "hi")]
            lines.append(Line(view.index, view.name, three[0], three[1], three[2], said=said))
        top = 100.0 if field == "miou" else None
        everything = [v for line in lines for v in (*line.values, *line.highs) if v is not None]
        log = field == "over_edit" and max(everything, default=0.0) > 4
        plot = Lines(ticks, _above(lines) if log else lines, "pixels to change", "", top=top, log=log, marks=True)
        note = f"on a logarithmic scale; {LEAST} stands for less as well" if log else ""
        made.append(figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note, cls="small"))
    return made


def _above(lines: Sequence[Line]) -> list[Line]:
    """The same lines on a logarithmic scale, which has no place for 0: nothing is below ``LEAST``."""

    def raised(values: Sequence[float | None]) -> list[float | None]:
        return [None if v is None else max(v, LEAST) for v in values]

    return [
        replace(line, values=raised(line.values), lows=raised(line.lows), highs=raised(line.highs)) for line in lines
    ]


def fidelity(sheet: Sheet, options: Options) -> Html | None:
    """How much of what should stay does stay: in edits, and where the whole picture was to be returned."""
    found = [(view, made) for view in sheet.runs if sheet.has_curves and (made := kept(sheet, view))]
    if not found:
        return None
    apart = [(view, made.diagnostic) for view, made in found if made.diagnostic]
    plots = [_kept_plot("In edits: the pixels that should stay", found)]
    if apart:
        plots.append(_kept_plot("Asked to change nothing: the whole picture", apart))
    return _card(
        sheet,
        "fidelity",
        "What should stay",
        "Percent of the pixels that are still the input’s when colors may be off by ΔE 0 … 10: median over cases, "
        "bars from the lower to the upper quartile. A model that copies pixels starts near 100; one that redraws the "
        "picture starts near 0, and cannot do better in any edit than where it was asked to change nothing.",
        [el("div", plots, cls="plots")],
    )


def _kept_plot(title: str, found: Sequence[tuple[RunView, Fidelity]]) -> Html:
    lines = [
        Line(view.index, view.name, made.median, made.lower, made.upper, link=cases_query(view=view))
        for view, made in found
    ]
    plot = Lines([str(t) for t in range(11)], lines, "ΔE", "%", top=100.0, marks=True)
    return figure(title, plot.svg(title), plot.traces(), plot.layout(280), cls="small")


def conditions(sheet: Sheet, options: Options) -> Html | None:
    """What each condition of the scene does to the score, and the gap between palettes at exact match."""
    metric = sheet.headline
    found = [(view, condition_deltas(sheet, view)) for view in sheet.runs]
    found = [(view, made) for view, made in found if len(made) > 1]
    parts = [made for made in (_deltas(sheet, found, metric), _palettes(sheet)) if made]
    if not parts:
        return None
    return _card(
        sheet,
        "conditions",
        "What the scene does",
        f"Difference in {metric_name(metric)} from the baseline scene, in points, with 95 % intervals. Other scenes "
        "are other problems, so this is no paired difference.",
        parts,
    )


def _deltas(sheet: Sheet, found: Sequence[tuple[RunView, Sequence[Delta]]], metric: str) -> Html | None:
    if not found:
        return None
    names = list(dict.fromkeys(d.value for _, made in found for d in made if d.difference or d.value != "baseline"))
    names = [name for name in names if name != "baseline"]
    cells = {(view.index, d.value): d for view, made in found for d in made}
    title = f"Change of {metric_name(metric)} from baseline"

    def said(name: str, view: RunView) -> str:
        d = cells.get((view.index, name))
        if d is None:
            return ""
        around = f"{signed(d.lo)} … {signed(d.hi)}"
        return f"{plain(name)}: {signed(d.difference)} ({around}), mean {d.mean:.1f}, {d.n:,} cases"

    if len(found) > FEW:
        return _run_heat(
            sheet,
            title,
            [plain(name) for name in names],
            lambda i, view: d.difference if (d := cells.get((view.index, names[i]))) else None,
            lambda i, view: cases_link({"condition": names[i]}, view=view),
            diverging=True,
            said=lambda i, view: said(names[i], view),
        )
    series = []
    for view, _ in found:
        points = []
        for name in names:
            d = cells.get((view.index, name))
            link = cases_query({"condition": name}, view=view)
            clear = d is not None and not d.lo <= 0 <= d.hi
            points.append(Point(d.difference, d.lo, d.hi, said(name, view), link, strong=clear) if d else None)
        series.append((view.index, view.name, points))
    plot = Dots([plain(name) for name in names], series, "points", lines=[(0.0, None)])
    note = "filled where the interval leaves out 0"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note)


def _palettes(sheet: Sheet) -> Html | None:
    """A small table: exact-match accuracy under both palettes."""
    if not sheet.has_curves:
        return None
    found = [(view, palettes(sheet, view)) for view in sheet.runs]
    rows = [_palette_row(view, gap) for view, gap in found if gap]
    if not rows:
        return None
    heads = ["Run", *(f"{part}, {what}" for part in ("Edit", "Preservation") for what in ("standard", "other", "gap"))]
    return el(
        "div",
        el(
            "table",
            el("caption", "Exact match (ΔE 0): usual colors against unusual ones"),
            el("thead", el("tr", [el("th", head, scope="col") for head in heads])),
            el("tbody", rows),
            cls="listing",
        ),
        cls="scroller",
    )


def _palette_row(view: RunView, gap: PaletteGap) -> Html:
    cells: list[Child] = []
    for part in (gap.edit, gap.preservation):
        cells += [el("td", f"{part.standard.mean:.1f}"), el("td", f"{part.nonstandard.mean:.1f}"), _gap_cell(part)]
    return el("tr", el("th", badge(view), view.name, scope="row"), cells)


def _gap_cell(gap: Gap) -> Html:
    apart = gap.difference
    clear = not apart.lo <= 0 <= apart.hi
    text = signed(apart.mean)
    around = "" if apart.lo == apart.hi else f" {signed(apart.lo)} … {signed(apart.hi)}"
    return el("td", el("b", text) if clear else text, el("small", around))


def _spread(sheet: Sheet) -> Html | None:
    """How the scores of cases are spread: many failures and few successes look unlike many halves."""
    metric = sheet.headline
    violins = []
    for view in sheet.runs:
        scale = percent_scale(metric)
        values = [r.metrics.get(metric) for r in sheet.averaged(view) if r.status == "ok"]
        known = [scale * v for v in values if v is not None]
        if len(known) >= 5:
            violins.append(Violin(view.index, view.letter if len(sheet.runs) > 1 else "", known))
    low, high = ends(metric)
    if not violins or any(max(v.values) > high + 1e-6 or min(v.values) < low - 1e-6 for v in violins):
        return None
    title = f"{metric_name(metric)} of cases"
    plot = Violins(violins, metric_title(metric), low, high)
    note = "cases with an output; the box is the middle half"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note, cls="small")
