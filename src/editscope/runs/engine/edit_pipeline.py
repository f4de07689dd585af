"""Stages of a worker that edits: it makes requests ahead of its editor, and stores and scores edits beside it."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from editscope.cases import Case, Edit
from editscope.editors import Editor, Request
from editscope.editors.base import EditLimits
from editscope.errors import BadImage, Stopped
from editscope.images import Pixels, decode
from editscope.runfolder.journal import Step
from editscope.runs.engine.capacity import ahead, slots
from editscope.runs.engine.case_steps import EditLostError, FinishedEdit, request_edits
from editscope.runs.engine.worker_process import Job, WorkerReport, trouble

HELD_BY_EDIT = 2
"""References to an array that only an edit holds: its own, and that of the question."""


@dataclass(eq=False)
class JobProgress:
    """A job on its way through the stages, and what is done of it so far."""

    job: Job
    case: Case
    pictures: dict[str, Pixels | None] = field(default_factory=dict)
    whole: bool = True
    """Whether all its edits are still to come; not when one was dropped or could not be kept."""


@dataclass(eq=False)
class EditInProgress:
    """One edit of a job, from its request to its line in the journal."""

    progress: JobProgress
    variant: str
    request: Request | None = None
    given: tuple[Edit, str | None] | None = None
    made: FinishedEdit | None = None

    @property
    def step(self) -> Step:
        """The case and the variant."""
        return self.progress.job.case_id, self.variant


class Pipeline:
    """Keeps one editor busy: three stages side by side, with little between them.

    One thread makes requests; ``at_once`` threads, of which the one that loaded the editor is the first, take up to
    ``batch`` of them and ask; others decode, write and score what came. How much is held is decided by who gives jobs.
    """

    def __init__(
        self,
        steps: Any,
        editor: Editor,
        send: Callable[[WorkerReport], None],
        *,
        scores: bool,
        limits: EditLimits | None = None,
        keepers: int = 1,
    ) -> None:
        self.steps, self.editor, self.scores = steps, editor, scores
        self.slots = slots(editor, limits or EditLimits())
        self.batch = max(1, editor.batch)
        self.keepers = max(1, keepers)
        self._send_now = send
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        # All below is read and written under ``_changed``.
        self._jobs: deque[Job] = deque()
        self._making = False
        self._ready: deque[EditInProgress] = deque()
        self._in_hand: dict[Step, EditInProgress] = {}
        self._to_keep: deque[EditInProgress] = deque()
        self._to_finish: deque[JobProgress] = deque()
        self._finishing = 0
        self._asking = self.slots
        self._halted = self._left = False

    def run(self, receive: Callable[[], Job | None]) -> None:
        """Do jobs until there are no more; then drop what the editor was not asked yet, and finish the rest."""
        threading.Thread(target=self._receive, args=(receive,), name="editscope-jobs", daemon=True).start()
        maker = threading.Thread(target=self._make, name="editscope-requests", daemon=True)
        others = [
            *(threading.Thread(target=self._ask, args=(n,), name=f"editscope-ask-{n}", daemon=True)
              for n in range(1, self.slots)),
            *(threading.Thread(target=self._keep, name=f"editscope-keep-{n}", daemon=True)
              for n in range(self.keepers)),
        ]  # fmt: skip
        for thread in (maker, *others):
            thread.start()
        # What a library keeps for each thread, such as whether gradients are wanted, was set in this one by ``load``.
        self._ask(0)
        for thread in (maker, *others):
            thread.join()

    def send(self, report: WorkerReport) -> None:
        """Tell something; from any thread."""
        with self._sending:
            self._send_now(report)

    # --- what comes in, and the end -----------------------------------------------------------------

    def _receive(self, receive: Callable[[], Job | None]) -> None:
        while (job := receive()) is not None:
            with self._changed:
                if not self._halted:
                    self._jobs.append(job)
                    self._changed.notify_all()
        with self._changed:
            self._drop()
            self._left = True
            steps = tuple(self._in_hand)
            self._changed.notify_all()
        self.send(WorkerReport("dropped", edits=steps))

    def _drop(self) -> None:
        """Forget what the editor was not asked yet; what only wants its score is still done."""
        self._halted = True
        for item in self._ready:
            item.progress.whole = False
        self._ready.clear()
        self._jobs = deque(job for job in self._jobs if not job.make)

    # --- making requests ----------------------------------------------------------------------------

    def _make(self) -> None:
        while (job := self._next_job()) is not None:
            try:
                self._make_one(job)
            except Exception as error:
                self.send(trouble(f"case {job.case_id} could not be made ready", error, job.key))
            with self._changed:
                self._making = False
                self._changed.notify_all()

    def _next_job(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._left or (self._jobs and not self._full()))
            if not self._jobs:
                return None
            self._making = True
            return self._jobs.popleft()

    def _make_one(self, job: Job) -> None:
        progress = JobProgress(job, self.steps.case(job.case_id))
        if not job.make:
            self._move(progress)
        for variant in job.make:
            if not self._may_make(job):
                progress.whole = False
                return
            prepared = self.steps.before(progress.case, job.index, variant)
            if isinstance(prepared, Request) and (self.scores or len(job.make) > 1):
                prepared = _apart(prepared)
            item = EditInProgress(progress, variant)
            with self._changed:
                if self._halted:
                    progress.whole = False
                    return
                if isinstance(prepared, FinishedEdit):
                    item.made = prepared
                    self._in_hand[item.step] = item
                    self._to_keep.append(item)
                else:
                    item.request = prepared
                    self._ready.append(item)
                self._changed.notify_all()

    def _may_make(self, job: Job) -> bool:
        """Wait until another request is wanted; False when none is any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._halted or not (self._busy() if job.alone else self._full()))
            return not self._halted

    def _full(self) -> bool:
        return len(self._ready) >= ahead(self.slots, self.batch)

    def _busy(self) -> bool:
        return bool(self._ready or self._in_hand or self._to_finish or self._finishing)

    # --- asking the editor --------------------------------------------------------------------------

    def _ask(self, slot: int) -> None:
        reported = True
        while batch := self._take(slot, reported):
            self.send(WorkerReport("began", slot=slot, edits=tuple(item.step for item in batch)))
            reported = False
            try:
                results = request_edits(self.editor, [item.request for item in batch if item.request is not None])
            except Stopped as stop:
                self._stop(slot, batch, stop)
                reported = True
                continue
            if not self.editor.in_place:
                results = [(_settled(edit), trace) for edit, trace in results]
            with self._changed:
                for item, given in zip(batch, results, strict=True):
                    item.given, item.request = given, None
                    self._to_keep.append(item)
                self._changed.notify_all()
        with self._changed:
            self._asking -= 1
            self._changed.notify_all()

    def _take(self, slot: int, told: bool) -> list[EditInProgress]:
        """The next batch: as many as are ready, once nothing that is being made could still join it.

        Says that its editor has answered before it waits, unless that was ``told``; empty when nobody asks any more.
        """
        while True:
            with self._changed:
                if told:
                    self._changed.wait_for(lambda: self._left or (not self._halted and self._batch_there()))
                if not self._halted and self._batch_there():
                    batch = [self._ready.popleft() for _ in range(min(self.batch, len(self._ready)))]
                    self._in_hand |= {item.step: item for item in batch}
                    self._changed.notify_all()
                    return batch
                if told:
                    return []
            self.send(WorkerReport("began", slot=slot))
            told = True

    def _batch_there(self) -> bool:
        if len(self._ready) >= self.batch:
            return True
        more = (self._jobs or self._making) and not (self._ready and self._ready[0].progress.job.alone)
        return bool(self._ready) and not more

    def _stop(self, slot: int, batch: list[EditInProgress], stop: Stopped) -> None:
        """The editor makes no more edits: nobody asks it again, and these have no line."""
        with self._changed:
            for item in batch:
                self._forget(item)
            self._drop()
            self._changed.notify_all()
        self.send(WorkerReport("stop", said=str(stop), slot=slot, edits=tuple(item.step for item in batch)))

    def _forget(self, item: EditInProgress) -> None:
        item.progress.whole = False
        self._in_hand.pop(item.step, None)

    # --- keeping what it gave -----------------------------------------------------------------------

    def _keep(self) -> None:
        while (thing := self._next_to_keep()) is not None:
            if isinstance(thing, EditInProgress):
                self._keep_one(thing)
            else:
                self._finish(thing)

    def _next_to_keep(self) -> EditInProgress | JobProgress | None:
        """Edits first, so that they are on disk early; then scores."""
        with self._changed:
            self._changed.wait_for(lambda: self._to_keep or self._to_finish or self._over())
            if self._to_keep:
                return self._to_keep.popleft()
            if self._to_finish:
                self._finishing += 1
                return self._to_finish.popleft()
            return None

    def _over(self) -> bool:
        return self._left and not (self._asking or self._in_hand or self._making or self._jobs)

    def _keep_one(self, item: EditInProgress) -> None:
        job = item.progress.job
        try:
            finished = item.made
            if finished is None:
                assert item.given is not None
                finished = self.steps.after(*item.given, job.index, item.variant)
            self.send(WorkerReport("edited", finished.line, trace=finished.trace, key=job.key))
        except Exception as error:
            self.send(trouble(f"the edit of case {job.case_id} could not be kept", error, job.key))
            with self._changed:
                self._forget(item)
                self._changed.notify_all()
            return
        item.given = item.made = None
        with self._changed:
            self._in_hand.pop(item.step, None)
            progress = item.progress
            progress.job = progress.job.edited(finished.line)
            progress.pictures[item.variant] = finished.pixels if self.scores else None
            if not progress.job.make:
                self._move(progress)
            self._changed.notify_all()

    def _move(self, progress: JobProgress) -> None:
        """All edits of a job are there: on to its score, where that is for this worker."""
        if self.scores and progress.whole:
            with self._changed:
                self._to_finish.append(progress)
                self._changed.notify_all()

    def _finish(self, progress: JobProgress) -> None:
        key = progress.job.key
        try:
            report = replace(self.steps.finish(progress.case, progress.job, progress.pictures), key=key)
        except EditLostError as lost:
            report = WorkerReport("lost", lost.line, said=str(lost), key=key)
        except Exception as error:
            report = trouble(f"case {progress.job.case_id} could not be scored", error, key)
        self.send(report)
        with self._changed:
            self._finishing -= 1
            self._changed.notify_all()


def _apart(request: Request) -> Request:
    """A request with pictures of its own: what an editor does to them must not change the case that is scored."""
    answer = None if request.answer is None else request.answer.copy()
    effects = tuple(replace(effect, mask=effect.mask.copy()) for effect in request.effects)
    return replace(request, arrays=tuple(pixels.copy() for pixels in request.arrays), answer=answer, effects=effects)


def _ours_alone(edit: Edit) -> bool:
    """Whether nobody but this edit holds its array, nor memory that it is a part of: then no editor can change it.

    Copying all the same would keep the editor waiting for some milliseconds a picture.
    """
    return edit.image.base is None and sys.getrefcount(edit.image) <= HELD_BY_EDIT  # type: ignore[union-attr]


def _settled(edit: Edit) -> Edit:
    """An edit whose picture stays as it is while the editor makes the next, perhaps in the same array or file."""
    if isinstance(edit.image, np.ndarray):
        return edit if _ours_alone(edit) else replace(edit, image=edit.image.copy())
    if edit.image is None or (hasattr(edit.image, "getexif") and not getattr(edit.image, "fp", None)):
        return edit
    try:
        decoded = decode(edit.image)
    except BadImage:  # said where it is kept
        return edit
    # A tensor of bytes shares its memory with what was decoded.
    pixels = decoded.pixels.copy() if hasattr(edit.image, "__array__") else decoded.pixels
    return replace(edit, image=pixels, notes=(*edit.notes, *decoded.notes))
