"""The funnel of a build as a picture: a bar for each step, what went on, what was dropped and why."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.factory.funnel import FunnelRow
from editscope.report.paper_figures import style

KEPT, DROPPED, PENDING = style.COLORS[0], style.COLORS[1], style.PAPER_GRAY
ROW, HEAD = 0.3, 0.75
"""Inches: a step, and title, legend and axis together."""
WIDTH = 8.0
LONGEST_NOTE = 78


def draw_funnel(rows: Sequence[FunnelRow], path: Path, title: str) -> None:
    """Draw a funnel into a PNG, SVG or PDF file."""
    if path.suffix.lower()[1:] not in style.FORMATS:
        raise BadInput(f"{path} is not a picture; choose an ending of {', '.join('.' + one for one in style.FORMATS)}")
    if not rows:
        raise BadInput("the funnel has no steps; build the plan first")
    with style.styled():
        figure = style.new_figure(WIDTH, HEAD + ROW * len(rows))
        axes = figure.subplots()
        _bars(axes, rows)
        figure.suptitle(style.short(title, 90), fontsize=8.5, x=0.01, ha="left")
        try:
            style.save(style.settle(figure), path)
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {error.strerror}") from error


def _bars(axes: Any, rows: Sequence[FunnelRow]) -> None:
    longest = max(max(row.records_in, row.records_out) for row in rows) or 1
    places = range(len(rows))
    dropped = [sum(row.dropped.values()) for row in rows]
    kept = [row.records_out for row in rows]
    axes.barh(places, kept, height=0.62, color=KEPT, label="went on")
    axes.barh(places, dropped, height=0.62, left=kept, color=DROPPED, label="dropped")
    if any(row.pending for row in rows):
        left = [here + gone for here, gone in zip(kept, dropped, strict=True)]
        pending = [row.pending for row in rows]
        axes.barh(places, pending, height=0.62, left=left, color=PENDING, hatch="////", edgecolor="white",
                  label="pending")  # fmt: skip
    for place, row in zip(places, rows, strict=True):
        end = max(row.records_in, row.records_out)
        axes.text(end + longest * 0.012, place, _note(row), va="center", fontsize=6, color=style.SOFT,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip
    axes.set_yticks(places, [style.short(row.step, 30) for row in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, longest * 2.0)
    ticks = [tick for tick in axes.get_xticks() if 0 <= tick <= longest * 1.02 and tick == int(tick)]
    axes.set_xticks(ticks, [f"{int(tick):,}" for tick in ticks])
    axes.set_xlabel("records", loc="left")
    style.plain_axes(axes, grid="x")
    axes.spines["bottom"].set_bounds(0, longest)
    axes.legend(loc="lower right", ncols=3, bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)


def _note(row: FunnelRow) -> str:
    """Numbers and reasons beside a bar.

    >>> _note(FunnelRow("s", "filter", 10, 4, {"too small": 5, "broken": 1}, 0, 1.5, 3.0, 0))
    '4 · dropped 6: 5 too small, 1 broken · $1.50 · 3.0 s'
    """
    grown = row.kind == "expand" and row.records_out > row.records_in
    parts = [f"{row.records_out:,}" + (f" of {row.records_in:,}" if grown else "")]
    if row.dropped:
        parts.append(f"dropped {row.dropped_in_words}")
    if row.pending:
        parts.append(f"{row.pending:,} pending")
    if row.cost_usd:
        parts.append(f"${row.cost_usd:,.2f}")
    if row.seconds >= 0.05:
        parts.append(f"{row.seconds:,.1f} s")
    text = " · ".join(parts)
    return style.drawable(text if len(text) <= LONGEST_NOTE else f"{text[: LONGEST_NOTE - 1]}…")
