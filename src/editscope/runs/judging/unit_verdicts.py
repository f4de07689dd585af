"""Verdicts on one unit as they come in, and the score line that follows when all are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.cases import Status
from editscope.judges import Verdict
from editscope.plugins import one_sentence
from editscope.runfolder.journal import Line, Step, VerdictKey
from editscope.runs.engine.case_steps import now
from editscope.runs.judging.prepare import PreparedUnit, questions_of
from editscope.scoring.rubrics import Rubric, ScoreRow, Unit

GRAVEST: tuple[Status, ...] = ("error", "unparsed", "refused", "no_output")
"""Which status stands for a unit whose rows have several."""


@dataclass(eq=False)
class UnitVerdicts:
    """What is known about one unit: the calls about it, and the verdicts so far.

    It keeps no picture: those are with the questions that are still to be asked.
    """

    about: PreparedUnit
    index: int
    wanted: frozenset[VerdictKey]
    calls: list[dict[str, Any]]
    verdicts: dict[VerdictKey, Verdict] = field(default_factory=dict)
    unknown: int = 0
    """Calls that were only looked up in the cache, and that it does not know."""

    @property
    def step(self) -> Step:
        """The case and the unit."""
        return self.about.case.id, self.about.name

    @property
    def complete(self) -> bool:
        """Whether every question has come back."""
        return len(self.verdicts) + self.unknown >= len(self.wanted)

    def score(self, rubric: Rubric, order: tuple[str, ...]) -> Line:
        """The score line; ``order`` are the specs of the judges, in which their verdicts are given to the rubric."""
        place = {spec: number for number, spec in enumerate(order)}
        ordered = sorted(self.verdicts, key=lambda asked: (place.get(asked[1], len(place)), asked[2]))
        verdicts: dict[str, list[Verdict]] = {call["key"]: [] for call in self.calls}
        for asked in ordered:
            verdicts[asked[0]].append(self.verdicts[asked])
        about = self.about
        with one_sentence(f"protocol {rubric.name}, case {about.case.id}: rows failed"):
            rows = rubric.rows(about.case, about.unit, verdicts, about.pixels, about.missing)
            white = rubric.rows(about.case, about.unit, verdicts, {}) if about.missing and self.calls else ()
        return {
            "step": "score",
            "case": about.case.id,
            "variant": about.name,
            "unit": about.variants,
            "place": about.place,
            "units": about.units,
            "index": self.index,
            "status": about.missing or gravest(rows),
            "missing": about.missing,
            "applicable": about.applicable,
            "rows": [_row(row, about.unit) for row in rows],
            **({"white": [_row(row, about.unit) for row in white]} if white else {}),
            "pixels": dict(about.pixels),
            "calls": self.calls,
            "verdicts": dict(sorted(Counter(verdict.status for verdict in self.verdicts.values()).items())),
            "snapshots": self._snapshots(),
            "spent": spent_on(list(self.verdicts.values())),
            **({"panel": _panel(verdicts, order)} if len(order) > 1 else {}),
            "tags": dict(about.case.tags),
            "instruction": about.instruction,
            "fingerprint": about.fingerprint,
            "at": now(),
        }

    def _snapshots(self) -> dict[str, dict[str, int]]:
        counts: dict[str, Counter[str]] = {}
        for verdict in self.verdicts.values():
            if verdict.snapshot:
                counts.setdefault(verdict.judge, Counter())[verdict.snapshot] += 1
        return {judge: dict(sorted(by_snapshot.items())) for judge, by_snapshot in sorted(counts.items())}


def _panel(verdicts: Mapping[str, Sequence[Verdict]], order: Sequence[str]) -> dict[str, dict[str, list[float | None]]]:
    """For each call and each field of its reply what each judge said, the mean of its samples; None for nothing."""
    panel: dict[str, dict[str, list[float | None]]] = {}
    for key, answers in verdicts.items():
        names = dict.fromkeys(name for verdict in answers for name in verdict.values)
        panel[key] = {name: [_mean(answers, judge, name) for judge in order] for name in names}
    return panel


def _mean(verdicts: Sequence[Verdict], judge: str, name: str) -> float | None:
    own = [float(v.values[name]) for v in verdicts if v.judge == judge and v.status == "ok" and name in v.values]
    return sum(own) / len(own) if own else None


def spent_on(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What was paid for: verdicts from the cache took nothing this time."""
    usages = [verdict.usage for verdict in verdicts if not verdict.cached]
    costs = [usage.cost_usd for usage in usages]
    estimated = sum(usage.estimated for usage in usages)
    return {
        "calls": len(usages),
        "cached": len(verdicts) - len(usages),
        "input_tokens": sum(usage.input_tokens for usage in usages),
        "output_tokens": sum(usage.output_tokens for usage in usages),
        "cost_usd": None if None in costs else round(sum(cost for cost in costs if cost is not None), 9),
        **({"estimated": estimated} if estimated else {}),
    }


def expected_verdicts(about: PreparedUnit, index: int, specs: tuple[str, ...], samples: int) -> UnitVerdicts:
    """The verdicts that a unit needs, none of them known yet."""
    calls = []
    for call, question in zip(about.calls, questions_of(about.case, about.calls), strict=True):
        entry = {"key": call.key, "prompt": call.prompt, "prompt_hash": call.prompt_hash, "digest": call.digest[:32]}
        if question is not None:
            entry |= {"question": question.text, "label": question.answer}
            if question.region is not None:
                entry["box"] = list(question.region.box)  # type: ignore[assignment]
        calls.append(entry)
    wanted = frozenset((call.key, spec, n) for call in about.calls for spec in specs for n in range(samples))
    return UnitVerdicts(about, index, wanted, calls)


def verdict_line(step: Step, variants: Sequence[str], key: str, digest: str, verdict: Verdict) -> Line:
    """The journal line of a verdict."""
    return {
        "step": "verdict",
        "case": step[0],
        "variant": step[1],
        "unit": list(variants),
        "key": key,
        "sample": verdict.sample,
        "digest": digest[:32],
        "verdict": verdict.to_json(),
        "at": now(),
    }


def is_about_call(line: Mapping[str, Any] | None, digest: str) -> bool:
    """Whether a verdict line speaks of the call with this digest."""
    return line is not None and line["digest"] == digest[:32]


def gravest(rows: Sequence[ScoreRow]) -> Status:
    """``ok`` where every row has a value, else the gravest status of those that have none."""
    statuses = {row.status for row in rows if row.value is None}
    return next((status for status in GRAVEST if status in statuses), "ok")


def _row(row: ScoreRow, unit: Unit) -> dict[str, Any]:
    """A row without what goes without saying."""
    usual = {"status": "ok", "variant": unit.name, "key": "", "tags": {}, "asked": 0, "answered": 0, "agreement": None}
    usual |= {"low": None, "high": None}
    fields = {name: getattr(row, name) for name in usual} | {"tags": dict(row.tags)}
    unusual = {name: value for name, value in fields.items() if value != usual[name]}
    return {"metric": row.metric, "value": row.value, **unusual}
