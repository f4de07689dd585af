"""Records of a build as they stand: which went through all steps, which are pending, and which were dropped and why."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, TypeAlias

from editscope.factory.engine.build import AHEAD
from editscope.factory.engine.opened import CHUNK, OpenedBuild, inputs_of
from editscope.factory.engine.parts import Part
from editscope.factory.engine.walk import gone_on
from editscope.factory.records import Fields, Record
from editscope.factory.steps.conditions import unmet
from editscope.factory.steps.review import NOT_REVIEWED

State: TypeAlias = Literal["kept", "pending", "dropped"]
STATES: tuple[State, ...] = ("kept", "pending", "dropped")
NOT_MADE, NOT_DECIDED = "not made yet", "not decided yet"


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """Where a record of a build is: its fields there, and the step and the reason where it did not go on.

    One that is ``kept`` went through all steps, and has neither step nor reason.
    """

    id: str
    state: State
    step: str
    reason: str
    fields: Fields


def list_records(build: OpenedBuild, states: Collection[State] = STATES, step: str = "") -> Iterator[ListedRecord]:
    """The records of a build in some states, those that were kept first; with ``step``, what ended at that step.

    No step is done: what became of a record is looked up. Records that no step has seen are left out.
    """
    if step:
        build.plan.step(step)
    elif "kept" in states:
        for record in build.records():
            yield ListedRecord(record.id, "kept", "", "", record.fields)
    for state in STATES:
        if state in states and not (step and state == "kept"):
            yield from _Lookup(build, state, step).records()


class _Lookup:
    """The records of a build that are in one state. Of those that were kept, the ones whose chunk is not done yet."""

    def __init__(self, build: OpenedBuild, state: State, step: str) -> None:
        self._build, self._state, self._step = build, state, step
        self._failures = {(name, record): reason for name, record, reason in build.store.pending()}

    def records(self) -> Iterator[ListedRecord]:
        """The records, part by part of the plan."""
        parts = self._build.parts()
        for number, part in enumerate(parts):
            if self._state == "kept" and (part is not parts[-1] or part.whole is not None):
                continue
            if any(self._wanted(one.name) for one in part.steps):
                for records in self._chunks(parts, number):
                    yield from self._replayed(part, records, begun=number > 0)
            if part.whole is not None and self._wanted(part.whole.name):
                yield from self._undecided(part, number)

    def _wanted(self, step: str) -> bool:
        return self._step in ("", step)

    def _chunks(self, parts: list[Part], number: int) -> Iterator[Sequence[Record]]:
        """What went into a part, without the chunks that cannot hold what is looked for."""
        part, place, idle, before = parts[number], 0, 0, b""
        there = self._build.store.chunks(part.key)
        records: Iterator[Record] | None = self._build.came_out(parts, number - 1) if number else None
        while idle < AHEAD:  # a build is nowhere further ahead
            if not number and there.get(place, (0, b""))[0] == CHUNK and not self._holds(part, place):
                records, before = None, before + there[place][1]
                place, idle = place + 1, 0
                continue
            records = self._build.source(place * CHUNK, before) if records is None else records
            chunk = list(islice(records, CHUNK))
            if not chunk:
                return
            inputs = inputs_of(chunk, number)
            before += b"" if number else inputs
            done = place in there if self._state == "kept" else there.get(place) == (len(chunk), inputs)
            if not done or self._holds(part, place):
                yield chunk
            begun = done or bool(number) or self._begun(part, chunk)
            place, idle = place + 1, 0 if begun else idle + 1

    def _begun(self, part: Part, records: Sequence[Record]) -> bool:
        """Whether a step has seen one of some records of the source."""
        step, key = part.steps[0], part.digests[0]
        known = self._build.store.known([step.key(record, key) for record in records])
        return bool(known) or any((step.name, record.id) in self._failures for record in records)

    def _holds(self, part: Part, place: int) -> bool:
        """Whether a chunk that is done dropped records at a step that is asked about; nothing of it is pending."""
        if self._state != "dropped":
            return False
        (counts,) = self._build.store.chunk_counts(part.key, place + 1, place)
        return any(self._wanted(step) and one["dropped"] for step, one in counts.items())

    def _replayed(self, part: Part, records: Sequence[Record], *, begun: bool) -> Iterator[ListedRecord]:
        """What did not come out of the steps of a part; ``begun`` where a part before has seen the records."""
        seen = {record.id for record in records} if begun else set[str]()
        for step, key in zip(part.steps, part.digests, strict=True):
            keys = [step.key(record, key) for record in records]
            known = self._build.store.known(keys)
            further: list[Record] = []
            for record, name in zip(records, keys, strict=True):
                outcome = known.get(name)
                if step.when and unmet(step.when, record.fields):
                    further.append(record)
                elif outcome is None:
                    reason = self._failures.get((step.name, record.id), NOT_MADE if record.id in seen else "")
                    yield from self._ended(record, "pending", step.name, reason)
                elif outcome.dropped or not outcome.parts:
                    yield from self._ended(record, "dropped", step.name, outcome.dropped or "gave nothing")
                else:
                    parts = gone_on(record, outcome, step)
                    seen.update(one.id for one in parts)
                    further += parts
            records = further
        for record in records if self._state == "kept" else ():
            yield ListedRecord(record.id, "kept", "", "", record.fields)

    def _undecided(self, part: Part, number: int) -> Iterator[ListedRecord]:
        """What the last step of a part dropped or left pending."""
        assert part.whole is not None
        step, decision = part.whole.name, self._build.store.decision(self._build.decision_key(part))
        decided: Mapping[str, list[Any]] = {} if decision is None else decision[0]
        for record in self._build.walked(part, number):
            reason = decided[record.id][0] if record.id in decided else NOT_DECIDED
            waits = reason == NOT_DECIDED or (part.whole.kind == "review" and reason == NOT_REVIEWED)
            yield from self._ended(record, "pending" if waits else "dropped", step, reason)

    def _ended(self, record: Record, state: State, step: str, reason: str) -> Iterator[ListedRecord]:
        if reason and state == self._state and self._wanted(step):
            yield ListedRecord(record.id, state, step, reason, record.fields)
