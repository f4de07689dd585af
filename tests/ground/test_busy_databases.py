"""SQLite files that several processes use at the same time."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from editscope.databases import use_wal
from editscope.judges.cache import NAME, VerdictCache


def busy(file: Path) -> sqlite3.Connection:
    """A connection that is writing, in the mode that files begin with."""
    database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    database.execute("CREATE TABLE t (x)")
    database.execute("BEGIN IMMEDIATE")
    return database


def test_a_new_file_in_which_another_process_writes_is_waited_for(tmp_path: Path) -> None:
    writing = busy(tmp_path / NAME)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_wal(sqlite3.connect(tmp_path / NAME, timeout=30), wait_s=0.1)
    release = threading.Timer(0.3, lambda: writing.execute("COMMIT"))
    release.start()
    cache = VerdictCache(tmp_path)
    release.join()
    assert len(cache) == 0
    cache.close()
    writing.close()


def test_other_errors_are_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"not a database, but long enough to be looked at" * 40)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        use_wal(sqlite3.connect(tmp_path / NAME), wait_s=600)
