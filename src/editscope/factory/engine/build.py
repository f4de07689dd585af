"""A build: the parts of a plan one after the other, many chunks at once, and what is done already skipped."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, Stopped, unknown
from editscope.factory.blobs import BlobStore
from editscope.factory.engine.counts import StepCounts, total
from editscope.factory.engine.opened import BLOBS, CHUNK, LIMIT, REDONE, OpenedBuild, inputs_of
from editscope.factory.engine.parts import Part
from editscope.factory.engine.processes import BatchRunner, ProcessRunner
from editscope.factory.engine.walk import PlacedStep, Walker
from editscope.factory.models.loading import check_models, close_models, open_account
from editscope.factory.plan import BuildPlan
from editscope.factory.records import BLOB, Record, blobs_in
from editscope.factory.steps.base import WholeStep
from editscope.factory.steps.review import ReviewNeeded
from editscope.factory.steps.tools import Tools, silent
from editscope.factory.store.results import Chunk, ResultStore
from editscope.runfolder.files import DiskError
from editscope.runfolder.lock import Lock

AHEAD = 12
"""Chunks on their way at a time."""
LOCK = "build.lock"


@dataclass(slots=True)
class BuildProgress:
    """What a build tells while it runs; the names of steps are those of the plan."""

    step_done: Callable[[str, int], None] = lambda step, number: None
    part_begun: Callable[[int, int], None] = lambda number, of: None
    stopping: Callable[[], None] = lambda: None
    leaving: Callable[[], None] = lambda: None
    """Called when somebody does not want to wait for what is in the hands of models."""
    getting_ready: Callable[[str, int, int], None] = silent
    warn: Callable[[str], None] = lambda text: None
    """Called with a sentence about something that is probably a mistake."""
    blobs_gone: Callable[[], None] = lambda: None
    """Called when files of blobs are gone that records need, which are made again."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Where a build is: counts by step in the order of the plan, records that came out, and records still pending."""

    counts: Mapping[str, StepCounts]
    records: int
    pending: int
    waiting: str = ""
    """What people have to do first, in a sentence; "" where nothing."""


@dataclass(slots=True)
class _State:
    stop: bool = False
    counts: dict[str, StepCounts] = field(default_factory=dict)
    blobs: set[str] | None = None
    """The blobs that were there when one was first looked for."""
    mended: set[int] = field(default_factory=set)
    """Parts whose gone blobs were made again, as far as that can be."""


class _BlobsGone(Exception):
    """Records that came out of a part name blobs whose files are gone."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Build(OpenedBuild):
    """A folder in which a plan is being built. Only one process at a time writes it."""

    def __init__(
        self,
        plan: BuildPlan,
        folder: Path,
        *,
        limit: int | None = None,
        until: str = "",
        approved: bool = False,
        jobs: int = 2,
        models: Mapping[str, Any] | None = None,
        budget: float | None = None,
        batches: BatchRunner | None = None,
        progress: BuildProgress | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise BadInput(f"--limit is {limit}; write 1 or more")
        self._batches = batches or ProcessRunner(jobs)
        self._progress = progress or BuildProgress()
        self._state = _State()
        self._lock = Lock(
            folder / LOCK, f"{folder} is being built by another process; wait for it or stop it first", make_folder=True
        )
        try:
            tools = Tools(
                BlobStore(folder / BLOBS),
                plan.folder,
                plan.seed,
                models or {},
                folder,
                approved,
                self._progress.getting_ready,
            )
            super().__init__(plan, folder, ResultStore(folder), tools, limit, until)
            spent = sum(cost for _, cost, _, _ in self.store.spent().values())
            open_account(folder, budget, spent, self.tools.models)
        except BaseException:
            self._lock.release()
            raise

    def close(self) -> None:
        """Sync, end processes, unlock."""
        self._batches.close()
        super().close()
        self._lock.release()

    def stop(self) -> None:
        """Start nothing more; what is in the hands of models is waited for."""
        self._state.stop = True

    def _interrupt(self, task: asyncio.Task[Any] | None) -> None:
        """Ctrl-C stops the build as soon as models have answered; once more, and it ends at once."""
        if self._state.stop:
            self._progress.leaving()
            if task is not None:
                task.cancel()
            return
        self.stop()
        self._progress.stopping()

    def redo(self, step: str) -> None:
        """Make a step again for every record, and what follows from it; what it gave before stays in the store."""
        redone = dict(self.store.fact(REDONE, {}))
        redone[self.plan.step(step).name] = redone.get(step, 0) + 1
        self.store.note(REDONE, redone)

    # ---- doing it

    def run(self) -> BuildResult:
        """Do all that is left; Stopped where something keeps it from its end."""
        try:
            return asyncio.run(self._run())
        except DiskError as error:
            raise Stopped(f"{error}; then `editscope factory build` continues it") from error

    async def _run(self) -> BuildResult:
        models = list(self.tools.models.values())
        try:
            await check_models(models)
            return await self._walk_parts()
        finally:
            await close_models(models)

    async def _walk_parts(self) -> BuildResult:
        with contextlib.suppress(ValueError, NotImplementedError, RuntimeError):  # not in the main thread
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt, asyncio.current_task())
        self.store.note(LIMIT, self.limit)
        parts = self.parts()
        waiting, pending, records, number = "", 0, 0, 0
        while number < len(parts):
            self._progress.part_begun(number, len(parts))
            try:
                if pending := await self._walk_part(parts, number):
                    break
                if parts[number].whole is not None:
                    self._decide(parts, number)
                if number + 1 == len(parts):
                    records = sum(1 for _ in self._with_blobs(self.records(), number))
            except ReviewNeeded as needed:
                waiting = str(needed)
                break
            except _BlobsGone as gone:
                self._forget_gone(parts[gone.number], gone.number)
                number = gone.number
            else:
                number += 1
        return BuildResult(self._in_order(), records, pending, waiting)

    async def _walk_part(self, parts: list[Part], number: int) -> int:
        """Walk what is missing of a part; how many records are pending after that."""
        part = parts[number]
        for step in part.steps:
            await step.prepare(self.tools)
        placed = [
            PlacedStep(step, key, asyncio.Semaphore(step.at_once))
            for step, key in zip(part.steps, part.digests, strict=True)
        ]
        walker = Walker(placed, self.store, self.tools, self._batches, lambda: self._state.stop, self.plan.fields)
        walker.step_done, walker.blobs_gone = self._progress.step_done, self._progress.blobs_gone
        there = self.store.chunks(part.key)
        counted: list[Mapping[str, StepCounts]] = []
        # The source is known to be the same; what comes out of an earlier part may have become less.
        done = 0 if number else _prefix(there)
        if self.limit is not None:
            done = min(done, self.limit // CHUNK)
        counted += [
            {step: StepCounts.from_json(one) for step, one in counts.items()}
            for counts in self.store.chunk_counts(part.key, done)
        ]
        pending, last = 0, done
        running: set[asyncio.Task[None]] = set()

        async def walk(chunk_number: int, records: list[Record]) -> None:
            nonlocal pending
            inputs = inputs_of(records, number)
            if there.get(chunk_number) == (len(records), inputs):
                counts_kept = next(iter(self.store.chunk_counts(part.key, chunk_number + 1, chunk_number)))
                counted.append({step: StepCounts.from_json(one) for step, one in counts_kept.items()})
                return
            walked = await walker.walk(records)
            counted.append(walked.counts)
            pending += walked.pending
            if not walked.pending:
                counts = {step: one.to_json() for step, one in walked.counts.items()}
                self.store.put_chunk(part.key, Chunk(chunk_number, len(records), inputs, tuple(walked.records), counts))

        try:
            async for chunk_number, records in self._inputs(parts, number, done, there):
                while len(running) >= AHEAD:
                    finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    for task in finished:
                        task.result()
                if self._state.stop:
                    raise Stopped("the build was stopped; `editscope factory build` continues it")
                running.add(asyncio.create_task(walk(chunk_number, records)))
                last = chunk_number + 1
            while running:
                finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in finished:
                    task.result()
        except _BlobsGone:
            await asyncio.gather(*running)
            raise
        except BaseException:
            self._state.stop = True
            await asyncio.gather(*running, return_exceptions=True)
            raise
        finally:
            self._state.counts |= total(counted)
        if number and len(there) > last:
            self.store.cut_chunks(part.key, last)
        return pending

    def _with_blobs(self, records: Iterable[Record], number: int) -> Iterator[Record]:
        """Records that came out of a part, as long as the files of their blobs are there."""
        for record in records:
            if any(map(self._is_gone, blobs_in(record.fields))) and number not in self._state.mended:
                raise _BlobsGone(number)
            yield record

    def _is_gone(self, blob: Mapping[str, Any]) -> bool:
        if self._state.blobs is None:
            self._state.blobs = self.tools.blobs.names()
        return blob[BLOB] not in self._state.blobs and self.tools.blobs.is_gone(blob)

    def _forget_gone(self, part: Part, number: int) -> None:
        """Let chunks of a part count as not done that have records whose blobs are gone; they are walked again."""
        self._progress.blobs_gone()
        self._state.mended.add(number)
        sampled = part.whole is not None and part.whole.kind != "review"  # people see all of them
        decided = self.store.decision(self.decision_key(part)) if sampled else None
        left = {name for name, (reason, _) in decided[0].items() if reason} if decided else set[str]()
        gone = []
        for place in self.store.chunks(part.key):
            chunk = self.store.chunk(part.key, place)
            records = [record for record in chunk.records if record.id not in left] if chunk else []
            if any(map(self._is_gone, blobs_in([record.fields for record in records]))):
                gone.append(place)
        self.store.forget_chunks(part.key, gone)

    async def _inputs(
        self, parts: list[Part], number: int, first: int, there: Mapping[int, tuple[int, bytes]]
    ) -> AsyncIterator[tuple[int, list[Record]]]:
        """Numbered chunks of what goes into a part, from a number on."""
        records = (
            self.source(first * CHUNK, b"".join(there[before][1] for before in range(first)))
            if not number
            else islice(self._with_blobs(self.came_out(parts, number - 1), number - 1), first * CHUNK, None)
        )
        for place in range(first, 1 << 62):
            chunk = list(islice(records, CHUNK))
            if not chunk:
                return
            yield place, chunk
            await asyncio.sleep(0)

    def _decide(self, parts: list[Part], number: int) -> None:
        """Let the last step of a part decide, unless it has."""
        part = parts[number]
        step = part.whole
        assert step is not None
        key = self.decision_key(part)
        known = None if step.kind == "review" else self.store.decision(key)  # people may have decided meanwhile
        if known is None:
            seen = self._seen(step, part, number)
            counts = self._state.counts[step.name] = StepCounts()
            decided: dict[str, list[Any]] = {}
            for decision in step.decide(self._with_blobs(seen, number), self.tools):
                counts.records_in += 1
                decided[decision.id] = [decision.dropped, dict(decision.fields)]
                if decision.waiting:
                    counts.pending += 1
                elif decision.dropped:
                    counts.drop(decision.dropped)
                else:
                    counts.records_out += 1
            self.store.put_decision(key, decided, counts.to_json())
        else:
            counts = StepCounts.from_json(known[1])
        self._state.counts[step.name] = counts

    def _seen(self, step: WholeStep, part: Part, number: int) -> Iterator[Record]:
        """What a step over all records sees of them; at the end, a warning about fields that none of them has."""
        there: set[str] = set()
        for record in self.walked(part, number):
            there.update(record.fields)
            needed = {name: record.fields.get(name) for name in step.needs} if step.needs else record.fields
            yield Record(record.id, needed)
        for name, setting in step.expects.items() if there else ():
            if name not in there:
                of = f"any record, which {setting} of step {step.name!r} names"
                self._progress.warn(str(unknown("field", name, there, of=of)))

    @property
    def counts_so_far(self) -> Mapping[str, StepCounts]:
        """What happened at each step in this process, in the order of the plan."""
        return self._in_order()

    def _in_order(self) -> dict[str, StepCounts]:
        return {step.name: self._state.counts.get(step.name, StepCounts()) for step in self.plan.steps}


def _prefix(there: Mapping[int, tuple[int, bytes]]) -> int:
    """How many chunks from the first on are full and done.

    >>> _prefix({0: (CHUNK, b""), 1: (CHUNK, b""), 2: (17, b""), 4: (CHUNK, b"")})
    2
    """
    number = 0
    while there.get(number, (0, b""))[0] == CHUNK:
        number += 1
    return number
