"""A worker: loads suite and editor once, then does one step after another until its pipe closes."""

from __future__ import annotations

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
from typing import Any, Literal

from editscope.editors import Editor, load_editor
from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.images import keep_freed_memory
from editscope.runs.disk import DiskError
from editscope.runs.journal import Line
from editscope.suites import Suite, load_suite


@dataclass(frozen=True, slots=True)
class Setup:
    """How a worker makes its bench: a suite and an editor by name, or pickled where they have none."""

    suite: tuple[str, dict[str, Any]] | bytes
    editor: str | bytes | None
    folder: Path
    seed: int
    bench: Callable[[Suite, Editor | None, Path, int], Any] | None = None
    """What makes the bench of a worker; None is the one that scores pixels."""

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
    """Which of several repeats of the case it is; names of variants say so too, see ``runs.repeats``."""

    def edited(self, line: Line) -> Job:
        """The job that is left when one of its edits is made."""
        left = tuple(variant for variant in self.make if variant != line["variant"])
        return replace(self, make=left, edits={**self.edits, line["variant"]: line})

    def without(self, variant: str) -> Job:
        """The job with an edit to be made again."""
        kept = {name: line for name, line in self.edits.items() if name != variant}
        return replace(self, make=(variant, *self.make), edits=kept)


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker tells: a finished step with its line, or trouble with a sentence.

    ``prepared`` is what a judge is to be asked about a case; ``line`` is None there.
    """

    kind: Literal["ready", "edited", "scored", "prepared", "lost", "unfit", "bad", "disk", "broken", "stop"]
    line: Line | None = None
    said: str = ""
    trace: str | None = None
    prepared: Any = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the run folder, by relative path, from a worker that has no way to it; written before the line."""


def serve(
    receive: Callable[[], Job | None],
    send: Callable[[Report], None],
    setup: Setup,
    scores: bool,
    editor: Editor | None = None,
) -> None:
    """Do jobs until there are no more; ``editor`` is given where it lives in this process already."""
    try:
        from editscope.runs.steps import Bench

        editor = editor or setup.load_editor()
        bench = (setup.bench or Bench)(setup.load_suite(), editor, setup.folder, setup.seed)
        if editor is not None:
            editor.load()
    except BaseException as error:
        send(Report("unfit", said=_sentence("the editor could not be loaded", error), trace=traceback.format_exc()))
        return
    send(Report("ready"))
    while (job := receive()) is not None:
        try:
            _do(job, bench, scores, send)
        except DiskError as error:
            send(Report("disk", said=str(error)))
        except BadInput as error:
            send(Report("bad", said=str(error)))
        except Stopped as stop:
            send(Report("stop", said=str(stop)))
        except Exception as error:
            said = _sentence(f"case {job.case_id} could not be scored", error)
            send(Report("broken", said=said, trace=traceback.format_exc()))
    if editor is not None:
        editor.close()


def _do(job: Job, bench: Any, scores: bool, send: Callable[[Report], None]) -> None:
    from editscope.runs.steps import EditLostError

    case = bench.case(job.case_id)
    pictures = {}
    for variant in job.make:
        edited = bench.edit(case, job.index, variant)
        send(Report("edited", edited.line, trace=edited.trace))
        job, pictures[variant] = job.edited(edited.line), edited.pixels
    if not scores:
        return
    try:
        send(bench.finish(case, job, pictures))
    except EditLostError as lost:
        send(Report("lost", lost.line, said=str(lost)))


def main(fd: int) -> None:
    """The life of a worker process: the first message is its setup, the end of the pipe is its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what a Ctrl-C means
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    keep_freed_memory()
    connection: Connection[Any, Any] = Connection(fd)
    setup, scores = connection.recv()
    jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
    # Reading has a thread of its own, so that the death of the parent is noticed in the middle of a step.
    threading.Thread(target=_read, args=(connection, jobs), daemon=True).start()
    serve(jobs.get, connection.send, setup, scores)
    sys.stdout.flush()
    os._exit(0)  # a plugin's forgotten threads must not keep the worker alive


def command(fd: int) -> list[str]:
    """The command line that starts a worker with this process's module search path."""
    start = (
        "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
        "from editscope.runs.worker import main; main(int(sys.argv[2]))"
    )
    return [sys.executable, "-P", "-c", start, json.dumps(sys.path), str(fd)]


def _read(connection: Connection[Any, Any], jobs: queue.SimpleQueue[Job | None]) -> None:
    try:
        while True:
            jobs.put(connection.recv())
    except (EOFError, OSError):
        os._exit(1)


def _sentence(what: str, error: BaseException) -> str:
    if isinstance(error, EditscopeError):
        return str(error)
    text = " ".join(str(error).split())
    return f"{what} ({type(error).__name__}{': ' + text if text else ''})"
