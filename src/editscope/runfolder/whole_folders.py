"""Folders that are whole or not there: made beside their place, and renamed into it in the end."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from editscope.files import sync_path
from editscope.processes import is_running
from editscope.runfolder.files import writing


@contextmanager
def whole_folder(place: Path) -> Iterator[Path]:
    """A new folder that takes its place in the end, and that of an earlier one; on an error it is removed.

    DiskError if the disk refuses. The earlier folder stays until the new one is whole. If the process is killed while
    they change places, ``put_back`` brings the earlier one back. A link stays a link.
    """
    with writing(place):
        place = place.resolve()
        put_back(place)
        with folder_beside(place) as new:
            yield new
            _sync(new)
            aside = _aside(place)
            try:
                if place.is_dir():
                    shutil.rmtree(aside, ignore_errors=True)
                    place.replace(aside)
                new.replace(place)
            finally:
                put_back(place)
            sync_path(place.parent)
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def folder_beside(place: Path) -> Iterator[Path]:
    """An empty folder beside a file or folder, removed in the end if it is still there.

    Those that killed processes have left there are removed first.
    """
    new = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    place.parent.mkdir(parents=True, exist_ok=True)
    for left in list(_left_over(place)):
        shutil.rmtree(left, ignore_errors=True)
    new.mkdir()
    try:
        yield new
    finally:
        shutil.rmtree(new, ignore_errors=True)


def put_back(place: Path) -> None:
    """Bring back a folder that a killed process had put aside, unless there is a new one."""
    aside = _aside(place)
    if not place.exists() and aside.is_dir():
        with writing(place):
            aside.replace(place)


def put_aside_from(aside: Path) -> Path | None:
    """The place of a folder that was put aside; None for any other.

    >>> str(put_aside_from(Path("run/.step-8.before"))), put_aside_from(Path("run/step-8"))
    ('run/step-8', None)
    """
    match = re.fullmatch(r"\.(.+)\.before", aside.name)
    return aside.with_name(match[1]) if match else None


def _aside(place: Path) -> Path:
    """Where a folder is between the renames that put a new one in its place."""
    return place.with_name(f".{place.name}.before")


def _left_over(place: Path) -> Iterator[Path]:
    """What killed processes have left beside a place."""
    pattern = re.compile(rf"\.{re.escape(place.name)}\.(\d+)\.tmp")
    for path in place.parent.iterdir():
        match = pattern.fullmatch(path.name)
        if match and (int(match[1]) == os.getpid() or not is_running(int(match[1]))):
            yield path


def _sync(folder: Path) -> None:
    """Wait until the disk has all files and names of a folder."""
    for path in sorted(folder.rglob("*")):
        sync_path(path)
    sync_path(folder)
