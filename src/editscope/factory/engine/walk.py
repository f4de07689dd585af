"""The walk of a chunk: its records step by step, each outcome looked up first and kept as soon as it is known."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.cases import NOTHING
from editscope.errors import Stopped
from editscope.factory.engine.counts import StepCounts
from editscope.factory.engine.processes import BatchRunner, Done, failure_of, timed
from editscope.factory.records import BLOB, Record, blobs_in
from editscope.factory.steps.base import Outcome, PlainStep, RecordStep, StepFailed
from editscope.factory.steps.conditions import unmet
from editscope.factory.steps.tools import Tools
from editscope.factory.store.results import KeptResult, ResultStore
from editscope.factory.types import misfit
from editscope.transport.account import BudgetSpent


@dataclass(frozen=True, slots=True)
class PlacedStep:
    """A step with what stands for it in keys, and the turns that its calls take."""

    step: RecordStep
    digest: bytes
    turns: asyncio.Semaphore


@dataclass(slots=True)
class Walked:
    """What came of a chunk: records that went through all steps, counts by step, and whether any is pending."""

    records: list[Record]
    counts: dict[str, StepCounts] = field(default_factory=dict)

    @property
    def pending(self) -> int:
        """Records that failed at a step."""
        return sum(counts.pending for counts in self.counts.values())


@dataclass(slots=True)
class GoneBlobs:
    """Blobs that records of a chunk need and whose files are gone: what made them counts as not done.

    ``new`` are those that the walk has met since it began anew; ``earlier`` are all blobs of earlier builds.
    """

    known: set[str] = field(default_factory=set)
    new: set[str] = field(default_factory=set)
    earlier: set[str] = field(default_factory=set)

    def met(self) -> bool:
        """Whether the walk met such blobs that it did not know; it must start over then."""
        more = self.new - self.known
        self.known |= more
        self.new = set()
        return bool(more)


class Walker:
    """Walks chunks through the steps of one part of a plan."""

    def __init__(
        self,
        steps: Sequence[PlacedStep],
        store: ResultStore,
        tools: Tools,
        batches: BatchRunner,
        stopping: Callable[[], bool],
        types: Mapping[str, str] = NOTHING,
    ) -> None:
        self._steps = steps
        self._store = store
        self._tools = tools
        self._batches = batches
        self._stopping = stopping
        self._types = types
        self.step_done: Callable[[str, int], None] = lambda step, number: None
        """Called with the name of a step and the number of records that it has just done."""
        self.blobs_gone: Callable[[], None] = lambda: None
        """Called when files of blobs are gone that records need, which are made again."""

    async def walk(self, records: Sequence[Record]) -> Walked:
        """Take records through all steps. Where a blob is gone that one needs, only what made it is done again."""
        gone = GoneBlobs()
        while True:
            walked = await self._walk(records, gone)
            if gone.earlier:
                gone.new.update(self._gone_in([record.fields for record in walked.records], gone.earlier))
            if not gone.met():
                return walked
            self.blobs_gone()

    def _gone_in(self, value: Any, names: set[str]) -> Iterator[str]:
        """Those of some blobs that a value names and whose files are gone."""
        named = (blob for blob in blobs_in(value) if blob[BLOB] in names)
        return (blob[BLOB] for blob in named if self._tools.blobs.is_gone(blob))

    async def _walk(self, records: Sequence[Record], gone: GoneBlobs) -> Walked:
        walked = Walked(list(records))
        for placed in self._steps:
            counts = walked.counts[placed.step.name] = StepCounts(records_in=len(walked.records))
            when = placed.step.when
            passing = {record.id for record in walked.records if when and unmet(when, record.fields)}
            met = [record for record in walked.records if record.id not in passing]
            outcomes = iter(await self._outcomes(placed, met, gone))
            further: list[Record] = []
            for record in walked.records:
                if record.id in passing:
                    further.append(record)
                    continue
                outcome = next(outcomes)
                if outcome is None:
                    counts.pending += 1
                elif outcome.dropped or not outcome.parts:
                    counts.drop(outcome.dropped or "gave nothing")
                else:
                    further += gone_on(record, outcome, placed.step)
            counts.records_out = len(further)
            walked.records = further
        return walked

    async def _outcomes(self, placed: PlacedStep, records: Sequence[Record], gone: GoneBlobs) -> list[Outcome | None]:
        """The outcome for each record; None for those that are pending."""
        step = placed.step
        keys = [step.key(record, placed.digest) for record in records]
        known = self._store.known(keys)
        for outcome in known.values():
            gone.earlier.update(blob[BLOB] for blob in blobs_in(outcome.parts))
        if gone.known:
            known = {key: one for key, one in known.items() if not any(self._gone_in(one.parts, gone.known))}
        todo = [place for place, key in enumerate(keys) if key not in known]
        if todo:
            if isinstance(step, PlainStep) and not step.in_process:
                done = [_plain(step, records[place], self._tools) for place in todo]
                made = [(keys[place], records[place], one) for place, one in zip(todo, done, strict=True)]
                self._keep(step, made, known, gone)
            elif step.in_process:
                async with placed.turns:
                    self._check()
                    done = await self._batches.run(step, self._tools, [records[place] for place in todo])
                made = [(keys[place], records[place], one) for place, one in zip(todo, done, strict=True)]
                self._keep(step, made, known, gone)
            else:
                await self._called(placed, [(keys[place], records[place]) for place in todo], known, gone)
            self.step_done(step.name, len(todo))
        return [known.get(key) for key in keys]

    async def _called(
        self, placed: PlacedStep, todo: Sequence[tuple[bytes, Record]], known: dict[bytes, Outcome], gone: GoneBlobs
    ) -> None:
        """Records for a step that awaits models: each outcome is kept as soon as it is there."""

        async def one(key: bytes, record: Record) -> None:
            async with placed.turns:
                self._check()
                try:
                    done = await timed(placed.step.run, record, self._tools)
                except BudgetSpent as error:
                    why = str(error).replace("resume the run", "build again")
                    raise BudgetSpent(f"at step {placed.step.name!r}, {why}") from error
            self._keep(placed.step, [(key, record, done)], known, gone)

        tasks = [asyncio.ensure_future(one(key, record)) for key, record in todo]
        try:
            await asyncio.gather(*tasks)
        except BaseException:
            # What is in the hands of a model is paid for: wait for it, and start nothing more.
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    def _keep(
        self,
        step: RecordStep,
        done: Sequence[tuple[bytes, Record, Done]],
        known: dict[bytes, Outcome],
        gone: GoneBlobs,
    ) -> None:
        results = []
        for key, record, (outcome, seconds) in done:
            if self._types and isinstance(outcome, Outcome):
                outcome = _typed(outcome, self._types)
            if isinstance(outcome, StepFailed) and outcome.gone and outcome.gone not in gone.known:
                gone.new.add(outcome.gone)
            elif isinstance(outcome, StepFailed):
                self._store.fail(step.name, record.id, str(outcome), outcome.cost_usd, outcome.attempts)
            else:
                known[key] = outcome
                results.append(KeptResult(key, step.name, record.id, outcome, seconds))
        if results:
            self._store.put(results)

    def _check(self) -> None:
        if self._stopping():
            raise Stopped("the build was stopped; `editscope factory build` continues it")


def _plain(step: PlainStep, record: Record, tools: Tools) -> Done:
    begun = time.perf_counter()
    outcome: Outcome | StepFailed
    try:
        outcome = step.apply(record, tools)
    except Exception as error:
        outcome = failure_of(error)
    return outcome, time.perf_counter() - begun


def _typed(outcome: Outcome, types: Mapping[str, str]) -> Outcome | StepFailed:
    """An outcome whose fields hold what their types say; else the record is pending, and the step is to be mended."""
    for part in outcome.parts:
        if wrong := misfit(types, part):
            return StepFailed(wrong, outcome.cost_usd, outcome.attempts)
    return outcome


def gone_on(record: Record, outcome: Outcome, step: RecordStep) -> list[Record]:
    """The records that go on after a step that kept one: the same, or its parts."""
    if step.kind != "expand":
        return [record.changed(outcome.parts[0], step.name, outcome.notes)]
    return [
        record.changed(part, step.name, outcome.notes, number) for number, part in enumerate(outcome.parts, start=1)
    ]
