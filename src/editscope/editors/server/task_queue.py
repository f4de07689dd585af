"""Queue of tasks that threads take, several at a time, for servers that answer in an event loop."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from editscope.errors import EditscopeError, Stopped

MOST_WAITING = 256
STOPPING = "the server is stopping"

Task = TypeVar("Task")
Result = TypeVar("Result")


class QueueFull(EditscopeError):
    """So many requests wait already that one more would only time out."""


@dataclass(eq=False)
class _Waiting(Generic[Task, Result]):
    task: Task
    gone: Callable[[], bool]
    """Whether the caller has left, so that nobody wants the result any more."""
    answer: asyncio.Future[Result]
    loop: asyncio.AbstractEventLoop

    def tell(self, result: Result | BaseException) -> None:
        """Hand over the result, in the caller's event loop."""

        def settle() -> None:
            if self.answer.done():
                return
            if isinstance(result, BaseException):
                self.answer.set_exception(result)
            else:
                self.answer.set_result(result)

        self.loop.call_soon_threadsafe(settle)


class TaskQueue(ABC, Generic[Task, Result]):
    """Keeps whoever does the tasks busy: ``at_once`` threads, each of which takes up to ``batch`` that wait."""

    def __init__(self, *, at_once: int = 1, batch: int = 1, most_waiting: int = MOST_WAITING) -> None:
        self.done = 0
        self.stopped = ""
        """Why no more tasks are done; "" while they are."""
        self._at_once, self._batch, self._most = max(1, at_once), max(1, batch), most_waiting
        self._waiting: deque[_Waiting[Task, Result]] = deque()
        self._held = 0
        """How much waits, as ``size`` counts."""
        self._changed = threading.Condition()
        self._closed = False
        self._threads: list[threading.Thread] = []

    @abstractmethod
    def do(self, tasks: Sequence[Task]) -> Sequence[Result | BaseException]:
        """What comes of some tasks, one result for each; Stopped where no more can be done."""

    def size(self, task: Task) -> int:
        """How much of ``batch`` and of the places to wait a task takes."""
        return 1

    def load(self) -> None:
        """Get ready, in the first of the threads."""

    def release(self) -> None:
        """Give up what ``load`` took."""

    def open(self) -> None:
        """Load in the first of the threads, and start the others; raises what ``load`` raises."""
        loaded = threading.Event()
        failed: list[BaseException] = []

        def first() -> None:
            try:
                self.load()
            except BaseException as error:
                failed.append(error)
                return
            finally:
                loaded.set()
            self._work()

        self._start(first)
        loaded.wait()
        if failed:
            raise failed[0]
        for _ in range(1, self._at_once):
            self._start(self._work)

    async def ask(self, task: Task, gone: Callable[[], bool] = lambda: False) -> Result:
        """The result, when its turn has come; QueueFull where too many wait, Stopped where no more are done."""
        loop = asyncio.get_running_loop()
        waiting: _Waiting[Task, Result] = _Waiting(task, gone, loop.create_future(), loop)
        with self._changed:
            if self.stopped or self._closed:
                raise Stopped(self.stopped or STOPPING)
            if self._held and self._held + self.size(task) > self._most:
                raise QueueFull(f"{self._held} requests wait already; try again later")
            self._waiting.append(waiting)
            self._held += self.size(task)
            self._changed.notify()
        return await waiting.answer

    def turn_away(self) -> None:
        """Take nothing more; what waits is told so, what is in hand is finished."""
        with self._changed:
            self._closed = True
            waiting, self._waiting, self._held = list(self._waiting), deque(), 0
            self._changed.notify_all()
        for one in waiting:
            one.tell(Stopped(STOPPING))

    def close(self) -> None:
        """Finish what is in hand, and release what was loaded."""
        self.turn_away()
        for thread in self._threads:
            thread.join()
        self.release()

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=f"editscope-requests-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while taken := self._take():
            wanted = []
            for one in taken:
                if one.gone():
                    one.tell(Stopped("the caller has left"))
                else:
                    wanted.append(one)
            if not wanted:
                continue
            try:
                results = self.do([one.task for one in wanted])
                with self._changed:
                    self.done += sum(self.size(one.task) for one in wanted)
            except Stopped as stop:
                self.stopped = str(stop)
                results = [stop] * len(wanted)
            for one, result in zip(wanted, results, strict=True):
                one.tell(result)

    def _take(self) -> list[_Waiting[Task, Result]]:
        """The next tasks, as many as a batch has room for; none when the queue is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            taken: list[_Waiting[Task, Result]] = []
            room = self._batch
            while self._waiting and (not taken or self.size(self._waiting[0].task) <= room):
                taken.append(self._waiting.popleft())
                room -= self.size(taken[-1].task)
            self._held -= sum(self.size(one.task) for one in taken)
            return taken
