"""The engine of the database, and the two ways to use it: reading, and writing in one short transaction."""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError

from editscope.databases import use_wal
from editscope.errors import BadInput
from editscope.studio.settings import DATABASE_VARIABLE, Settings

FILE = "studio.db"
BUSY_S = 30.0
WRITES = "editscope_writes"
"""The option of a connection that is going to write."""
SQLITE_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE)
POSTGRES_FULL = "53100"
NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}
METADATA = MetaData(naming_convention=NAMES)
"""All tables of the studio; each part adds its own."""


class Store:
    """An open database. Writers wait for one another here rather than in SQLite, where a long wait is an error."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writer = engine.execution_options(**{WRITES: True})
        self._writing = threading.Lock() if engine.dialect.name == "sqlite" else None

    @classmethod
    def opened(cls, settings: Settings) -> Store:
        """The database of a studio, made where there is none, with the newest tables."""
        from editscope.studio.store.migrating import upgrade

        store = cls(make_engine(database_url(settings)))
        try:
            upgrade(store.engine)
        except DatabaseError as error:
            store.close()
            raise BadInput(_cannot_open(settings, error)) from error
        return store

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that only reads."""
        with told_when_full(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is committed when the block ends, and undone where it raises.

        OSError with ENOSPC where the database's disk is full.
        """
        with told_when_full(), self._writing or nullcontext(), self._writer.begin() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


@contextmanager
def told_when_full() -> Iterator[None]:
    """Turn what a database says about a full disk into the OSError that everything else on a full disk raises."""
    try:
        yield
    except DBAPIError as error:
        if not is_full(error):
            raise
        raise OSError(errno.ENOSPC, "the database's disk is full") from error


def is_full(error: DBAPIError) -> bool:
    """Whether an error says that the disk has no room. SQLite says so in several ways, by what it was writing."""
    of_sqlite = getattr(error.orig, "sqlite_errorcode", None)
    return of_sqlite in SQLITE_FULL or getattr(error.orig, "sqlstate", None) == POSTGRES_FULL


def database_url(settings: Settings) -> str:
    """The URL of the database: the one that was given, else SQLite in the studio's own folder."""
    if settings.database:
        return settings.database
    settings.own_folder.mkdir(exist_ok=True)
    return f"sqlite:///{(settings.own_folder / FILE).absolute()}"


def make_engine(url: str) -> Engine:
    """An engine for SQLite with a write-ahead log that survives a power cut, or for PostgreSQL."""
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in ("sqlite", "postgresql"):
            raise BadInput(f"the studio keeps its data in SQLite or PostgreSQL, not in {parsed.get_backend_name()!r}")
        if parsed.get_backend_name() == "postgresql":
            return create_engine(parsed, pool_size=20, max_overflow=20, pool_pre_ping=True, hide_parameters=True)
        # What is saved does not belong into a log: texts of people, and the secrets of their links.
        engine = create_engine(
            parsed, hide_parameters=True, connect_args={"timeout": BUSY_S, "check_same_thread": False}
        )
    except (ArgumentError, NoSuchModuleError) as error:
        raise BadInput(
            f"{DATABASE_VARIABLE} is not a database URL, such as postgresql://user@host/name: {_first_line(error)}"
        ) from error
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: Any) -> None:
    """Write-ahead log, so that readers never wait, and a sync at every commit, so that "saved" means on disk."""
    connection.isolation_level = None  # transactions begin where we say so, in `_begin_sqlite`
    use_wal(connection, BUSY_S)
    cursor = connection.cursor()
    for pragma in ("synchronous=FULL", "foreign_keys=ON", f"busy_timeout={int(BUSY_S * 1000)}"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Begin; one that will write waits for other processes now, since later SQLite refuses instead of waiting."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get(WRITES) else "BEGIN")


def _cannot_open(settings: Settings, error: DatabaseError) -> str:
    place = "" if settings.database else f" {settings.own_folder / FILE}"
    if "not a database" in str(error.orig) or "malformed" in str(error.orig):
        return (
            f"the studio's database{place} is damaged ({error.orig}); put a copy of it back, or move it away to start "
            "with an empty one"
        )
    return f"the studio's database{place} cannot be opened: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
