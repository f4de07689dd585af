"""A build as its folder holds it: the parts of its plan, and what came out of each, without doing anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Self

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.engine.counts import StepCounts, total
from editscope.factory.engine.parts import Part, parts_of
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Record, RecordNames, digest
from editscope.factory.steps.tools import Tools
from editscope.factory.store.results import FILE, ResultStore

CHUNK = 200
"""Records that walk together."""
BLOBS, REDONE, LIMIT = "blobs", "redone", "limit"


class OpenedBuild:
    """What a folder holds of the build of a plan."""

    def __init__(
        self, plan: BuildPlan, folder: Path, store: ResultStore, tools: Tools, limit: int | None = None, until: str = ""
    ) -> None:
        self.plan, self.folder, self.limit, self.until = plan, folder, limit, until
        self.store, self.tools = store, tools
        for step in plan.steps:
            step.begin(tools)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what is open."""
        self.store.close()

    def parts(self) -> list[Part]:
        """The parts of the plan as this build sees them."""
        source = digest(self.plan.source.identity(self.tools), self.plan.seed)
        source = digest(source, self.plan.source.code) if self.plan.source.code else source
        return parts_of(self.plan, source, self.store.fact(REDONE, {}), self.until)

    def source(self, start: int = 0, before: bytes = b"") -> Iterator[Record]:
        """The records that the plan begins with, from a place on; ``before`` are the packed ids of those before it."""
        stop = None if self.limit is None else max(0, self.limit - start)
        names = RecordNames(before)
        for fields in islice(self.plan.source.records(self.tools, start), stop):
            yield Record(names.add(self.plan.source.naming(fields)), fields)

    def counts(self) -> dict[str, StepCounts]:
        """Counts by step in the order of the plan, of what is done."""
        counts = dict.fromkeys((step.name for step in self.plan.steps), StepCounts())
        for part in self.parts():
            kept = self.store.chunk_counts(part.key, 1 << 62)
            counts |= total({step: StepCounts.from_json(one) for step, one in chunk.items()} for chunk in kept)
            if part.whole is not None and (decided := self.store.decision(self.decision_key(part))) is not None:
                counts[part.whole.name] = StepCounts.from_json(decided[1])
        return counts

    def unfinished(self) -> str:
        """What is left to do before ``records`` are all that the plan gives, in a few words; "" where nothing is."""
        parts = self.parts()
        for number, part in enumerate(parts):
            if number:
                came = sum(1 for _ in self.came_out(parts, number - 1))
            else:
                known = self.plan.source.count(self.tools)
                came = known if known is not None else sum(1 for _ in self.source())
                came = came if self.limit is None else min(came, self.limit)
            done = sum(size for size, _ in self.store.chunks(part.key).values())
            if done > came:
                return f"it was built with {done:,} records, not with {came:,}: build it again with the same --limit"
            if done != came:
                steps = part.steps or ((part.whole,) if part.whole is not None else ())
                through = f"the steps from {steps[0].name!r} to {steps[-1].name!r}" if steps else "the source"
                through = f"the step {steps[0].name!r}" if len(steps) == 1 else through
                return f"{done:,} of {came:,} records went through {through}"
            if part.whole is not None and self.store.decision(self.decision_key(part)) is None:
                return f"the step {part.whole.name!r} has not decided about {came:,} records"
        return ""

    def records(self) -> Iterator[Record]:
        """The records that went through all steps, in the order of their source."""
        parts = self.parts()
        yield from self.came_out(parts, len(parts) - 1)

    def came_out(self, parts: list[Part], number: int) -> Iterator[Record]:
        """What came out of a part, its last step included."""
        part = parts[number]
        if part.whole is None:
            yield from self.walked(part, number)
            return
        decided = self.store.decision(self.decision_key(part))
        if decided is None:
            return
        for record in self.walked(part, number):
            reason, fields = decided[0].get(record.id, ("unknown", {}))
            if not reason:
                yield record.changed(fields, part.whole.name) if fields else record

    def walked(self, part: Part, number: int) -> Iterator[Record]:
        """What came out of the steps of a part that take one record at a time."""
        last = None if number or self.limit is None else -(-self.limit // CHUNK)
        for place in list(self.store.chunks(part.key))[:last]:
            chunk = self.store.chunk(part.key, place)
            assert chunk is not None
            yield from chunk.records

    def decision_key(self, part: Part) -> bytes:
        """What the decision of the last step of a part is filed under."""
        return digest(part.key, part.whole_digest, self.limit or 0)


def inputs_of(records: Sequence[Record], number: int) -> bytes:
    """What stands for the records that go into a chunk of a part: of the first part, their packed ids."""
    if number:
        return digest([record.to_json() for record in records])
    return RecordNames.packed(record.id for record in records)


def open_build(plan: BuildPlan, folder: Path) -> OpenedBuild:
    """The last build of a plan, to read it: nothing is written, also while another process goes on building."""
    if not (folder / FILE).is_file():
        raise BadInput(f"{folder} holds no build; build the plan first")
    store = ResultStore(folder, read_only=True)
    try:
        tools = Tools(BlobStore(folder / BLOBS, read_only=True), plan.folder, plan.seed, build=folder)
        return OpenedBuild(plan, folder, store, tools, store.fact(LIMIT))
    except BaseException:
        store.close()
        raise
