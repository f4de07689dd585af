"""The local engine: hands jobs to worker processes, writes the journal, survives whatever a worker does."""

from __future__ import annotations

import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from editscope.cases import Edit
from editscope.editors import Editor
from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.runs.crew import CLOSING_S, Worker, start_process, start_thread
from editscope.runs.disk import DiskError
from editscope.runs.interrupts import Interrupts
from editscope.runs.journal import Journal, Line
from editscope.runs.worker import Job, Report, Setup

ERRORS = "errors.log"
TICK_S = 0.25
STARTS = 3
"""So many workers in a row may die before they are ready; after that something is wrong with the machine."""


class Watcher(Protocol):
    """Who is told how the run goes."""

    def step(self, status: str) -> None:
        """One more case has its score."""

    def note(self, text: str) -> None:
        """Something that the user should know now."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does the work: at most so many workers that edit and that score.

    ``fused`` workers edit and score a case in one go. ``free`` edits may be made again when a worker dies.
    ``at_home`` is an editor that cannot leave this process.
    """

    setup: Setup
    jobs: int
    editing: int
    fused: bool
    free: bool
    at_home: Editor | None = None
    hire: Callable[..., Worker] = start_process
    """Starts a worker: ``hire(setup, edits=…, scores=…)``. Another engine puts its workers elsewhere."""


@dataclass
class Engine:
    """One run being done."""

    crew: Crew
    journal: Journal
    folder: Path
    timeout_s: float | None
    watcher: Watcher
    to_edit: deque[Job] = field(default_factory=deque)
    to_score: deque[Job] = field(default_factory=deque)
    _workers: list[Worker] = field(default_factory=list)
    _deaths: Counter[str] = field(default_factory=Counter)
    _failed_starts: int = 0
    _failure: EditscopeError | None = None
    _spent: bool = False

    def work(self, to_edit: Sequence[Job], to_score: Sequence[Job], *, spent: bool) -> None:
        """Do all jobs; raises Stopped or BadInput when that could not be, the journal whole all the same.

        ``spent`` says that an earlier part of this run has finished steps already.
        """
        self.to_edit.extend(to_edit)
        self.to_score.extend(to_score)
        self._spent = spent
        graceful = False
        try:
            with Interrupts() as interrupts:
                self._loop(interrupts)
            graceful = self._failure is None
        finally:
            self._dismiss(graceful)
        if self._failure is not None:
            raise self._failure

    def _loop(self, interrupts: Interrupts) -> None:
        while True:
            if self._failure is None:
                self._assign()
            busy = self._asked() or any(worker.job is not None for worker in self._workers)
            waiting = self.to_edit or self.to_score
            if not busy and (self._failure is not None or not waiting):
                return
            connections: list[Any] = [worker.connection for worker in self._workers]
            ready = wait([*connections, interrupts.fd, *self._others()], timeout=self._patience())
            for worker in [w for w in self._workers if w.connection in ready]:
                self._hear(worker)
            self._hear_others()
            if interrupts.count:
                interrupts.drain()
                self._interrupted(interrupts.count)
                if interrupts.count > 1:
                    return
            self._look_around()
            self._guarded(self.journal.sync, 1.0)

    # --- what a run with judges adds --------------------------------------------------------------

    def _asked(self) -> int:
        """How many questions somebody else is working on."""
        return 0

    def _others(self) -> list[Any]:
        """What else the loop waits for."""
        return []

    def _hear_others(self) -> None:
        """Take what came from there."""

    def _room(self) -> bool:
        """Whether more cases may be made ready for scoring."""
        return True

    # --- handing out work -------------------------------------------------------------------------

    def _assign(self) -> None:
        self._recruit()
        for worker in self._workers:
            if not worker.idle:
                continue
            if worker.scores and self.to_score and self._room():
                worker.give(self.to_score.popleft())
            elif worker.edits and self.to_edit and (self._room() if self.crew.fused else not self._backlog()):
                worker.give(self.to_edit.popleft())

    def _backlog(self) -> bool:
        """Whether so many edits wait for their score that no new one should be made."""
        return len(self.to_score) >= 2 * self.crew.jobs + 2

    def _recruit(self) -> None:
        crew = self.crew
        editing = sum(worker.edits for worker in self._workers)
        scoring = sum(worker.scores for worker in self._workers)
        # As many as the work asks for; workers that are still starting count as help on its way.
        unclaimed = sum(not worker.ready for worker in self._workers)
        try:
            if crew.fused:
                for _ in range(min(crew.jobs - editing, len(self.to_edit) + len(self.to_score) - unclaimed)):
                    self._workers.append(crew.hire(crew.setup, edits=True, scores=True))
                return
            for _ in range(min(crew.editing - editing, len(self.to_edit))):
                self._workers.append(self._start_editing())
            for _ in range(min(crew.jobs - scoring, len(self.to_edit) + len(self.to_score))):
                bare = replace(crew.setup, editor=None)
                self._workers.append(crew.hire(bare, edits=False, scores=True))
        except OSError as error:
            self._fail(Stopped(f"a worker process could not be started ({error.strerror or error})"))

    def _start_editing(self) -> Worker:
        if self.crew.at_home is not None:
            return start_thread(self.crew.setup, self.crew.at_home)
        return self.crew.hire(self.crew.setup, edits=True, scores=False)

    # --- hearing what came of it ------------------------------------------------------------------

    def _hear(self, worker: Worker) -> None:
        try:
            report: Report = worker.connection.recv()
        except (EOFError, OSError):
            self._died(worker)
            return
        self._log(report.trace)
        if report.kind == "ready":
            worker.ready = True
            self._failed_starts = 0
        elif report.kind == "edited":
            assert report.line is not None
            self._edited(worker, report.line)
        elif report.kind == "scored":
            assert report.line is not None
            worker.job = None
            if self._write(report.line):
                self.watcher.step(report.line["status"])
        elif report.kind == "prepared":
            job, worker.job = worker.job, None
            assert job is not None
            self._prepared(job, report.prepared)
        elif report.kind == "lost":
            job, worker.job = worker.job, None
            assert job is not None and report.line is not None
            self.watcher.note(f"case {job.case_id} is edited again: {report.said}")
            self.to_edit.append(job.without(report.line["variant"]))
        else:
            worker.job = None
            self._trouble(report)

    def _edited(self, worker: Worker, line: Line) -> None:
        assert worker.job is not None
        kept = self._write(line)
        left = worker.job.edited(line)
        if worker.scores or left.make:
            worker.now_does(left)
            return
        worker.job, worker.editing_since = None, None
        if kept:
            self.to_score.append(left)

    def _prepared(self, job: Job, prepared: Any) -> None:
        """What a judge is to be asked about a case has come from a worker."""
        raise NotImplementedError("a run that is scored by pixels asks no judge")

    def _trouble(self, report: Report) -> None:
        if report.kind == "bad" or (report.kind in ("disk", "unfit") and not self._spent):
            self._fail(BadInput(report.said))
        elif report.kind in ("disk", "unfit", "stop"):
            self._fail(Stopped(report.said))
        else:
            self._fail(Stopped(f"{report.said}; the traceback is in {self.folder / ERRORS}"))

    # --- workers that die or hang -----------------------------------------------------------------

    def _look_around(self) -> None:
        now = time.monotonic()
        for worker in list(self._workers):
            late = worker.editing_since is not None and self.timeout_s is not None
            if late and now - worker.editing_since > self.timeout_s:  # type: ignore[operator]
                self._timed_out(worker)
            elif worker.process is not None and worker.process.poll() is not None and not worker.connection.poll():
                self._died(worker)

    def _timed_out(self, worker: Worker) -> None:
        assert worker.job is not None
        self._remove(worker)
        self._without_edit(worker.job, f"timed out after {self.timeout_s:g} s")
        if worker.process is None:
            self._fail(Stopped("the editor hangs in this process and cannot be killed; put its class into a module"))

    def _died(self, worker: Worker) -> None:
        self._remove(worker)
        how, job = worker.death(), worker.job
        if job is None:
            if not worker.ready:
                self._failed_starts += 1
                if self._failed_starts >= STARTS:
                    self._fail(Stopped(f"{STARTS} workers in a row died while starting ({how}); is there memory left?"))
            return
        self._deaths[job.case_id] += 1
        again = self._deaths[job.case_id] < 2
        if not job.make and again:
            self.to_score.appendleft(job)
        elif not job.make:
            self._fail(Stopped(f"a worker died ({how}) twice while scoring case {job.case_id}; is there memory left?"))
        elif self.crew.free and again:
            self.to_edit.appendleft(job)  # the fault may be the machine's
        else:
            self._without_edit(job, f"worker died ({how})")

    def _without_edit(self, job: Job, reason: str) -> None:
        from editscope.runs.steps import edit_line

        edit = Edit(job.case_id, job.make[0], status="error", reason=reason)
        line = edit_line(edit, job.index)
        if self._write(line):
            left = job.edited(line)
            (self.to_edit if left.make else self.to_score).append(left)

    def _remove(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.kill()

    def _dismiss(self, graceful: bool) -> None:
        """Let workers close what they hold if there is time for it, and leave none behind."""
        if graceful:
            for worker in self._workers:
                worker.ask_to_leave()
        until = time.monotonic() + (CLOSING_S if graceful else 0.0)
        for worker in self._workers:
            worker.leave(max(0.0, until - time.monotonic()))
        self._workers.clear()

    # --- the disk, and the end --------------------------------------------------------------------

    def _write(self, *lines: Line) -> bool:
        """Put finished steps into the journal; False when the disk refused."""
        before = self._failure
        self._guarded(self.journal.append, *lines)
        self._spent = self._spent or self._failure is before
        return self._failure is before

    def _guarded(self, act: Any, *arguments: Any) -> None:
        try:
            act(*arguments)
        except DiskError as error:
            self._fail(Stopped(str(error)) if self._spent else BadInput(str(error)))

    def _fail(self, failure: EditscopeError) -> None:
        if self._failure is None:
            self._failure = failure

    def _interrupted(self, times: int) -> None:
        if self._failure is None:
            self.watcher.note("finishing the steps in hand; Ctrl-C again stops at once")
        self._fail(Stopped("stopped on request"))

    def _patience(self) -> float:
        """How long to wait for a word: not past the next deadline."""
        if self.timeout_s is None:
            return TICK_S
        began = [worker.editing_since for worker in self._workers if worker.editing_since is not None]
        left = [start + self.timeout_s - time.monotonic() for start in began]
        return max(0.0, min([TICK_S, *left]))

    def _log(self, trace: str | None) -> None:
        if trace:
            with contextlib.suppress(OSError), (self.folder / ERRORS).open("a", encoding="utf-8") as file:
                file.write(trace + "\n")
