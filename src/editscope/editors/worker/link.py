"""Link to a worker that is kept running: started again when it died, given up when that does not help."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editscope.editors.worker.process import Log, Process, WorkerGone, WorkerLate
from editscope.editors.worker.protocol import PROTOCOL, Done, Message, NotOfTheProtocol, Ready, done_of, ready_of
from editscope.errors import BadInput, Stopped
from editscope.outside import received

GIVE_UP = 5
"""So many times in a row a worker may die or hang; after that something is wrong with it, not with the cases."""

CLOSING_S = 3.0


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no answer to an edit; ``log`` is what the worker printed before."""

    text: str
    late: bool = False
    log: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """An answer, the seconds it took, and how often the worker had to be started again for it."""

    done: Done
    seconds: float
    restarts: int = 0


class Link:
    """One worker process after the other, of which one lives at a time.

    ``start`` starts a process, ``folder`` is where the files of edits will be; ``startup_s`` is the time until it must
    be ready, ``timeout_s`` that for one edit. Several threads may ask: each waits for its turn.
    """

    def __init__(
        self,
        start: Callable[[], Process],
        options: Mapping[str, Any],
        log: Log,
        *,
        what: str,
        folder: Path,
        startup_s: float,
        timeout_s: float | None,
    ) -> None:
        self.ready = Ready()
        self._start = start
        self._options = options
        self._log = log
        self._what = what
        self._more = {"folder": str(folder)}
        self._startup_s = startup_s
        self._timeout_s = timeout_s
        self._process: Process | None = None
        self._turn = threading.Lock()
        self._failures = 0

    def open(self) -> None:
        """Start the worker for the first time; BadInput where it cannot start, or says that it cannot work."""
        self._failures = 0
        trouble = self._begin()
        if trouble is not None:
            raise BadInput(f"the worker {self._what} did not start: {trouble.text}")

    def ask(self, edits: Sequence[Message]) -> list[WorkerAnswer | NoAnswer]:
        """What the worker answers to edits, in their order.

        Where it died, each edit without an answer is asked for once more, by itself. One edit that takes too long is
        not. Stopped after GIVE_UP such failures in a row.
        """
        with self._turn:
            answers: dict[str, WorkerAnswer | NoAnswer] = {}
            trouble = self._attempt(edits, answers)
            for edit in edits if trouble is not None else ():
                if edit["id"] in answers:
                    continue
                if len(edits) == 1 and trouble is not None and trouble.late:
                    answers[edit["id"]] = trouble
                elif (again := self._attempt([edit], answers)) is not None:
                    twice = " again after a restart" if len(edits) == 1 and not again.late else ""
                    answers[edit["id"]] = replace(again, text=again.text.replace("died", f"died{twice}", 1))
                else:
                    answer = answers[edit["id"]]
                    assert isinstance(answer, WorkerAnswer)
                    answers[edit["id"]] = replace(answer, restarts=1)
            return [answers[edit["id"]] for edit in edits]

    def close(self) -> None:
        """Say goodbye and end the worker."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(WorkerGone):
                process.send({"type": "bye"})
            process.end(CLOSING_S)

    def _attempt(self, edits: Sequence[Message], found: dict[str, WorkerAnswer | NoAnswer]) -> NoAnswer | None:
        """Send edits to a living worker and take its answers into ``found``; the trouble where some are left."""
        while self._process is None:
            if (trouble := self._begin()) is not None:
                self._failed(trouble)
        process, began = self._process, time.monotonic()
        until = None if self._timeout_s is None else began + self._timeout_s * len(edits)
        left = {edit["id"] for edit in edits}
        try:
            process.send({"type": "edit", **edits[0]} if len(edits) == 1 else {"type": "edits", "edits": list(edits)})
            while left:
                done = self._done(process.receive(until), left)
                if done is not None:
                    left.discard(done.id)
                    found[done.id] = WorkerAnswer(done, time.monotonic() - began)
                    self._failures = 0
        except (WorkerGone, WorkerLate) as error:
            trouble = self._trouble(error)
            self._drop()
            self._failed(trouble)
            return trouble
        return None

    def _done(self, message: Message, left: set[str]) -> Done | None:
        """The answer that a message is; None for one that nobody waits for."""
        if message["type"] != "done":
            self._log.add(f"(a message of type {message['type']!r} that nobody waits for)")
            return None
        try:
            done = done_of(message)
        except NotOfTheProtocol as error:
            if str(message.get("id")) not in left:
                self._log.add(f"(an answer that is not one: {error})")
                return None
            return Done(str(message["id"]), status="error", reason=f"the worker's answer cannot be used: {error}")
        if done.id in left:
            return done
        self._log.add(f"(an answer to {done.id!r}, which nobody asked)")
        return None

    def _begin(self) -> NoAnswer | None:
        """Start a process and wait until it is ready; the trouble where it is not."""
        try:
            self._process = process = self._start()
        except OSError as error:
            return NoAnswer(f"it cannot be started ({error.strerror or error})")
        until = time.monotonic() + self._startup_s
        try:
            process.send({"type": "hello", "protocol": PROTOCOL, "options": dict(self._options), **self._more})
            self.ready = self._greeting(process, until)
        except WorkerLate:
            self._drop()
            return self._with_log(f"not ready after {self._startup_s:g} s (?startup=… allows more)")
        except WorkerGone as error:
            self._drop()
            return self._with_log(f"died while starting ({error})")
        except NotOfTheProtocol as error:
            self._drop()
            return NoAnswer(str(error), log=tuple(self._log.lines()))
        return None

    def _greeting(self, process: Process, until: float) -> Ready:
        while True:
            message = process.receive(until)
            if message["type"] == "ready":
                return ready_of(message)
            if message["type"] == "unfit":
                raise NotOfTheProtocol(received(message.get("reason") or "it says that it cannot work", 2_000))
            self._log.add(f"(a message of type {message['type']!r} before it was ready)")

    def _trouble(self, error: WorkerGone | WorkerLate) -> NoAnswer:
        if isinstance(error, WorkerLate):
            return replace(self._with_log(f"timed out after {self._timeout_s:g} s"), late=True)
        return self._with_log(f"the worker died ({error})")

    def _with_log(self, text: str) -> NoAnswer:
        last = self._log.last()
        printed = f"it printed last: {last}" if last else "it printed nothing"
        return NoAnswer(f"{text}; {printed}", log=tuple(self._log.lines()))

    def _failed(self, trouble: NoAnswer) -> None:
        self._failures += 1
        if self._failures >= GIVE_UP:
            raise Stopped(f"the worker {self._what} failed {self._failures} times in a row (last: {trouble.text})")

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end(0.0)
