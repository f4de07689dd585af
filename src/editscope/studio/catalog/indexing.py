"""Indexing of a run: its journal read once, into a card, columns and one document for every edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from editscope.errors import EditscopeError
from editscope.report.html.gallery_data import mode_of
from editscope.report.html.gallery_verdicts import evidence
from editscope.report.judged_runs import judge_in_words, protocol_in_words, protocol_of
from editscope.report.model import Sheet, gather
from editscope.results.case_record import CaseRecord
from editscope.results.run import Run, open_run
from editscope.runfolder.repeats import plain as without_repeat
from editscope.runfolder.run_json import Info, is_judged, read_info
from editscope.runfolder.run_names import shown_spec
from editscope.stats.summary import percent_scale
from editscope.studio.catalog.records import CaseList, Doc, RunCard, RunIndex, ScoreColumns, ShownMetric, digest
from editscope.suites import suite_title
from editscope.wording import MetricName, decimals, metric_name, metric_note, part_note

ALWAYS = ("variant", "text", "tags")
CURVE_ROWS = ("hits", "spilled", "edit_pixels", "preservation_pixels")


def index_run(path: Path, run_id: str) -> RunIndex:
    """The index of a run folder; of one that cannot be read, a card that says why."""
    try:
        info = read_info(path)
    except (EditscopeError, OSError) as error:
        return _nothing(RunCard(run_id, problem=problem_of(error, path)))
    try:
        run = open_run(path)
        if not run.records():
            return _nothing(_card(run_id, info, coverage=run.coverage))
        (sheet,) = gather([run], None).sheets
        return _index(run_id, run, sheet)
    except (EditscopeError, OSError) as error:
        return _nothing(_card(run_id, info, problem=problem_of(error, path)))


def problem_of(error: Exception, path: Path) -> str:
    """A message about a run without the folders of this machine."""
    if isinstance(error, OSError):
        return "A file of this run cannot be read; it may be just being written or removed."
    text = str(error)
    for place in (path, path.parent):
        text = text.replace(f"{place}/", "").replace(str(place), place.name)
    named = "." in text.partition(" ")[0].rstrip(":.,")  # the name of a file stays as it is
    return text if named else text[:1].upper() + text[1:]


def _option(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def set_id_of(info: Info) -> str:
    """The name of the set that a run is on: its suite, the fingerprint of its cases, and how it was scored."""
    return digest(str(info["suite"]["name"]), str(info["suite"]["fingerprint"]), protocol_of(info))


def _nothing(card: RunCard) -> RunIndex:
    return RunIndex(card, CaseList([], [], [], [], {}), ScoreColumns([], [], {}, [], []), [])


def _card(run_id: str, info: Info, **more: Any) -> RunCard:
    coverage = dict(more.pop("coverage", {}))
    judging = info.get("judging") or {}
    options = info["suite"].get("options") or {}
    return RunCard(
        id=run_id,
        suite=str(info["suite"]["name"]),
        suite_title=suite_title(str(info["suite"]["name"])),
        fingerprint=str(info["suite"]["fingerprint"]),
        set_id=set_id_of(info),
        protocol=protocol_in_words(info),
        editor={"name": info["editor"]["name"], "spec": info["editor"].get("spec")},
        spec=shown_spec(info["editor"]),
        created=str(info.get("created", "")),
        n=int(info["selection"]["n"]),
        part=part_note(info["selection"], coverage.get("pending", 0)),
        judged=is_judged(info),
        judges=tuple(judge_in_words(spec) for spec in judging.get("judges", ())),
        coverage=coverage,
        facts=_facts(info),
        suite_options=options,
        **more,
    )


def _facts(info: Info) -> list[tuple[str, str]]:
    """Where a run comes from, for its page; of folders only the name."""
    judging = info.get("judging") or {}
    options = {
        name: PurePath(value).name if isinstance(value, str) and "/" in value else value
        for name, value in (info["suite"].get("options") or {}).items()
        if value not in (None, "", [])
    }
    code = info["editor"].get("code") or []
    facts = {
        "Editor": shown_spec(info["editor"]),
        "Editor's code": ", ".join(f"{version['file']} {version['hash'][:12]}" for version in code),
        "Suite": str(info["suite"]["name"]),
        "Suite's options": "; ".join(f"{name} {_option(value)}" for name, value in options.items()),
        "Set": str(info["suite"]["fingerprint"]),
        "Judges": ", ".join(judge_in_words(spec) for spec in judging.get("judges", ())),
        "Protocol": protocol_in_words(info),
        "Prompts": str((judging.get("prompts") or {}).get("hash", ""))[:12],
        "Seed": str(info["seed"]),
        "Repeats": str((info.get("settings") or {}).get("repeats", "")),
        "Begun": str(info.get("created", ""))[:19].replace("T", " "),
        "Editscope": str(info.get("editscope", "")),
        "Versions": ", ".join(f"{name} {version}" for name, version in info["versions"].items()),
    }
    return [(name, value) for name, value in facts.items() if value]


def _index(run_id: str, run: Run, sheet: Sheet) -> RunIndex:
    view = sheet.runs[0]
    records = view.records
    card = _card(
        run_id,
        run.info,
        coverage=run.coverage,
        complete=run.complete,
        headline=str(sheet.headline),
        metrics=tuple(map(_metric, sheet.metrics)),
        overall={str(metric): dict(cell) for metric, cell in view.summary["overall"].items()},
        groups=[dict(row) for row in view.summary["groups"]],
        orders={tag: list(values) for tag, values in sheet.aggregation.orders.items()},
    )
    first = [tag for group in sheet.aggregation.groups for tag in group.by]
    names = dict.fromkeys([*first, *(tag for record in records for tag in record.tags)])
    cases = CaseList(
        ids=[record.case_id for record in records],
        variants=[record.variant for record in records],
        prints=[record.fingerprint for record in records],
        texts=[record.instruction for record in records],
        tags={tag: [_text(record.tags.get(tag)) for record in records] for tag in names},
    )
    lines = run.edits()
    docs = [_doc(record, sheet.metrics, lines) for record in records]
    columns = ScoreColumns(
        modes=[doc["mode"] for doc in docs],
        statuses=[record.status for record in records],
        metrics={str(metric): [doc["metrics"][metric] for doc in docs] for metric in sheet.metrics},
        latency_s=[record.latency_s for record in records],
        edited=[int("images" in doc) for doc in docs],
    )
    if run.judged:
        for record, doc in zip(records, docs, strict=True):
            doc["calls"] = evidence(view, record)
    return RunIndex(card, cases, columns, docs)


def _doc(record: CaseRecord, metrics: Sequence[str], lines: Mapping[tuple[str, str], Mapping[str, Any]]) -> Doc:
    images = dict(record.images) or ({} if record.image is None else {record.variant: record.image})
    sizes = {variant: line.get("size") for variant in images if (line := lines.get((record.case_id, variant)))}
    doc: Doc = {
        "case": record.case_id,
        "variant": record.variant,
        "mode": mode_of(record),
        "status": record.status,
        "reason": record.reason,
        "print": record.fingerprint,
        "text": record.instruction,
        "tags": dict(record.tags),
        "metrics": {str(metric): _shown(record.metrics.get(metric), metric) for metric in metrics},
        "latency_s": record.latency_s,
        "cost_usd": record.cost_usd,
        "notes": list(record.notes),
        "asked": record.asked,
        "trace": record.trace,
        "images": {variant: str(path) for variant, path in images.items()},
        "hashes": {variant: record.hashes[path] for variant, path in images.items() if path in record.hashes},
        "sizes": {variant: size for variant, size in sizes.items() if size},
        "repeat": without_repeat(record.variant)[1] + 1,
    }
    if "hits" in record.evidence and all(name in record.evidence for name in (*CURVE_ROWS, "output_size")):
        doc["counts"] = [record.evidence[name] for name in (*CURVE_ROWS, "output_size")]
        doc["fitted"] = bool(record.evidence.get("resized"))
    return {name: value for name, value in doc.items() if value or value == 0 or name in ALWAYS}


def _metric(metric: str) -> ShownMetric:
    note, places = metric_note(metric) or "", decimals(metric)
    if isinstance(metric, MetricName):
        return ShownMetric(str(metric), metric.label, note, metric.low, metric.high, places, metric.unit)
    ratio = metric.endswith("_ratio")
    return ShownMetric(
        str(metric), metric_name(metric), note, 0.0, 3.0 if ratio else 100.0, places, "" if ratio else "%"
    )


def _shown(value: float | None, metric: str) -> float | None:
    return None if value is None else round(percent_scale(metric) * value, 4)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
