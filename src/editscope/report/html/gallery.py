"""Gallery of cases: its frame in the page, and the blocks of data from which the script fills it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from editscope.report.html.gallery_data import gallery_data, shared_cases
from editscope.report.html.gallery_verdicts import fitting_evidence
from editscope.report.html.markup import Html, el, json_for_script
from editscope.report.html.picture_budget import RunPictures, columns, place_pictures
from editscope.report.html.picture_folder import write_bundle
from editscope.report.model import Model
from editscope.report.options import ReportOptions
from editscope.scoring.errormap import EDITED, MISSED, SPILLED

STYLES = ("gallery.css", "viewer.css", "verdicts.css")
SCRIPTS = ("cases.js", "errormap.js", "gallery.js", "stage.js", "verdicts.js", "viewer.js")
"""Assets of the gallery, for the page to put into itself after its own, in this order."""
IMG_SRC = "data: file: 'self'"
"""What the page's policy must allow pictures to come from: itself, and files beside it, also where it is served."""
SCRIPT_BYTES, BLOCK_BYTES, PLACE_BYTES = 120_000, 80, 12
"""What else goes into the page after the pictures: its script, the tags of a case's block, the places of a result."""
LEGEND = (
    ("edited", EDITED, "edit made right"),
    ("missed", MISSED, "edit missed or wrong"),
    ("spilled", SPILLED, "changed, should have stayed"),
    ("kept", None, "left alone, rightly"),
)


def gallery() -> Html:
    """The section that the script fills with cases, and the dialog that shows one of them."""
    section = el(
        "section",
        el("header", el("h2", "Cases"), el("p", cls="found", aria_live="polite"), cls="section-head"),
        el("div", cls="filters", role="search", aria_label="Filter cases"),
        _legend(),
        el("noscript", el("p", "The gallery needs JavaScript; everything above does not.", cls="notice")),
        el("div", cls="cases"),
        id="cases",
        cls="gallery",
    )
    return Html(section + el("dialog", cls="viewer", aria_label="One case"))


def _legend() -> Html:
    keys = [
        el("span", el("i", cls=name, style=f"background:rgb{color}" if color else None), text)
        for name, color, text in LEGEND
    ]
    return el("div", el("span", cls="tolerance"), el("p", keys, cls="map-keys"), cls="map-legend")


def data_blocks(model: Model, options: ReportOptions, out: Path) -> Iterator[str]:
    """What the gallery shows, in blocks of JSON: the cases, one block of pictures for each, and where they are.

    With ``options.bundle`` the folder of full-size pictures beside the page is written on the way.
    """
    cases = shared_cases(model)
    data = _block("data", gallery_data(model, cases))
    evidence = fitting_evidence(model.runs, cases, options.file_bytes)
    verdict_blocks = [_block(f"v{place}", calls) for place, calls in evidence.items()]
    rest = (
        len(data.encode())
        + sum(len(block.encode()) for block in verdict_blocks)
        + SCRIPT_BYTES
        + (BLOCK_BYTES + PLACE_BYTES * len(model.runs)) * len(cases)
    )
    pictures_of = [RunPictures(view, out, options.bundle) for view in model.runs]
    places = place_pictures(pictures_of, cases, options.file_bytes - options.spent() - rest)
    copies = {inside: Path(path) for pictures in pictures_of for inside, path in pictures.copies.items()}
    full = write_bundle(cases, copies, out, options) if options.bundle else {}
    yield data
    yield _block("places", columns(places, cases, full))
    for number, block in enumerate(places.blocks):
        if block:
            yield _block(f"p{number}", list(block))
    yield from verdict_blocks


def _block(name: str, data: object) -> str:
    return f'<script type="application/json" id="{name}">{json_for_script(data)}</script>\n'
