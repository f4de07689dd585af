"""A queue of calls to judges: a thread with its own event loop that keeps every judge as busy as it may be."""

from __future__ import annotations

import asyncio
import contextlib
import os
import traceback
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from editscope.errors import EditscopeError, Stopped
from editscope.judges import Call, Judge, Verdict
from editscope.judges.records import ask_judge, check_judge, kept_verdict
from editscope.outside import MOST_DOLLARS, measure, received
from editscope.runfolder.journal import Step
from editscope.transport.account import Account
from editscope.transport.background import Background

CLOSING_S = 5.0


@dataclass(frozen=True, eq=False)
class QueuedCall:
    """One call to one judge for one sample; ``step`` is the case and the unit that it is about.

    ``lookup_only`` asks for what the cache has and nothing else.
    """

    step: Step
    call: Call
    judge: int
    sample: int
    lookup_only: bool = False


@dataclass(frozen=True, eq=False)
class CallResult:
    """What came of a call: a verdict, None where only the cache was asked and does not know, or an error.

    With an error, a verdict says what the attempts cost that were made before it.
    """

    queued: QueuedCall
    verdict: Verdict | None = None
    error: EditscopeError | None = None
    trace: str | None = None


class JudgeQueue:
    """Calls go in, results come out; ``fd`` becomes readable when there are any.

    At most as many calls as a judge allows are in its hands at a time; the others wait here, so that they can be
    taken back. It runs beside the loop that hands out work, and in a notebook beside the notebook's own. ``account`` is
    the budget of the run.
    """

    def __init__(self, judges: Sequence[Judge], account: Account | None = None) -> None:
        self.judges = tuple(judges)
        self.account = account
        self.open = 0
        """Calls whose results have not been taken yet."""
        self._queues: list[deque[QueuedCall]] = [deque() for _ in self.judges]
        self._tasks: list[set[asyncio.Task[None]]] = [set() for _ in self.judges]
        self._results: deque[CallResult] = deque()
        self.fd, self._write_end = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._write_end, False)
        self._background = Background("editscope-judges")
        self._posts = [post for judge in self.judges if (post := judge.batches) is not None]

    def __enter__(self) -> JudgeQueue:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def check(self) -> None:
        """Raise BadInput where a judge cannot be asked: a wrong key, an unknown model, no network."""
        for judge in self.judges:
            self._background.run(check_judge(judge))

    def put(self, calls: Sequence[QueuedCall]) -> None:
        """Ask these, when their turn comes."""
        self.open += len(calls)
        self._background.call(self._take_in, calls)

    def take(self) -> list[CallResult]:
        """The results that have come since the last time."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.fd, 4096):
                continue
        results = []
        while self._results:
            results.append(self._results.popleft())
        self.open -= len(results)
        return results

    def tend(self, more_coming: bool) -> list[str]:
        """Tell judges that collect calls into batches whether more are coming; gives what they want to be said."""
        notes = []
        for post in self._posts:
            post.more_coming = more_coming
            while post.notes:
                notes.append(post.notes.popleft())
        return notes

    def stop(self) -> None:
        """Take back what has not been given to a judge yet; what has been is waited for, unless it is in a batch."""
        self.open -= self._background.run(self._forget())

    def close(self) -> None:
        """Give up what is still being asked, and release the judges."""
        if self._background.closed:
            return
        with contextlib.suppress(TimeoutError):
            self._background.run(self._leave(), CLOSING_S)
        self._background.close(CLOSING_S)
        os.close(self.fd)
        os.close(self._write_end)

    # --- in the thread ----------------------------------------------------------------------------

    def _take_in(self, calls: Sequence[QueuedCall]) -> None:
        for queued in calls:
            self._queues[queued.judge].append(queued)
        for number in range(len(self.judges)):
            self._pump(number)

    def _pump(self, number: int) -> None:
        queue, tasks = self._queues[number], self._tasks[number]
        while queue and len(tasks) < max(1, self.judges[number].concurrency):
            task = asyncio.create_task(self._ask(queue.popleft()))
            tasks.add(task)
            task.add_done_callback(lambda done, number=number: self._done(number, done))  # type: ignore[misc]

    def _done(self, number: int, task: asyncio.Task[None]) -> None:
        self._tasks[number].discard(task)
        self._pump(number)

    async def _ask(self, queued: QueuedCall) -> None:
        judge = self.judges[queued.judge]
        try:
            if queued.lookup_only:
                result = CallResult(queued, judge.known(queued.call, queued.sample))
            else:
                result = CallResult(queued, await self._asked(judge, queued))
        except EditscopeError as error:
            result = CallResult(queued, unfinished(error), error=error)
        except (Exception, SystemExit) as error:  # which would end the thread, and the run would wait forever
            how = f"{type(error).__name__}: {received(error, 500)}"
            message = f"the judge {judge.spec} failed unexpectedly ({how})"
            result = CallResult(queued, error=EditscopeError(message), trace=traceback.format_exc())
        self._results.append(result)
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._write_end, b".")

    async def _asked(self, judge: Judge, queued: QueuedCall) -> Verdict:
        """The verdict on a call, paid for from the run's budget where the judge does not see to that itself."""
        if self.account is None or judge.reserves:
            return await ask_judge(judge, queued.call, queued.sample)
        held = 0.0 if judge.known(queued.call, queued.sample) else judge.estimate([queued.call]).cost_usd or 0.0
        await self.account.reserve(held, "judge call")
        charged = held
        try:
            verdict = await ask_judge(judge, queued.call, queued.sample)
            cost = measure(verdict.usage.cost_usd, MOST_DOLLARS)
            charged = 0.0 if verdict.cached else held if cost is None else cost
        finally:
            self.account.settle(held, charged)
        return verdict

    async def _forget(self) -> int:
        forgotten = sum(map(len, self._queues))
        for queue in self._queues:
            queue.clear()
        for post in self._posts:
            post.stop("stopped; batches that were submitted go on, and resume takes up their results")
        return forgotten

    async def _leave(self) -> None:
        await self._forget()
        tasks = [task for tasks in self._tasks for task in tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for judge in self.judges:
            await judge.close()


def unfinished(error: EditscopeError) -> Verdict | None:
    """The verdict without an answer of a call that was paid for in part before it was stopped."""
    partial = error.unfinished if isinstance(error, Stopped) else None
    return kept_verdict(partial) if isinstance(partial, Verdict) else None
