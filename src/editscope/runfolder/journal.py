"""The journal of a run: append-only, one line of JSON per finished step, the only source of truth."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from editscope.errors import EditscopeError
from editscope.outside import received_json
from editscope.runfolder.code_versions import CODE
from editscope.runfolder.files import FolderGone, remember_home, writing
from editscope.runfolder.journal_blocks import PIECE, JournalBlocks, Source, parse_journal, read_pieces, source_of
from editscope.runfolder.journal_lines import Line, encoded_line
from editscope.runfolder.lock import Lock

__all__ = [
    "FILE",
    "Journal",
    "JournalContent",
    "JournalReader",
    "Line",
    "Progress",
    "Source",
    "Step",
    "VerdictKey",
    "parse_journal",
    "progress",
    "read_journal",
    "read_lines",
    "read_source",
]

Step: TypeAlias = tuple[str, str]
"""A case id and a variant; of a run with judges also a unit, which may hold several variants."""
VerdictKey: TypeAlias = tuple[str, str, int]
"""A question within its unit: the key of the call, the spec of the judge, the number of the sample."""

FILE = "journal.jsonl"
SYNC_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """What a journal says is finished: the last edit line of each step, and the score line of that edit.

    ``verdicts`` holds, for each unit that a judge was asked about, the last line of each question. Each says by the
    digest of its call what the judge was shown, so that verdicts on an edit that was made again are known as such.
    """

    edits: Mapping[Step, Line] = field(default_factory=dict)
    scores: Mapping[Step, Line] = field(default_factory=dict)
    verdicts: Mapping[Step, Mapping[VerdictKey, Line]] = field(default_factory=dict)
    superseded: Sequence[Line] = ()
    """Verdicts in whose place later ones came; they were paid for all the same."""


def busy(folder: Path) -> str:
    """The message to a second process that would write a run."""
    return f"{folder} is being written by another process; wait for it or stop it first"


class Journal:
    """An open journal, locked so that no other process writes to the same run.

    Whoever has it may write the run folder, and nobody else may. The folder is made where there is none. ``name`` is
    that of the file where a folder keeps lines of another kind.
    """

    def __init__(self, folder: Path, name: str = FILE) -> None:
        self.folder = folder
        self.path = folder / name
        self._lock = Lock(self.path, busy(folder), make_folder=True)
        try:
            with writing(self.path):
                remember_home(folder)
                self._end = _cut_torn_line(self._lock.fd, self.path)
        except BaseException:
            self._lock.release()
            raise
        self._synced = time.monotonic()
        self._dirty = False
        self.code_of: Callable[[Mapping[str, Any]], str] | None = None
        """The version of the editor's code that made the edit of a line; goes into the line."""

    @property
    def empty(self) -> bool:
        """Whether it has no line."""
        return not self._end

    @property
    def warning(self) -> str:
        """What the user should know about the lock; "" where there is nothing."""
        return self._lock.weak

    def check(self) -> None:
        """Raise FolderGone where the journal is no longer the file that its path names."""
        self._lock.check()

    def cause(self, failure: EditscopeError) -> EditscopeError:
        """Why work on the run ends: that its folder is gone, where it is, whatever somebody met because of that."""
        try:
            self.check()
        except FolderGone as gone:
            return gone
        return failure

    def append(self, *lines: Mapping[str, Any]) -> None:
        """Add lines in one write; where the disk is full, take back what was written of them."""
        self.check()
        # Texts are made valid, and keys taken out, where they come in; this is the last guard before the disk.
        data = b"".join(encoded_line(received_json(self._signed(line))) + b"\n" for line in lines)
        fd = self._lock.fd
        with writing(self.path):
            try:
                done = os.write(fd, data)
                while done < len(data):  # the disk took a part; the next write says why
                    done += os.write(fd, data[done:])
            except OSError:
                os.ftruncate(fd, self._end)
                raise
        self._end += len(data)
        self._dirty = True
        self.sync(at_most_every_s=SYNC_EVERY_S)

    def _signed(self, line: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.code_of is None or line["step"] != "edit" or CODE in line or not (code := self.code_of(line)):
            return line
        return {**line, CODE: code}

    def sync(self, at_most_every_s: float = 0.0) -> None:
        """Make the kernel put the lines on the disk, unless that was done just now."""
        if self._dirty and time.monotonic() - self._synced >= at_most_every_s:
            with writing(self.path):
                os.fsync(self._lock.fd)
            self._synced = time.monotonic()
            self._dirty = False

    def take_back(self, *names: str) -> None:
        """Remove an empty journal, these files beside it, and the folders that were made for it; then unlock.

        A journal that has a line stays, and all else with it.
        """
        if not self.empty:
            return
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
        self._lock.remove()

    def close(self) -> None:
        """Sync and unlock."""
        if self._lock.fd < 0:
            return
        try:
            self.sync()
        finally:
            self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_journal(folder: Path) -> list[Line]:
    """All whole lines; a torn last line is ignored, a damaged one before it is an error."""
    return read_lines(folder)[0]


def read_lines(folder: Path, *, judged: bool | None = None) -> tuple[list[Line], Source]:
    """All whole lines and their journal; BadInput where ``judged`` is given and a score is of another kind."""
    blocks = JournalBlocks(folder / FILE, judged=judged)
    lines = [line for block in blocks for line in block]
    return lines, blocks.source


def read_source(folder: Path) -> Source:
    """Which journal a folder has, without a look at its lines."""
    return source_of(read_pieces(folder / FILE))


@dataclass(frozen=True, eq=False)
class JournalContent:
    """The lines of a journal, which journal they are, and what they say is finished."""

    lines: list[Line]
    source: Source

    @cached_property
    def progress(self) -> Progress:
        """Edits, verdicts and scores."""
        return progress(self.lines)


class JournalReader:
    """Reads a journal as often as you like, and parses it only where it has changed since the last time."""

    def __init__(self, folder: Path, *, judged: bool) -> None:
        self._folder, self._judged = folder, judged
        self._content: JournalContent | None = None

    def read(self) -> JournalContent:
        """The journal as it is now; BadInput as ``read_lines`` raises it."""
        if self._content is None or self.source() != self._content.source:
            self._content = JournalContent(*read_lines(self._folder, judged=self._judged))
        return self._content

    def source(self) -> Source:
        """Which journal there is now."""
        return read_source(self._folder)

    def forget(self) -> None:
        """Free the memory of the lines; the next ``read`` parses them again."""
        self._content = None


def progress(lines: Iterable[Line]) -> Progress:
    """Sort journal lines into edits, verdicts and scores; a later edit makes the earlier score of it void.

    A line ``again`` makes an edit void that is to be made once more.
    """
    edits: dict[Step, Line] = {}
    scores: dict[Step, Line] = {}
    verdicts: dict[Step, dict[VerdictKey, Line]] = {}
    unit_of: dict[Step, Step] = {}
    superseded: list[Line] = []
    for line in lines:
        step = (line["case"], line.get("variant", ""))
        if line["step"] in ("edit", "again"):
            scores.pop(unit_of.get(step, step), None)
        if line["step"] == "edit":
            edits[step] = line
        elif line["step"] == "again":
            edits.pop(step, None)
        elif line["step"] == "score":
            scores[step] = line
            unit_of |= {(line["case"], variant): step for variant in line.get("unit", ())}
        elif line["step"] == "verdict":
            asked, known = (line["key"], line["verdict"]["judge"], line["sample"]), verdicts.setdefault(step, {})
            if asked in known:
                superseded.append(known[asked])
            known[asked] = line
    return Progress(edits, scores, verdicts, superseded)


def _cut_torn_line(fd: int, path: Path) -> int:
    """Cut away what a killed writer left after the last newline; the size that remains."""
    size = end = os.fstat(fd).st_size
    with path.open("rb") as file:
        while end:
            start = max(0, end - PIECE)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
    if end < size:
        os.ftruncate(fd, end)
    return end
