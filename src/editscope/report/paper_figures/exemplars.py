"""Exemplars: pictures of single cases with the four classes of pixels and the tolerance curves that grade them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.images import Pixels
from editscope.report.figure_data.curves import CURVES
from editscope.report.figure_data.exemplars import curves_of, exemplars
from editscope.report.paper_figures.grid import most_telling, records_by_case
from editscope.report.paper_figures.grid_pictures import Pictures
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, figure
from editscope.report.paper_figures.style import (
    COLORS,
    DASHES,
    FAILURE_INKS,
    INK,
    RULE,
    SOFT,
    Axes,
    Figure,
    new_figure,
    plain_axes,
    short,
    wrapped,
)
from editscope.results.case_record import CaseRecord
from editscope.scoring.errormap import EDITED, MISSED, SPILLED
from editscope.wording import failure, share_in_words

DPI = 400
CLASSES = (
    ("Correctly edited", EDITED),
    ("Incorrectly edited", MISSED),
    ("Incorrectly preserved", SPILLED),
    ("Correctly preserved", (226, 226, 226)),
)
"""The four classes as the maps color them."""
AT = 5
"""The tolerance of the map of an exemplar."""
STEPS = (0, 5, 10)
"""The tolerances of the maps of one case."""
MOST_RUNS = 8
LABEL = 0.62
"""Inches: what stands beside the pictures of a row takes at least this much."""


@dataclass(frozen=True, eq=False)
class PictureRow:
    """A case of one run: titled pictures, its curves, and what stands beside them."""

    title: str
    note: str
    ink: str
    pictures: tuple[tuple[str, Pixels | None], ...]
    curves: tuple[tuple[float, ...], ...]
    text: str


@figure(
    "exemplars",
    "A typical case of each failure mode: input, answer, output, the four classes of pixels at ΔE 5, and the share of "
    "right pixels over the color tolerance. Of each mode the case whose curves are nearest to the mode's mean.",
)
def failure_exemplars(context: FigureContext) -> Figure:
    """One row for each failure mode that the runs have."""
    chosen = exemplars(context.sheet)
    if not chosen:
        raise NothingToDraw("no case of these runs failed in a way that pixels show")
    names = {view.index: name for view, name in zip(context.runs, context.names, strict=True)}
    pictures = Pictures(context.sheet, round(_side(context, 4) * DPI))
    rows = []
    for one in chosen:
        note = f"{share_in_words(one.n / one.total)} of cases\n{names[one.view.index]}\n{one.record.case_id}"
        ink = FAILURE_INKS.get(one.mode, SOFT)
        tiles = _tiles(pictures, one.record, (AT,))
        rows.append(PictureRow(failure(one.mode).label, note, ink, tiles, one.curves, one.record.instruction))
    return _strips(context, rows)


@figure(
    "classes",
    "How one case is graded: each pixel is correctly or incorrectly edited or preserved at a color tolerance, and the "
    "share of right pixels rises with it.",
)
def classes(context: FigureContext) -> Figure:
    """The case that was asked for, or the one on which runs differ most, with a row for each run."""
    if context.sheet.judged:
        raise NothingToDraw("judges gave the scores of these runs, and no pixel is right or wrong")
    chosen = records_by_case(context) if context.cases else [most_telling(context)]
    steps = STEPS if context.wide else (AT,)
    pictures = Pictures(context.sheet, round(_side(context, 3 + len(steps)) * DPI))
    rows = []
    for records in chosen:
        for view, name in list(zip(context.runs, context.names, strict=True))[:MOST_RUNS]:
            record = records.get(view.index)
            if record is None or "hits" not in record.evidence:
                continue
            mode = failure(record.failure).label
            note = f"{mode.replace(' ', chr(10), 1)}\nmIoU {100 * record.metrics['miou']:.1f}\n{record.case_id}"
            ink = FAILURE_INKS.get(record.failure, SOFT)
            tiles = _tiles(pictures, record, steps)
            rows.append(PictureRow(name, note, ink, tiles, curves_of(record), record.instruction))
    if not rows:
        raise NothingToDraw("these runs have no counts of right and wrong pixels")
    return _strips(context, rows)


def _side(context: FigureContext, tiles: int) -> float:
    """Inches of a picture, where so many stand beside a label and a plot."""
    return (context.inches - 0.8 - (1.35 if context.wide else 0.9)) / tiles - 0.04


def _tiles(pictures: Pictures, record: CaseRecord, tolerances: Sequence[int]) -> tuple[tuple[str, Pixels | None], ...]:
    shared = {0: record}
    return (
        ("Input", pictures.shared("input", shared)),
        ("Answer", pictures.shared("answer", shared)),
        ("Output", pictures.edit(record)),
        *(
            (f"ΔE ≤ {tolerance}" if tolerance else "ΔE = 0", pictures.classes(record, tolerance))
            for tolerance in tolerances
        ),
    )


def _strips(context: FigureContext, rows: Sequence[PictureRow]) -> Figure:
    """One row below the other: a label, the pictures, the curves; the instruction above each."""
    if not any(pixels is not None for row in rows for _, pixels in row.pictures):
        raise NothingToDraw("these runs have no pictures any more, and their suite is not here to make them again")
    tiles = len(rows[0].pictures)
    side = _side(context, tiles)
    texts = [row.text if number == 0 or rows[number - 1].text != row.text else "" for number, row in enumerate(rows)]
    lines = [wrapped(text, context.inches - 0.1, 5.6, 2) for text in texts]  # rows of one case share its instruction
    tall = [max(side * _tallest(row), LABEL) for row in rows]
    heights = [0.1 * (line.count("\n") + bool(line)) + high + 0.16 for line, high in zip(lines, tall, strict=True)]
    total = sum(heights) + (0.46 if context.wide else 0.7)
    drawing = new_figure(context.inches, total)
    drawing.set_layout_engine("none")
    top = total - 0.14
    plot = context.inches - 0.8 - tiles * (side + 0.04) - 0.34
    for number, (row, line, high, height) in enumerate(zip(rows, lines, tall, heights, strict=True)):
        drawing.text(0.01, (top - 0.02) / total, line, va="top", fontsize=5.6, style="italic", color=SOFT)
        bottom = top - height + 0.1
        _label(drawing, row, (bottom + high) / total, total, context.inches)
        for place, (title, pixels) in enumerate(row.pictures):
            left = 0.8 + place * (side + 0.04)
            axes = drawing.add_axes((left / context.inches, bottom / total, side / context.inches, high / total))
            _picture(axes, pixels)
            if number == 0:
                middle = (left + side / 2) / context.inches
                drawing.text(middle, (top + 0.02) / total, title, ha="center", fontsize=6, fontweight="bold")
        left = 0.8 + tiles * (side + 0.04) + 0.24
        axes = drawing.add_axes((left / context.inches, bottom / total, plot / context.inches, high / total))
        _curves(axes, row.curves, last=number == len(rows) - 1)
        if number == 0:
            middle = (left + plot / 2) / context.inches
            drawing.text(middle, (top + 0.02) / total, "Right (%)", ha="center", fontsize=6, fontweight="bold")
        top -= height
    _legend(drawing, context)
    return drawing


def _tallest(row: PictureRow) -> float:
    ratios = [pixels.shape[0] / pixels.shape[1] for _, pixels in row.pictures if pixels is not None]
    return min(max(ratios, default=1.0), 1.3)


def _label(drawing: Figure, row: PictureRow, y: float, total: float, width: float) -> None:
    title = row.title.replace(" ", "\n", 1)
    drawing.text(0.01, y, title, va="top", fontsize=6.4, fontweight="bold", color=row.ink, linespacing=1.05)
    below = y - 0.1 * (title.count("\n") + 1.2) / total
    note = "\n".join(short(line, 23) for line in row.note.split("\n"))
    drawing.text(0.01, below, note, va="top", fontsize=4.9, color=SOFT, linespacing=1.2)


def _picture(axes: Axes, pixels: Pixels | None) -> None:
    axes.set(xticks=(), yticks=())
    for spine in axes.spines.values():
        spine.set(color=RULE, linewidth=0.5)
    if pixels is None:
        axes.set_facecolor("#F4F4F4")
        axes.text(0.5, 0.5, "no picture", ha="center", va="center", color=SOFT, fontsize=5, transform=axes.transAxes)
        return
    axes.imshow(pixels, interpolation="none", aspect="equal")
    axes.set_anchor("N")


def _curves(axes: Axes, curves: Sequence[Sequence[float]], *, last: bool) -> None:
    for (_, title), curve, color, dash in zip(CURVES, curves, COLORS, DASHES, strict=False):
        axes.plot(range(11), curve, color=color, linestyle=dash, linewidth=1.1, label=title, clip_on=False)
    axes.set(xlim=(0, 10), ylim=(0, 102), xticks=(0, 5, 10), yticks=(0, 50, 100))
    axes.tick_params(labelsize=5, length=1.5, pad=1.2)
    if last:
        axes.set_xlabel("Color tolerance ΔE", fontsize=5.4, labelpad=1)
    else:
        axes.set_xticklabels([])
    plain_axes(axes)


def _legend(drawing: Figure, context: FigureContext) -> None:
    """The four classes and the three curves, below all rows."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    classes_of = [
        Patch(facecolor="#{:02x}{:02x}{:02x}".format(*color), edgecolor=RULE, linewidth=0.4, label=name)
        for name, color in CLASSES
    ]
    lines = [
        Line2D([], [], color=color, linestyle=dash, linewidth=1.1, label=title)
        for (_, title), color, dash in zip(CURVES, COLORS, DASHES, strict=False)
    ]
    drawing.legend(
        handles=[*classes_of, *lines], loc="lower center", ncols=7 if context.wide else 3, fontsize=5.2,
        bbox_to_anchor=(0.5, 0.0), handlelength=1.3, columnspacing=1.0, labelcolor=INK, borderaxespad=0.1,
    )  # fmt: skip
