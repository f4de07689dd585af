"""A typical case of each failure mode: its pictures, the four classes of its pixels, and its tolerance curves."""

from __future__ import annotations

from base64 import b64encode

from editscope.images import encode_png
from editscope.report.figure_data.curves import CURVES
from editscope.report.figure_data.exemplars import Exemplar, exemplars
from editscope.report.html.case_cards import picture_uri
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import Line, LinePlot, figure
from editscope.report.html.section_parts import badge, section_card
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.report.paper_figures.grid_pictures import stored_classes
from editscope.scoring.errormap import EDITED, MISSED, SPILLED
from editscope.wording import failure, share_in_words

AT = 5
KEYS = (
    ("correctly edited", EDITED),
    ("incorrectly edited", MISSED),
    ("incorrectly preserved", SPILLED),
    ("correctly preserved", (220, 220, 220)),
)


def typical_failures(sheet: Sheet, options: ReportOptions) -> Html | None:
    """One case for each failure mode that the runs have; nothing where there is no picture of any."""
    if sheet.judged:
        return None
    chosen = [one for one in exemplars(sheet) if one.record.thumbs]
    if not chosen:
        return None
    keys = [el("li", el("i", style="background:rgb({} {} {})".format(*color)), name) for name, color in KEYS]
    return section_card(
        sheet,
        "exemplars",
        "What each failure looks like",
        "Of each failure mode the case whose curves are nearest to the mode’s mean. The fourth picture shows the four "
        f"classes of pixels at ΔE {AT}.",
        [el("ul", keys, cls="class-keys"), [_row(sheet, one) for one in chosen]],
    )


def _row(sheet: Sheet, one: Exemplar) -> Html:
    wording = failure(one.mode)
    share = f"{share_in_words(one.n / one.total)} of cases"
    title = el("h3", el("i", cls=f"swatch mode-{one.mode}"), wording.label, el("small", f" {share}"))
    who = [badge(one.view), " "] if len(sheet.runs) > 1 else None
    about = el("p", who, el("code", one.record.case_id), " ", one.record.instruction)
    return el("article", el("header", title, about), _pictures(one), _curves(one), cls="exemplar")


def _pictures(one: Exemplar) -> Html:
    thumbs = one.record.thumbs
    classes = stored_classes(one.record, AT)
    sources = [
        ("Input", picture_uri(thumbs.get("input"))),
        ("Answer", picture_uri(thumbs.get("answer"))),
        ("Edit", picture_uri(thumbs.get("edit"))),
        (f"Classes at ΔE {AT}", None if classes is None else _as_uri(encode_png(classes))),
    ]
    shown = [
        el(
            "span",
            el("img", src=source, alt=name, loading="lazy") if source else el("i", "no picture", cls="none"),
            name,
        )
        for name, source in sources
    ]
    link = cases_link(view=one.view, case_id=one.record.case_id)
    return el("a", shown, href=link, cls="exemplar-pictures")


def _as_uri(png: bytes) -> str:
    return f"data:image/png;base64,{b64encode(png).decode()}"


def _curves(one: Exemplar) -> Html:
    lines = [
        Line(place, title, curve) for place, ((_, title), curve) in enumerate(zip(CURVES, one.curves, strict=True))
    ]
    plot = LinePlot([str(t) for t in range(11)], lines, "Color tolerance ΔE", "right pixels (%)", top=100.0)
    title = f"Curves of {one.record.case_id}"
    return figure("", plot.svg(title), plot.traces(), plot.layout(230), cls="small")
