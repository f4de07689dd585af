"""Store of results: what became of every record at every step, in one SQLite file that survives a killed process."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from editscope.databases import use_wal
from editscope.errors import BadInput
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome
from editscope.files import sync_path
from editscope.outside import repaired
from editscope.runfolder.files import DiskError

P = ParamSpec("P")
T = TypeVar("T")
WAIT_S = 30.0
"""How long to wait for another process that is writing."""
FILE = "results.db"
VERSION = 2
SYNC_EVERY_S = 1.0
MOST_AT_ONCE = 500
"""Keys that one statement looks up."""
TABLES = """
CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, step TEXT NOT NULL, record TEXT NOT NULL, body TEXT NOT NULL,
  cost REAL NOT NULL, seconds REAL NOT NULL, attempts INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failures (step TEXT NOT NULL, record TEXT NOT NULL, reason TEXT NOT NULL, cost REAL NOT NULL,
  attempts INTEGER NOT NULL, at REAL NOT NULL, UNIQUE (step, record));
CREATE TABLE IF NOT EXISTS chunks (part BLOB NOT NULL, number INTEGER NOT NULL, size INTEGER NOT NULL,
  inputs BLOB NOT NULL, records BLOB NOT NULL, counts TEXT NOT NULL, PRIMARY KEY (part, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decisions (key BLOB PRIMARY KEY, body BLOB NOT NULL, counts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

KEEP = """
INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body,
  cost = cost + excluded.cost, seconds = seconds + excluded.seconds, attempts = attempts + excluded.attempts
"""
"""What is made again, because a blob of it is gone, was paid for twice."""


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A result on its way into the store."""

    key: bytes
    step: str
    record: str
    outcome: Outcome
    seconds: float


@dataclass(frozen=True, slots=True)
class Chunk:
    """Records that came out of a part of the plan, and the counts of its steps for them.

    ``size`` and ``inputs`` say how many records went in, and which.
    """

    number: int
    size: int
    inputs: bytes
    records: tuple[Record, ...]
    counts: Mapping[str, Any]


def _reading(method: Callable[Concatenate[ResultStore, P], T]) -> Callable[Concatenate[ResultStore, P], T]:
    """A method that reads; what cannot be read becomes one sentence."""

    @wraps(method)
    def read(self: ResultStore, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            return method(self, *args, **options)
        except (sqlite3.DatabaseError, zlib.error, ValueError, TypeError, KeyError) as error:
            raise BadInput(damaged(self.path, error)) from error

    return read


def damaged(path: Path, error: BaseException) -> str:
    """What to do about a store that cannot be read."""
    return f"{path} is damaged ({error}); restore a copy, or move it away and build again"


class ResultStore:
    """The results of a build. Results are on their way to the disk at once, and synced every second.

    With ``read_only`` nothing is written, not even the files that SQLite lays beside the database.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self.path = folder / FILE
        self._log = self.path.with_name(f"{FILE}-wal")
        self._read_only = read_only
        self._synced = time.monotonic()
        try:
            self._database = sqlite3.connect(
                self._address(), timeout=WAIT_S, isolation_level=None, check_same_thread=False, uri=True
            )
            if not read_only:
                use_wal(self._database, WAIT_S)
                self._database.execute("PRAGMA synchronous=NORMAL")
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, VERSION):
                raise BadInput(f"{self.path} was written by another version of Editscope (format {version})")
            if not read_only:
                self._database.executescript(TABLES)
                self._database.execute(f"PRAGMA user_version = {VERSION}")
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (
                sqlite3.SQLITE_FULL,
                sqlite3.SQLITE_IOERR,
                sqlite3.SQLITE_READONLY,
            ):
                raise DiskError(f"cannot write {self.path}: {error}; make room or allow writing there") from error
            raise BadInput(f"{self.path} cannot be opened ({error}); it is damaged, or no file of a build") from error

    def _address(self) -> str:
        """The address of the database. A log beside it is of a process that builds now, or that was killed."""
        how = "mode=rwc" if not self._read_only else "mode=ro" if self._log.exists() else "immutable=1"
        return f"{self.path.absolute().as_uri()}?{how}"

    def close(self) -> None:
        """Sync and close."""
        if not self._read_only:
            self.sync()
        self._database.close()

    def sync(self, at_most_every_s: float = 0.0) -> None:
        """Make the kernel put what was written on the disk, unless that was done just now."""
        if time.monotonic() - self._synced < at_most_every_s:
            return
        if self._log.exists():
            sync_path(self._log)
        self._synced = time.monotonic()

    # ---- results of records

    @_reading
    def known(self, keys: Sequence[bytes]) -> dict[bytes, Outcome]:
        """The outcomes that are there already."""
        found: dict[bytes, Outcome] = {}
        for start in range(0, len(keys), MOST_AT_ONCE):
            some = keys[start : start + MOST_AT_ONCE]
            marks = ",".join("?" * len(some))
            for key, body in self._database.execute(f"SELECT key, body FROM results WHERE key IN ({marks})", some):
                found[key] = Outcome.from_json(json.loads(body))
        return found

    def put(self, results: Sequence[KeptResult]) -> None:
        """Keep results."""
        rows = [
            (
                result.key,
                result.step,
                result.record,
                _text(result.outcome.to_json()),
                result.outcome.cost_usd,
                result.seconds,
                result.outcome.attempts,
            )
            for result in results
        ]
        gone = [(result.step, result.record) for result in results]
        with _Transaction(self._database, self.path):
            self._database.executemany(KEEP, rows)
            self._database.executemany("UPDATE failures SET reason = '' WHERE step = ? AND record = ?", gone)
        self.sync(SYNC_EVERY_S)

    def fail(self, step: str, record: str, reason: str, cost: float, attempts: int) -> None:
        """Note that a record is pending at a step, and what the attempts cost."""
        with _Transaction(self._database, self.path):
            self._database.execute(
                "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (step, record) DO UPDATE SET "
                "reason = excluded.reason, cost = cost + excluded.cost, attempts = attempts + excluded.attempts, "
                "at = excluded.at",
                (step, record, repaired(reason), cost, attempts, time.time()),
            )
        self.sync(SYNC_EVERY_S)

    @_reading
    def pending(self) -> list[tuple[str, str, str]]:
        """Step, record and reason of each unresolved failure."""
        rows = self._database.execute("SELECT step, record, reason FROM failures WHERE reason != '' ORDER BY at")
        return [(step, record, reason) for step, record, reason in rows]

    @_reading
    def spent(self) -> dict[str, tuple[int, float, float, int]]:
        """Results, dollars, seconds and attempts of each step, what was made again included."""
        query = "SELECT step, COUNT(*), SUM(cost), SUM(seconds), SUM(attempts) FROM results GROUP BY step"
        made = {
            step: (n, cost, seconds, attempts) for step, n, cost, seconds, attempts in self._database.execute(query)
        }
        for step, cost, attempts in self._database.execute(
            "SELECT step, SUM(cost), SUM(attempts) FROM failures GROUP BY step"
        ):
            n, dollars, seconds, tries = made.get(step, (0, 0.0, 0.0, 0))
            made[step] = (n, dollars + cost, seconds, tries + attempts)
        return made

    # ---- parts of the plan that are done

    @_reading
    def chunk(self, part: bytes, number: int) -> Chunk | None:
        """A chunk that went through a part without anything pending."""
        query = "SELECT size, inputs, records, counts FROM chunks WHERE part = ? AND number = ?"
        row = self._database.execute(query, (part, number)).fetchone()
        if row is None:
            return None
        size, inputs, records, counts = row
        read = (Record.from_json(one) for one in json.loads(zlib.decompress(records)))
        return Chunk(number, size, inputs, tuple(read), json.loads(counts))

    @_reading
    def chunks(self, part: bytes) -> dict[int, tuple[int, bytes]]:
        """The chunks of a part that are done: how many records went in, and which."""
        rows = self._database.execute("SELECT number, size, inputs FROM chunks WHERE part = ? ORDER BY number", (part,))
        return {number: (size, inputs) for number, size, inputs in rows}

    def forget_chunks(self, part: bytes, numbers: Sequence[int]) -> None:
        """Forget that some chunks of a part are done."""
        with _Transaction(self._database, self.path):
            rows = [(part, number) for number in numbers]
            self._database.executemany("DELETE FROM chunks WHERE part = ? AND number = ?", rows)

    def cut_chunks(self, part: bytes, number: int) -> None:
        """Forget chunks of a part from a number on: the part has fewer records now."""
        with _Transaction(self._database, self.path):
            self._database.execute("DELETE FROM chunks WHERE part = ? AND number >= ?", (part, number))

    @_reading
    def chunk_counts(self, part: bytes, below: int, first: int = 0) -> list[Mapping[str, Any]]:
        """The counts of some chunks of a part."""
        query = "SELECT counts FROM chunks WHERE part = ? AND number >= ? AND number < ? ORDER BY number"
        return [json.loads(counts) for (counts,) in self._database.execute(query, (part, first, below))]

    def put_chunk(self, part: bytes, chunk: Chunk) -> None:
        """Keep a chunk that is done."""
        text = json.dumps([record.to_json() for record in chunk.records], ensure_ascii=False, separators=(",", ":"))
        body = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        with _Transaction(self._database, self.path):
            self._database.execute(
                "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?, ?)",
                (part, chunk.number, chunk.size, chunk.inputs, body, json.dumps(chunk.counts)),
            )

    @_reading
    def decision(self, key: bytes) -> tuple[dict[str, list[Any]], Mapping[str, Any]] | None:
        """What a step over all records decided, by id, and its counts."""
        row = self._database.execute("SELECT body, counts FROM decisions WHERE key = ?", (key,)).fetchone()
        return None if row is None else (json.loads(zlib.decompress(row[0])), json.loads(row[1]))

    def put_decision(self, key: bytes, decided: Mapping[str, list[Any]], counts: Mapping[str, Any]) -> None:
        """Keep what a step over all records decided."""
        body = zlib.compress(json.dumps(decided, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
        with _Transaction(self._database, self.path):
            row = (key, body, json.dumps(counts))
            self._database.execute("INSERT OR REPLACE INTO decisions VALUES (?, ?, ?)", row)

    # ---- facts about the build

    @_reading
    def fact(self, name: str, default: Any = None) -> Any:
        """A fact that was noted."""
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return default if row is None else json.loads(row[0])

    def note(self, name: str, value: Any) -> None:
        """Note a fact."""
        with _Transaction(self._database, self.path):
            self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))


def _text(value: Any) -> str:
    """A JSON value as a text that the database takes: halves of characters stay escapes.

    >>> _text(["ü"]), _text(["\\ud800"])
    ('["ü"]', '["\\\\ud800"]')
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


class _Transaction:
    """All statements or none; a full disk becomes one sentence."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self._database, self._path = database, path

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self._database.execute("COMMIT")
                return
        except sqlite3.DatabaseError as failure:
            error = failure
        if self._database.in_transaction:
            self._database.execute("ROLLBACK")
        if isinstance(error, sqlite3.OperationalError):
            raise DiskError(f"cannot write {self._path}: {error}; make room or allow writing there") from error
        if isinstance(error, sqlite3.DatabaseError):
            raise BadInput(damaged(self._path, error)) from error
