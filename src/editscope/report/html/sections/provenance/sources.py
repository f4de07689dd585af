"""Sources of the figures: what was run, on which cases, with what, and files that did not fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.section_parts import badge
from editscope.report.html.sections.findings.overview import sheet_label
from editscope.report.model import RunView, Sheet, shown_spec
from editscope.report.options import ReportOptions
from editscope.runfolder.code_versions import versions_in_words
from editscope.suites import suite_title
from editscope.wording import count, listed, part_of_cases, plain

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
    suite: Mapping[str, Any] = info["suite"]
    editor: Mapping[str, Any] = info["editor"]
    files_: Mapping[str, Any] = info.get("files") or {}
    yield "Run", view.run.path.name
    yield "Date", _date(info.get("created"))
    yield "Editor", shown_spec(view.run)
    yield "Editor’s code", versions_in_words(view.run.summary)
    yield "Editor’s files", editor.get("digest") or files_.get("digest")
    options: Mapping[str, Any] = suite.get("options") or {}
    yield "Suite", ", ".join([suite_title(suite["name"]), *(_said(k, v) for k, v in options.items() if v is not None)])
    yield "Cases", _cases(selection)
    if "root" not in options:
        yield "Cases made by", f"editscope {info.get('editscope', '')}".strip()
    scored = sum(record.status == "ok" for record in view.records)
    repeats = int((info.get("settings") or {}).get("repeats", 1))
    if repeats > 1:
        yield "Repeats", f"{repeats} edits of each case"
    if view.run.judged:  # a case may have several edits: levels, languages
        yield "Scored", f"{scored:,} of {count(len(view.records), 'edit')}, with every verdict"
    else:
        yield "Scored", f"{scored:,} of {repeats * selection.get('n', len(view.records)):,}"
    yield "Seed", info.get("seed")
    yield "Intervals", "10,000 bootstrap resamples, seed 0"
    versions: Mapping[str, Any] = info.get("versions") or {}
    software = [f"{name} {version}" for name, version in versions.items() if name != "platform"]
    yield "Software", ", ".join([f"editscope {info.get('editscope', '')}".strip(), *software])
    yield "Machine", versions.get("platform")


def _cases(selection: Mapping[str, Any]) -> str:
    """Which cases of the suite were taken."""
    where: Mapping[str, Any] = selection.get("where") or {}
    chosen = [f"{plain(tag).lower()} {listed([plain(v).lower() for v in values])}" for tag, values in where.items()]
    if selection.get("limit"):
        chosen.append(f"spread over all groups by the limit {selection['limit']:,}")
    return ", ".join([part_of_cases(selection), *chosen]) if chosen else f"all of the suite, {part_of_cases(selection)}"


def _date(created: object) -> str | None:
    """A point in time as people write it.

    >>> _date("2026-11-16T16:40:55+00:00")
    'November 16, 2026, 16:40 UTC'
    """
    if not isinstance(created, str):
        return None
    try:
        when = datetime.fromisoformat(created)
    except ValueError:
        return created
    zone = " UTC" if when.utcoffset() == timedelta(0) else f" {when:%z}".rstrip()
    return f"{when:%B} {when.day}, {when.year}, {when:%H:%M}{zone}"


def _said(name: str, value: object) -> str:
    return f"data {_option(value)}" if name == "root" else f"{plain(name).lower()} {_option(value)}"


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
