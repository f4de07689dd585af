"""Post of a judge: collects calls, hands them in as batches, polls, and gives every call its result."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar
from uuid import uuid4

from editscope.errors import EditscopeError, Stopped
from editscope.judges.batches.api import BatchApi, BatchRequest, Gone, Talk, Undecided
from editscope.judges.batches.log import BatchLog, LoggedBatch
from editscope.judges.wire.base import Answer
from editscope.transport.account import Account
from editscope.transport.faults import Failed, Fault
from editscope.transport.traffic import NotSent

QUIET_S = 0.5
"""When no more calls are on their way and none has come for so long, those that wait are handed in."""
FIRST_PAUSE_S, LONGEST_PAUSE_S, GROWTH = 0.5, 60.0, 1.5
"""The pauses between two looks at a batch grow from the first to the longest."""
LIST_DELAY_S = 2.0
"""A server's list may lag behind what it has accepted: a batch that is not there is looked for again after this."""
SAY_EVERY_S = 120.0
CLOSING_S = 3.0
NO_RESULT = Fault("the batch has ended without a result for this call", again=True)

T = TypeVar("T")
Outcome = Answer | Fault


@dataclass(eq=False)
class WaitingCall:
    """A call that is to go into a batch; ``held`` is what the run's budget has reserved for it."""

    id: str
    body: bytes
    held: float
    outcome: asyncio.Future[Outcome | None]


@dataclass(eq=False)
class OpenBatch:
    """A batch that is at the server, or may be; results come to all who wait for one of its calls."""

    log: LoggedBatch
    waiting: dict[str, asyncio.Future[Outcome | None]] = field(default_factory=dict)
    results: Mapping[str, Outcome] | None = None
    broken: Fault | Exception | None = None
    """Why nobody will get a result of it any more, in this process."""
    held: float = 0.0
    watched: bool = False


class BatchPost:
    """All batches of one judge in one run.

    A call is known by the hash of its sample and body, and by how often that was sent before. So a run that is resumed,
    which makes the same calls again, gets the results of batches that were submitted before, in the same order.
    """

    def __init__(
        self, spec: str, api: BatchApi, talk: Callable[[], Talk], give_up: int = 25, account: Account | None = None
    ) -> None:
        self.spec = spec
        self.api = api
        self.account = account
        self.more_coming = False
        """Whether calls are still being made ready; the run keeps it up to date."""
        self.notes: deque[str] = deque()
        """What the user should be told, in order."""
        self._talk = talk
        self._give_up = give_up
        self._log: BatchLog | None = None
        self._batches: dict[str, OpenBatch] = {}
        self._asked: Counter[str] = Counter()
        self._waiting: list[WaitingCall] = []
        self._bytes = 0
        self._came = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._collecting = False
        self._ended: EditscopeError | None = None

    def open(self, log: BatchLog, again: bool = False) -> None:
        """Use the log of a run; its lock must be held. Batches that are in it are taken up when their calls come.

        ``again`` says that calls without a verdict are made once more: results that were read before are let be.
        """
        self._log, self._ended = log, None
        self._batches.clear()
        self._asked.clear()
        for batch in log.of(self.spec):
            if not batch.lost and not (again and batch.read):
                known = OpenBatch(batch)
                self._batches |= dict.fromkeys(batch.calls, known)
            if batch.held_usd and not batch.read and not batch.lost:
                # The calls reserve it anew. The line comes first: a kill in between holds too much, never too little.
                held = batch.held_usd
                log.write("held", batch.token, held_usd=0.0)
                if self.account is not None:
                    self.account.settle(held, 0.0)

    async def exchange(self, body: Callable[[], bytes], sample: int, held: float) -> Outcome:
        """The answer to a request, or its fault; it may take a day, in which nobody keeps its body in memory."""
        if self._log is None:
            raise Stopped("batches need a run folder; ask without --batch")
        key = sha256(b"%d " % sample + body()).hexdigest()[:40]
        name = f"{key}-{self._asked[key]}"
        self._asked[key] += 1
        while True:
            if self._ended is not None:
                raise NotSent(str(self._ended))
            future: asyncio.Future[Outcome | None] = asyncio.get_running_loop().create_future()
            batch = self._batches.get(name)
            if batch is None:
                self._collect(WaitingCall(name, body(), held, future))
            elif batch.results is not None:
                return batch.results.get(f"{batch.log.token}-{name}", NO_RESULT)
            elif isinstance(batch.broken, Fault):
                return batch.broken
            elif batch.broken is not None:
                raise batch.broken
            else:
                batch.waiting[name] = future
                batch.held += held
                self._watch(batch)
            outcome = await future
            if outcome is not None:
                return outcome
            self._batches.pop(name, None)  # the server does not have its batch: it goes into another one

    def stop(self, why: str) -> None:
        """Wait for nothing more: calls that were not submitted are not, the others can be had by resuming."""
        if self._ended is None:
            self._ended = Stopped(why)
        for call in self._waiting:
            if not call.outcome.done():
                call.outcome.set_exception(NotSent(why))
        self._waiting.clear()
        for batch in self._batches.values():
            self.fail(batch, Stopped(why))

    def fail(self, batch: OpenBatch, error: Exception) -> None:
        """Everybody who waits for a batch gets this error."""
        for future in batch.waiting.values():
            if not future.done():
                future.set_exception(error)
        batch.waiting.clear()

    def turned_away(self, batch: OpenBatch) -> None:
        """The server would not take a batch, so that nothing of it is paid for."""
        if self._log is not None and not batch.log.batch:
            with suppress(Stopped):  # the next line that cannot be written says so
                self._log.write("lost", batch.log.token)

    async def close(self) -> None:
        """End all that still runs; a batch that is being submitted gets a moment to be accepted."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSING_S)
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- collecting -------------------------------------------------------------------------------

    def _collect(self, call: WaitingCall) -> None:
        self._waiting.append(call)
        self._bytes += len(call.body)
        self._came = time.monotonic()
        if len(self._waiting) >= self.api.most_requests or self._bytes >= self.api.most_bytes:
            self._hand_in()
        elif not self._collecting:
            self._collecting = True
            self._start(self._collected())

    async def _collected(self) -> None:
        """Hand in what waits as soon as nothing more comes."""
        try:
            while self._waiting:
                await asyncio.sleep(QUIET_S / 4)
                if not self.more_coming and time.monotonic() - self._came >= QUIET_S:
                    self._hand_in()
        finally:
            self._collecting = False

    def _hand_in(self) -> None:
        waiting, self._waiting, self._bytes = self._waiting, [], 0
        group: list[WaitingCall] = []
        size = 0
        for call in waiting:
            if group and size + len(call.body) > self.api.most_bytes:
                self._submit(group)
                group, size = [], 0
            group.append(call)
            size += len(call.body)
        if group:
            self._submit(group)

    def _submit(self, group: list[WaitingCall]) -> None:
        """Write down what is going to be submitted, then submit it."""
        assert self._log is not None
        token = uuid4().hex[:12]
        held = round(sum(call.held for call in group), 9) if self.account is not None else 0.0
        try:
            log = self._log.write(
                "submitting", token, judge=self.spec, held_usd=held, calls=[call.id for call in group]
            )
        except Stopped as error:
            for call in group:
                call.outcome.set_exception(NotSent(str(error)))
            return
        batch = OpenBatch(log, {call.id: call.outcome for call in group}, watched=True)
        self._batches |= dict.fromkeys(batch.waiting, batch)
        requests = [BatchRequest(f"{token}-{call.id}", call.body) for call in group]
        self._start(self._submitted(batch, requests))

    # --- submitting and polling -------------------------------------------------------------------

    def _watch(self, batch: OpenBatch) -> None:
        """Poll a batch that an earlier process has submitted, or may have."""
        if not batch.watched:
            batch.watched = True
            self._start(self._taken_up(batch))

    async def _submitted(self, batch: OpenBatch, requests: list[BatchRequest]) -> None:
        async def submit() -> str:
            try:
                return await self.api.submit(self._talk(), batch.log.token, requests)
            except Failed as failed:
                # Without an answer nobody knows whether it was accepted; looking costs nothing, submitting twice would.
                if failed.fault.again and not failed.fault.busy and (there := await self._surely_found(batch)):
                    return there
                raise

        with _Ending(self, batch):
            name = await self._patiently(batch, submit)
            self._accepted(batch, name)
            self.notes.append(f"  {self._about(batch)} submitted to {self.spec} ({name})")
            requests.clear()
            await self._polled(batch)

    async def _surely_found(self, batch: OpenBatch) -> str:
        """``_find``, tried until the server says; Stopped where it never does."""
        await asyncio.sleep(QUIET_S)
        try:
            return await self._patiently(batch, lambda: self._find(batch))
        except Failed as failed:
            raise Stopped(
                f"nobody knows whether {self.spec} has accepted a {self._about(batch)} ({failed.fault.text}); "
                "resume the run later"
            ) from failed

    async def _taken_up(self, batch: OpenBatch) -> None:
        with _Ending(self, batch):
            await asyncio.sleep(QUIET_S)  # for other calls of it
            if batch.held and not batch.log.read and self.account is not None and self._log is not None:
                self._log.write("held", batch.log.token, held_usd=round(batch.held, 9))
            if not batch.log.batch:
                name = await self._patiently(batch, lambda: self._find(batch))
                if not name:
                    self._lose(batch)
                    return
                self._accepted(batch, name)
            self.notes.append(f"  {self._about(batch)} was submitted before ({batch.log.batch}); waiting for it")
            await self._polled(batch)

    async def _find(self, batch: OpenBatch) -> str:
        """The id of a batch that may have been accepted; "" where the server has none with our token."""
        assert self._log is not None
        others = frozenset(other.batch for other in self._log.batches.values() if other.batch)
        pause, looks = FIRST_PAUSE_S, 0
        while True:
            self._still_wanted()
            try:
                found = await self.api.find(self._talk(), batch.log.token, batch.log.at, len(batch.log.calls), others)
                looks += 1
                if found or looks == 2:
                    return found or ""
                await asyncio.sleep(LIST_DELAY_S)
            except Undecided:
                await asyncio.sleep(pause)
                pause = min(GROWTH * pause, LONGEST_PAUSE_S)

    def _accepted(self, batch: OpenBatch, name: str) -> None:
        assert self._log is not None
        self._log.write("submitted", batch.log.token, batch=name)

    async def _polled(self, batch: OpenBatch) -> None:
        name, pause, said = batch.log.batch, FIRST_PAUSE_S, time.monotonic()
        ids = [f"{batch.log.token}-{call}" for call in batch.log.calls]
        try:
            while True:
                self._still_wanted()
                state = await self._patiently(batch, lambda: self.api.look(self._talk(), name))
                if state.ended:
                    break
                if time.monotonic() - said >= SAY_EVERY_S:
                    said = time.monotonic()
                    self.notes.append(f"  {self._about(batch)}: {state.done:,} done, {state.failed:,} failed so far")
                await asyncio.sleep(pause)
                pause = min(GROWTH * pause, LONGEST_PAUSE_S)
            results = await self._patiently(batch, lambda: self.api.results(self._talk(), name, state, ids))
        except Gone:
            self._lose(batch)
            return
        assert self._log is not None
        self._still_wanted()
        if not batch.log.read:
            self._log.write("read", batch.log.token)
        batch.results = results
        faults = sum(not isinstance(results.get(one), Answer) for one in ids)
        self.notes.append(f"  {self._about(batch)} ended: {len(ids) - faults:,} done, {faults:,} failed")
        for call, future in batch.waiting.items():
            if not future.done():
                future.set_result(results.get(f"{batch.log.token}-{call}", NO_RESULT))
        batch.waiting.clear()

    async def _patiently(self, batch: OpenBatch, act: Callable[[], Awaitable[T]]) -> T:
        """What ``act`` gives, tried again while the server is busy or away; raises its Failed otherwise."""
        pause, failures = FIRST_PAUSE_S, 0
        while True:
            try:
                return await act()
            except Failed as failed:
                failures += 1
                if not failed.fault.again:
                    raise
                if failures >= self._give_up:
                    raise Stopped(
                        f"{self._about(batch)} of {self.spec}: {failed.fault.text} ({failures} attempts); resume the "
                        "run when the server answers"
                    ) from failed
                await asyncio.sleep(max(pause, min(failed.fault.pause or 0.0, LONGEST_PAUSE_S)))
                pause = min(GROWTH * pause, LONGEST_PAUSE_S)

    def _still_wanted(self) -> None:
        """Raise Stopped where nobody waits for results any more."""
        if self._ended is not None:
            raise Stopped(str(self._ended))

    def _lose(self, batch: OpenBatch) -> None:
        """The server does not have a batch: its calls go into another one."""
        assert self._log is not None
        self._log.write("lost", batch.log.token)
        self.notes.append(f"  {self._about(batch)} is not at the server; its calls are submitted again")
        for call, known in list(self._batches.items()):
            if known is batch:
                del self._batches[call]
        for future in batch.waiting.values():
            if not future.done():
                future.set_result(None)

    def _about(self, batch: OpenBatch) -> str:
        calls = len(batch.log.calls)
        waited = time.time() - batch.log.at
        age = f" after {waited / 60:,.0f} min" if waited >= 60 else ""
        return f"batch of {calls:,} call{'' if calls == 1 else 's'}{age}"

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


@dataclass(frozen=True, slots=True)
class _Ending:
    """Whatever ends the work on a batch reaches those who wait for it, so that no run waits forever."""

    post: BatchPost
    batch: OpenBatch

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if error is None:
            return False
        if isinstance(error, Failed) and not error.fault.closed:
            self.batch.broken = error.fault
            self.post.turned_away(self.batch)
            for future in self.batch.waiting.values():
                if not future.done():
                    future.set_result(error.fault)
            self.batch.waiting.clear()
            return True
        if isinstance(error, Failed):
            error = Stopped(f"{self.post.spec} cannot be asked any more: {error.fault.text}")
        elif not isinstance(error, Exception):  # canceled: nobody waits any more
            return False
        self.batch.broken = error
        self.post.fail(self.batch, error)
        return True
