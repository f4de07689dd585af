"""Effects of the scene: each condition against the baseline, and unusual colors against usual ones."""

from __future__ import annotations

from editscope.report.figure_data.scenes import ConditionEffects, condition_effects, palette_gaps
from editscope.report.html.links import cases_link, cases_query
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Dots, Point, figure
from editscope.report.html.section_parts import FEW, badge, run_heat, section_card
from editscope.report.model import RunView, Sheet
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import Gap, PaletteGap
from editscope.stats.small_groups import leaves_out
from editscope.wording import metric_name, plain, signed, signed_range


def conditions(sheet: Sheet, options: ReportOptions) -> Html | None:
    """What each condition of the scene does to the score, and the gap between palettes at exact match."""
    metric = sheet.headline
    effects = condition_effects(sheet)
    parts = [part for part in (_deltas(sheet, effects, metric), _palettes(sheet)) if part]
    if not parts:
        return None
    sure = effects is not None and any(d.lo is not None for _, of_run in effects.runs for d in of_run.values())
    return section_card(
        sheet,
        "conditions",
        "What the scene does",
        f"Difference in {metric_name(metric)} from the baseline scene, in points{', with 95 % intervals' * sure}. "
        "Other scenes are other problems, so this is not a paired difference.",
        parts,
    )


def _deltas(sheet: Sheet, record: ConditionEffects | None, metric: str) -> Html | None:
    if record is None:
        return None
    names = record.conditions
    cells = {(view.index, name): delta for view, effects in record.runs for name, delta in effects.items()}
    views = [view for view, effects in record.runs if effects]
    title = f"Change of {metric_name(metric)} from baseline"

    def tooltip(name: str, view: RunView) -> str:
        d = cells.get((view.index, name))
        if d is None:
            return ""
        around = f" ({span})" if (span := signed_range(d.lo, d.hi)) else ""
        return f"{plain(name)}: {signed(d.difference)}{around}, mean {d.mean:.1f}, {d.n:,} cases"

    if len(views) > FEW:
        return run_heat(
            sheet,
            title,
            [plain(name) for name in names],
            lambda i, view: d.difference if (d := cells.get((view.index, names[i]))) else None,
            lambda i, view: cases_link({"condition": names[i]}, view=view),
            diverging=True,
            tooltip=lambda i, view: tooltip(names[i], view),
        )
    series = []
    for view in views:
        points: list[Point | None] = []
        for name in names:
            d = cells.get((view.index, name))
            link = cases_query({"condition": name}, view=view)
            if d is None:
                points.append(None)
                continue
            clear, few = leaves_out(d.lo, d.hi), d.lo is None
            points.append(Point(d.difference, d.lo, d.hi, tooltip(name, view), link, strong=clear, faint=few))
        series.append((view.index, view.name, points))
    plot = Dots([plain(name) for name in names], series, "points", lines=[(0.0, None)])
    sure = any(d.lo is not None for d in cells.values())
    note = "filled where the interval leaves out 0" if sure else "too few cases for intervals"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note)


def _palettes(sheet: Sheet) -> Html | None:
    """A small table: exact-match accuracy under both palettes."""
    if not sheet.has_curves:
        return None
    rows = [_palette_row(view, gap) for view, gap in palette_gaps(sheet) if gap]
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
    clear = leaves_out(apart.lo, apart.hi)
    text = signed(apart.mean)
    around = f" {signed_range(apart.lo, apart.hi)}".rstrip()
    return el("td", el("b", text) if clear else text, el("small", around), cls="few" if apart.lo is None else None)
