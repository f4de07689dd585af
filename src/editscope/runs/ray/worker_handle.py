"""Ray workers as the engine sees them: a connection to receive from, and a process to kill."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from editscope.runs.engine.worker_process import Job, WorkerReport
from editscope.runs.engine.workers import Worker
from editscope.runs.ray.node_worker import WorkerLocation


class Mailbox:
    """A connection without a pipe behind it, so that pictures which came from Ray are not pickled once more.

    ``fileno`` is readable while there are reports, and for good when there will be no more. ``take`` gets each job that
    is sent.
    """

    def __init__(self, take: Callable[[Job | None], None]) -> None:
        self._take = take
        self._reports: deque[WorkerReport] = deque()
        self._read_end, self._write_end = os.pipe()
        self._lock = threading.Lock()
        self.over = False
        """Whether there will be no more reports."""
        self._closed = False

    def fileno(self) -> int:
        """What a loop can wait for."""
        return self._read_end

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Whether there is something to receive now, the end included."""
        return bool(self._reports) or self.over

    def recv(self) -> WorkerReport:
        """The next report, waited for; EOFError where there will be none."""
        if not os.read(self._read_end, 1):
            raise EOFError
        return self._reports.popleft()

    def send(self, job: Job | None) -> None:
        """Hand a job over; None says that there will be no more."""
        self._take(job)

    def close(self) -> None:
        """Hear no more."""
        self.end()
        with self._lock:
            if not self._closed:
                os.close(self._read_end)
            self._closed = True

    def put(self, report: WorkerReport) -> None:
        """A report has come; one that comes after the end is not for anybody."""
        with self._lock:
            if not self.over:
                self._reports.append(report)
                os.write(self._write_end, b".")

    def end(self) -> None:
        """There will be no more; those that are there can still be received."""
        with self._lock:
            if not self.over:
                os.close(self._write_end)
            self.over = True


@dataclass(eq=False, kw_only=True)
class RayWorker(Worker):
    """A worker on some node: an actor that holds an editor, or a place for tasks that score."""

    box: Mailbox
    how: str = ""
    """How it died, in words."""
    handle: Any = None
    """The actor; None for a place for tasks."""
    place: WorkerLocation | None = None
    """Where it is, as soon as it has a place."""
    closed: threading.Event = field(default_factory=threading.Event)
    """Set when it has closed what it held."""

    @property
    def killable(self) -> bool:
        """Whether a hanging edit can be ended: always, wherever it hangs."""
        return True

    def gone(self) -> bool:
        """Whether it has ended unheard: never, since its end is told as everything else is."""
        return False

    def death(self) -> str:
        """How it died, in words."""
        return self.how or "it left"

    def kill(self) -> None:
        """End it now, with whatever it started."""
        self.box.close()
        if self.handle is not None:
            import ray

            with contextlib.suppress(Exception):  # a cluster that is gone has no worker left to kill
                ray.kill(self.handle)

    def leave(self, patience_s: float) -> None:
        """Wait for it to close what it holds, then end it."""
        if self.handle is not None:
            self.closed.wait(patience_s)
        self.kill()
