"""Gallery of cases: its frame in the page, and the blocks of data from which the script fills it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editscope.images import THUMB_SIDE
from editscope.report.html.gallery_data import gallery_data, shared_cases
from editscope.report.html.gallery_verdicts import fitting_evidence
from editscope.report.html.larger_pictures import SIDE, enlarge
from editscope.report.html.markup import Child, Html, el, json_for_script
from editscope.report.html.picture_budget import RunPictures, columns, place_pictures
from editscope.report.html.picture_folder import write_bundle
from editscope.report.model import Model
from editscope.report.options import ReportOptions
from editscope.results import Run
from editscope.scoring.errormap import EDITED, MISSED, SPILLED
from editscope.wording import count

STYLES = ("gallery.css", "viewer.css", "verdicts.css")
SCRIPTS = ("cases.js", "errormap.js", "gallery.js", "stage.js", "verdicts.js", "viewer.js")
"""Assets of the gallery, for the page to put into itself after its own, in this order."""
IMG_SRC = "data: file: 'self'"
"""What the page's policy must allow pictures to come from: itself, and files beside it, also where it is served."""
BLOCK_BYTES, PLACE_BYTES = 80, 12
"""What else goes into the page with the pictures: the tags of a case's block, the places of a result."""
FEW_NAMES = 4
"""As many run folders are named in a command that a reader may copy."""
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
        el("nav", cls="pager", aria_label="Pages of cases"),
        el("div", cls="cases"),
        el("nav", cls="pager", aria_label="Pages of cases, below"),
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


@dataclass(frozen=True, eq=False)
class GalleryPictures:
    """Where the pictures of a report are: inside the page, large or small, or beside it."""

    cases: int
    large: int
    """Cases whose pictures are inside at ``SIDE`` pixels."""
    outside: int
    """Small pictures that found no room in the page."""
    blocks: Sequence[str]
    """What the gallery shows, in blocks of JSON: the cases, one block of pictures for each, and where they are."""


def prepare(model: Model, options: ReportOptions, out: Path, taken: int) -> GalleryPictures:
    """Decide where every picture is, with ``taken`` bytes of the page in use already.

    With ``options.bundle`` the folder of full-size pictures beside the page is written on the way.
    """
    cases = shared_cases(model)
    data = _block("data", gallery_data(model, cases))
    evidence = fitting_evidence(model.runs, cases, options.file_bytes)
    verdict_blocks = [_block(f"v{place}", calls) for place, calls in evidence.items()]
    rest = (
        len(data.encode())
        + sum(len(block.encode()) for block in verdict_blocks)
        + (BLOCK_BYTES + PLACE_BYTES * len(model.runs)) * len(cases)
    )
    pictures_of = [RunPictures(view, out, options.bundle) for view in model.runs]
    places = place_pictures(pictures_of, cases, options.file_bytes - taken - rest)
    copies = {inside: Path(path) for pictures in pictures_of for inside, path in pictures.copies.items()}
    full = write_bundle(cases, copies, out, options) if options.bundle else {}
    large = 0 if options.bundle else enlarge(places, cases, options)
    pictures = [_block(f"p{number}", list(block)) for number, block in enumerate(places.blocks) if block]
    blocks = [data, _block("places", columns(places, cases, full)), *pictures, *verdict_blocks]
    return GalleryPictures(len(cases), large, places.outside, blocks)


def what_is_inside(model: Model, pictures: GalleryPictures, options: ReportOptions, out: Path) -> Html | None:
    """A sentence for the top of the page: which pictures this file holds, and how to get the others."""
    if not pictures.cases:
        return None
    if options.bundle:
        sentence: list[Child] = [
            "Pictures in full size lie in ",
            el("code", f"{out.stem}_files"),
            ": send both together.",
        ]
        return el("p", sentence, cls="inside")
    if pictures.outside:
        text = f"{count(pictures.outside, 'small picture')} had no room in this file and stay in the run folders"
    elif pictures.large == pictures.cases:
        text = f"This file holds its pictures with sides of up to {SIDE} pixels"
    elif pictures.large:
        text = (
            f"This file holds the pictures of {pictures.large:,} of {count(pictures.cases, 'case')} with sides of up "
            f"to {SIDE} pixels, the others with {THUMB_SIDE}"
        )
    else:
        text = f"This file holds its pictures with sides of up to {THUMB_SIDE} pixels"
    names = [_from_here(view.run, out) for view in model.runs]
    runs = " ".join(shlex.quote(name) for name in names) if len(names) <= FEW_NAMES else "RUN …"
    command = f"editscope report {runs} --out {shlex.quote(out.name)} --bundle"
    return el("p", f"{text}. For all of them in full size: ", el("code", command), cls="inside")


def _from_here(run: Run, out: Path) -> str:
    """How a command in the folder of the page names a run; its name alone where it lies elsewhere."""
    where, folder = (run.archive or run.path).absolute(), out.absolute().parent
    return where.relative_to(folder).as_posix() if where.is_relative_to(folder) else where.name


def _block(name: str, data: object) -> str:
    return f'<script type="application/json" id="{name}">{json_for_script(data)}</script>\n'
