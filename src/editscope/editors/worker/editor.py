"""Editor that asks a worker: pictures become files in a private folder, its answer becomes an edit."""

from __future__ import annotations

import difflib
import itertools
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from editscope.cases import Edit
from editscope.editors.base import EditLimits, Editor, Request
from editscope.editors.make_edits import fault_of_picture
from editscope.editors.worker.link import Link, NoAnswer, WorkerAnswer
from editscope.editors.worker.process import Log, Process
from editscope.editors.worker.protocol import Message
from editscope.errors import BadImage, BadInput, EditscopeError
from editscope.files import lies_in
from editscope.images import decode, write_png

STARTUP_S = 1800.0
EDIT_S = 1800.0
NEARLY = 0.8
"""How like one of ours an option must be to be taken for a misspelling of it."""

OPTIONS: Mapping[str, str] = {
    "gpus": "N processes, a GPU each",
    "workers": "N processes that share what there is",
    "batch": "the most edits that it gets at once",
    "cwd": "the folder it starts in",
    "startup": "seconds until it must be ready",
    "log": "a file for all that it prints",
    "name": "what tables call it",
    "…": "every other option goes to the worker",
}


class WorkerFailed(EditscopeError):
    """The worker has no answer to an edit, also when asked again."""


def load(
    target: str,
    *,
    gpus: Any = None,
    workers: Any = None,
    batch: Any = None,
    cwd: Any = None,
    startup: Any = STARTUP_S,
    log: Any = None,
    name: Any = None,
    **options: Any,
) -> Editor:
    """The editor for ``worker:COMMAND``.

    ``gpus=N`` keeps N processes with a GPU each, ``workers=N`` keeps N that share what there is; ``batch`` is how many
    edits a worker gets at once, if it says that it takes so many; ``cwd`` is the folder it starts in, ``startup`` the
    seconds until it must be ready, ``log`` a file for all that it prints, ``name`` what tables call it. Every other
    option goes to the worker.
    """
    if gpus is not None and workers is not None:
        raise BadInput("use gpus=N (a GPU for each process) or workers=N for a worker, not both")
    for what, value in (("gpus", gpus), ("workers", workers), ("batch", batch)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise BadInput(f"{what} of a worker is {value!r}; use a whole number above 0")
    if isinstance(startup, bool) or not isinstance(startup, int | float) or startup <= 0:
        raise BadInput(f"startup of a worker is {startup!r}; use a number of seconds above 0")
    for option in options:
        near = difflib.get_close_matches(option, [one for one in OPTIONS if one != "…"], n=1, cutoff=NEARLY)
        if near:
            raise BadInput(
                f"editor worker:{target}, option {option}: did you mean {near[0]}? "
                "An option of the worker itself needs a name that is less like one of ours"
            )
    return WorkerEditor(
        split(target),
        options,
        workers=gpus or workers or 1,
        gpu=gpus is not None,
        batch=batch,
        cwd=None if cwd is None else Path(str(cwd)).expanduser(),
        startup_s=float(startup),
        log=None if log is None else Path(str(log)).expanduser(),
        name="" if name is None else str(name),
    )


def split(command: str) -> list[str]:
    """A command line as a shell takes it apart, without variables and wildcards.

    >>> split("env/bin/python 'my worker.py'")
    ['env/bin/python', 'my worker.py']
    """
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise BadInput(f"the command of worker:{command} cannot be split ({error}); check its quotes") from None
    if not parts:
        raise BadInput("worker: has no command, such as worker:python my_worker.py")
    return parts


def label(command: Sequence[str], options: Mapping[str, Any]) -> str:
    """What tables call a worker: its script, with the options that it was given.

    >>> label(["python", "-u", "work/bagel_worker.py"], {"think": 1})
    'bagel_worker-think=1'
    """
    scripts = [Path(part).stem for part in command[1:] if not part.startswith("-")]
    settings = [f"{key}={value}" for key, value in sorted(options.items())]
    return "-".join([scripts[0] if scripts else Path(command[0]).stem, *settings])


class WorkerEditor(Editor):
    """A program that speaks the protocol, kept warm in a process of its own.

    Two edits may be under way: while the worker makes one, the pictures of the next are written and those of the last
    are read. ``max_images`` is what the worker says when it is ready, and so is ``batch``, unless a smaller one was
    asked for.
    """

    own_clock = True
    at_once = 2

    def __init__(
        self,
        command: Sequence[str],
        options: Mapping[str, Any] | None = None,
        *,
        workers: int = 1,
        gpu: bool = False,
        batch: int | None = None,
        cwd: Path | None = None,
        startup_s: float = STARTUP_S,
        timeout_s: float = EDIT_S,
        log: Path | None = None,
        name: str = "",
    ) -> None:
        self.command = list(command)
        self.options = dict(options or {})
        self.workers = workers
        self.gpu = gpu
        self.batch = batch or 1
        self.most = batch
        self.cwd = cwd
        self.startup_s = startup_s
        self.timeout_s = timeout_s
        self.log = log
        self.name = name or label(self.command, self.options)
        self._link: Link | None = None
        self._folder: Path | None = None
        self._numbers: Iterator[int] = iter(())

    @property
    def free(self) -> bool:
        """Its edits are made at home and may be made again."""
        return True

    def limit(self, limits: EditLimits) -> None:
        """Take the time for one edit."""
        if limits.timeout_s is not None:
            self.timeout_s = limits.timeout_s

    def check(self) -> None:
        """Whether the command can be found; the worker is not started."""
        if self.cwd is not None and not self.cwd.is_dir():
            raise BadInput(f"the start folder of the worker, {self.cwd}, is not a folder; check ?cwd=")
        program = self.command[0]
        where = self.cwd or Path.cwd()
        exists = (where / program).is_file() if os.sep in program else shutil.which(program) is not None
        if not exists:
            raise BadInput(
                f"the program {program!r} of the worker does not exist; check the command, or use its full path"
            )
        script = self._script()
        if script is not None and not (where / script).is_file():
            raise BadInput(
                f"the script {script} of the worker is not in {where}; check the command, "
                f"or write one with: editscope worker new {script}"
            )

    def source_files(self) -> Sequence[str | Path]:
        """The script that the command runs."""
        script = self._script()
        return () if script is None else ((self.cwd or Path.cwd()) / script,)

    def load(self) -> None:
        """Start the worker and wait until its model is loaded."""
        self._folder = Path(tempfile.mkdtemp(prefix="editscope-worker-"))
        self._numbers = itertools.count(1)
        log = Log(self.log)
        start = partial(Process, self.command, log, self.cwd)
        self._link = Link(
            start,
            self.options,
            log,
            what=shlex.join(self.command),
            folder=self._folder,
            startup_s=self.startup_s,
            timeout_s=self.timeout_s,
        )
        try:
            self._link.open()
        except BaseException:
            self.close()
            raise
        self.batch = min(self._link.ready.batch, self.most or self._link.ready.batch)
        self.max_images = self._link.ready.max_images

    def edit(self, case: Request) -> Edit:
        """One edit; raises WorkerFailed, with what the worker printed, where it died twice or took too long."""
        (found,) = self._edits([case])
        if isinstance(found, NoAnswer):
            failed = WorkerFailed(found.text)
            failed.add_note("What the worker printed:\n" + ("\n".join(found.log) or "nothing"))
            raise failed
        return found

    def edit_batch(self, cases: Sequence[Request]) -> Sequence[Edit]:
        """Several edits in one message."""
        return [
            Edit(case.case_id, case.variant, status="error", reason=found.text)
            if isinstance(found, NoAnswer)
            else found
            for case, found in zip(cases, self._edits(cases), strict=True)
        ]

    def close(self) -> None:
        """End the worker and remove its folder."""
        link, self._link = self._link, None
        if link is not None:
            link.close()
        folder, self._folder = self._folder, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def _edits(self, cases: Sequence[Request]) -> list[Edit | NoAnswer]:
        assert self._link is not None and self._folder is not None, "load comes before edit"
        folders = [self._folder / str(next(self._numbers)) for _ in cases]
        try:
            messages = [_message(case, folder) for case, folder in zip(cases, folders, strict=True)]
            answers = self._link.ask(messages)
            model = self._link.ready.model
            return [
                found if isinstance(found, NoAnswer) else _edit(case, found, folder, model)
                for case, found, folder in zip(cases, answers, folders, strict=True)
            ]
        finally:
            for folder in folders:
                shutil.rmtree(folder, ignore_errors=True)

    def _script(self) -> str | None:
        """The Python file that the command runs, where it is plain to see."""
        if not Path(self.command[0]).name.startswith("python"):
            return None
        return next((part for part in self.command[1:] if part.endswith(".py") and " " not in part), None)


def _message(case: Request, folder: Path) -> Message:
    """What the worker is asked; its pictures are written as PNG of three channels, whatever their colors."""
    paths = [folder / f"input-{number}.png" for number in range(1, len(case.arrays) + 1)]
    for path, pixels in zip(paths, case.arrays, strict=True):
        write_png(path, pixels, palette=False)
    folder.mkdir(exist_ok=True)
    return {
        "id": folder.name,
        "case": case.case_id,
        "variant": case.variant,
        "instruction": case.instruction,
        "images": [str(path) for path in paths],
        "seed": case.seed,
        "tags": dict(case.tags),
        "out": str(folder / "output.png"),
    }


def _edit(case: Request, told: WorkerAnswer, folder: Path, model: str) -> Edit:
    done = told.done
    notes: tuple[str, ...] = ()
    if told.restarts:
        notes = ("the worker died during this edit and was started again for it",)
    edit = Edit(
        case.case_id,
        case.variant,
        status=done.status,
        reason=done.reason,
        latency_s=told.seconds if done.latency_s is None else done.latency_s,
        cost_usd=done.cost_usd,
        trace=done.trace,
        memory_mb=done.memory_mb,
        notes=notes,
        model=done.model or model,
    )
    return edit if done.status != "ok" else _with_picture(edit, done.image, folder)


def _with_picture(made: Edit, image: str | None, folder: Path) -> Edit:
    path = folder / "output.png" if image is None else folder / image
    named = image or path.name
    if image is None and not path.exists():
        return replace(made, status="no_output", reason=made.reason or "the worker gave no picture")
    if not lies_in(path, folder):
        return replace(made, status="error", reason=f"the worker's {named} is not in the folder of the edit")
    if path.exists() and not path.is_file():  # opening a pipe would wait for ever
        return replace(made, status="no_output", reason=f"the worker's {named} is not a file")
    try:
        decoded = decode(path, name=f"the worker's {path.name}")
    except BadImage as error:
        return replace(made, status="no_output", reason=fault_of_picture(error))
    return replace(made, image=decoded.pixels, notes=(*made.notes, *decoded.notes))
