"""Sources of the figures: what was run, on which cases, with what, and files that did not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.html.sections.findings.overview import sheet_label
from editscope.report.model import RunView, Sheet, shown_spec
from editscope.report.options import ReportOptions
from editscope.runfolder.code_versions import versions_in_words
from editscope.suites import suite_title
from editscope.wording import count, plain

FILES = (
    ("missing", "no output for a case, scored 0"),
    ("unreadable", "an output that cannot be read, scored 0"),
    ("unmatched", "a file that matches no case, not used"),
)
SHOWN = 500


def files(sheet: Sheet, options: ReportOptions) -> Html | None:
    """Files that did not fit, said beside the headline: a silent gap would be a wrong score."""
    lists = [file_list for view in sheet.runs if (file_list := _files(view))]
    return el("section", lists, cls="provenance", id=f"files-{sheet.key}") if lists else None


def provenance(sheet: Sheet, options: ReportOptions) -> Html:
    """All that another person needs to make the same figures again."""
    return el(
        "section",
        el("header", el("h2", "Where this comes from"), cls="section-head"),
        el("p", _set_sentence(sheet), cls="hint"),
        el("div", [_run_facts(view) for view in sheet.runs], cls="facts"),
        cls="card sources",
        id=f"provenance-{sheet.key}",
    )


def _set_sentence(sheet: Sheet) -> list[Child]:
    return [
        f"{suite_title(sheet.suite)}, {sheet_label(sheet)}. Set fingerprint ",
        el("code", sheet.fingerprint),
        ": runs are compared only where it agrees, and case by case where each case’s own fingerprint does.",
    ]


def _run_facts(view: RunView) -> Html:
    shown = [(name, text) for name, text in _facts(view) if text not in (None, "", [], {})]
    return el(
        "div",
        el("h3", badge(view), view.name),
        el("dl", [[el("dt", name), el("dd", str(text))] for name, text in shown]),
    )


def _facts(view: RunView) -> Iterable[tuple[str, object]]:
    info = view.run.info
    selection: Mapping[str, Any] = info.get("selection") or {}
    where: Mapping[str, Any] = selection.get("where") or {}
    suite: Mapping[str, Any] = info["suite"]
    editor: Mapping[str, Any] = info["editor"]
    files_: Mapping[str, Any] = info.get("files") or {}
    yield "run", view.run.path.name
    yield "editor", shown_spec(view.run)
    yield "editor’s code", versions_in_words(view.run.summary)
    yield "editor’s files", editor.get("digest") or files_.get("digest")
    yield "judge", info.get("judge")
    yield "suite", f"{suite['name']} {suite['fingerprint']}"
    if "root" not in (suite.get("options") or {}):
        yield "cases made by", f"editscope {info.get('editscope', '')}".strip()
    yield "options", ", ".join(f"{k}={_option(v)}" for k, v in (suite.get("options") or {}).items() if v is not None)
    yield "cases", ", ".join(f"{t}={','.join(v)}" for t, v in where.items()) or "all of the suite"
    yield "limit", selection.get("limit")
    scored = sum(record.status == "ok" for record in view.records)
    often = int((info.get("settings") or {}).get("repeats", 1))
    if often > 1:
        yield "repeats", f"{often} edits of each case"
    yield "scored", f"{scored:,} of {often * selection.get('n', len(view.records)):,}"
    yield "seed", info.get("seed")
    yield "bootstrap", "10,000 resamples, seed 0"
    yield "created", info.get("created")
    yield "editscope", info.get("editscope")
    yield from (info.get("versions") or {}).items()


def _option(value: object) -> str:
    """An option of the suite, without the folders above a path: a report is sent to others."""
    if isinstance(value, list | tuple):
        return ",".join(_option(item) for item in value)
    text = str(value)
    return PurePath(text).name if text.startswith(("/", "~")) or "\\" in text else text


def _files(view: RunView) -> Html | None:
    listed: Mapping[str, Any] = view.run.info.get("files") or {}
    kinds = [(kind, note, list(listed.get(kind) or ())) for kind, note in FILES]
    kinds = [(kind, note, names) for kind, note, names in kinds if names]
    if not kinds:
        return None
    return el(
        "details",
        el("summary", badge(view), f"{view.name}: ", ", ".join(f"{len(names):,} {kind}" for kind, _, names in kinds)),
        [
            [
                el("h4", f"{plain(kind)} ({note})"),
                el("ul", [el("li", el("code", str(name))) for name in names[:SHOWN]]),
                el("p", f"… and {count(len(names) - SHOWN, 'file')} more, listed in run.json")
                if len(names) > SHOWN
                else None,
            ]
            for kind, note, names in kinds
        ],
        cls="files",
    )
