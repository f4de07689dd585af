"""The workers of a run as the parent sees them: processes at the other end of a pipe, or a thread."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from editscope.editors import Editor
from editscope.runs.worker import Job, Report, Setup, command, serve

CLOSING_S = 5.0


@dataclass(eq=False)
class Worker:
    """One worker, what it can do, and what it is doing."""

    connection: Connection[Any, Any]
    process: subprocess.Popen[bytes] | None
    edits: bool
    scores: bool
    ready: bool = False
    job: Job | None = None
    editing_since: float | None = None

    @property
    def idle(self) -> bool:
        """Whether it can be given a job."""
        return self.ready and self.job is None

    def give(self, job: Job) -> None:
        """Hand over a job; the clock of an edit starts."""
        self.now_does(job)
        # A worker that died just now is noticed by the end of its pipe, where its job is looked after.
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def now_does(self, job: Job) -> None:
        """Note what it is at: the next edit of its job, whose clock starts, or the score."""
        self.job = job
        self.editing_since = time.monotonic() if job.make else None

    def ask_to_leave(self) -> None:
        """Say that there are no more jobs."""
        with contextlib.suppress(OSError):
            self.connection.send(None)

    def death(self) -> str:
        """How it died, in words."""
        if self.process is None:
            return "its thread ended"
        code = self.process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def kill(self) -> None:
        """End it now, with whatever it started."""
        if self.process is not None:
            if self.process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, signal.SIGKILL)
                self.process.kill()
            self.process.wait()
        self.connection.close()

    def leave(self, patience_s: float) -> None:
        """Wait for it to close what it holds, then end it."""
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        self.kill()


def start_process(setup: Setup, *, edits: bool, scores: bool) -> Worker:
    """Start a worker in a process of its own.

    A fresh interpreter rather than a fork: it shares no locks with this one, and a script needs no main
    guard. Its own process group keeps a terminal's Ctrl-C away and lets one kill reach its children.
    """
    ours, theirs = Pipe()
    try:
        process = subprocess.Popen(
            command(theirs.fileno()),
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=2,  # what a plugin prints must not mix with results
            process_group=0,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    with contextlib.suppress(OSError):
        ours.send((setup, scores))
    return Worker(ours, process, edits=edits, scores=scores)


def start_thread(setup: Setup, editor: Editor) -> Worker:
    """Start a worker for an editor that cannot leave this process, such as a class of a notebook."""
    ours, theirs = Pipe()

    def receive() -> Job | None:
        try:
            job: Job | None = theirs.recv()
        except (EOFError, OSError):
            return None
        return job

    def send(report: Report) -> None:
        with contextlib.suppress(OSError):
            theirs.send(report)

    def live() -> None:
        serve(receive, send, setup, scores=False, editor=editor)
        theirs.close()

    threading.Thread(target=live, name="editscope-editor", daemon=True).start()
    return Worker(ours, None, edits=True, scores=False)
