"""Files of a run folder: safe names, whole files or none, and one sentence when the disk refuses."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from editscope.errors import EditscopeError, Stopped

LONGEST_NAME = 120
IMAGES = "images"
THUMBS = "thumbs"
ERRORS = "errors.log"
"""A line for every edit and verdict that failed, with tracebacks."""
EDITOR_LOG = "editor.log"
"""What the editor printed."""


class DiskError(EditscopeError):
    """The disk is full, or the folder may not be written."""


class FolderGone(Stopped):
    """The run folder was removed or replaced while the run went on, so that it cannot be resumed."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; nothing is left to resume")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a refusal of the disk into one sentence that names the file."""
    try:
        yield
    except OSError as error:
        raise DiskError(f"cannot write {path}: {error.strerror or error}; make room or allow writing there") from error


def write_whole(path: Path, data: bytes, *, make_folder: bool = True, sync: bool = True) -> None:
    """Write a file so that a reader sees all of it or the one before: a temporary file, then a rename.

    Without ``make_folder`` its folder must be there: a run folder that was removed does not come back. ``sync`` waits
    until the disk has it.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with writing(path):
        if make_folder:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("wb") as file:
                file.write(data)
                if sync:
                    file.flush()
                    os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def half_written(path: Path) -> bool:
    """Whether a file is what a ``write_whole`` left that was killed before its rename.

    >>> half_written(Path("run/.run.json.4711.tmp")), half_written(Path("run/notes.tmp"))
    (True, False)
    """
    return re.fullmatch(r"\..+\.\d+\.tmp", path.name) is not None


def write_inside(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a run folder, by relative path; DiskError for one that would lie outside of it."""
    for name, data in files.items():
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts or not place.parts or "\\" in name:
            raise DiskError(
                f"a worker sent a file named {name!r}, which is not a path inside {folder}; nothing was written"
            )
        path = folder / place
        with writing(path):
            make_below(folder, path.parent)
            path.write_bytes(data)


_HOMES: dict[Path, tuple[int, int]] = {}


def remember_home(folder: Path) -> None:
    """Know a run folder again: what is put below this path later must go into this very folder."""
    status = folder.stat()
    _HOMES[folder.absolute()] = status.st_dev, status.st_ino


def check_home(folder: Path) -> None:
    """Raise FileNotFoundError where a run folder is gone, or another one has its name now."""
    status = folder.stat()
    if _HOMES.get(folder.absolute(), here := (status.st_dev, status.st_ino)) != here:
        raise FileNotFoundError(errno.ENOENT, "the run folder was replaced")


def make_below(folder: Path, wanted: Path) -> None:
    """Make a folder below a run folder, which itself must be there: one that was removed does not come back."""
    check_home(folder)
    missing = []
    while wanted != folder and not wanted.is_dir():
        missing.append(wanted)
        wanted = wanted.parent
    for parent in reversed(missing):
        parent.mkdir(exist_ok=True)


def safe_path(case_id: str) -> PurePosixPath:
    """A relative path for a case id that cannot leave its folder, different for different ids.

    >>> str(safe_path("border/012")), str(safe_path("../etc/passwd")), str(safe_path("/a b"))
    ('border/012', '%2E%2E/etc/passwd', '%/a%20b')
    """
    return PurePosixPath(*(_safe_part(part) for part in case_id.split("/")))


def thumb_name(kind: str, variant: str) -> str:
    """The name of a thumbnail: what it shows, and for which variant where the case has several edits.

    >>> thumb_name("edit", ""), thumb_name("q1", "explicit"), thumb_name("levels", "~2")
    ('edit', 'q1@explicit', 'levels@~2')
    """
    return f"{kind}@{safe_path(variant)}" if variant else kind


def _safe_part(part: str) -> str:
    if re.fullmatch(r"\.*", part):  # nothing, or a name that means another folder
        return "%2E" * len(part) or "%"
    safe = quote(part, safe=" ").replace(" ", "%20")
    if len(safe) > LONGEST_NAME:
        safe = f"{safe[: LONGEST_NAME - 17]}-{sha256(part.encode()).hexdigest()[:16]}"
    return safe
