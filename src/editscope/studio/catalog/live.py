"""Runs that are going on: whether a process writes them, and how far they are, without reading them from the start."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.lock import LockFile, last_holder

LOCKS = Path("/proc/locks")
RECENT_S = 120.0
"""A journal that changed so recently is taken for one that is written, where the system does not list its locks."""
LONGEST_LOOK = 64 << 20
"""Bytes of a journal that one look reads; the next look goes on."""


@dataclass(slots=True)
class JournalTail:
    """How many edits of a growing journal have their score, counted from where the last look ended."""

    path: Path
    end: int = 0
    inode: int = 0
    scored: set[tuple[str, str]] = field(default_factory=set)

    def look(self) -> int:
        """The number now; a journal that was replaced or cut is counted anew, one that is gone has none."""
        try:
            with (self.path / JOURNAL).open("rb") as file:
                about = os.fstat(file.fileno())
                if about.st_ino != self.inode or about.st_size < self.end:
                    self.end, self.inode, self.scored = 0, about.st_ino, set()
                file.seek(self.end)
                data = file.read(LONGEST_LOOK)
        except OSError:
            return 0
        whole = data.rfind(b"\n") + 1
        self.end += whole
        for line in data[:whole].split(b"\n"):
            self._count(line)
        return len(self.scored)

    def _count(self, line: bytes) -> None:
        if b'"step":"score"' in line:
            self.scored.add(_step(line))
        elif b'"step":"edit"' in line or b'"step":"again"' in line:
            self.scored.discard(_step(line))


def _step(line: bytes) -> tuple[str, str]:
    try:
        fields = json.loads(line)
        return str(fields["case"]), str(fields.get("variant", ""))
    except (ValueError, KeyError, TypeError):
        return "", ""


def locked_inodes() -> set[int] | None:
    """The inodes of files that a process has locked on this machine; None where the system does not say."""
    try:
        lines = LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    inodes = set()
    for line in lines:
        parts = line.split()
        place = next((part for part in parts if part.count(":") == 2), "")
        if place.rpartition(":")[2].isdecimal():
            inodes.add(int(place.rpartition(":")[2]))
    return inodes


def is_being_written(path: Path, locked: set[int] | None) -> bool:
    """Whether a process writes a run now, without taking its lock even for a moment."""
    journal = path / JOURNAL
    try:
        about = journal.stat()
    except OSError:
        return False
    if locked is not None and about.st_ino in locked:
        return True
    holder = last_holder(LockFile.place(journal))
    if holder is not None and holder.alive():
        return True
    return locked is None and time.time() - about.st_mtime < RECENT_S
