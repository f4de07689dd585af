"""Case steps on a machine without the run folder: each step has its own folder, whose files travel with the report."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from editscope.cases import Case, Edit
from editscope.editors import Editor, Request
from editscope.images import Pixels
from editscope.processes import is_running
from editscope.runs.engine.case_steps import CaseSteps, FinishedEdit
from editscope.runs.engine.worker_process import Job, Key, WorkerReport
from editscope.suites import Suite

SCRATCH = "editscope-ray"

Files = dict[str, bytes]
"""Files of a run folder, by relative path."""


class TransferredFiles:
    """Files that came with jobs and files that leave with reports, in memory; safe to use from any thread."""

    def __init__(self) -> None:
        self._brought: dict[Key, Mapping[str, bytes]] = {}
        self._made: Files = {}
        self._lock = threading.Lock()

    def bring(self, key: Key, pictures: Mapping[str, bytes]) -> None:
        """Edits that a job builds on and that were made elsewhere."""
        if pictures:
            with self._lock:
                self._brought[key] = pictures

    def brought(self, key: Key) -> Mapping[str, bytes]:
        """What came with a job; once."""
        with self._lock:
            return self._brought.pop(key, {})

    def keep(self, files: Files) -> None:
        """Files of an edit, until it is told of."""
        with self._lock:
            self._made |= files

    def loaded(self, report: WorkerReport) -> WorkerReport:
        """The report of an edit with its picture; others as they are."""
        place = report.line.get("image") if report.kind == "edited" and report.line is not None else None
        with self._lock:
            data = self._made.pop(place, None) if isinstance(place, str) else None
        return report if data is None else replace(report, files={**report.files, str(place): data})


class RemoteCaseSteps:
    """The steps of a case on a node of a cluster; they leave nothing on its disk."""

    def __init__(self, steps: CaseSteps, files: TransferredFiles) -> None:
        self._steps = steps
        self._files = files

    @property
    def compiled_in(self) -> tuple[str, ...]:
        """Those of the wrapped steps."""
        return self._steps.compiled_in

    def case(self, case_id: str) -> Case:
        """The case, as the wrapped steps make it."""
        return self._steps.case(case_id)

    def before(self, case: Case, index: int, variant: str = "") -> Request | FinishedEdit:
        """What the editor is to be asked, as the wrapped steps make it."""
        return self._steps.before(case, index, variant)

    def edit(self, case: Case, index: int, variant: str = "") -> FinishedEdit:
        """Ask the editor for one edit; its picture waits for the report."""
        with self._somewhere() as (steps, files):
            finished = steps.edit(case, index, variant)
        self._files.keep(files)
        return finished

    def after(self, edit: Edit, trace: str | None, index: int, variant: str) -> FinishedEdit:
        """What an editor gave; its picture waits for the report."""
        with self._somewhere() as (steps, files):
            finished = steps.after(edit, trace, index, variant)
        self._files.keep(files)
        return finished

    def finish(self, case: Case, job: Job, pictures: Mapping[str, Pixels | None]) -> WorkerReport:
        """The report that ends a job, with its thumbnails."""
        with self._somewhere(self._files.brought(job.key)) as (steps, found):
            report = steps.finish(case, job, pictures)
        return replace(report, files=found)

    @contextmanager
    def _somewhere(self, brought: Mapping[str, bytes] | None = None) -> Iterator[tuple[CaseSteps, Files]]:
        """The wrapped steps in a folder that holds only what was brought, and the files that a step adds to it."""
        known = brought or {}
        files: Files = {}
        folder = Path(tempfile.mkdtemp(dir=self._steps.folder))
        try:
            for relative, data in known.items():
                path = folder / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            yield replace(self._steps, folder=folder), files
            for path in sorted(folder.rglob("*")):
                relative = path.relative_to(folder).as_posix()
                if path.is_file() and relative not in known:
                    files[relative] = path.read_bytes()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remote_case_steps(
    suite: Suite, editor: Editor | None, folder: Path, seed: int, *, inner: Any, files: TransferredFiles
) -> RemoteCaseSteps:
    """The steps that ``inner`` makes (``CaseSteps`` where that is None), with their files in ``files``."""
    return RemoteCaseSteps((inner or CaseSteps)(suite, editor, folder, seed), files)


def scratch() -> Path:
    """A folder of this process; those of processes that were killed are cleared away."""
    base = Path(tempfile.gettempdir())
    for left in base.glob(f"{SCRATCH}-*-*"):
        pid = left.name.removeprefix(f"{SCRATCH}-").partition("-")[0]
        with contextlib.suppress(OSError):
            if pid.isdigit() and left.stat().st_uid == os.getuid() and not is_running(int(pid)):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{SCRATCH}-{os.getpid()}-", dir=base))
