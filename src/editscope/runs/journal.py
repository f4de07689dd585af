"""The journal of a run: append-only, one line of JSON per finished step, the only source of truth."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from editscope.errors import BadInput
from editscope.outside import received_json
from editscope.runs.disk import writing

Line: TypeAlias = dict[str, Any]
Step: TypeAlias = tuple[str, str]
"""A case id and a variant; of a run with judges also a unit, which may hold several variants."""
Asked: TypeAlias = tuple[str, str, int]
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
    verdicts: Mapping[Step, Mapping[Asked, Line]] = field(default_factory=dict)


class Journal:
    """An open journal, locked so that no other process writes to the same run."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        with writing(self.path):
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
        try:
            _lock(self._fd, folder)
            with writing(self.path):
                self._end = _cut_torn_line(self._fd, self.path)
        except BaseException:
            os.close(self._fd)
            raise
        self._synced = time.monotonic()
        self._dirty = False

    def append(self, *lines: Mapping[str, Any]) -> None:
        """Add lines in one write; where the disk is full, take back what was written of them."""
        # Texts are made valid, and keys taken out, where they come in; this is the last guard before the disk.
        text = [json.dumps(received_json(line), ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines]
        data = "".join(text).encode()
        with writing(self.path):
            try:
                written = os.write(self._fd, data)
                while written < len(data):  # the disk took a part; the next write says why
                    written += os.write(self._fd, data[written:])
            except OSError:
                os.ftruncate(self._fd, self._end)
                raise
        self._end += len(data)
        self._dirty = True
        self.sync(at_most_every_s=SYNC_EVERY_S)

    def sync(self, at_most_every_s: float = 0.0) -> None:
        """Make the kernel put the lines on the disk, unless that was done just now."""
        if self._dirty and time.monotonic() - self._synced >= at_most_every_s:
            with writing(self.path):
                os.fsync(self._fd)
            self._synced = time.monotonic()
            self._dirty = False

    def close(self) -> None:
        """Sync and unlock."""
        try:
            self.sync()
        finally:
            os.close(self._fd)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_journal(folder: Path) -> list[Line]:
    """All whole lines; a torn last line is ignored, a damaged one before it is an error."""
    path = folder / FILE
    if not path.exists():
        return []
    raw = path.read_bytes().split(b"\n")[:-1]  # what follows the last newline is torn, or nothing
    try:
        # All lines as one list: reading a large journal takes half the time.
        lines: list[Line] = json.loads(b"[" + b",".join(raw) + b"]")
        if len(lines) == len(raw) and all(map(_whole, lines)):
            return lines
    except ValueError:
        pass
    lines = []  # one of them is damaged; line by line, to say which
    for number, data in enumerate(raw, start=1):
        try:
            line = json.loads(data)
        except ValueError:
            line = None
        if not _whole(line):
            raise BadInput(
                f"{path}: line {number} is damaged; cut the file before that line "
                f"(`head -n {number - 1}`) to lose only the steps from there on"
            )
        lines.append(line)
    return lines


def _whole(line: object) -> bool:
    return isinstance(line, dict) and "step" in line and "case" in line


def progress(lines: Iterable[Line]) -> Progress:
    """Sort journal lines into edits, verdicts and scores; a later edit makes the earlier score of it void."""
    edits: dict[Step, Line] = {}
    scores: dict[Step, Line] = {}
    verdicts: dict[Step, dict[Asked, Line]] = {}
    unit_of: dict[Step, Step] = {}
    for line in lines:
        step = (line["case"], line.get("variant", ""))
        if line["step"] == "edit":
            edits[step] = line
            scores.pop(unit_of.get(step, step), None)
        elif line["step"] == "score":
            scores[step] = line
            unit_of |= {(line["case"], variant): step for variant in line.get("unit", ())}
        elif line["step"] == "verdict":
            verdicts.setdefault(step, {})[line["key"], line["verdict"]["judge"], line["sample"]] = line
    return Progress(edits, scores, verdicts)


def _lock(fd: int, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # a system without flock: two processes in one run are the user's care
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadInput(f"{folder} is being written by another process; wait for it or stop it first") from None
    except OSError:  # a file system without locks
        return


def _cut_torn_line(fd: int, path: Path) -> int:
    """Cut away what a killed writer left after the last newline; the size that remains."""
    size = os.fstat(fd).st_size
    data = path.read_bytes() if size else b""
    end = data.rfind(b"\n") + 1
    if end < size:
        os.ftruncate(fd, end)
    return end
