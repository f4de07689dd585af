"""Scanning of a folder for runs: a walk that stays shallow, enters no run, and follows no link."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.run_json import FILE as RUN_JSON

DEEPEST = 4
"""Folders below the studio's own that are searched for runs."""
MOST_FOLDERS = 20_000
"""Folders that one scan looks at; a folder with more holds data, and runs belong elsewhere."""


@dataclass(frozen=True, slots=True)
class ScannedRun:
    """A run folder: its id, which is its path within the studio's folder, and a stamp that changes with its files."""

    id: str
    path: Path
    stamp: str
    journal_bytes: int
    changed_at: float


def scan(folder: Path) -> dict[str, ScannedRun]:
    """The runs under a folder by id; the folder itself, where it is a run, has the id of its name."""
    own = scanned_run(folder, folder.name or "run")
    runs = [own] if own is not None else _runs_below(folder)
    return {run.id: run for run in runs}


def scanned_run(path: Path, run_id: str) -> ScannedRun | None:
    """The run that a folder holds; None where it holds none, or is just being removed."""
    try:
        about = (path / RUN_JSON).stat()
    except OSError:
        return None
    try:
        journal = (path / JOURNAL).stat()
    except OSError:
        return ScannedRun(run_id, path, f"{about.st_mtime_ns}.{about.st_size}", 0, about.st_mtime)
    stamp = f"{about.st_mtime_ns}.{about.st_size}.{journal.st_mtime_ns}.{journal.st_size}.{journal.st_ino}"
    return ScannedRun(run_id, path, stamp, journal.st_size, journal.st_mtime)


def _runs_below(folder: Path) -> Iterator[ScannedRun]:
    waiting = [(folder, "", 0)]
    looked_at = 0
    while waiting and looked_at < MOST_FOLDERS:
        place, prefix, depth = waiting.pop()
        try:
            inside = sorted((entry.name for entry in os.scandir(place) if _may_hold_runs(entry)), reverse=True)
        except OSError:  # it was removed, or may not be read
            continue
        for name in inside:
            looked_at += 1
            run_id = f"{prefix}{name}"
            run = scanned_run(place / name, run_id)
            if run is not None:
                yield run
            elif depth + 1 < DEEPEST:
                waiting.append((place / name, f"{run_id}/", depth + 1))


def _may_hold_runs(entry: os.DirEntry[str]) -> bool:
    try:
        return not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
    except OSError:
        return False
