"""A cache of prepared calls by the content of edits, so that a second run over the same edits draws no picture."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import Any

from editscope.databases import use_wal

NAME = "prepared.sqlite"
WAIT_S = 10.0
TABLE = "CREATE TABLE IF NOT EXISTS prepared (key TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID"


def cache_key(*parts: Any) -> str:
    """What something is filed under: a hash of all that it was made of."""
    return sha256(dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class PreparedCache:
    """A SQLite file beside the cache of verdicts, read and written by all workers.

    It holds no picture and no verdict: digests of calls, numbers, and where thumbnails lie. Whatever is wrong with it
    costs time and nothing else, so it never raises.
    """

    def __init__(self, folder: Path) -> None:
        self._db: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(folder / NAME, timeout=WAIT_S, isolation_level=None, check_same_thread=False)
            use_wal(self._db, WAIT_S)
            self._db.execute("PRAGMA synchronous=OFF")
            self._db.execute(TABLE)
        except (OSError, sqlite3.Error):
            self._db = None

    def get(self, key: str) -> dict[str, Any] | None:
        """What was put under this key, None where nothing was."""
        if self._db is None:
            return None
        try:
            row = self._db.execute("SELECT said FROM prepared WHERE key = ?", (key,)).fetchone()
            stored: dict[str, Any] | None = None if row is None else loads(row[0])
        except (sqlite3.Error, ValueError):
            return None
        return stored

    def put(self, key: str, said: Mapping[str, Any]) -> None:
        """Keep something under this key, over what was there."""
        if self._db is None:
            return
        try:
            self._db.execute("INSERT OR REPLACE INTO prepared VALUES (?, ?)", (key, dumps(said, ensure_ascii=False)))
        except sqlite3.Error:
            self._db = None
