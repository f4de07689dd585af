"""Verdicts of a run with judges: for each score the question, the reply and what the judge was shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING
from editscope.runfolder.files import thumb_name
from editscope.runfolder.journal import Line, VerdictKey
from editscope.runfolder.repeats import plain, unit_name

SHARED = ("input", "answer", "reference")
"""What thumbnails show that all edits of a case have in common; a number may follow."""


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """One verdict with what it answers: the evidence behind one or several numbers.

    ``question`` and ``label`` are those of a question that has one right answer, and ``right`` says whether this
    verdict gives it; ``box`` is the region that it is about, on a canvas whose longer side is 1024. ``metrics`` are the
    rows that follow from this call; ``thumb`` the part of the edit that the judge was shown, where it was a part.
    """

    key: str
    prompt: str
    prompt_hash: str
    judge: str
    snapshot: str
    sample: int
    status: str
    values: Mapping[str, Any]
    reason: str
    reply: str
    cached: bool
    cost_usd: float | None
    latency_s: float
    question: str = ""
    label: str = ""
    box: tuple[int, int, int, int] | None = None
    metrics: tuple[str, ...] = ()
    thumb: Path | None = None

    @property
    def right(self) -> bool | None:
        """Whether the answer is the label; None where there is no label or no verdict."""
        answer = self.values.get("answer")
        return None if not self.label or answer is None else bool(answer) == (self.label.strip().lower() == "yes")

    @property
    def answer(self) -> str:
        """The values in words: Yes or No, or each score by name; the status where there is none."""
        words = {True: "Yes", False: "No"}
        texts = {name: words[value] if isinstance(value, bool) else str(value) for name, value in self.values.items()}
        if set(texts) <= {"answer", "score"}:
            return " ".join(texts.values()) or self.status
        return ", ".join(f"{name} {value}" for name, value in texts.items())

    def __str__(self) -> str:
        label = f" (label {self.label})" if self.label else ""
        return f"{self.key} {self.question or self.prompt}: {self.answer}{label}" + (
            f" · {self.reason}" if self.reason else ""
        )


@dataclass(frozen=True, slots=True)
class Summary:
    """One mean with its interval, as it is printed; the values of the cell are its items.

    >>> Summary("accuracy", {"mean": 58.3, "lo": 56.1, "hi": 60.4, "n": 4112, "missing": 9})
    58.3 (56.1 … 60.4), n 4,112, 9 without a verdict
    """

    name: str
    cell: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def __getitem__(self, key: str) -> Any:
        return self.cell[key]

    def __float__(self) -> float:
        return float("nan") if self.cell["mean"] is None else float(self.cell["mean"])

    def __repr__(self) -> str:
        if self.cell["mean"] is None:
            return f"no value of {self.name}"
        missing = self.cell.get("missing", 0)
        interval = "" if self.cell["lo"] is None else f" ({self.cell['lo']:.1f} … {self.cell['hi']:.1f})"
        text = f"{self.cell['mean']:.1f}{interval}, n {self.cell['n']:,}"
        return text + (f", {missing:,} without a verdict" if missing else "")


class SummaryDict(dict[str, Any]):
    """The content of summary.json; a name that is none of its keys is looked for among the overall means."""

    def __missing__(self, name: str) -> Any:
        if name in self.get("overall", {}):
            return Summary(name, self["overall"][name])
        raise KeyError(name)


def verdict_records(
    score: Line, lines: Mapping[VerdictKey, Line], order: Sequence[str], thumbs: Mapping[str, Path]
) -> tuple[VerdictRecord, ...]:
    """The verdicts behind a score line, call by call, judges in their order; those on other pictures are left out."""
    records = []
    for call in score["calls"]:
        about = [line for asked, line in lines.items() if asked[0] == call["key"] and line["digest"] == call["digest"]]
        rank = {spec: place for place, spec in enumerate(order)}
        about.sort(key=lambda line: (rank.get(line["verdict"]["judge"], len(rank)), line["sample"]))
        metrics = tuple(row["metric"] for row in score["rows"] if row.get("key", "") == call["key"])
        records += [_record(call, line, metrics, thumbs.get(call["key"])) for line in about]
    return tuple(records)


def _record(call: Mapping[str, Any], line: Line, metrics: tuple[str, ...], thumb: Path | None) -> VerdictRecord:
    verdict = line["verdict"]
    box = call.get("box")
    return VerdictRecord(
        key=call["key"],
        prompt=call["prompt"],
        prompt_hash=call["prompt_hash"],
        judge=verdict["judge"],
        snapshot=verdict["snapshot"],
        sample=line["sample"],
        status=verdict["status"],
        values=verdict["values"],
        reason=verdict["reason"],
        reply=verdict["reply"],
        cached=verdict["cached"],
        cost_usd=verdict["usage"]["cost_usd"],
        latency_s=verdict["usage"]["latency_s"],
        question=call.get("question", ""),
        label=call.get("label", ""),
        box=None if box is None else (box[0], box[1], box[2], box[3]),
        metrics=metrics,
        thumb=thumb,
    )


def shared_tags(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The tags that all rows have alike, such as the level of their edit.

    >>> shared_tags([{"tags": {"level": "explicit", "label": "Yes"}}, {"tags": {"level": "explicit", "label": "No"}}])
    {'level': 'explicit'}
    """
    tags = [row.get("tags", {}) for row in rows]
    return {tag: value for tag, value in (tags[0] if tags else {}).items() if all(t.get(tag) == value for t in tags)}


def kinds_of(name: str, variants: Sequence[str]) -> str | None:
    """What a thumbnail shows to who looks at these variants of a case; None where it belongs to another.

    >>> kinds_of("edit@explicit", ["explicit"]), kinds_of("edit@A~2", ["A~2", "B~2"]), kinds_of("edit@cn", ["en"])
    ('edit', 'edit A', None)
    >>> kinds_of("input2", ["~2"]), kinds_of("edit@~2", ["~2"]), kinds_of("edit", ["~2"])
    ('input2', 'edit', None)
    """
    kind, at, _ = name.partition("@")
    if not at:
        return kind if "" in variants or kind.rstrip("0123456789") in SHARED else None
    if len(variants) > 1 and name == thumb_name(kind, unit_name(variants)):
        return kind
    for variant in variants:
        if name == thumb_name(kind, variant):
            return kind if len(variants) == 1 else f"{kind} {plain(variant)[0]}"
    return None
