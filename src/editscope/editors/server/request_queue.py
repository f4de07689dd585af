"""Queue of requests for one editor: its threads take them, several at a time where it takes batches."""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from editscope import printing
from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.make_edits import decoded, failed, made
from editscope.errors import EditscopeError, Stopped

MOST_WAITING = 256
STOPPING = "the server is stopping"


class QueueFull(EditscopeError):
    """So many requests wait already that one more would only time out."""


@dataclass(eq=False)
class _Waiting:
    request: Request
    gone: Callable[[], bool]
    """Whether the caller has left, so that nobody wants the edit any more."""
    answer: asyncio.Future[Edit]
    loop: asyncio.AbstractEventLoop

    def tell(self, edit: Edit | BaseException) -> None:
        """Hand over the edit, in the caller's event loop."""

        def settle() -> None:
            if self.answer.done():
                return
            if isinstance(edit, BaseException):
                self.answer.set_exception(edit)
            else:
                self.answer.set_result(edit)

        self.loop.call_soon_threadsafe(settle)


class RequestQueue:
    """Keeps a loaded editor busy: ``at_once`` threads, each of which takes up to ``batch`` requests that wait."""

    def __init__(self, editor: Editor, *, most_waiting: int = MOST_WAITING) -> None:
        self.editor = editor
        self.edits = 0
        self.stopped = ""
        """Why the editor makes no more edits; "" while it does."""
        self._most = most_waiting
        self._waiting: deque[_Waiting] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._threads: list[threading.Thread] = []

    def open(self) -> None:
        """Load the editor in the first of its threads, and start the others; raises what ``load`` raises."""
        loaded = threading.Event()
        failed: list[BaseException] = []

        def first() -> None:
            try:
                self.editor.load()
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
        for _ in range(1, max(1, self.editor.at_once)):
            self._start(self._work)

    async def ask(self, request: Request, gone: Callable[[], bool] = lambda: False) -> Edit:
        """The edit, when its turn has come; QueueFull where too many wait, Stopped where the editor has stopped."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(request, gone, loop.create_future(), loop)
        with self._changed:
            if self.stopped or self._closed:
                raise Stopped(self.stopped or STOPPING)
            if len(self._waiting) >= self._most:
                raise QueueFull(f"{self._most} requests wait already; try again later")
            self._waiting.append(waiting)
            self._changed.notify()
        return await waiting.answer

    def turn_away(self) -> None:
        """Take nothing more; what waits is told so, what is in hand is finished."""
        with self._changed:
            self._closed = True
            waiting, self._waiting = list(self._waiting), deque()
            self._changed.notify_all()
        for one in waiting:
            one.tell(Stopped(STOPPING))

    def close(self) -> None:
        """Finish what is in hand, and release the editor."""
        self.turn_away()
        for thread in self._threads:
            thread.join()
        self.editor.close()

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
                edits: Sequence[Edit | BaseException] = edited(self.editor, [one.request for one in wanted])
                with self._changed:
                    self.edits += len(wanted)
            except Stopped as stop:
                self.stopped = str(stop)
                edits = [stop] * len(wanted)
            for one, edit in zip(wanted, edits, strict=True):
                one.tell(edit)

    def _take(self) -> list[_Waiting]:
        """The next requests; none when the queue is closed."""
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            return [self._waiting.popleft() for _ in range(min(max(1, self.editor.batch), len(self._waiting)))]


def edited(editor: Editor, requests: Sequence[Request]) -> list[Edit]:
    """What an editor makes of requests, each with decoded pixels or the status that says why there are none.

    What it raises is the status of these edits; only Stopped passes.
    """
    try:
        edits = made(editor, requests)
    except Stopped:
        raise
    except BaseException as error:
        printing.say(traceback.format_exc(), error=True)
        return failed(error, requests)
    return [decoded(edit, "the editor's picture") for edit in edits]
