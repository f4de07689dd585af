"""Tables of colored cells: many runs by many rows at a glance, each cell a link to its cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editscope.report.html.markup import Child, Html, el


@dataclass(frozen=True, eq=False)
class Heat:
    """Values by row and column. ``diverging`` colors by sign around 0, else from ``low`` up to ``full``."""

    corner: str
    columns: Sequence[Child]
    rows: Sequence[tuple[str, Sequence[float | None]]]
    full: float
    diverging: bool = False
    link: Callable[[int, int], str] | None = None
    tooltip: Callable[[int, int], str] | None = None
    text: Callable[[float], str] = "{:.1f}".format
    faint: Callable[[int, int], bool] | None = None
    low: float = 0.0

    def table(self, caption: str) -> Html:
        """The cells as HTML, which needs no script and prints as it is."""
        heads = el("tr", el("th", self.corner, scope="col"), [el("th", head, scope="col") for head in self.columns])
        body = [
            el(
                "tr",
                el("th", label, scope="row"),
                [self._cell(i, j, value) for j, value in enumerate(values)],
            )
            for i, (label, values) in enumerate(self.rows)
        ]
        cells_table = el("table", el("thead", heads), el("tbody", body), cls="heat", aria_label=caption)
        # The title stands outside: a table that is wider than the window scrolls, and its title would be cut.
        return Html(el("p", caption, cls="table-title") + el("div", cells_table, cls="scroller"))

    def _cell(self, i: int, j: int, value: float | None) -> Html:
        if value is None:
            return el("td", "–", cls="nothing")
        share = min(abs(value - self.low) / ((self.full - self.low) or 1.0), 1.0)
        if self.faint and self.faint(i, j):
            share *= 0.25
        hue = "var(--bad)" if self.diverging and value < 0 else "var(--good)" if self.diverging else "var(--accent)"
        inside: Child = self.text(value)
        if self.link:
            inside = el("a", inside, href=self.link(i, j))
        return el(
            "td",
            inside,
            style=f"--heat:{100 * share:.0f}%;--hue:{hue}",
            title=self.tooltip(i, j) if self.tooltip else None,
            cls=self._text_class(share),
        )

    def _text_class(self, share: float) -> str | None:
        """Where the other color of text is easier to read: on a dark page earlier (``mid``) than on a light one."""
        strong, mid = (0.86, 0.6) if self.diverging else (0.74, 0.53)
        return "strong" if share > strong else "mid" if share > mid else None
