"""Classic measures beside ours, of runs that `editscope measure` has measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from editscope.errors import EditscopeError
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.wording import metric_name, value

if TYPE_CHECKING:
    from editscope.scoring.classic import MetricLabel
    from editscope.stats.diagnosis import Interval

FILE = "measures.parquet"
OUTSIDE = "_outside"


def measures(sheet: Sheet, options: ReportOptions) -> Html | None:
    """One row per measure, over the whole picture and outside the edit region, one column per run."""
    by_run = {view.index: averages for view in sheet.runs if (averages := _averages(view))}
    if not by_run:
        return None
    from editscope.results.classic_measures import metric_labels

    views = [view for view in sheet.runs if view.index in by_run]
    labels: dict[str, MetricLabel] = {}
    for view in views:
        labels = {**metric_labels(view.run.path), **labels}
    names = list(dict.fromkeys(name.removesuffix(OUTSIDE) for averages in by_run.values() for name in averages))
    body = [_headline_row(sheet, views)]
    for name in names:
        body += [_row(labels[name], name, part, views, by_run) for part in ("", OUTSIDE)]
    heads = [el("th", badge(view), view.name, scope="col") for view in views]
    return el(
        "section",
        el("header", el("h2", "Classic measures beside ours"), cls="section-head"),
        el(
            "p",
            "Each measure compares the edit with the answer over the whole picture, then with the input outside the "
            "region that should change. They reward pictures that look alike; whether the edit is right is for the "
            "first row. Means as the suite averages, with 95 % intervals.",
            cls="hint",
        ),
        el(
            "div",
            el(
                "table",
                el("thead", el("tr", el("th", "Measure", scope="col", cls="label"), heads)),
                el("tbody", body),
                cls="listing",
            ),
            cls="scroller",
        ),
        cls="card",
        id=f"measures-{sheet.key}",
    )


def _averages(view: RunView) -> Mapping[str, Interval | None]:
    if not (view.run.path / FILE).is_file():
        return {}
    from editscope.results.classic_measures import averages
    from editscope.scoring.classic import OFFSETS

    try:
        means = averages(view.run).get((), {})
        return {name: mean for name, mean in means.items() if name.removesuffix(OUTSIDE) not in OFFSETS}
    except EditscopeError:  # measured before the run went on: the table no longer fits
        return {}


def _headline_row(sheet: Sheet, views: list[RunView]) -> Html:
    metric = sheet.headline
    cells = [el("td", el("b", value(view.summary["overall"][metric]["mean"], metric))) for view in views]
    return el("tr", el("th", f"{metric_name(metric)} (ours)", scope="row", cls="label"), cells, cls="overall")


def _row(
    shown: MetricLabel,
    name: str,
    part: str,
    views: list[RunView],
    by_run: Mapping[int, Mapping[str, Interval | None]],
) -> Html:
    unit = f", {shown.unit}" if shown.unit else ""
    arrow = {True: " ↑", False: " ↓", None: ""}[shown.higher_is_better]
    label: list[Child] = (
        [f"{shown.label}{unit}{arrow}"] if not part else [el("span", "outside the edit region", cls="in1")]
    )
    cells = []
    for view in views:
        cell = by_run[view.index].get(name + part)
        if cell is None:
            cells.append(el("td", "–"))
        else:
            around = "" if cell.lo is None else f" {cell.lo:.3g} – {cell.hi:.3g}"
            cells.append(el("td", f"{cell.mean:.3g}", el("small", around)))
    return el("tr", el("th", label, scope="row", cls="label"), cells)
