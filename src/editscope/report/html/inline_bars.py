"""Small drawings inside lines and tables: interval bars, stacked shares, a piece of a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editscope.report.html.markup import Html, el
from editscope.stats.small_groups import is_few, why_no_interval
from editscope.wording import ends, interval, value


def bar(cell: Mapping[str, Any], metric: str, full: float = 100.0) -> Html:
    """A track from 0 to ``full`` with the interval as a band and the mean as a mark."""
    if cell.get("mean") is None:
        return el("span", cls="bar")
    mean, low, high = (cell["mean"] if cell.get(k) is None else cell[k] for k in ("mean", "lo", "hi"))
    left, right, at = (_share(x, *ends(metric, full)) for x in (low, high, mean))
    if is_few(cell):
        title = f"{value(mean, metric)}, n = {cell['n']:,}: {why_no_interval(cell)}"
        return interval_bar(left, right - left, at, title, few=True)
    title = f"{value(mean, metric)} ({interval(cell, metric)}), n = {cell['n']:,}"
    return interval_bar(left, right - left, at, title)


def interval_bar(left: float, width: float, mean: float, title: str | None = None, *, few: bool = False) -> Html:
    """A track with a band and a mark on it, all in percent of its length; of few cases a mark alone."""
    return el(
        "span",
        None if few else el("i", cls="band", style=f"left:{left:.2f}%;width:{width:.2f}%"),
        el("i", cls="mark", style=f"left:{mean:.2f}%"),
        cls="bar few" if few else "bar",
        title=title,
    )


def _share(x: float, low: float, high: float) -> float:
    return 100.0 * min(max((x - low) / (high - low), 0.0), 1.0) if high > low else 0.0


def sample(run: int) -> Html:
    """A piece of a run's line, for a legend."""
    line = el("line", x1=1, x2=29, y1=5, y2=5, cls="line")
    return el("svg", line, viewBox="0 0 30 10", cls=f"sample run{run % 8}", aria_hidden="true")


def stack(shares: Sequence[tuple[str, str, int, float]], **attributes: str | int) -> Html:
    """A bar of shares: (mode, label, cases, percent) from left to right, each a button that filters."""
    return el(
        "span",
        [
            el(
                "button",
                _shown_share(percent) if percent >= 7 else None,
                cls=f"share mode-{mode}",
                type="button",
                style=f"flex-grow:{percent:.3f}",
                data_mode=mode,
                title=f"{label}: {number:,} cases, {percent:.1f} %",
                aria_label=f"{label}: {number:,} cases, {percent:.1f} percent",
                **attributes,
            )
            for mode, label, number, percent in shares
            if number
        ],
        cls="stack",
    )


def _shown_share(percent: float) -> str:
    """A share without decimals that says 100 % of everything only.

    >>> _shown_share(99.7), _shown_share(100.0), _shown_share(41.2)
    ('> 99 %', '100 %', '41 %')
    """
    return "> 99 %" if 99 < percent < 100 else f"{percent:.0f} %"
