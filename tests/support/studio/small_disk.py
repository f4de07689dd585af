"""Disks without room: a small file system of its own, or a limit on the files of one process."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

MEGABYTES = 16
KINDS = ("file system", "limit of a process")


class SmallDisk:
    """A folder whose disk a test fills and frees. ``pid`` is the process that writes there."""

    def __init__(self, folder: Path, mounted: bool) -> None:
        self.folder, self._mounted = folder, mounted
        self.pid = 0

    def fill(self) -> None:
        """Leave no room for a byte."""
        if not self._mounted:
            self._limit(1)
            return
        with suppress(OSError), (self.folder / ".ballast").open("wb", buffering=0) as file:
            while file.write(b"\0" * 4096):
                pass

    def free(self) -> None:
        """Make room again."""
        if self._mounted:
            (self.folder / ".ballast").unlink()
        else:
            self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        _, most = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (size, most))


@contextmanager
def small_disk(folder: Path, kind: str) -> Iterator[SmallDisk | None]:
    """A disk of a kind; None where a file system cannot be mounted here, which takes root."""
    if kind != KINDS[0]:
        yield SmallDisk(folder, mounted=False)
        return
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        yield None
        return
    try:
        yield SmallDisk(folder, mounted=True)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextmanager
def full_disk(folder: Path, kind: str) -> Iterator[None]:
    """No room in a folder for this process. Skips the test where a file system cannot be mounted."""
    with small_disk(folder, kind) as disk:
        if disk is None:
            pytest.skip("no file system can be mounted here")
        disk.pid = os.getpid()
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        disk.fill()
        try:
            yield
        finally:
            disk.free()
            signal.signal(signal.SIGXFSZ, ignored)
