"""The file that keeps the index: a SQLite database that can be removed at any time and is then made again."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

from editscope.databases import use_wal
from editscope.studio.catalog.records import CaseList, Doc, RunCard, RunIndex, ScoreColumns, digest

WAIT_S = 30.0
"""How long to wait for another process that is writing."""
NAME = "index.db"
VERSION = 2
"""Goes up when the same run gives another index; what earlier versions kept is then made again."""
TABLES = """
CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, source TEXT NOT NULL, card TEXT NOT NULL,
  case_list TEXT NOT NULL, columns TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS case_lists (hash TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS docs (run TEXT NOT NULL, case_id TEXT NOT NULL, variant TEXT NOT NULL, body TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS docs_of_run ON docs (run, case_id, variant);
"""


class IndexFile:
    """What the index keeps of each run: its card, its columns, and a document for every edit."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._path = folder / NAME
        self._own = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._writing = threading.Lock()
        try:
            self._prepare()
        except sqlite3.DatabaseError:  # cut short by a full disk, or something else under this name
            self.close()
            for path in folder.glob(f"{NAME}*"):
                path.unlink(missing_ok=True)
            self._prepare()

    def _prepare(self) -> None:
        database = self._connection()
        use_wal(database, WAIT_S)
        if database.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            for table in ("runs", "case_lists", "docs"):
                database.execute(f"DROP TABLE IF EXISTS {table}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        database.executescript(TABLES)

    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        made = getattr(self._own, "database", None)
        if made is None:
            made = sqlite3.connect(self._path, timeout=WAIT_S, check_same_thread=False, isolation_level=None)
            made.execute("PRAGMA synchronous=OFF")  # nothing in it is worth a sync: it can be made again
            self._own.database = made
            self._opened.append(made)
        return cast(sqlite3.Connection, made)

    def close(self) -> None:
        """Close every connection."""
        while self._opened:
            self._opened.pop().close()
        self._own = threading.local()

    def stamps(self) -> dict[str, tuple[str, str]]:
        """The stamp and the journal that each kept run was made from."""
        rows = self._connection().execute("SELECT id, stamp, source FROM runs")
        return {run: (stamp, source) for run, stamp, source in rows}

    def card(self, run_id: str) -> RunCard | None:
        """The card of a run."""
        row = self._connection().execute("SELECT card FROM runs WHERE id = ?", (run_id,)).fetchone()
        return None if row is None else RunCard.from_json(row[0])

    def columns(self, run_id: str) -> tuple[str, ScoreColumns] | None:
        """The name of a run's list of cases, and its columns."""
        row = self._connection().execute("SELECT case_list, columns FROM runs WHERE id = ?", (run_id,)).fetchone()
        return None if row is None else (row[0], ScoreColumns.from_json(row[1]))

    def case_list(self, name: str) -> CaseList:
        """A list of cases by its name; an empty one where it was just replaced."""
        row = self._connection().execute("SELECT body FROM case_lists WHERE hash = ?", (name,)).fetchone()
        return CaseList([], [], [], [], {}) if row is None else CaseList.from_json(row[0])

    def docs(self, case_id: str, runs: Sequence[str]) -> dict[str, dict[str, Doc]]:
        """What each of these runs says about a case: documents by run and variant."""
        marks = ",".join("?" * len(runs))
        rows = self._connection().execute(
            f"SELECT run, variant, body FROM docs WHERE case_id = ? AND run IN ({marks})", (case_id, *runs)
        )
        found: dict[str, dict[str, Doc]] = {}
        for run, variant, body in rows:
            found.setdefault(run, {})[variant] = json.loads(body)
        return found

    def doc(self, case_id: str, run_id: str, variant: str) -> Doc | None:
        """What a run says about one edit."""
        query = "SELECT body FROM docs WHERE case_id = ? AND run = ? AND variant = ?"
        row = self._connection().execute(query, (case_id, run_id, variant)).fetchone()
        return None if row is None else cast(Doc, json.loads(row[0]))

    def put(self, index: RunIndex, stamp: str, source: str) -> None:
        """Keep the index of a run in the place of what was kept of it."""
        run, cases = index.card.id, index.cases.to_json()
        name = digest(cases)
        rows = (
            (run, doc["case"], doc["variant"], json.dumps(doc, ensure_ascii=False, separators=(",", ":")))
            for doc in index.docs
        )
        with self._writing, self._transaction() as database:
            database.execute("INSERT OR IGNORE INTO case_lists VALUES (?, ?)", (name, cases))
            database.execute("DELETE FROM docs WHERE run = ?", (run,))
            database.executemany("INSERT OR REPLACE INTO docs VALUES (?, ?, ?, ?)", rows)
            values = (run, stamp, source, index.card.to_json(), name, index.columns.to_json())
            database.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?)", values)

    def touch(self, run_id: str, stamp: str) -> None:
        """Note another stamp of a run whose journal is the same."""
        with self._writing, self._transaction() as database:
            database.execute("UPDATE runs SET stamp = ? WHERE id = ?", (stamp, run_id))

    def drop(self, runs: Iterable[str]) -> None:
        """Forget runs that are gone, and lists of cases that no run has."""
        gone = [(run,) for run in runs]
        if not gone:
            return
        with self._writing, self._transaction() as database:
            database.executemany("DELETE FROM docs WHERE run = ?", gone)
            database.executemany("DELETE FROM runs WHERE id = ?", gone)
            database.execute("DELETE FROM case_lists WHERE hash NOT IN (SELECT case_list FROM runs)")

    @contextlib.contextmanager
    def _transaction(self):  # type: ignore[no-untyped-def]
        database = self._connection()
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
