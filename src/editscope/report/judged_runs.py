"""Facts of judged runs that a report needs: protocol, measures, and the tags that set edits of a case apart."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from editscope.results.accounting import accounting_in_words
from editscope.results.case_record import CaseRecord
from editscope.results.run import Run
from editscope.runfolder.repeats import REPEAT
from editscope.runfolder.repeats import plain as split_repeat
from editscope.runfolder.run_json import Info, is_judged
from editscope.wording import MetricName, listed, plain

if TYPE_CHECKING:
    from editscope.report.model import Sheet

FINE = 10.0
"""A scale that is shorter than this, such as 1 to 5, is written with two decimals."""


def protocol_of(info: Info) -> str:
    """The protocol with its options, which decide what is measured; "" for a run that no judge scored.

    >>> protocol_of({"judging": {"protocol": {"name": "picabench", "options": {"region": "whole"}}}})
    'picabench {"region": "whole"}'
    """
    if not is_judged(info):
        return ""
    protocol = info["judging"]["protocol"]
    options = protocol.get("options") or {}
    return str(protocol["name"]) + (f" {json.dumps(options, sort_keys=True)}" if options else "")


def protocol_in_words(info: Info) -> str:
    """The protocol as people say it, without the folders of this machine.

    >>> protocol_in_words({"judging": {"protocol": {"name": "picabench", "options": {"region": "whole"}}}})
    'picabench, region whole'
    >>> metric = {"name": "look", "prompt": "/data/mine/prompts/look.txt"}
    >>> protocol_in_words({"judging": {"protocol": {"name": "own", "options": {"metrics": [metric]}}}})
    'own, metrics look'
    """
    if not is_judged(info):
        return ""
    protocol = info["judging"]["protocol"]
    options: Mapping[str, Any] = protocol.get("options") or {}
    return ", ".join([str(protocol["name"]), *(f"{plain(name).lower()} {_words(v)}" for name, v in options.items())])


def _words(value: Any) -> str:
    """The value of an option in words: of what has a name its name, of a path its end."""
    if isinstance(value, Mapping):
        return str(value["name"]) if "name" in value else listed([f"{name} {_words(v)}" for name, v in value.items()])
    if isinstance(value, list | tuple):
        return listed([_words(one) for one in value])
    if isinstance(value, bool):
        return "on" if value else "off"
    return PurePath(value).name if isinstance(value, str) and "/" in value else str(value)


def judge_in_words(spec: str) -> str:
    """A judge's spec as people say it: the model, and in brackets what was set.

    >>> judge_in_words("openai:gpt-4o?base_url=http://127.0.0.1:8000/v1&temperature=0")
    'openai:gpt-4o (at 127.0.0.1:8000, temperature 0)'
    >>> judge_in_words("anthropic:claude-sonnet-4-5"), judge_in_words("local:/models/judge")
    ('anthropic:claude-sonnet-4-5', 'local:judge')
    """
    name, _, options = spec.partition("?")
    door, colon, model = name.partition(":")
    if model.startswith(("/", "~")):
        name = f"{door}{colon}{PurePath(model).name}"
    given = dict(parse_qsl(options))
    host = urlsplit(given.pop("base_url", "")).netloc.rpartition("@")[2]
    parts = [f"at {host}"] if host else []
    parts += [f"{plain(key).lower()} {_words(value)}" for key, value in given.items()]
    return f"{name} ({', '.join(parts)})" if parts else name


def judges_in_words(info: Info) -> str:
    """The judges of a run in words."""
    return listed([judge_in_words(spec) for spec in info["judging"]["judges"]])


def judged_metrics(info: Info, names: Iterable[str]) -> tuple[MetricName, ...]:
    """The measures of a judged run, the headline first, each with the scale that tables show it on."""
    if not is_judged(info):
        return ()
    known = set(names)
    metrics = [_metric(fields) for fields in info["judging"]["measures"] if fields["name"] in known]
    headline = info["judging"].get("headline")
    return tuple(sorted(metrics, key=lambda metric: metric != headline))


def scales_of(info: Mapping[str, Any]) -> dict[str, tuple[str, float, float]]:
    """The metrics that rows of a judged run have, with their label and the ends of the scale they were judged on."""
    scales = {}
    for fields in info["judging"]["measures"]:
        if list(fields["metrics"]) == [fields["name"]]:
            scales[fields["name"]] = (fields["label"], float(fields["worst"]), float(fields["best"]))
    return scales


def _metric(fields: Mapping[str, Any]) -> MetricName:
    low, high = ((fields[end] - fields["zero"]) * fields["scale"] for end in ("worst", "best"))
    return MetricName(
        fields["name"],
        fields["label"],
        note=_sentence(fields.get("note", "")),
        low=low,
        high=high,
        decimals=2 if abs(high - low) < FINE else 1,
        unit=_unit(fields),
    )


def _unit(fields: Mapping[str, Any]) -> str:
    """Percent for shares of right answers, dB for a ratio of signal to noise, nothing for marks of a scale."""
    if (fields["worst"], fields["best"], fields["zero"], fields["scale"]) == (0, 1, 0, 100):
        return "%"
    return "dB" if "dB" in fields.get("note", "").split() else ""


def headline_of(suite: str) -> str:
    """The metric that published results of a suite are ranked by, with its scale where its protocol has one."""
    from editscope.published import headline
    from editscope.suites.registry import known_benchmark
    from editscope.suites.rubrics import load_rubric

    name, record = headline(suite), known_benchmark(suite)
    return _metric(asdict(load_rubric(record.judged_by).measure(name))) if record and record.judged_by else name


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}." if note and not note.endswith(".") else note


def with_unit_tags(run: Run, records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """The records of a run; of a judged one with the tags that all numbers of an edit share, such as its level."""
    if not run.judged:
        return list(records)
    return [_tagged(record) for record in records]


def with_repeat_tags(info: Mapping[str, Any], records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """The records of a run; of one with repeats with their number as a tag, by which the gallery filters."""
    if int((info.get("settings") or {}).get("repeats", 1)) < 2:
        return list(records)
    return [
        replace(record, tags={**record.tags, REPEAT: str(split_repeat(record.variant)[1] + 1)}) for record in records
    ]


def _tagged(record: CaseRecord) -> CaseRecord:
    tags = [row.get("tags") or {} for row in record.rows]
    shared = dict(tags[0].items() & _all(tags)) if tags else {}
    if not shared:
        return record
    return replace(record, tags={**record.tags, **dict(sorted(shared.items()))})


def _all(tags: Sequence[Mapping[str, str]]) -> set[tuple[str, str]]:
    return set.intersection(*(set(own.items()) for own in tags))


def missing_verdicts(sheet: Sheet, names: Sequence[str]) -> list[str]:
    """Sentences on what the figures of judged runs lack: edits, which count as said, and verdicts, which do not."""
    sentences = []
    for what, key in (("edits", "edits"), ("verdicts", "verdicts")):
        gaps = []
        for name, view in zip(names, sheet.runs, strict=True):
            counts: Mapping[str, int] = view.summary.get(key) or {}
            lacking = {status: n for status, n in counts.items() if status != "ok" and n}
            if lacking:
                parts = ", ".join(f"{n:,} {plain(status).lower()}" for status, n in lacking.items())
                gaps.append(f"{name} ({parts} of {sum(counts.values()):,})")
        if gaps:
            sentences.append(f"Missing {what}: {listed(gaps)}.")
    ours = any(view.summary.get("accounting", {}).get("used") != "released" for view in sheet.runs)
    if ours and (len(sentences) == 2 or (sentences and "verdicts" in sentences[0])):
        sentences.append("A missing verdict takes no part in a mean.")
    for name, view in zip(names, sheet.runs, strict=True):
        if difference := accounting_in_words(view.summary):
            sentences.append(f"{name}: {difference}.")
    return sentences


def coverage_words(summary: Mapping[str, Any]) -> str:
    """How much of a run is there: cases by status, or for judged ones edits and verdicts.

    >>> coverage_words({"coverage": {"ok": 12, "no_output": 1}})
    '12 ok, 1 no_output'
    >>> coverage_words({"edits": {"ok": 16}, "verdicts": {"ok": 22, "refused": 10}})
    'edits: 16 ok; verdicts: 22 ok, 10 refused'
    """
    if "verdicts" not in summary:
        return _counted(summary.get("coverage") or {})
    return f"edits: {_counted(summary.get('edits') or {})}; verdicts: {_counted(summary['verdicts'])}"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {status}" for status, number in counts.items())
