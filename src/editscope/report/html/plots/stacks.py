"""Stacked bars: shares of failure modes by task or condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.report.html.markup import Html, el
from editscope.report.html.plots.plotly_frame import Choices, Json, axis, layout, shown
from editscope.wording import failure

COLORS = {
    "success": "@success",
    "color_imprecision": "@color",
    "tone_shift": "@tone",
    "too_weak": "@weak",
    "misplaced_consequences": "@misplaced",
    "consequences_missing": "@unfollowed",
    "consequences_only": "@unasked",
    "structural_imprecision": "@structural",
    "execution_omission": "@omission",
    "structural_catastrophe": "@catastrophe",
}


@dataclass(frozen=True, eq=False)
class Stack:
    """One bar: how many cases of its row have which mode, in the order of the plot's modes."""

    label: str
    counts: Sequence[int]
    links: Sequence[str]


@dataclass(frozen=True, eq=False)
class Stacks:
    """Versions of a plot of bars, by name: each a list of bars from top to bottom."""

    modes: Sequence[str]
    versions: Sequence[tuple[str, Sequence[Stack]]]

    def traces(self) -> list[Json]:
        """One trace per mode, for the first version."""
        return [
            {
                "type": "bar",
                "orientation": "h",
                "name": shown(failure(mode).label),
                "marker": {"color": COLORS.get(mode, "@none"), "line": {"width": 0}},
                "hovertemplate": "%{y}: %{x:.0f} %, %{text}<extra>%{fullData.name}</extra>",
                "textposition": "none",
                **patch,
            }
            for mode, patch in zip(self.modes, self._patches(self.versions[0][1]), strict=True)
        ]

    def choices(self, label: str) -> Choices | None:
        """All versions, where there is more than one."""
        if len(self.versions) < 2:
            return None
        return Choices(label, [(name, self._patches(bars)) for name, bars in self.versions])

    def layout(self) -> Json:
        """Bars from top to bottom, shares from 0 to 100."""
        rows = max(len(bars) for _, bars in self.versions)
        return layout(
            26 * rows + 110,
            barmode="stack",
            bargap=0.28,
            xaxis=axis("% of cases", range=[0, 100], zeroline=False),
            yaxis=axis(autorange="reversed", type="category", showgrid=False),
            legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        )

    def static(self) -> Html:
        """The first version as bars of the page."""
        return el("div", [self._bar(stack) for stack in self.versions[0][1]], cls="stack-rows")

    def _bar(self, stack: Stack) -> Html:
        total = sum(stack.counts) or 1
        shares = [
            el(
                "a",
                f"{100 * n / total:.0f} %" if n >= 0.09 * total else None,
                cls=f"share mode-{mode}",
                href=f"#cases?{link}",
                style=f"flex-grow:{100 * n / total:.3f}",
                title=f"{failure(mode).label}: {n:,} of {total:,} cases",
                aria_label=f"{stack.label}, {failure(mode).label}: {n:,} of {total:,} cases",
            )
            for mode, n, link in zip(self.modes, stack.counts, stack.links, strict=True)
            if n
        ]
        return el("div", el("span", stack.label), el("span", shares, cls="stack"), cls="stack-row")

    def _patches(self, bars: Sequence[Stack]) -> list[Json]:
        totals = [sum(stack.counts) or 1 for stack in bars]
        return [
            {
                "y": [shown(stack.label) for stack in bars],
                "x": [round(100 * stack.counts[i] / total, 2) for stack, total in zip(bars, totals, strict=True)],
                "text": [f"{stack.counts[i]:,} of {total:,}" for stack, total in zip(bars, totals, strict=True)],
                "customdata": [stack.links[i] for stack in bars],
            }
            for i in range(len(self.modes))
        ]
