"""Verdicts on an edit, for the page of its case: each question with its replies, and the score it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from editscope.report.html.gallery_data import SharedCase
from editscope.report.html.markup import json_for_script
from editscope.report.judged_runs import scales_of
from editscope.report.model import RunView
from editscope.results.case_record import CaseRecord
from editscope.suites.protocol import checks_from
from editscope.wording import plain

Json: TypeAlias = dict[str, Any]

LONGEST = 4000
"""Letters of a reply that are shown; the journal of the run has all of it."""
SHARE = 0.35
"""How much of a page its verdicts may take; many runs of many questions would leave no room for pictures."""
LETTERS = ((LONGEST, LONGEST), (0, LONGEST), (0, 300), (0, 80), (0, 0))
"""Letters of replies and of reasons that are kept, less and less until they fit."""


def fitting_evidence(views: Sequence[RunView], cases: Sequence[SharedCase], page_bytes: int) -> dict[int, Json]:
    """What ``evidence_blocks`` gives, with replies and then reasons cut as far as the page needs it."""
    blocks = evidence_blocks(views, cases)
    for replies, reasons in LETTERS:
        for block in blocks.values():
            for verdict in (verdict for calls in block.values() for call in calls for verdict in call["v"]):
                _cut(verdict, "x", replies)
                _cut(verdict, "w", reasons)
        if sum(len(json_for_script(block)) for block in blocks.values()) <= SHARE * page_bytes:
            break
    return blocks


def _cut(verdict: Json, name: str, letters: int) -> None:
    text = verdict.get(name, "")
    if len(text) > letters:
        verdict["cut"] = 1
        verdict[name] = f"{text[:letters]} …" if letters else ""


def evidence_blocks(views: Sequence[RunView], cases: Sequence[SharedCase]) -> dict[int, Json]:
    """For each case with verdicts its place in the gallery, and what was said about every run's edit of it."""
    judged = {view.index: view for view in views if view.run.judged}
    blocks = {}
    for place, case in enumerate(cases):
        by_run = {
            index: calls
            for index, record in case.records.items()
            if index in judged and (calls := evidence(judged[index], record))
        }
        if by_run:
            blocks[place] = {str(index): calls for index, calls in by_run.items()}
    return blocks


def evidence(view: RunView, record: CaseRecord) -> list[Json]:
    """The calls about one edit, in order: title, label, scores, and every verdict; ``crop`` names what was shown.

    Keys are short, since a page holds thousands: title t, label l, crop c, scores r (name, value, status), verdicts v
    (place of the judge among the run's j, snapshot m, sample n, prompt p, status s, values a, reason w, reply x).
    """
    judges = list(view.run.info["judging"]["judges"])
    names = {metric: label for metric, (label, _, _) in scales_of(view.run.info).items()}
    calls: dict[str, Json] = {}
    verdicts: Sequence[Any] = record.verdicts
    for verdict in verdicts:
        call = calls.get(verdict.key)
        if call is None:
            call = calls[verdict.key] = _call(verdict, record, names)
        call["v"].append(_verdict(verdict, judges))
    return [*calls.values(), *_checked(view, record)]


def _checked(view: RunView, record: CaseRecord) -> list[Json]:
    """What was found in an edit without a judge, as one more call that nobody was asked."""
    labels = {check.name: check.label for check in checks_from(view.run.info["judging"])}
    found = [(name.partition("@"), value) for name, value in record.evidence.items()]
    rows = [
        [f"{labels[name]} {variant}".strip(), value, "Not measured"]
        for (name, _, variant), value in found
        if name in labels
    ]
    return [{"t": "Checked without a judge", "v": [], "r": rows}] if rows else []


def _call(verdict: Any, record: CaseRecord, names: Mapping[str, str]) -> Json:
    rows = [row for row in record.rows if row.get("key", "") == verdict.key]
    title = verdict.question or " · ".join(names.get(metric, plain(metric)) for metric in verdict.metrics)
    call: Json = {"t": title or plain(verdict.key), "v": []}
    if verdict.label:
        call["l"] = verdict.label
    if verdict.thumb is not None:
        call["c"] = verdict.key
    call["r"] = [
        [names.get(row["metric"], plain(row["metric"])), row["value"], plain(row.get("status", "ok"))] for row in rows
    ]
    return call


def _verdict(verdict: Any, judges: Sequence[str]) -> Json:
    judge = judges.index(verdict.judge) if verdict.judge in judges else verdict.judge
    fields: Json = {"j": judge, "m": verdict.snapshot, "n": verdict.sample, "p": verdict.prompt_hash[:8]}
    fields |= {"s": verdict.status, "a": {plain(name): _said(value) for name, value in verdict.values.items()}}
    fields |= {"w": verdict.reason, "x": verdict.reply}
    return {name: value for name, value in fields.items() if value not in ("", 0, {}, "ok")}


def _said(value: object) -> object:
    return {True: "Yes", False: "No"}[value] if isinstance(value, bool) else value
