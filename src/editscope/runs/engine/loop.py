"""The engine loop: gives jobs to workers, writes the journal, and survives whatever a worker does."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from editscope.cases import Edit
from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.runfolder.files import EDITOR_LOG, ERRORS, DiskError, FolderGone, write_inside
from editscope.runfolder.journal import Journal, Line, Step
from editscope.runs.engine.edit_budget import EditBudget
from editscope.runs.engine.error_log import ErrorLog
from editscope.runs.engine.first_results import FirstResults
from editscope.runs.engine.interrupts import Interrupts
from editscope.runs.engine.lost_jobs import LostJobs, after_death, after_timeout
from editscope.runs.engine.progress_listener import ProgressListener
from editscope.runs.engine.user_code import load_failure
from editscope.runs.engine.worker_process import Job, WorkerReport
from editscope.runs.engine.workers import Worker, WorkerPlan, dismiss, patience, start_thread
from editscope.transport.account import OPTION

TICK_S = 0.25
STARTS = 3
"""So many workers in a row may die before they are ready; after that something is wrong with the machine."""


@dataclass
class Engine:
    """One run being done."""

    plan: WorkerPlan
    journal: Journal
    folder: Path
    timeout_s: float | None
    listener: ProgressListener
    first_edits: FirstResults | None = None
    """What the first edits came to; None where the run goes on whatever they do."""
    to_edit: deque[Job] = field(default_factory=deque)
    to_score: deque[Job] = field(default_factory=deque)
    suspects: deque[Job] = field(default_factory=deque)
    """Jobs of which one made a worker die or hang: each is edited with nothing beside it."""
    _workers: list[Worker] = field(default_factory=list)
    _deaths: Counter[Step] = field(default_factory=Counter)
    _failed_starts: int = 0
    _failure: EditscopeError | None = None
    _unpaid: Stopped | None = None
    _spent: bool = False
    _at_once: bool = False
    _prints: bool = False
    _budget: EditBudget = field(init=False)

    def __post_init__(self) -> None:
        self._budget = EditBudget(self.plan.setup.limits, self.plan.account, self.plan.edit_price)
        self.errors = ErrorLog(self.folder)

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
            dismiss(self._workers, graceful=graceful, at_once=self._at_once)
        if ended := self._failure or self._unpaid:
            raise ended

    def _loop(self, interrupts: Interrupts) -> None:
        while True:
            if self._failure is None:
                self._assign()
            busy = self._asked() or any(worker.jobs for worker in self._workers)
            waiting = self.to_edit or self.to_score or self.suspects
            if not busy and (self._failure is not None or not waiting):
                return
            connections: list[Any] = [worker.connection for worker in self._workers]
            ready = wait(
                [*connections, interrupts.fd, *self._others()], timeout=patience(self._workers, self.timeout_s, TICK_S)
            )
            for worker in [w for w in self._workers if w.connection in ready]:
                self._hear(worker)
            self._hear_others()
            if interrupts.count:
                interrupts.drain()
                self._interrupted(interrupts.count)
                if interrupts.count > 1:
                    return
            self._look_around()
            self._guarded(self.journal.check)
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
        self._assign_suspects()
        given = 1
        while given:  # one to each in turn, so that loads are alike
            given = sum(map(self._assign_one, self._workers))
        wanted = self.suspects or self.to_edit
        if wanted and not self._in_hand() and not self._budget.allows(len(wanted[0].make)):
            self._fail(Stopped(self._budget.exhausted()))

    def _assign_one(self, worker: Worker) -> bool:
        """Give a worker another job if it has room for one."""
        if worker.scores and self.to_score and self._room() and self._may_score(worker, self.to_score[0]):
            worker.give(self.to_score.popleft())
            return True
        free = self._room() if worker.scores else not self._backlog()
        if not (worker.edits and self.to_edit and free and worker.can_take(self.to_edit[0], self._turns_of(worker))):
            return False
        if not self._budget.allows(self._in_hand() + len(self.to_edit[0].make)):
            return False
        worker.give(self.to_edit.popleft())
        return True

    def _in_hand(self) -> int:
        """How many edits workers have that are not made yet."""
        return sum(len(job.make) for worker in self._workers for job in worker.jobs.values())

    def _assign_suspects(self) -> None:
        """One worker does them one by one; until it is empty it gets nothing else."""
        chosen = next((worker for worker in self._workers if worker.edits and worker.ready), None)
        if chosen is None or not self.suspects:
            return
        if chosen.can_take(self.suspects[0]) and self._budget.allows(self._in_hand() + len(self.suspects[0].make)):
            chosen.give(self.suspects.popleft())

    def _may_score(self, worker: Worker, job: Job) -> bool:
        """What was in the hands of a worker that died is scored apart, so that it is known who is at fault."""
        return worker.can_take(job) and not (job.alone and worker.edits and not self.plan.fused)

    def _turns_of(self, worker: Worker) -> int:
        """How many edits a worker may have to make: none where it waits for suspects, no stock when the end is near."""
        plan = self.plan
        if self.suspects and worker is next((w for w in self._workers if w.edits and w.ready), None):
            return 0
        at_a_time = plan.at_once * plan.batch
        return at_a_time if plan.editing > 1 and len(self.to_edit) <= plan.editing * at_a_time else worker.turns

    def _backlog(self) -> bool:
        """Whether so many edits wait for their score that no new one should be made."""
        return len(self.to_score) >= 2 * self.plan.jobs + 2

    def _recruit(self) -> None:
        plan = self.plan
        editing = sum(worker.edits for worker in self._workers)
        # As many as the work asks for; workers that are still starting count as help on its way.
        unclaimed = sum(not worker.ready for worker in self._workers)
        try:
            if plan.fused:
                wanted = len(self.to_edit) + len(self.to_score) + len(self.suspects)
                for _ in range(min(plan.jobs - editing, wanted - unclaimed)):
                    self._workers.append(plan.start_worker(plan.setup, edits=True, scores=True))
                return
            for _ in range(min(plan.editing - editing, len(self.to_edit) + len(self.suspects))):
                self._workers.append(self._start_editing())
            for _ in range(self._scorers_wanted()):
                bare = replace(plan.setup, editor=None)
                self._workers.append(plan.start_worker(bare, edits=False, scores=True))
        except OSError as error:
            self._fail(Stopped(f"a worker process could not be started ({error.strerror or error})"))

    def _scorers_wanted(self) -> int:
        """How many more workers that only score; few where those that edit do it too."""
        here = sum(not worker.edits for worker in self._workers)
        if not self.plan.beside:
            return min(self.plan.jobs - here, len(self.to_edit) + len(self.to_score) + len(self.suspects))
        helped = any(worker.edits and worker.ready for worker in self._workers)
        wanted = sum(job.alone for job in self.to_score) if helped else len(self.to_score)
        return min(self.plan.jobs, wanted) - here

    def _start_editing(self) -> Worker:
        plan = self.plan
        taken = Counter(worker.device for worker in self._workers if worker.edits)
        device = min(plan.gpus, key=lambda gpu: taken[gpu]) if plan.gpus else None
        setup = replace(plan.setup, device=device, limits=self._budget.left(plan.editing))
        if plan.local_editor is not None:
            worker = start_thread(setup, plan.local_editor)
        else:
            worker = plan.start_worker(setup, edits=True, scores=plan.beside)
        worker.turns, worker.room = plan.turns, plan.room
        return worker

    # --- hearing what came of it ------------------------------------------------------------------

    def _hear(self, worker: Worker) -> None:
        """Take all that a worker has said."""
        try:
            self._heard(worker, worker.connection.recv())
            while worker in self._workers and worker.connection.poll():
                self._heard(worker, worker.connection.recv())
        except (EOFError, OSError):
            self._ended(worker)

    def _heard(self, worker: Worker, report: WorkerReport) -> None:
        self.errors.add(report.trace, report.line if report.kind == "edited" else None)
        if report.files and not self._files_kept(report):
            worker.take(report.key)
            return
        if report.kind == "ready":
            worker.ready = True
            self._failed_starts = 0
        elif report.kind == "began":
            worker.began(report.slot, report.edits)
        elif report.kind == "note":
            self.listener.note(report.said)
        elif report.kind == "compiling":
            self.listener.compiling(*report.compiled)
        elif report.kind == "dropped":
            worker.dropped(report.edits)
        elif report.kind == "edited":
            self._edited(worker, report)
        else:
            self._over(worker, report)

    def _over(self, worker: Worker, report: WorkerReport) -> None:
        """A job has come to its end in a worker."""
        if report.kind == "stop":
            worker.began(report.slot, ())
        job = worker.take(report.key)
        if report.kind == "scored":
            assert report.line is not None
            if self._write(report.line):
                self.listener.step(report.line["status"])
        elif report.kind == "prepared":
            assert job is not None
            self._prepared(job, report.prepared)
        elif report.kind == "lost":
            assert job is not None and report.line is not None
            self.listener.note(f"case {job.case_id} is edited again: {report.said}")
            self.to_edit.append(replace(job.without(report.line["variant"]), alone=False))
        else:
            self._trouble(worker, report)

    def _edited(self, worker: Worker, report: WorkerReport) -> None:
        assert report.line is not None
        written = self._write(report.line)
        self._count_edit(report.line, report.trace)
        job = worker.edited(report.key, report.line)
        if job is None or job.make or (worker.scores and job.key not in worker.cut_short):
            return
        worker.take(job.key)
        if written and job.key not in worker.cut_short:
            self.to_score.append(replace(job, alone=False))

    def _count_edit(self, line: Line, trace: str | None = None) -> None:
        """Count a finished edit; where the first ones all failed alike, so would the others."""
        self._budget.spend(line)
        alike = None if self.first_edits is None else self.first_edits.edit(line, trace)
        if alike is not None:
            self._fail(alike)

    def _prepared(self, job: Job, prepared: Any) -> None:
        """What a judge is to be asked about a case has come from a worker."""
        raise NotImplementedError("a run that is scored by pixels asks no judge")

    def _trouble(self, worker: Worker, report: WorkerReport) -> None:
        """What a worker cannot do; once something is spent it is not bad input, but a run that can go on later."""
        if report.kind == "unfit" and not self._spent:
            self._remove(worker)  # then all that it printed is there
            self._fail(load_failure(report.said, report.trace, worker.output.printed if worker.output else ()))
        elif report.kind in ("bad", "disk") and not self._spent:
            self._fail(BadInput(report.said))
        elif report.kind == "stop" and OPTION in report.said:
            self._no_more_edits(Stopped(report.said))
        elif report.kind in ("bad", "disk", "unfit", "stop"):
            self._fail(Stopped(report.said))
        else:
            self._fail(Stopped(f"{report.said}; the traceback is in {self.folder / ERRORS}"))

    def _no_more_edits(self, why: Stopped) -> None:
        """The budget allows no more edits; those that are made are paid for, and still scored."""
        self._unpaid, self.to_edit, self.suspects = self._unpaid or why, deque(), deque()
        self._send_editors_home()

    def _send_editors_home(self) -> None:
        for worker in self._workers:
            if worker.edits and worker.jobs and not self.plan.fused and not worker.leaving:
                worker.ask_to_leave()

    # --- workers that die or hang -----------------------------------------------------------------

    def _look_around(self) -> None:
        for worker in list(self._workers):
            late = [] if self.timeout_s is None or worker.connection.poll() else worker.late(self.timeout_s)
            if late:
                self._remove(worker)
                self._lose(after_timeout(worker, late), f"timed out after {self.timeout_s:g} s")
                if not worker.killable:
                    message = "the editor hangs in this process and cannot be killed; put its class into a module"
                    self._fail(Stopped(message))
            elif worker.gone():
                self._ended(worker)
            elif worker.ready and not self._prints and worker.output is not None and worker.output.printed:
                self._prints = True
                self.listener.note(f" what the editor prints goes to {self.folder / EDITOR_LOG}")

    def _ended(self, worker: Worker) -> None:
        self._remove(worker)
        if worker.leaving and not worker.jobs:
            return
        how = worker.death()
        if not worker.ready:
            self._failed_starts += not worker.lost
            if self._failed_starts >= STARTS:
                self._fail(Stopped(f"{STARTS} workers in a row died while starting ({how}); is there memory left?"))
        losses = after_death(worker, self._deaths, free=self.plan.free)
        for job in losses.fatal:
            doing = "making ready" if job.make else "scoring"
            self._fail(Stopped(f"a worker died ({how}) twice while {doing} case {job.case_id}; is there memory left?"))
        self._lose(losses, f"worker died ({how})")

    def _lose(self, losses: LostJobs, reason: str) -> None:
        """Put back what a lost worker held, and write down what has failed."""
        self.to_score.extendleft(reversed(losses.unscored))
        self.to_edit.extendleft(reversed(losses.again))
        self.suspects.extend(losses.suspects)
        for job, variants in losses.failed:
            self._without_edits(job, variants, reason)
        if self._unpaid is not None:
            self._no_more_edits(self._unpaid)

    def _without_edits(self, job: Job, variants: Sequence[str], reason: str) -> None:
        from editscope.runs.engine.case_steps import edit_line

        lines = [edit_line(Edit(job.case_id, name, status="error", reason=reason), job.index) for name in variants]
        if self._write(*lines):
            for line in lines:
                job = job.edited(line)
                self.errors.add(None, line)
                self._count_edit(line)
            (self.to_edit if job.make else self.to_score).append(replace(job, alone=False))

    def _remove(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.kill()

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
        except FolderGone as gone:
            self._fail(gone)
        except DiskError as error:
            self._fail(Stopped(str(error)) if self._spent else BadInput(str(error)))

    def _fail(self, failure: EditscopeError) -> None:
        if self._failure is None:
            self._failure = self.journal.cause(failure)
            self._send_editors_home()

    def _interrupted(self, times: int) -> None:
        if self._failure is None:
            self.listener.note("finishing the steps in progress; press Ctrl-C again to stop immediately")
        self._fail(Stopped("stopped on request"))
        self._at_once = times > 1

    def _files_kept(self, report: WorkerReport) -> bool:
        """Write the files that a worker without a way to the run folder has sent; False when the disk refused."""
        before = self._failure
        self._guarded(write_inside, self.folder, report.files)
        return self._failure is before
