"""A real PostgreSQL in a temporary folder, for tests; Debian's package has the programs."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda place: float(place.parent.name))
USER = "postgres"


def installed() -> bool:
    """Whether there is a PostgreSQL to start, and a user to run it as."""
    return bool(PROGRAMS) and (os.getuid() != 0 or shutil.which("runuser") is not None)


class Postgres:
    """A running server that listens on a socket in its own folder only."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"t{uuid.uuid4().hex[:12]}"
        _run("createdb", "-h", str(self._folder), "-U", USER, name)
        return f"postgresql://{USER}@/{name}?host={self._folder}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-k {self._folder} -c listen_addresses='' -c max_connections=60"
        log = str(self._folder / "log")
        _run("pg_ctl", "-D", str(self._folder / "data"), "-o", options, "-w", "-t", "120", "-l", log, "start")

    def stop(self) -> None:
        """End it as a power cut would."""
        _run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "-w", "stop")


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A server, as long as the block runs."""
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a short path: a socket's name has at most 107 bytes
    data = folder / "data"
    if os.getuid() == 0:
        shutil.chown(folder, USER, USER)
    try:
        _run("initdb", "-D", str(data), "-U", USER, "--auth=trust", "-E", "UTF8", "--no-sync")
        server = Postgres(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(program: str, *arguments: str) -> None:
    command = [str(PROGRAMS[-1] / program), *arguments]
    if os.getuid() == 0:
        command = ["runuser", "-u", USER, "--", *command]
    done = subprocess.run(
        command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stdout}")


@contextmanager
def database_of(kind: str) -> Iterator[str]:
    """The URL of an empty database: "" for SQLite in the studio's folder. Without PostgreSQL, its tests are skipped."""
    if kind == "sqlite":
        yield ""
    elif installed():
        with postgres() as server:
            yield server.database()
    else:
        pytest.skip("needs Debian's postgresql package")
