"""Steps on a machine without the run folder: each has a folder of its own, whose files travel with the report."""

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
from editscope.runs.engine.case_steps import Bench, Edited
from editscope.runs.engine.worker_process import Job, Key, Report
from editscope.suites import Suite

SCRATCH = "editscope-ray"

Files = dict[str, bytes]
"""Files of a run folder, by relative path."""


class Shelf:
    """What came with jobs and what goes with reports, in memory; from any thread."""

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

    def loaded(self, report: Report) -> Report:
        """The report of an edit with its picture; others as they are."""
        place = report.line.get("image") if report.kind == "edited" and report.line is not None else None
        with self._lock:
            data = self._made.pop(place, None) if isinstance(place, str) else None
        return report if data is None else replace(report, files={**report.files, str(place): data})


class CarryingBench:
    """A bench whose steps leave nothing on this machine."""

    def __init__(self, bench: Bench, shelf: Shelf) -> None:
        self._bench = bench
        self._shelf = shelf

    def case(self, case_id: str) -> Case:
        """The case, as the bench makes it."""
        return self._bench.case(case_id)

    def before(self, case: Case, index: int, variant: str = "") -> Request | Edited:
        """What the editor is to be asked, as the bench makes it."""
        return self._bench.before(case, index, variant)

    def edit(self, case: Case, index: int, variant: str = "") -> Edited:
        """Ask the editor for one edit; its picture waits on the shelf."""
        with self._somewhere() as (bench, found):
            made = bench.edit(case, index, variant)
        self._shelf.keep(found)
        return made

    def after(self, edit: Edit, trace: str | None, index: int, variant: str) -> Edited:
        """What an editor gave; its picture waits on the shelf."""
        with self._somewhere() as (bench, found):
            made = bench.after(edit, trace, index, variant)
        self._shelf.keep(found)
        return made

    def finish(self, case: Case, job: Job, pictures: Mapping[str, Pixels | None]) -> Report:
        """The report that ends a job, with its thumbnails."""
        with self._somewhere(self._shelf.brought(job.key)) as (bench, found):
            report = bench.finish(case, job, pictures)
        return replace(report, files=found)

    @contextmanager
    def _somewhere(self, brought: Mapping[str, bytes] | None = None) -> Iterator[tuple[Bench, Files]]:
        """The bench in an empty folder but for what was brought; and what lies there besides when the step is done."""
        known = brought or {}
        found: Files = {}
        folder = Path(tempfile.mkdtemp(dir=self._bench.folder))
        try:
            for relative, data in known.items():
                path = folder / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            yield replace(self._bench, folder=folder), found
            for path in sorted(folder.rglob("*")):
                relative = path.relative_to(folder).as_posix()
                if path.is_file() and relative not in known:
                    found[relative] = path.read_bytes()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def carrying(
    suite: Suite, editor: Editor | None, folder: Path, seed: int, *, inner: Any, shelf: Shelf
) -> CarryingBench:
    """The bench that ``inner`` makes (the one for pixels where that is None), with its files on a shelf."""
    return CarryingBench((inner or Bench)(suite, editor, folder, seed), shelf)


def scratch() -> Path:
    """A folder of this process; those of processes that were killed are cleared away."""
    base = Path(tempfile.gettempdir())
    for left in base.glob(f"{SCRATCH}-*-*"):
        pid = left.name.removeprefix(f"{SCRATCH}-").partition("-")[0]
        with contextlib.suppress(OSError):
            if pid.isdigit() and left.stat().st_uid == os.getuid() and not _runs(int(pid)):
                shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{SCRATCH}-{os.getpid()}-", dir=base))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
