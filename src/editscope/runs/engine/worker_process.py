"""Worker processes: each loads suite and editor once, then does the jobs that it is given until its pipe closes."""

from __future__ import annotations

import gc
import json
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal, TypeAlias

from editscope.editors import Editor, load_editor
from editscope.editors.base import EditLimits
from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.images import keep_freed_memory
from editscope.runfolder.files import DiskError, remember_home
from editscope.runfolder.journal import Line, Step
from editscope.runs.engine.user_code import raised_at
from editscope.suites import Suite, load_suite
from editscope.transport.account import Account

Key: TypeAlias = tuple[str, int]
"""Which job: the case and the repeat."""

SWITCH_S = 0.0005
"""How often threads of a worker take turns."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker needs to start: a suite and an editor by name, or pickled where they have none."""

    suite: tuple[str, dict[str, Any]] | bytes
    editor: str | bytes | None
    folder: Path
    seed: int
    steps: Callable[[Suite, Editor | None, Path, int], Any] | None = None
    """Makes the ``CaseSteps`` of a worker; None makes those that score pixels."""
    limits: EditLimits = field(default_factory=EditLimits)
    """What the editor may do and spend; a worker that is started later gets what is left."""
    account: Account | None = None
    """The budget of the run, where this worker can reach its file."""
    device: str | None = None
    """The GPU that this worker sees, of an editor that has one for each."""
    keepers: int = 1
    """Threads that put edits on disk, and score them, beside an editor."""

    def load_suite(self) -> Suite:
        """The suite, made again in this process."""
        if isinstance(self.suite, bytes):
            suite: Suite = pickle.loads(self.suite)
            return suite
        name, options = self.suite
        return load_suite(name, **options)

    def load_editor(self) -> Editor | None:
        """The editor, made again in this process; None for a worker that only scores."""
        if isinstance(self.editor, bytes):
            editor: Editor = pickle.loads(self.editor)
            return editor
        return None if self.editor is None else load_editor(self.editor)


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done for a case: the edits of the variants in ``make``, then the score of all its edits.

    ``edits`` are the lines of the edits that are there, by variant; ``done`` names the units of the case that have
    their score already; ``fresh`` says that nothing that was remembered of the case is good enough.
    """

    case_id: str
    index: int
    make: tuple[str, ...] = ("",)
    edits: Mapping[str, Line] = field(default_factory=dict)
    done: tuple[str, ...] = ()
    fresh: bool = False
    repeat: int = 0
    """Which of several repeats of the case it is; names of variants say so too, see ``runfolder.repeats``."""
    alone: bool = False
    """Whether it is done with nothing beside it, since a worker that had it with others in hand was lost."""

    @property
    def key(self) -> Key:
        """What tells it from all other jobs of a run."""
        return self.case_id, self.repeat

    def edited(self, line: Line) -> Job:
        """The job that is left when one of its edits is made."""
        left = tuple(variant for variant in self.make if variant != line["variant"])
        return replace(self, make=left, edits={**self.edits, line["variant"]: line})

    def without(self, variant: str) -> Job:
        """The job with an edit to be made again."""
        other_edits = {name: line for name, line in self.edits.items() if name != variant}
        return replace(self, make=(variant, *self.make), edits=other_edits)


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What a worker tells: a finished step with its line, or trouble with a sentence.

    ``key`` is the job it speaks of. ``prepared`` is what a judge is to be asked about a case; ``line`` is None there.
    "began" says which ``edits`` the thread number ``slot`` of the worker asks its editor for at this moment, none when
    it has its answer; "note" is a sentence for the user; "dropped" comes once after the worker was asked to leave and
    names the ``edits`` that it still finishes; with "stop" they are those that the editor would not make. "compiling"
    comes before "ready", on a machine where Editscope runs for the first time.
    """

    kind: Literal[
        "compiling",
        "ready",
        "began",
        "edited",
        "scored",
        "prepared",
        "lost",
        "dropped",
        "note",
        "unfit",
        "bad",
        "disk",
        "broken",
        "stop",
    ]
    line: Line | None = None
    said: str = ""
    trace: str | None = None
    prepared: Any = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the run folder, by relative path, from a worker that has no way to it; written before the line."""
    key: Key | None = None
    slot: int = 0
    edits: tuple[Step, ...] = ()
    compiled: tuple[int, int] = (0, 0)
    """How many functions are compiled, and how many there are."""


def serve(
    receive: Callable[[], Job | None],
    send: Callable[[WorkerReport], None],
    setup: WorkerSetup,
    scores: bool,
    editor: Editor | None = None,
) -> None:
    """Do jobs until there are no more; ``editor`` is given where it lives in this process already.

    An editor that there is one of, or a few, is kept busy: requests are made ahead of it, and what it gave is kept
    and scored beside it. One that every worker has makes an edit and scores it in one go.
    """
    try:
        from editscope.compiled import compile_ahead
        from editscope.runs.engine.case_steps import CaseSteps

        remember_home(setup.folder)
        editor = editor or setup.load_editor()
        steps = (setup.steps or CaseSteps)(setup.load_suite(), editor, setup.folder, setup.seed)
        compile_ahead(
            steps.compiled_in,
            lambda done, total: send(WorkerReport("compiling", compiled=(done, total))),
        )
        gc.enable()  # see ``command``
        if editor is not None:
            editor.limit(setup.limits)
            editor.use_account(setup.account)
            editor.load()
    except BaseException as error:
        send(
            WorkerReport("unfit", said=sentence("the editor could not be loaded", error), trace=traceback.format_exc())
        )
        return
    send(WorkerReport("ready"))
    if editor is None or (scores and editor.workers is None):
        while (job := receive()) is not None:
            do(job, steps, scores, send)
    else:
        from editscope.runs.engine.edit_pipeline import Pipeline

        Pipeline(steps, editor, send, scores=scores, limits=setup.limits, keepers=setup.keepers).run(receive)
    if editor is not None:
        editor.close()


def do(job: Job, steps: Any, scores: bool, send: Callable[[WorkerReport], None]) -> None:
    """Do one job from its first edit to its score, and tell what came of it."""
    from editscope.runs.engine.case_steps import EditLostError

    key = job.key
    try:
        case = steps.case(job.case_id)
        pictures = {}
        for variant in job.make:
            send(WorkerReport("began", edits=((job.case_id, variant),)))
            edited = steps.edit(case, job.index, variant)
            send(WorkerReport("edited", edited.line, trace=edited.trace, key=key))
            job, pictures[variant] = job.edited(edited.line), edited.pixels
        if scores:
            send(replace(steps.finish(case, job, pictures), key=key))
    except EditLostError as lost:
        send(WorkerReport("lost", lost.line, said=str(lost), key=key))
    except (Exception, SystemExit) as error:  # a rubric of another package may do anything
        send(trouble(f"case {job.case_id} could not be scored", error, key))


def trouble(what: str, error: BaseException, key: Key | None) -> WorkerReport:
    """The report of an exception that is not the editor's."""
    if isinstance(error, DiskError):
        return WorkerReport("disk", said=str(error), key=key)
    if isinstance(error, BadInput):
        return WorkerReport("bad", said=str(error), key=key)
    if isinstance(error, Stopped):
        return WorkerReport("stop", said=str(error), key=key)
    trace = "".join(traceback.format_exception(error))
    return WorkerReport("broken", said=sentence(what, error), trace=trace, key=key)


def main(fd: int) -> None:
    """The life of a worker process: the first message is its setup, the end of the pipe is its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what a Ctrl-C means
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    keep_freed_memory()
    # The thread that asks the editor must not wait for those that draw, encode and score beside it.
    sys.setswitchinterval(SWITCH_S)
    connection: Connection[Any, Any] = Connection(fd)

    def say(report: WorkerReport) -> None:
        try:
            connection.send(report)
        except OSError:  # the run was killed: there is nobody to tell, and no reason for a traceback
            os._exit(1)

    try:
        setup, scores = connection.recv()
    except (EOFError, OSError):
        os._exit(1)
    jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
    # Reading has a thread of its own, so that the death of the parent is noticed in the middle of a step.
    threading.Thread(target=_read, args=(connection, jobs), daemon=True).start()
    serve(jobs.get, say, setup, scores)
    sys.stdout.flush()
    os._exit(0)  # a plugin's forgotten threads must not keep the worker alive


def command(fd: int) -> list[str]:
    """The command line that starts a worker with this process's module search path.

    Modules are loaded without looking for garbage, of which they leave none: a sixth of the time it takes to start.
    """
    start = (
        "import gc, json, sys; gc.disable(); sys.path[:] = json.loads(sys.argv[1]); "
        "from editscope.runs.engine.worker_process import main; main(int(sys.argv[2]))"
    )
    return [sys.executable, "-P", "-c", start, json.dumps(sys.path), str(fd)]


def _read(connection: Connection[Any, Any], jobs: queue.SimpleQueue[Job | None]) -> None:
    try:
        while True:
            jobs.put(connection.recv())
    except (EOFError, OSError):
        os._exit(1)


def sentence(what: str, error: BaseException) -> str:
    """One sentence for an exception, with its place in the user's code: its own where it was raised on purpose."""
    if isinstance(error, EditscopeError):
        return str(error)
    text = " ".join(str(error).split())
    place = raised_at("".join(traceback.format_exception(error)))
    return f"{what} ({type(error).__name__}{': ' + text if text else ''}{', ' + place if place else ''})"
