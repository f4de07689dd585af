"""The workers of a run as the parent sees them: processes at the other end of a pipe, or a thread."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from editscope.editors import Editor
from editscope.processes import end_group, watch_group
from editscope.runfolder.journal import Line, Step
from editscope.runs.engine.capacity import ahead
from editscope.runs.engine.editor_output import EditorOutput
from editscope.runs.engine.gpus import only_device
from editscope.runs.engine.worker_process import Job, Key, WorkerReport, WorkerSetup, command, serve
from editscope.transport.account import Account

CLOSING_S = 5.0


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What one thread of a worker asks its editor for, and since when."""

    edits: tuple[Step, ...]
    since: float


@dataclass(eq=False)
class Worker:
    """One worker, what it can do, and what it is doing.

    ``jobs`` are those that it holds, in the order in which it got them; ``open_requests``
    what its editor is doing, by thread.
    """

    connection: Connection[Any, Any]
    process: subprocess.Popen[bytes] | None
    edits: bool
    scores: bool
    device: str | None = None
    turns: int = 1
    """How many edits it may have to make, those included that its editor is at."""
    room: int = 1
    """How many edits it may hold in all, with those that are being kept and scored."""
    ready: bool = False
    leaving: bool = False
    lost: bool = False
    """Whether its end is not a job's fault: the machine that it was on has gone."""
    jobs: dict[Key, Job] = field(default_factory=dict)
    open_requests: dict[int, OpenRequest] = field(default_factory=dict)
    cut_short: set[Key] = field(default_factory=set)
    """Jobs of which some edits were dropped when it was asked to leave."""
    output: EditorOutput | None = None
    """What its process prints."""

    @property
    def killable(self) -> bool:
        """Whether a hanging edit can be ended."""
        return self.process is not None

    @property
    def load(self) -> int:
        """How much it holds: edits to be made, and cases to be scored."""
        return sum(max(1, len(job.make)) for job in self.jobs.values())

    @property
    def unmade(self) -> int:
        """How many edits it has to make."""
        return sum(len(job.make) for job in self.jobs.values())

    def can_take(self, job: Job, turns: int | None = None) -> bool:
        """Whether it has room for another job; one that is alone wants all of it."""
        if not self.ready or self.leaving:
            return False
        if not self.jobs:
            return True
        if job.alone or any(held.alone for held in self.jobs.values()):
            return False
        if job.make and self.unmade + len(job.make) > (self.turns if turns is None else turns):
            return False
        return self.load + max(1, len(job.make)) <= self.room

    def give(self, job: Job) -> None:
        """Hand over a job."""
        self.jobs[job.key] = job
        # A worker that died just now is noticed by the end of its pipe, where its jobs are looked after.
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def take(self, key: Key | None) -> Job | None:
        """Release a job that it is done with."""
        return None if key is None else self.jobs.pop(key, None)

    def edited(self, key: Key | None, line: Line) -> Job | None:
        """Note that an edit of a job is made; what is left of the job."""
        step = (line["case"], line["variant"])
        # Whoever reports one edit of a batch has the answer to all of it.
        self.open_requests = {
            slot: request for slot, request in self.open_requests.items() if step not in request.edits
        }
        if key is None or key not in self.jobs:
            return None
        self.jobs[key] = self.jobs[key].edited(line)
        return self.jobs[key]

    def began(self, slot: int, edits: tuple[Step, ...]) -> None:
        """One of its threads asks for edits, whose clock starts, or has its answer."""
        if edits:
            self.open_requests[slot] = OpenRequest(edits, time.monotonic())
        else:
            self.open_requests.pop(slot, None)

    def late(self, timeout_s: float) -> list[OpenRequest]:
        """What takes too long: more than so many seconds for each edit that is asked for in one go."""
        now = time.monotonic()
        return [
            request for request in self.open_requests.values() if now - request.since > timeout_s * len(request.edits)
        ]

    def left_s(self, timeout_s: float) -> float:
        """Seconds until something takes too long; infinite where nothing is asked."""
        now = time.monotonic()
        return min(
            (request.since + timeout_s * len(request.edits) - now for request in self.open_requests.values()),
            default=float("inf"),
        )

    def ask_to_leave(self) -> None:
        """Say that there are no more jobs, and that what it has not begun is not wanted."""
        self.leaving = True
        with contextlib.suppress(OSError):
            self.connection.send(None)

    def dropped(self, kept: tuple[Step, ...]) -> None:
        """Forget the jobs that it will not do, now that it was asked to leave."""
        for key, job in list(self.jobs.items()):
            left = tuple(variant for variant in job.make if (job.case_id, variant) in kept)
            if len(left) < len(job.make):
                self.cut_short.add(key)
                self.jobs[key] = replace(job, make=left)
                if not left:
                    del self.jobs[key]

    def gone(self) -> bool:
        """Whether it has ended, with nothing more to say."""
        return self.process is not None and self.process.poll() is not None and not self.connection.poll()

    def death(self) -> str:
        """How it died, in words."""
        if self.process is None:
            return "its thread ended"
        code = self.process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def kill(self) -> None:
        """End it now, with whatever it started."""
        if self.process is not None:
            end_group(self.process.pid)  # also where it has ended: what it started may live on
            self.process.kill()
            self.process.wait()
        if self.output is not None:
            self.output.close()
        self.connection.close()

    def leave(self, patience_s: float) -> None:
        """Wait for it to close what it holds, then end it."""
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience_s)
        self.kill()


def start_process(setup: WorkerSetup, *, edits: bool, scores: bool) -> Worker:
    """Start a worker in a process of its own.

    A fresh interpreter rather than a fork: it shares no locks with this one, and a script needs no main
    guard. Its own process group keeps a terminal's Ctrl-C away and lets one kill reach its children.
    """
    ours, theirs = Pipe()
    output = EditorOutput(setup.folder)
    try:
        process = subprocess.Popen(
            command(theirs.fileno()),
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=output.fd,  # what a plugin prints must not mix with results
            stderr=output.fd,
            process_group=0,
            env=None if setup.device is None else only_device(setup.device),
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
        output.started()
    watch_group(process.pid)
    with contextlib.suppress(OSError):
        ours.send((setup, scores))
    return Worker(ours, process, edits=edits, scores=scores, device=setup.device, output=output)


def start_thread(setup: WorkerSetup, editor: Editor) -> Worker:
    """Start a worker for an editor that cannot leave this process, such as a class of a notebook."""
    ours, theirs = Pipe()
    sending = threading.Lock()

    def receive() -> Job | None:
        try:
            job: Job | None = theirs.recv()
        except (EOFError, OSError):
            return None
        return job

    def send(report: WorkerReport) -> None:
        with sending, contextlib.suppress(OSError):
            theirs.send(report)

    def live() -> None:
        serve(receive, send, setup, scores=False, editor=editor)
        with sending:  # the thread that receives may still have something to tell
            theirs.close()

    threading.Thread(target=live, name="editscope-editor", daemon=True).start()
    return Worker(ours, None, edits=True, scores=False)


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """The workers of a run: how many may edit and how many may score, and how each is set up.

    ``fused`` workers edit and score a case in one go; ``beside`` says that editing workers score what they made,
    beside their editor, and others only what is left over. ``free`` edits may be made again when a worker dies.
    ``local_editor`` is an editor that cannot leave this process. ``at_once`` and ``batch`` are those of the editor, and
    ``gpus`` the devices of which each editing worker gets one. Of ``paid`` edits each is in the journal before another
    takes its place; others are lined up, so that the editor never waits.
    """

    setup: WorkerSetup
    jobs: int
    editing: int
    fused: bool
    free: bool
    local_editor: Editor | None = None
    start_worker: Callable[..., Worker] = start_process
    """Starts a worker: ``start_worker(setup, edits=…, scores=…)``. Another engine puts its workers elsewhere."""
    beside: bool = False
    at_once: int = 1
    batch: int = 1
    gpus: tuple[str, ...] = ()
    paid: bool = False
    account: Account | None = None
    """The budget of the run, where workers cannot reach its file: then it is kept here, edit by edit."""
    edit_price: float = 0.0

    @property
    def turns(self) -> int:
        """How many edits an editing worker may have to make."""
        return self.at_once * self.batch + (0 if self.paid else ahead(self.at_once, self.batch))

    @property
    def room(self) -> int:
        """How many edits an editing worker may hold, with those that are being kept and scored."""
        return self.at_once * self.batch + 2 * ahead(self.at_once, self.batch)


def dismiss(workers: list[Worker], *, graceful: bool, at_once: bool) -> None:
    """Let workers close what they hold if there is time for it, and leave none behind."""
    for worker in workers:
        if graceful and not worker.leaving:
            worker.ask_to_leave()
    until = time.monotonic() + CLOSING_S
    for worker in workers:
        patient = worker.leaving and not at_once
        worker.leave(max(0.0, until - time.monotonic()) if patient else 0.0)
    workers.clear()


def patience(workers: Sequence[Worker], timeout_s: float | None, tick_s: float) -> float:
    """How long to wait for a word: a tick, but not past the next deadline of an edit."""
    left = [] if timeout_s is None else [worker.left_s(timeout_s) for worker in workers]
    return max(0.0, min([tick_s, *left]))
