"""Page of the HTML report: one file that holds everything it shows and fetches nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from editscope.report.html import gallery
from editscope.report.html.frame import OPENING, asset, page_head, top_bar
from editscope.report.html.how_to_read import notes
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import installed, script
from editscope.report.html.sections import SECTIONS, Part, Section, address
from editscope.report.html.sections.details.correlation import correlation
from editscope.report.html.sections.details.exact_and_judged import exact_against_judged
from editscope.report.html.sections.findings.overview import set_line
from editscope.report.model import Model, Sheet
from editscope.report.options import ReportOptions
from editscope.suites import suite_title

STYLES = ("report.css", "plots.css", *gallery.STYLES, "print.css")
ACROSS = {"Correlation": "#correlation", "Exact and judged": "#exact-judged"}
"""Sections that look at all sets together."""
SCRIPTS = ("page.js", "plots.js", *gallery.SCRIPTS)


def page(model: Model, options: ReportOptions | None = None, out: Path = Path("report.html")) -> Iterator[str]:
    """The page in pieces, in order: what was found, the cases, the figures in full, and where they come from."""
    options = options or ReportOptions()
    sheets = [(sheet, _sections(sheet, options)) for sheet in model.sheets]
    across = {"Correlation": correlation(model, options), "Exact and judged": exact_against_judged(model)}
    plotly = script() if installed() else None
    theme, own = asset("theme.js"), "\n".join(asset(name) for name in SCRIPTS)
    scripts = [code for code in (theme, own, plotly) if code]
    before = [
        OPENING,
        f"{page_head(model.title, STYLES, scripts, gallery.IMG_SRC)}\n<body>\n",
        f"{_top(sheets, [label for label, html in across.items() if html is not None])}\n<main>\n{_title(model)}\n",
    ]
    both = "\n".join(str(html) for html in across.values() if html is not None)
    findings = [*_part(sheets, "findings"), f"{both}\n{gallery.gallery()}\n"]
    after = [
        *_part(sheets, "details"),
        *_part(sheets, "provenance"),
        f"{_without_plotly() if plotly is None else ''}\n{notes(model)}\n</main>\n",
    ]
    if plotly is not None:
        # Inert until a plot comes into view: only then does the page's script make it a script that runs.
        after.append(f'<script type="text/plain" id="plotly">{plotly}</script>\n')
    end = f"<script>{own}</script>\n</body>\n</html>\n"
    taken = sum(len(piece.encode()) for piece in (*before, *findings, *after, end))
    pictures = gallery.prepare(model, options, out, taken)  # last: they take the room that is left
    yield from before
    yield f"{gallery.what_is_inside(model, pictures, options, out) or ''}\n"
    yield from findings
    yield from after
    yield from pictures.blocks
    yield end


def _part(sheets: Sequence[tuple[Sheet, list[tuple[Section, Html]]]], part: Part) -> Iterator[str]:
    """The sections of one part of the page; of several sets, each under its own heading."""
    for sheet, sections in sheets:
        inside = [html for section, html in sections if section.part == part]
        if inside and len(sheets) > 1:
            yield f"{_set_head(sheet, part)}\n"
        yield from (f"{html}\n" for html in inside)


def _sections(sheet: Sheet, options: ReportOptions) -> list[tuple[Section, Html]]:
    return [(section, html) for section in SECTIONS if (html := section.make(sheet, options)) is not None]


def _top(sheets: Sequence[tuple[Sheet, list[tuple[Section, Html]]]], across: Sequence[str]) -> Html:
    """The bar of links, which is a menu where the window is narrow. Of several sets, each has its own list."""
    suites = [sheet.suite for sheet, _ in sheets]
    links: list[Html] = []
    for sheet, sections in sheets:
        inside = [(s.part, el("a", s.label, href=f"#{address(s, sheet)}")) for s, _ in sections if s.label]
        if len(sheets) > 1:
            links.append(_set_links(sheet, [link for _, link in inside], alone=suites.count(sheet.suite) == 1))
            continue
        links = [link for part, link in inside if part == "findings"]
        more = [link for part, link in inside if part != "findings"]
        links.append(el("details", el("summary", "More"), el("div", more), cls="set-links more-links"))
    for label in across:  # before the menu of what comes after the cases
        links.insert(len(links) - (len(sheets) == 1), el("a", label, href=ACROSS[label]))
    to_cases = el("a", "Cases", href="#cases", cls="to-cases")
    return top_bar(links, to_cases, skip=el("a", "To the cases", cls="skip", href="#cases"))


def _set_links(sheet: Sheet, links: list[Html], *, alone: bool) -> Html:
    name = suite_title(sheet.suite) if alone else f"{suite_title(sheet.suite)} {sheet.fingerprint[:4]}"
    return el("details", el("summary", name), el("div", links), cls="set-links", name="sets")


def _set_head(sheet: Sheet, part: Part) -> Html:
    if part == "findings":
        return el(
            "div",
            el("h2", suite_title(sheet.suite)),
            el("p", set_line(sheet)),
            cls="set-head",
            id=f"set-{sheet.key}",
        )
    title = {"details": "The figures in full", "provenance": "Where the figures come from"}[part]
    return el("div", el("h2", f"{suite_title(sheet.suite)}: {title.lower()}"), cls="set-head")


def _title(model: Model) -> Html:
    alone = model.sheets[0] if len(model.sheets) == 1 else None
    return el("div", el("h1", model.title), el("p", set_line(alone)) if alone else None, cls="title")


def _without_plotly() -> Html:
    return el(
        "p",
        "The plots of this report are drawings. ",
        el("code", "pip install 'editscope[report]'"),
        " and a report written again make them interactive.",
        cls="hint without-plotly",
    )
