"""Cards of single cases: small pictures in a row, each leading to the case in the gallery."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from editscope.files import PICTURE, read_file
from editscope.report.html.links import cases_link
from editscope.report.html.markup import Child, Html, el
from editscope.report.html.picture_budget import MIME
from editscope.report.html.section_parts import badge
from editscope.report.model import RunView
from editscope.results.case_record import CaseRecord
from editscope.runfolder.repeats import case_name
from editscope.wording import failure


def case_row(title: str, cards: Sequence[Html]) -> Html | None:
    """A row of cases under a title."""
    return el("div", el("h3", title), el("div", cards, cls="strip-cards"), cls="case-strip") if cards else None


def card(edit: tuple[str, str], results: Sequence[tuple[RunView, str]], *, shared: bool = True) -> Html | None:
    """One case and variant: its answer, and each run's edit with its scores; None where the first run lacks it."""
    first = results[0][0].by_edit.get(edit)
    if first is None:
        return None
    name = case_name(*edit)
    role = "answer" if "answer" in first.thumbs else "input"
    pictures: list[Child] = [_picture(first.thumbs.get(role), role, None)] if shared else []
    for view, caption in results:
        record = view.by_edit.get(edit)
        path = _edit_of(record) if record else None
        pictures.append(_picture(path, caption, view))
    alone = results[0][0] if len(results) == 1 else None
    return el(
        "a",
        el("span", pictures, cls="pair"),
        el("code", name),
        el("small", failure(first.failure).label if alone and first.failure else None),
        href=cases_link(view=alone, case_id=name),
        cls="mini",
        title=first.instruction,
    )


def _edit_of(record: CaseRecord) -> Path | None:
    """The small picture of an edit, the first of them where a case asks for two."""
    return next((path for role, path in record.thumbs.items() if role.partition(" ")[0] == "edit"), None)


def _picture(path: Path | None, caption: str, view: RunView | None) -> Html:
    source = picture_uri(path)
    shown = el("img", src=source, alt=caption, loading="lazy") if source else el("i", "no picture", cls="none")
    return el("span", shown, el("span", badge(view) if view else None, caption, cls="cap"))


def picture_uri(path: Path | None) -> str | None:
    """A picture as part of the page; None where there is none, or its kind is not for browsers."""
    if path is None or path.suffix.lower() not in MIME:
        return None
    try:
        return f"data:{MIME[path.suffix.lower()]};base64,{b64encode(read_file(path, PICTURE)).decode()}"
    except OSError:
        return None
