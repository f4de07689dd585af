"""Work in other processes: batches of records for steps that compute."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any, Protocol, TypeAlias

from editscope.errors import EditscopeError, Stopped
from editscope.factory.blobs import BlobGone
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, RecordStep, StepFailed
from editscope.factory.steps.tools import Tools
from editscope.processes import end_with_parent

Done: TypeAlias = "tuple[Outcome | StepFailed, float]"
"""What became of a record, and the seconds it took."""
BATCH = 16


class BatchRunner(Protocol):
    """Runs batches of records somewhere else: in processes of this machine, or on others."""

    async def run(self, step: RecordStep, tools: Tools, records: Sequence[Record]) -> list[Done]:
        """What became of each record, in order."""

    def close(self) -> None:
        """End it."""


class ProcessRunner:
    """Processes of this machine, started when the first batch comes."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: Executor | None = None

    async def run(self, step: RecordStep, tools: Tools, records: Sequence[Record]) -> list[Done]:
        """What became of each record, in order."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._jobs, get_context("spawn"), end_with_parent)
        loop = asyncio.get_running_loop()
        tools = tools.elsewhere()
        batches = [records[start : start + BATCH] for start in range(0, len(records), BATCH)]
        try:
            done = await asyncio.gather(
                *(loop.run_in_executor(self._pool, run_batch, step, tools, batch) for batch in batches)
            )
        except BrokenProcessPool as error:
            raise Stopped(
                f"a worker process of step {step.name!r} was ended or ended itself, often for lack of memory; "
                "`editscope factory build` continues it, with fewer processes under --jobs"
            ) from error
        return [one for batch in done for one in batch]

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def run_batch(step: RecordStep, tools: Tools, records: Sequence[Record]) -> list[Done]:
    """What became of each record of a batch; runs in another process."""
    return asyncio.run(_run(step, tools, records))


async def _run(step: RecordStep, tools: Tools, records: Sequence[Record]) -> list[Done]:
    await step.prepare(tools)
    return [await timed(step.run, record, tools) for record in records]


async def timed(run: Callable[[Record, Tools], Any], record: Record, tools: Tools) -> Done:
    """What a step makes of a record; an error that is about this record alone leaves it pending."""
    begun = time.perf_counter()
    outcome: Outcome | StepFailed
    try:
        outcome = await run(record, tools)
    except Exception as error:
        outcome = failure_of(error)
    return outcome, time.perf_counter() - begun


def failure_of(error: Exception) -> StepFailed:
    """What leaves a record pending. An error that concerns the whole build is raised again.

    An error of a step that somebody wrote is told with its record, and the other records go on.
    """
    if isinstance(error, StepFailed):
        return error
    if isinstance(error, BlobGone):
        return StepFailed(str(error), gone=error.name)
    if isinstance(error, EditscopeError):
        raise error
    return StepFailed(" ".join(f"{type(error).__name__}: {error}".split()))
