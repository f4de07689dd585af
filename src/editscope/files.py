"""Regular files from outside, opened without waiting and read up to a limit."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

SETTINGS = 1 << 20
"""Bytes that a file of settings may have: a manifest, prices, a config, a header."""
PICTURE = 256 << 20
"""Bytes that a picture inside a page may have."""
JOURNAL = 1 << 36
"""Bytes that a journal may have; it is as long as its run."""
DOCUMENT = 1 << 30
"""Bytes that a file of data may have: the list of a suite's cases, the record of a run."""

_PIECE = 1 << 20
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def open_file(path: str | Path) -> BinaryIO:
    """A regular file, opened for reading; OSError for anything else, whose ``strerror`` says what it is.

    Links are followed. A pipe or a device is refused before it is opened, because opening one can wait for ever, and
    again after, because somebody may have put one there meanwhile.

    >>> open_file("/dev/zero")
    Traceback (most recent call last):
    OSError: [Errno 22] it is a device, not a regular file: '/dev/zero'
    """
    _must_be_regular(Path(path).stat(), path)
    file: BinaryIO = open(path, "rb", opener=_opener)  # noqa: SIM115
    try:
        _must_be_regular(os.fstat(file.fileno()), path)
    except BaseException:
        file.close()
        raise
    return file


def read_file(path: str | Path, limit: int) -> bytes:
    """All bytes of a regular file; OSError where it is none, cannot be read, or has more than ``limit`` bytes.

    The limit holds while reading, too: files of /proc say that they are empty, and others grow.
    """
    with open_file(path) as file:
        return read_opened(file, limit)


def read_opened(file: BinaryIO, limit: int) -> bytes:
    """What ``read_file`` gives, of a file that ``open_file`` has opened."""
    size = os.fstat(file.fileno()).st_size
    if size > limit:
        raise _too_large(file.name, limit)
    data = file.read(size + 1)
    if len(data) <= size:
        return data
    pieces, length = [data], len(data)
    while length <= limit:
        piece = file.read(_PIECE)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        length += len(piece)
    raise _too_large(file.name, limit)


def sync_path(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lies_in(path: str | Path, folder: str | Path) -> bool:
    """Whether a path lies in a folder when all links are followed; links in a circle lie nowhere else.

    >>> lies_in("data/a.png", "data"), lies_in("data/../a.png", "data")
    (True, False)
    """
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))


def _must_be_regular(found: os.stat_result, path: str | Path) -> None:
    if stat.S_ISREG(found.st_mode):
        return
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file", str(path))
    kind = next((name for is_kind, name in _KINDS if is_kind(found.st_mode)), "something else")
    raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", str(path))


def _too_large(path: str | Path, limit: int) -> OSError:
    shown = f"{limit >> 20:,} MiB" if limit >= 1 << 20 else f"{limit:,} bytes"
    return OSError(errno.EFBIG, f"it is larger than {shown}", str(path))
