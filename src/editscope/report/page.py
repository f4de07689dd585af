"""The HTML report: one file that holds everything it shows and asks nobody for more."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files

from editscope.report.figures import failures, tolerance
from editscope.report.markup import Html, el, json_for_script
from editscope.report.model import Model, Sheet
from editscope.report.overview import overview, provenance, set_line
from editscope.report.payload import Legend, case_data, index_data, shared_cases
from editscope.report.score_tables import tables
from editscope.report.words import count
from editscope.scoring.errormap import EDITED, MISSED, SPILLED

STYLES = ("report.css", "gallery.css")
SCRIPTS = ("page.js", "gallery.js", "viewer.js")
LOGO = Html(
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">'
    '<circle cx="12" cy="12" r="8"/><path d="M12 1v6M12 17v6M1 12h6M17 12h6"/>'
    '<rect x="10.5" y="10.5" width="3" height="3" fill="currentColor" stroke="none"/></svg>'
)
HALF_MOON = Html(
    '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" '
    'stroke-width="2"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/></svg>'
)


def page(model: Model) -> Iterator[str]:
    """The page in pieces, in order: pictures are many, and only one case's are in memory at a time."""
    theme, script = asset("theme.js"), "\n".join(asset(name) for name in SCRIPTS)
    yield from ("<!doctype html>\n", '<html lang="en" data-theme="light">\n', _head(model, theme, script), "\n<body>\n")
    yield from (_top(model), "\n<main>\n", _title(model), "\n")
    for sheet in model.sheets:
        yield f"{overview(sheet, named=len(model.sheets) > 1)}\n"
        for section in (provenance, tables, failures, tolerance):
            yield f"{section(sheet) or ''}\n"
    yield f"{_gallery()}\n{_notes(model)}\n</main>\n"
    yield str(el("dialog", cls="viewer", aria_label="One case")) + "\n"
    yield from _data(model)
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def asset(name: str) -> str:
    """The text of a style sheet or script."""
    return (files("editscope.report") / "assets" / name).read_text(encoding="utf-8")


def _head(model: Model, theme: str, script: str) -> Html:
    # The policy lets nothing be fetched from anywhere, and no script run but the two of this page.
    hashes = " ".join(f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'" for code in (theme, script))
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {hashes}; base-uri 'none'"
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="generator", content="Editscope"),
        el("title", f"{model.title} · Editscope"),
        el("link", rel="icon", href="data:,"),
        el("script", Html(theme)),
        el("style", Html("\n".join(asset(name) for name in STYLES))),
    )


def _top(model: Model) -> Html:
    first = model.sheets[0].runs[0].index
    links = [
        (f"#overview-{first}", "Overview"),
        (f"#tables-{first}", "Tables"),
        (f"#failures-{first}", "Failures"),
        (f"#curves-{first}", "Curves"),
        ("#cases", "Cases"),
    ]
    return el(
        "header",
        el(
            "div",
            el("a", LOGO, "Editscope", cls="logo", href="#top"),
            el("nav", [el("a", text, href=href) for href, text in links], aria_label="Sections"),
            el("button", HALF_MOON, type="button", cls="theme", aria_label="Switch to dark", title="Light or dark"),
        ),
        el("a", "To the cases", cls="skip", href="#cases"),
        cls="top",
        id="top",
    )


def _title(model: Model) -> Html:
    alone = model.sheets[0] if len(model.sheets) == 1 else None
    return el("div", el("h1", model.title), el("p", set_line(alone)) if alone else None, cls="title")


def _gallery() -> Html:
    legend = [
        (EDITED, "edit made right"),
        (MISSED, "edit missed or wrong"),
        (SPILLED, "changed, should have stayed"),
        (None, "left alone, rightly"),
    ]
    return el(
        "section",
        el("header", el("h2", "Cases"), el("p", cls="found", aria_live="polite"), cls="section-head"),
        el(
            "p",
            el("span", "Error map at ΔE 5:"),
            [el("span", el("i", style=f"background:rgb{colour}" if colour else None), text) for colour, text in legend],
            cls="map-legend",
        ),
        el("div", cls="filters", role="search", aria_label="Filter cases"),
        el("noscript", el("p", "The gallery needs JavaScript; everything above does not.", cls="notice")),
        el("div", cls="cases"),
        el("div", "More …", cls="more"),
        id="cases",
        cls="gallery",
    )


def _data(model: Model) -> Iterator[str]:
    """One block of pictures for each case, then the block that the script reads first."""
    cases = shared_cases(model)
    legend = Legend.of(model, cases)
    records = []
    for number, case in enumerate(cases):
        record, pictures = case_data(case, legend)
        records.append(record)
        yield f'<script type="application/json" id="p{number}">{json_for_script(pictures)}</script>\n'
    data = {**index_data(model, cases, legend), "cases": records}
    yield f'<script type="application/json" id="data">{json_for_script(data)}</script>\n'


def _notes(model: Model) -> Html:
    return el(
        "section",
        el("h2", "How to read this"),
        [el("p", text) for sheet in model.sheets[:1] for text in _explained(sheet)],
        el(
            "p",
            f"Written by Editscope from {count(len(model.runs), 'run')}. This file holds all that it shows.",
            cls="foot",
        ),
        cls="notes",
    )


def _explained(sheet: Sheet) -> list[str]:
    over = sheet.aggregation.overall.over
    levels = " and then ".join(over) if over else "cases"
    strata = " and ".join(sheet.aggregation.strata) or "the whole suite"
    return [
        "Every pixel of an edit is compared with the one right answer in CIE L*a*b* at the colour tolerances "
        "ΔE 0 … 10. IoU is the share of right pixels among those that should have changed or did change wrongly; "
        "mIoU is its mean over the eleven tolerances.",
        f"The overall figure is the mean over cases, then over {levels}. Intervals are 95 % percentile intervals of "
        f"10,000 bootstrap resamples of the cases within {strata}, seed 0, averaged in the same way.",
        "A case without an output counts as 0 and is listed. The dotted line on the ruler is the floor: what an "
        "editor that changes nothing would score on these cases.",
    ]
