"""SQLite files that several processes use at the same time."""

from __future__ import annotations

import sqlite3
import time

PAUSE_S = 0.02


def use_wal(database: sqlite3.Connection, wait_s: float) -> None:
    """Keep a log of writes beside the file (WAL), so that readers and a writer do not wait for each other.

    SQLite does not wait for a process that writes while it changes to this mode, whatever the timeout of the
    connection: this does, for ``wait_s`` seconds at most.
    """
    until = time.monotonic() + wait_s
    while True:
        try:
            database.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(PAUSE_S)
        else:
            return
