"""Over-editing and mIoU by the size of the region that should change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editscope.report.figure_data.edit_size import EditSizes, edit_sizes
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Line, LinePlot, figure
from editscope.report.html.section_parts import section_card
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.stats.diagnosis import Interval

LEAST = 0.1
"""The lowest over-editing ratio of a logarithmic scale."""


def sizes(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Over-editing and mIoU by the size of the region that should change."""
    if not sheet.has_curves:
        return None
    record = edit_sizes(sheet)
    if record is None:
        return None
    return section_card(
        sheet,
        "sizes",
        "Small edits and large ones",
        "Cases by the number of pixels that should change. Over-editing is how many change (ΔE > 5) for each that "
        "should, the median of cases: 1 is right, less is too little. mIoU is their mean. Bars are 95 % intervals.",
        [el("div", _size_plots(record), cls="plots")],
    )


def _size_plots(record: EditSizes) -> list[Html]:
    plots = []
    for title, field in (("Over-editing ratio", "over_edit"), ("mIoU", "miou")):
        lines = []
        for view, bins in record.runs:
            cells = [getattr(size, field) for size in bins]
            tooltips = [
                f"{size.label} pixels: {cell.mean:.2f}{_around(cell)}, {size.n:,} cases" if cell else ""
                for size, cell in zip(bins, cells, strict=True)
            ]
            three = [[None if c is None else getattr(c, side) for c in cells] for side in ("mean", "lo", "hi")]
            lines.append(Line(view.index, view.name, three[0], three[1], three[2], tooltip=tooltips))
        everything = [v for line in lines for v in (*line.values, *line.highs) if v is not None]
        log = field == "over_edit" and max(everything, default=0.0) > 4
        top = 100.0 if field == "miou" else None if log else max([1.0, *everything])  # 1 is right, so it is in sight
        plot = LinePlot(
            record.labels, _above(lines) if log else lines, "pixels to change", "", top=top, log=log, marks=True
        )
        note = f"on a logarithmic scale; {LEAST} stands for less as well" if log else ""
        plots.append(figure(title, plot.svg(title), plot.traces(), plot.layout(), note=note, cls="small"))
    return plots


def _around(cell: Interval) -> str:
    return "" if cell.lo is None else f" ({cell.lo:.2f} – {cell.hi:.2f})"


def _above(lines: Sequence[Line]) -> list[Line]:
    """The same lines on a logarithmic scale, which has no place for 0: nothing is below ``LEAST``."""

    def raised(values: Sequence[float | None]) -> list[float | None]:
        return [None if v is None else max(v, LEAST) for v in values]

    return [
        replace(line, values=raised(line.values), lows=raised(line.lows), highs=raised(line.highs)) for line in lines
    ]
